r"""The paper's candidate swaps: where the KKT conditions are closest to failing.

.. math:: \mathcal Y(\Theta, \tau, \xi) = \{ (i, j) : [\nabla h(|\theta|)]_{ij} \le \tau,\;
          \lVert \partial Q / \partial \theta_{ij} \rVert_1 > \xi \}

A pair whose edge is nearly free to be added (small :math:`\nabla h`) and would help (large gradient
of Q) suggests placing ``i`` before ``j``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.acyclicity import Acyclicity, LogDet
from toposwap.candidates.base import Candidates, Survey
from toposwap.kernels.graphs.kkt_pairs import unstationary_pairs
from toposwap.kernels.graphs.reachability import reachability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit

#: Larger than nothing.
_TINY = float(np.finfo(float).tiny)
#: The paper's printed tables of thresholds.
T = (0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)
XI = (
    *(0.0, 1e-7, 1e-6, 5e-6, 1e-5, 5e-5, 1e-4),
    *(5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1, 5e-1),
    *(1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 40.0),
)


def in_swap_set(
    h_gradient: NDArray[np.float64], q_gradient: NDArray[np.float64], tau: float, xi: float
) -> NDArray[np.bool_]:
    """Whether a pair is in Y(Theta, tau, xi), for gradients of any common shape."""
    return (h_gradient <= tau) & (q_gradient > xi)


def find_params(
    h_gradient: NDArray[np.float64],
    q_gradient: NDArray[np.float64],
    size: int,
    taus: Sequence[float] = T,
    xis: Sequence[float] = XI,
) -> tuple[float, float]:
    r"""FindParams: the thresholds for which |Y(Theta, tau, xi)| is closest to ``size``.

    Among equals the largest xi is taken, that is the set with the steeper gradients.
    """
    tau_table, xi_table = np.sort(taus), np.sort(xis)
    # A pair belongs to every tau from its first admitting one up and every xi below its gradient.
    row = np.searchsorted(tau_table, h_gradient.ravel(), side="left")
    column = np.searchsorted(xi_table, q_gradient.ravel(), side="left")
    shape = (len(tau_table) + 1, len(xi_table) + 1)
    counts = np.bincount(np.ravel_multi_index((row, column), shape), minlength=shape[0] * shape[1])
    sizes = counts.reshape(shape).cumsum(axis=0)[:-1, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    distance = np.abs(sizes - size)
    ties = np.argwhere(distance == distance.min())
    a, b = ties[np.lexsort((ties[:, 0], -ties[:, 1]))[0]]
    return float(tau_table[a]), float(xi_table[b])


class KKTCandidates(Candidates):
    r"""Y(Theta, tau, xi) with thresholds from FindParams.

    The gradient of Q is measured in the score's ``gradient_unit``, so that the paper's thresholds,
    which were made for unit noise, mean the same in any units.

    Parameters
    ----------
    acyclicity
        The function h.
    taus, xis
        Tables for FindParams.
    extend
        Where even the largest tau and the smallest xi give fewer pairs than asked for, let tau grow
        until they do not. The authors' program goes beyond the printed table, too; the pseudo-code
        does not (False): without a penalty every walk weighs far more than the last entry of the
        table, 1e-3, and the sets would be empty.
    """

    def __init__(
        self,
        acyclicity: Acyclicity | None = None,
        taus: Sequence[float] = T,
        xis: Sequence[float] = XI,
        *,
        extend: bool = True,
    ) -> None:
        self.acyclicity = acyclicity or LogDet()
        self.taus = taus
        self.xis = xis
        self.extend = extend

    def survey(
        self,
        fit: OrderFit,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is random here
    ) -> Survey:
        """Evaluate both gradients and drop the pairs that need nothing."""
        point = fit.point()
        gradient, admissible = point.gradient, fit.bound.admissible
        if admissible.parents is not None:
            gradient = np.where(admissible.parents, gradient, 0.0)
        h_gradient = self.acyclicity.gradient(point.weights, fit.order)
        if admissible.before is not None:
            gradient = np.where(admissible.before.T, 0.0, gradient)
            # What must come before what counts as a walk, of no weight.
            back = reachability((point.weights != 0.0) | admissible.before).T
            h_gradient = np.where(back & (h_gradient == 0.0), _TINY, h_gradient)
        pairs, q_gradient, h_gradient = unstationary_pairs(
            gradient,
            h_gradient,
            point.row_scale,
            point.column_scale,
            fit.bound.tolerance,
        )
        # In a table of tiny and huge columns the ratio may overflow: steeper than any threshold.
        with np.errstate(over="ignore"):
            q_gradient = q_gradient / fit.bound.gradient_unit
        return _KKTSurvey(self, pairs, h_gradient, q_gradient)


class _KKTSurvey(Survey):
    def __init__(
        self,
        settings: KKTCandidates,
        everything: NDArray[np.int64],
        h_gradient: NDArray[np.float64],
        q_gradient: NDArray[np.float64],
    ) -> None:
        self._settings = settings
        self._everything = everything
        self._h_gradient = h_gradient
        self._q_gradient = q_gradient
        self.violations = everything[in_swap_set(h_gradient, q_gradient, 0.0, 0.0)]

    def pairs(self, size: int) -> NDArray[np.int64]:
        taus, xis = self._settings.taus, self._settings.xis
        admitted = self._h_gradient[self._q_gradient > min(xis)]
        size = min(size, admitted.size)
        if self._settings.extend and np.count_nonzero(admitted <= max(taus)) < size:
            tau, xi = float(np.partition(admitted, size - 1)[size - 1]), min(xis)
        else:
            tau, xi = find_params(self._h_gradient, self._q_gradient, size, taus, xis)
        return self._everything[in_swap_set(self._h_gradient, self._q_gradient, tau, xi)]
