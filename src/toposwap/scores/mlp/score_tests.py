r"""Score tests: whether a column would help to explain a node, told from its residual alone.

With r the residual of the node and S the inputs it has,

.. math:: \Bigl(n \sum_{g \in G} \operatorname{corr}(r, g)^2 - |G|\Bigr) \Big/ \sqrt{2 |G|},
          \qquad G = \{p_1(x_c), p_2(x_c), p_3(x_c)\} \cup
          \{p_a(x_c) \, p_b(x_i) : a + b \le 3, \; i \in S\},

is the test of column c, with p_a the orthonormal polynomial of degree a in a column. Without any
influence of c the sum is near that of |G| squares of standard normal numbers, so this has mean 0
and variance 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DEGREES = 3
#: Degrees of the products, of c and of i.
_PRODUCTS = ((1, 1), (1, 2), (2, 1))


class ScoreTests:
    """The polynomials of all columns, from which the tests of any residual are products.

    Parameters
    ----------
    columns
        The d columns of the data as rows, (d, n).
    """

    def __init__(self, columns: NDArray[np.float64]) -> None:
        d, n = columns.shape
        self._n = n
        self._powers = np.empty((_DEGREES, d, n), dtype=np.float32)
        for c in range(d):
            self._powers[:, c] = _polynomials(columns[c])
        squares = self._powers[:2] ** 2
        self._variances = []
        for a, b in _PRODUCTS:
            mean = self._powers[a - 1] @ self._powers[b - 1].T / n
            variance = squares[a - 1] @ squares[b - 1].T / n - mean**2
            self._variances.append(np.maximum(variance, 1e-6))

    def __call__(
        self, residual: NDArray[np.floating[Any]], inputs: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """The test of every column c, (d,), for r = ``residual`` (n,) and S = ``inputs`` (k,)."""
        r = residual - residual.mean()
        r = (r / np.sqrt(max(float(r @ r), np.finfo(float).tiny))).astype(np.float32)
        total = ((self._powers @ r) ** 2).sum(axis=0, dtype=np.float64)
        for (a, b), variances in zip(_PRODUCTS, self._variances, strict=True):
            with_input = self._powers[b - 1][inputs] * r
            products = (self._powers[a - 1] @ with_input.T) ** 2 / variances[:, inputs]
            total += products.sum(axis=1)
        count = _DEGREES + len(_PRODUCTS) * inputs.size
        return np.asarray((total - count) / np.sqrt(2.0 * count))


def _polynomials(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Orthogonal polynomials of degrees 1 to 3 in ``x`` (n,) with mean square 1, (3, n).

    A degree that x has too few values for is zero.
    """
    size = float(np.abs(x).max())
    powers = np.vander(x / (size or 1.0), _DEGREES + 1, increasing=True)
    q, r = np.linalg.qr(powers)
    whole = np.zeros_like(powers)
    told = np.abs(np.diag(r)) > 1e-6 * abs(r[0, 0])
    whole[:, : told.size][:, told] = q[:, told]
    return np.asarray(whole[:, 1:].T * np.sqrt(x.size))
