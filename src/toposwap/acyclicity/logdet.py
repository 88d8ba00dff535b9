r"""The DAGMA formulation: :math:`h(B) = -\log\det(I - B)` for spectral radius below one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.linalg import lapack

from toposwap.acyclicity.base import Acyclicity
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order

_OUTSIDE = (
    "acyclicity 'logdet': the spectral radius of |W| is {radius:.3g}, but the function exists only "
    "below 1; use 'exponential' or 'polynomial' for this matrix"
)


class LogDet(Acyclicity):
    r""":math:`h(B) = -\log\det(I - B)`, :math:`\nabla h = (I - B)^{-\top}`."""

    name: ClassVar[str] = "logdet"

    def _trace(self, block: NDArray[np.float64], d: int) -> float:  # noqa: ARG002
        _refuse_outside(block)
        norm = float(block.sum(axis=1).max())
        if norm < 0.1:
            # -log det(I - B) = sum_k tr(B^k) / k keeps the digits that 1 - B would lose.
            power, total = block, float(np.trace(block))
            for k in range(2, 18):
                power = power @ block
                total += float(np.trace(power)) / k
            return total
        return -float(np.linalg.slogdet(np.eye(len(block)) - block)[1])

    def _walks(self, nonnegative: NDArray[np.float64], order: Order | None) -> NDArray[np.float64]:
        variables = order.variables if order else topological_order(nonnegative != 0.0)
        identity = np.eye(len(nonnegative))
        if variables is None:
            _refuse_outside(nonnegative)
            return np.asarray(np.linalg.inv(identity - nonnegative), dtype=np.float64)
        # On a DAG the inverse is a finite sum over walks. In order coordinates it is triangular and
        # only non-negative numbers are added up, so no digit cancels.
        inner = np.ix_(variables, variables)
        walks = np.empty_like(nonnegative)
        walks[inner], _ = lapack.dtrtri(identity - nonnegative[inner], lower=0, unitdiag=1)
        return walks

    def evaluate(self, nonnegative: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return -log det(I - B) and the transposed inverse of I - B.

        The spectral radius is below one iff the inverse exists and has no negative entry.
        """
        matrix = np.eye(len(nonnegative)) - nonnegative
        try:
            walks = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
        except np.linalg.LinAlgError:
            return np.inf, np.full_like(nonnegative, np.inf)
        if not (walks >= -1e-12 * np.abs(walks).max()).all():
            return np.inf, np.full_like(nonnegative, np.inf)
        return max(-float(np.linalg.slogdet(matrix)[1]), 0.0), walks.T


def _refuse_outside(block: NDArray[np.float64]) -> None:
    radius = float(np.abs(np.linalg.eigvals(block)).max())
    if radius >= 1.0:
        raise InputError(_OUTSIDE.format(radius=radius))
