r"""The triangular factor of a table whose rows are weighed, again and again.

With :math:`[1, (X - 1\mu^\top) D^{-1}] = Q R`, the columns of Q orthonormal, weights w >= 0 give

.. math:: R^\top\, Q^\top \operatorname{diag}(w)\, Q\, R = (U R)^\top (U R), \qquad
          U^\top U = Q^\top \operatorname{diag}(w)\, Q ,

and :math:`U R` is upper triangular: the factor of the weighed table, its first row the weighed
means. The matrix that is factorised on the way is near the identity whatever the columns are, so no
digits are lost as they would be by the Gram matrix of X itself; and it costs half of a
factorisation of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.dataset import Dataset

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Entries of Q, which is one copy of the table, up to which it is kept.
_MOST_ENTRIES = 50_000_000
#: A pivot of U below which the weighed rows hardly tell some column from the others.
_LEAST_PIVOT = 1e-3


class WeighedMoments:
    """Second moments of one table under any weights of its rows.

    Parameters
    ----------
    data
        With rows; its own weights are not looked at.
    """

    def __init__(self, data: Dataset) -> None:
        assert data.rows is not None
        self._data = data
        self._centred = data.centered
        scaled = (data.rows - data.mean) / data.scale
        if self._centred:
            scaled = np.column_stack([np.ones(len(scaled)), scaled])
        self._basis, self._triangle = np.linalg.qr(scaled)

    @staticmethod
    def possible(data: Dataset) -> bool:
        """Whether the copy is affordable, and all columns have the same rows and enough of them.

        A column that was set from outside in some rows has fewer.
        """
        if data.rows is None or data.rows.size > _MOST_ENTRIES or data.interventions is not None:
            return False
        return len(data.rows) > 2 * (data.d + 1)

    def dataset(self, weights: NDArray[np.float64]) -> Dataset | None:
        """The data with rows weighed by ``weights`` (n,), without the rows themselves.

        None where these weights leave too little to tell the columns apart.
        """
        from scipy.linalg import blas, lapack

        kept = np.flatnonzero(weights)
        some, times = self._basis[kept], weights[kept]
        if (times != 1.0).any():
            some *= np.sqrt(times)[:, None]
        root, info = lapack.dpotrf(some.T @ some, lower=0, clean=1)
        total = float(weights.sum())
        if info != 0 or not np.diagonal(root).min() > _LEAST_PIVOT * np.sqrt(total / len(weights)):
            return None
        factor = blas.dtrmm(1.0 / np.sqrt(total), root, self._triangle)
        data, mean = self._data, np.zeros(self._data.d)
        if self._centred:
            mean = data.mean + data.scale * factor[0, 1:] / factor[0, 0]
            factor = np.asfortranarray(factor[1:, 1:])
        return Dataset(
            data.names, round(total), mean, data.scale.copy(), factor, centered=self._centred
        )
