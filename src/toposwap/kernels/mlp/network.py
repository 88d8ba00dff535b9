r"""One hidden layer in single or double precision: loss, best output weights and first gradient.

.. math:: f = S^\top v, \qquad S = \sigma(A X) \in \mathbb R^{h \times n} \;
          (\text{with a row of ones below it where there is an intercept}), \qquad
          F(A) = \min_v L(y, f) + \tfrac12 \sum_{ai} \lambda_i A_{ai}^2
                 + \tfrac12 \sum_a \rho_a v_a^2 .

X (k, n) holds inputs in rows, so that the inner loops run over samples and vectorise. For the
losses of the residual variance the minimum over v is a ridge regression with h unknowns (variable
projection), and the gradient of F is the partial one at that v. For those that are sums over rows v
is an argument like A. The losses bring their formulas, see :class:`Formula`.

These are the functions that the search calls millions of times, in single precision; they work in
double precision too, where X, y and the scratch arrays are. Everything that is reported is computed
again by :mod:`toposwap.scores.mlp.problem`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.jit import kernel, reordered_kernel
from toposwap.kernels.linalg.products import combinations, inner_products
from toposwap.kernels.pointers import call_row_terms, call_variance_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float32] | NDArray[np.float64]

SIGMOID, TANH, RELU = 0, 1, 2

_F = np.float32
_DOUBLE = 8
# exp of it is finite, which these kernels count on.
_LARGEST_EXPONENT = 700.0
_LOG2E = _F(1.4426950408889634)
# 2^x on [-1/2, 1/2]: the Taylor series, whose remainder is 2e-7.
_C1, _C2, _C3 = _F(0.69314718), _F(0.24022651), _F(0.055504109)
_C4, _C5, _C6 = _F(0.0096181291), _F(0.0013333558), _F(0.00015403530)
_ONE, _HALF, _LARGEST = _F(1.0), _F(0.5), _F(126.0)


class Formula(NamedTuple):
    """A loss as kernels take it.

    ``by_rows`` says which kind of terms is at the address ``terms``: those of a sum over rows,
    which take ``parameters`` besides, or those of the residual variance of a target that was
    divided by ``scale``: a value is then counted from ``origin`` in units of ``unit``.
    """

    by_rows: bool
    terms: int
    parameters: NDArray[np.float64]
    scale: float
    unit: float
    origin: float


@reordered_kernel(inner=True)
def activate(Z: Reals, activation: int) -> None:
    """Replace Z (h, n) by sigma(Z).

    In single precision the error of sigmoid and tanh is below 1e-6, and the loops vectorise.
    """
    h, n = Z.shape
    if activation == RELU:
        for a in range(h):
            row = Z[a]
            for i in range(n):
                row[i] = max(row[i], _F(0.0))
        return
    if Z.itemsize == _DOUBLE:
        for a in range(h):
            row = Z[a]
            for i in range(n):
                if activation == SIGMOID:
                    row[i] = 1.0 / (1.0 + np.exp(min(-row[i], _LARGEST_EXPONENT)))
                else:
                    row[i] = np.tanh(row[i])
        return
    # tanh(z) = 2 sigmoid(2 z) - 1.
    factor = -_LOG2E if activation == SIGMOID else _F(-2.0) * _LOG2E
    stretch = _ONE if activation == SIGMOID else _F(2.0)
    shift = _F(0.0) if activation == SIGMOID else _ONE
    for a in range(h):
        row = Z[a]
        for i in range(n):
            t = min(max(row[i] * factor, -_LARGEST), _LARGEST)
            whole = np.floor(t + _HALF)
            x = t - whole
            power = _C6 * x + _C5
            power = power * x + _C4
            power = power * x + _C3
            power = power * x + _C2
            power = power * x + _C1
            power = power * x + _ONE
            # 2^whole, by writing the exponent of a float.
            exponent = np.int32((np.int32(whole) + np.int32(127)) << np.int32(23))
            row[i] = stretch / (_ONE + power * exponent.view(np.float32)) - shift


@reordered_kernel(inner=True)
def _predict(S: Reals, v: NDArray[np.float64], f: Reals) -> None:
    """Put the outputs S'v into f (n,), summed in double precision."""
    total = np.empty(f.size)
    for i in range(f.size):
        total[i] = 0.0
    for a in range(S.shape[0]):
        weight, row = v[a], S[a]
        for i in range(f.size):
            total[i] += weight * row[i]
    for i in range(f.size):
        f[i] = total[i]


@reordered_kernel(inner=True)
def _squares(y: Reals, f: Reals) -> float:
    """Put y - f into f and return its sum of squares."""
    total = 0.0
    for i in range(f.size):
        f[i] = y[i] - f[i]
        total += np.float64(f[i] * f[i])
    return total


@reordered_kernel(inner=True)
def _sum_of_squares(y: Reals) -> float:
    """||y||^2, summed in double precision."""
    total = 0.0
    for i in range(y.size):
        total += np.float64(y[i]) * np.float64(y[i])
    return total


@kernel(inner=True)
def row_residuals(y: Reals, f: Reals, loss: Formula) -> float:
    """Put minus n times the slope of a sum over rows into f and return the loss."""
    n = y.size
    eta, target, omega = np.empty(n), np.empty(n), np.empty(n)
    slope, curvature = np.empty(n), np.empty(n)
    for i in range(n):
        eta[i], target[i], omega[i] = f[i], y[i], 1.0 / n
    value, _ = call_row_terms(loss.terms, eta, target, omega, loss.parameters, slope, curvature)
    for i in range(n):
        f[i] = -n * slope[i]
    return value


