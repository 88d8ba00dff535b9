r"""Losses that depend on the residual variance alone.

.. math:: \ell(x, f) = \varphi(s), \qquad s = \tfrac1n \lVert x - f \rVert^2 ,

with :math:`\varphi` concave. They are solved from second moments, whatever the number of rows is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.losses.base import ColumnLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.kernels.compiled import Compiled


class MomentLoss(ColumnLoss):
    r"""phi(s), s the mean square of the residuals; phi rising and concave.

    A loss of this kind is one function, ``terms(s, n, scale)``, decorated with
    :func:`~toposwap.kernels.compiled.variance_terms`: phi at ``s * scale^2`` for ``n`` rows, and
    the first two derivatives of phi / unit by ``s``. The unit is ``scale^2`` for a loss that has
    units and 1 for one that has none; solvers work with columns divided by their ``scale``.
    """

    terms: ClassVar[Compiled]
    from_moments = True

    def of_variance(self, s: float, n: int, scale: float = 1.0) -> tuple[float, float, float]:
        """phi(s scale^2), and the first two derivatives of phi / unit by s.

        Parameters
        ----------
        s
            Mean square of the residuals of a column divided by ``scale``; > 0 unless ``bounded``.
        n
            The number of rows.
        scale
            What the column was divided by.
        """
        value, slope, bend = self.terms(float(s), float(n), float(scale))
        return float(value), float(slope), float(bend)

    def unit(self, scale: float) -> float:
        """What phi is divided by where columns are divided by ``scale``."""
        return scale**2 if self.has_units else 1.0

    def value(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> float:
        """phi(s) at the mean square s of x - f, for (n,) each."""
        return self.of_variance(float(np.mean((x - f) ** 2)), x.size)[0]

    def slope(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
        """phi'(s) 2 (f - x) / n, (n,): the derivative of :meth:`value` by f."""
        r = f - x
        return (2.0 * self.of_variance(float(np.mean(r * r)), x.size)[1] / x.size) * r
