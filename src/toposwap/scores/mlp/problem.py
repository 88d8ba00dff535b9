r"""One node's network in double precision: value, derivatives, and Newton's method to the end.

.. math:: f = \textstyle\sum_a v_a \sigma(z_a) + v_0, \qquad z_a = \sum_i A_{ai} x_i + b_a .

The Hessian in (A, b, v, v_0) is written out: with :math:`J` the Jacobian of f, r the negative slope
of the loss and w its curvature,

.. math:: H = J \operatorname{diag}(w) J^\top - \sum_t r_t \nabla^2 f_t + \text{penalties}, \qquad
          \frac{\partial^2 f}{\partial A_{ai} \partial A_{aj}} = v_a \sigma''(z_a) x_i x_j, \quad
          \frac{\partial^2 f}{\partial A_{ai} \partial v_a} = \sigma'(z_a) x_i .

Few coordinates are not zero, so Newton's method on those is cheap and converges quadratically,
where a method of first order would take thousands of steps for the last digits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.kernels.mlp.network import RELU, SIGMOID, TANH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.mlp.loss import NodeLoss

#: Penalties from here on leave nothing of a parameter.
_HUGE = 1e12
ACTIVATIONS = {"sigmoid": SIGMOID, "tanh": TANH, "relu": RELU}


class Layer(NamedTuple):
    """sigma(z) and its first two derivatives, (h, n) each."""

    value: NDArray[np.float64]
    slope: NDArray[np.float64]
    bend: NDArray[np.float64]


def layer(z: NDArray[np.floating[Any]], activation: int) -> Layer:
    """The hidden layer at ``z`` (h, n), in its precision."""
    if activation == SIGMOID:
        # As exact as expit to the last digit of 1, and four times as fast with NumPy's tanh.
        s = 0.5 + 0.5 * np.tanh(0.5 * z)
        slope = s * (1.0 - s)
        return Layer(s, slope, slope * (1.0 - 2.0 * s))
    if activation == TANH:
        s = np.tanh(z)
        slope = 1.0 - s * s
        return Layer(s, slope, -2.0 * s * slope)
    return Layer(np.maximum(z, 0.0), (z > 0.0).astype(float), np.zeros_like(z))


@dataclass(frozen=True, eq=False)
class Problem:
    """Q_j of one node, in the units of its loss and of the inputs.

    Attributes
    ----------
    X
        Inputs, (k, n); the last row is ones if the hidden units have biases.
    y
        The column, (n,).
    l1, decay
        Weights of |A_ai| and of A_ai^2 / 2 for each input, (k,).
    ridge
        Weights of v_a^2 / 2, (h,) or (h + 1,) with a zero for the intercept.
    hidden, loss
        h, and the loss of the column.
    activation
        A code of :mod:`toposwap.kernels.mlp.network`.
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    l1: NDArray[np.float64]
    decay: NDArray[np.float64]
    ridge: NDArray[np.float64]
    hidden: int
    loss: NodeLoss
    activation: int

    @property
    def intercept(self) -> bool:
        """Whether the output has an intercept, the last entry of v."""
        return self.ridge.size > self.hidden

    def forward(
        self, A: NDArray[np.float64], v: NDArray[np.float64]
    ) -> tuple[Layer, NDArray[np.float64]]:
        """The hidden layer and f, at A (h, k) and v."""
        units = self._units(A)
        f = v[: self.hidden] @ units.value
        return units, f + v[-1] if self.intercept else f

    def _units(self, A: NDArray[np.float64]) -> Layer:
        """The hidden layer; units without inputs, often most of them, are computed once."""
        idle = ~A[:, : len(self.X) - self.intercept].any(axis=1)
        if not idle.any():
            return layer(A @ self.X, self.activation)
        moving = layer(A[~idle] @ self.X, self.activation)
        same = layer(A[idle] @ self.X[:, :1], self.activation)
        units = Layer(*(np.empty((len(A), self.y.size)) for _ in Layer._fields))
        for whole, rows, constant in zip(units, moving, same, strict=True):
            whole[~idle], whole[idle] = rows, constant
        return units

    def penalty(self, A: NDArray[np.float64], v: NDArray[np.float64]) -> float:
        """sum_ai l1_i |A_ai| + decay_i A_ai^2 / 2 + sum_a ridge_a v_a^2 / 2."""
        size = np.abs(A).sum(axis=0) @ self.l1 + 0.5 * (A * A).sum(axis=0) @ self.decay
        return float(size + 0.5 * (self.ridge @ (v * v)))

    def value(self, A: NDArray[np.float64], v: NDArray[np.float64]) -> float:
        """Q_j at A (h, k) and v: the loss of y at f, and the penalty."""
        return self.misfit(A, v) + self.penalty(A, v)

    def misfit(self, A: NDArray[np.float64], v: NDArray[np.float64]) -> float:
        """The loss of y at f."""
        return self.loss.terms(self.y, self.forward(A, v)[1])[0]

    def smooth_gradient(
        self, A: NDArray[np.float64], v: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Derivatives of all but the l1 part, by A (h, k) and by v."""
        units, f = self.forward(A, v)
        r = self.loss.terms(self.y, f)[1]
        by_v = np.append(units.value @ r, r.sum()) if self.intercept else units.value @ r
        by_a = -(v[: self.hidden, None] * units.slope * r) @ self.X.T + self.decay * A
        return by_a, self.ridge * v - by_v

    def pseudo_gradient(
        self, A: NDArray[np.float64], v: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The element of the subdifferential nearest to zero, by A and by v."""
        by_a, by_v = self.smooth_gradient(A, v)
        return toward_zero(A, by_a, self.l1), by_v

    def steepest(self, A: NDArray[np.float64], v: NDArray[np.float64]) -> float:
        """The largest entry of the pseudo-gradient."""
        return largest(*self.pseudo_gradient(A, v))

    def restricted(self, keep: NDArray[np.bool_]) -> Problem:
        """With the inputs ``keep`` (k,) only."""
        return replace(self, X=self.X[keep], l1=self.l1[keep], decay=self.decay[keep])

    def with_units(self, count: int) -> Problem:
        """With ``count`` hidden units, all of whose output weights are penalised alike."""
        return replace(self, ridge=self.ridge[self.hidden - count :], hidden=count)

    def jacobian(
        self, units: Layer, v: NDArray[np.float64], active: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Derivatives of f (n,) by the entries ``active`` of A, row by row, and by v."""
        unit, source = np.nonzero(active)
        J = np.empty((unit.size + v.size, units.value.shape[1]))
        inner = v[: self.hidden, None] * units.slope
        np.multiply(inner[unit], self.X[source], out=J[: unit.size])
        J[unit.size : unit.size + self.hidden] = units.value
        if self.intercept:
            J[-1] = 1.0
        return J

    # --- Newton ----------------------------------------------------------------------------------

    def hessian(
        self, A: NDArray[np.float64], v: NDArray[np.float64], active: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Second derivatives by the entries ``active`` (h, k) of A, row by row, and by v."""
        units, f = self.forward(A, v)
        _, r, w, coupling = self.loss.terms(self.y, f)
        unit, source = np.nonzero(active)
        J = self.jacobian(units, v, active)
        # One triangle is half the work of J J', and most of a step's.
        H = dsyrk(1.0, (J * np.sqrt(w)).T, trans=True)
        H += np.triu(H, 1).T
        if coupling != 0.0:
            g = J @ r
            H += coupling * np.outer(g, g)
        bend = v[: self.hidden, None] * units.bend * r
        cross = (units.slope * r) @ self.X.T
        start = 0
        for a in range(self.hidden):
            inputs = np.flatnonzero(active[a])
            stop = start + inputs.size
            if inputs.size:
                X = self.X[inputs]
                H[start:stop, start:stop] -= (X * bend[a]) @ X.T
                H[start:stop, unit.size + a] -= cross[a, inputs]
                H[unit.size + a, start:stop] -= cross[a, inputs]
            start = stop
        H[np.diag_indices(len(H))] += np.append(self.decay[source], self.ridge)
        return H

    def polish(
        self,
        A: NDArray[np.float64],
        v: NDArray[np.float64],
        small: float,
        max_iter: int = 1000,
        deadline: Deadline = NEVER,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Newton's method from (A, v) until no entry of the pseudo-gradient exceeds ``small``.

        At most ``max_iter`` steps, and none after the ``deadline``.
        """
        A, v = A.copy(), v.copy()
        value = self.value(A, v)
        damping = 1e-6
        for _ in range(max_iter):
            by_a, by_v = self.pseudo_gradient(A, v)
            if largest(by_a, by_v) <= small or deadline.passed:
                break
            active = (A != 0.0) | (by_a != 0.0) | (self.l1 == 0.0)
            g = np.append(by_a[active], by_v)
            H = self.hessian(A, v, active)
            size = self._size(H, active)
            moved = False
            for _attempt in range(20):
                step = _solve(H, g, damping * size)
                if step is not None:
                    moved, A, v, value = self._move(A, v, value, active, by_a, g, step)
                    if moved:
                        break
                damping = 10.0 * damping
            if not moved:
                break
            damping = max(0.1 * damping, 1e-12)
        return A, v, value

    def _size(self, H: NDArray[np.float64], active: NDArray[np.bool_]) -> float:
        """The largest curvature, but for those of parameters that a huge penalty holds."""
        penalties = np.append(self.decay[np.nonzero(active)[1]], self.ridge)
        curvatures = np.abs(np.diag(H))[penalties < _HUGE]
        return max(float(curvatures.max(initial=0.0)), 1e-300)

    def _move(
        self,
        A: NDArray[np.float64],
        v: NDArray[np.float64],
        value: float,
        active: NDArray[np.bool_],
        by_a: NDArray[np.float64],
        g: NDArray[np.float64],
        step: NDArray[np.float64],
    ) -> tuple[bool, NDArray[np.float64], NDArray[np.float64], float]:
        """Go as far along ``step`` as the value falls, within the orthant."""
        sign = np.where(A != 0.0, np.sign(A), -np.sign(by_a))
        bound = self.l1 > 0.0
        count = g.size - v.size
        # Near the end the value no longer tells: its last digit is all that changes.
        blur = 4.0 * np.finfo(float).eps * abs(value)
        for length in (1.0, 0.5, 0.1, 0.01):
            new_A, new_v = A.copy(), v + length * step[count:]
            new_A[active] += length * step[:count]
            new_A[bound & (new_A * sign < 0.0)] = 0.0
            fall = g[:count] @ (new_A - A)[active] + g[count:] @ (new_v - v)
            new = self.value(new_A, new_v)
            if fall < 0.0 and new <= value + 1e-4 * fall + blur:
                return True, new_A, new_v, new
        return False, A, v, value


def largest(by_a: NDArray[np.float64], by_v: NDArray[np.float64]) -> float:
    """The largest absolute value in both."""
    return max(float(np.abs(by_a).max(initial=0.0)), float(np.abs(by_v).max()))


def toward_zero(
    A: NDArray[np.float64], smooth: NDArray[np.float64], l1: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The element of ``smooth`` + l1 d|A| nearest to zero."""
    held = np.sign(smooth) * np.maximum(np.abs(smooth) - l1, 0.0)
    return np.where(A != 0.0, smooth + l1 * np.sign(A), held)


def _solve(
    H: NDArray[np.float64], g: NDArray[np.float64], damping: float
) -> NDArray[np.float64] | None:
    """-(H + damping)^{-1} g, None where that is not positive definite."""
    damped = H.copy()
    damped[np.diag_indices(len(H))] += damping
    try:
        return np.asarray(-cho_solve(cho_factor(damped, overwrite_a=True), g))
    except LinAlgError:
        return None