@reordered_kernel(inner=True)
def _back(
    S: Reals,
    v: NDArray[np.float64],
    r: Reals,
    scale: float,
    activation: int,
) -> None:
    """Replace row a of S by -scale v_a sigma'(z_a) r."""
    for a in range(S.shape[0]):
        weight, row = r.dtype.type(-scale * v[a]), S[a]
        if activation == SIGMOID:
            for i in range(r.size):
                row[i] = weight * r[i] * row[i] * (_ONE - row[i])
        elif activation == TANH:
            for i in range(r.size):
                row[i] = weight * r[i] * (_ONE - row[i] * row[i])
        else:
            for i in range(r.size):
                row[i] = weight * r[i] if row[i] > _F(0.0) else _F(0.0)


@kernel(inner=True)
def _ridge(
    gram: NDArray[np.float64],
    c: NDArray[np.float64],
    ridge: NDArray[np.float64],
    factor: NDArray[np.float64],
    v: NDArray[np.float64],
) -> None:
    """Solve (gram + diag(ridge)) v = c by Cholesky."""
    size = c.size
    for j in range(size):
        for i in range(j, size):
            t = gram[i, j]
            for k in range(j):
                t -= factor[i, k] * factor[j, k]
            if i == j:
                t += ridge[j]
                # Single precision leaves this much of an intercept's row undetermined.
                factor[j, j] = np.sqrt(max(t, 1e-9 * gram[j, j] + 1e-30))
            else:
                factor[i, j] = t / factor[j, j]
    for i in range(size):
        t = c[i]
        for k in range(i):
            t -= factor[i, k] * v[k]
        v[i] = t / factor[i, i]
    for i in range(size - 1, -1, -1):
        t = v[i]
        for k in range(i + 1, size):
            t -= factor[k, i] * v[k]
        v[i] = t / factor[i, i]


@kernel(inner=True)
def _best_output(
    S: Reals,
    y: Reals,
    ridge: NDArray[np.float64],
    loss: Formula,
    careful: bool,
    v: NDArray[np.float64],
) -> None:
    """The output weights that minimise a loss of the residual variance, given the hidden layer."""
    rows, n = S.shape
    gram, factor = np.empty((rows, rows)), np.empty((rows, rows))
    c = np.empty(rows)
    if careful:
        whole, target = np.empty((rows, n)), np.empty(n)
        for i in range(n):
            target[i] = y[i]
            for a in range(rows):
                whole[a, i] = S[a, i]
        inner_products(whole, whole, True, gram)
        np.dot(whole, target, c)
    else:
        inner_products(S, S, True, gram)
        products = np.dot(S, y)
        for a in range(rows):
            c[a] = products[a]
    for a in range(rows):
        c[a] /= n
        for t in range(rows):
            gram[a, t] /= n
    # phi(s): the stationary point is that of s / 2 with the ridge times 1 / (2 phi'(s)).
    power = _sum_of_squares(y) / n
    mean_square = power
    softer = np.empty(rows)
    for _ in range(30):
        unit = 0.5 / call_variance_terms(loss.terms, mean_square, 1.0, loss.scale)[1]
        for a in range(rows):
            softer[a] = ridge[a] * unit
        _ridge(gram, c, softer, factor, v)
        latest = power
        for a in range(rows):
            t = -2.0 * c[a]
            for b in range(rows):
                t += gram[a, b] * v[b]
            latest += t * v[a]
        latest = max(latest, 1e-7 * power)
        other = 0.5 / call_variance_terms(loss.terms, latest, 1.0, loss.scale)[1]
        mean_square = latest
        if abs(other - unit) <= 1e-7 * other:
            break


@kernel(inner=True)
def evaluate(
    u: NDArray[np.float64],
    X: Reals,
    y: Reals,
    decay: NDArray[np.float64],
    ridge: NDArray[np.float64],
    loss: Formula,
    activation: int,
    careful: bool,
    S: Reals,
    A: Reals,
    f: Reals,
    v: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> float:
    """F at the parameters ``u``, its gradient, and the output weights.

    ``careful`` sums in double precision where units meet: those that are nearly alike have large
    output weights of opposite signs, and from sums in single precision these are so wrong that a
    descent ends in the middle of a valley.

    ``u`` is A row by row, followed by v for a loss that is a sum over rows. ``decay`` (k,) and
    ``ridge`` (rows of S,) are the weights of the squares. ``S``, ``A`` and ``f`` are scratch; ``v``
    and ``gradient`` are results.
    """
    h, k = A.shape
    n = X.shape[1]
    rows = S.shape[0]
    for a in range(h):
        for i in range(k):
            A[a, i] = u[a * k + i]
    combinations(A, X, S[:h])
    activate(S[:h], activation)
    if rows > h:
        for i in range(n):
            S[h, i] = _ONE
    if loss.by_rows:
        for a in range(rows):
            v[a] = u[h * k + a]
    else:
        _best_output(S, y, ridge, loss, careful, v)
    _predict(S, v, f)
    if loss.by_rows:
        value = row_residuals(y, f, loss)
        scale = 1.0 / n
        for a in range(rows):
            t = 0.0
            for i in range(n):
                t += S[a, i] * f[i]
            gradient[h * k + a] = ridge[a] * v[a] - t / n
    else:
        value, slope, _ = call_variance_terms(
            loss.terms, _squares(y, f) / n, np.float64(n), loss.scale
        )
        value = (value - loss.origin) / loss.unit
        scale = 2.0 * slope / n
    _back(S[:h], v, f, scale, activation)
    slopes = np.empty((h, k))
    inner_products(S[:h], X, False, slopes)
    for a in range(rows):
        value += 0.5 * ridge[a] * v[a] * v[a]
    for a in range(h):
        for i in range(k):
            value += 0.5 * decay[i] * u[a * k + i] ** 2
            gradient[a * k + i] = slopes[a, i] + decay[i] * u[a * k + i]
    return value
