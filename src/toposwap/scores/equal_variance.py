r"""One noise variance for all nodes, and a price per edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.errors import InputError
from toposwap.penalties import L0, PENALTIES, Penalty
from toposwap.registry import resolve
from toposwap.scores.base import Score
from toposwap.scores.pooled import BoundPooled
from toposwap.scores.subset import checked_max_parents

if TYPE_CHECKING:
    from toposwap.dataset import Dataset


class EqualVariance(Score):
    r"""The Gaussian likelihood with equal noise variances, which identifies every direction.

    .. math:: Q(W) = \tfrac d2 \log \lVert X - X W \rVert_F^2 + \lambda \lVert W \rVert_0

    Like least squares it trusts the units of the columns.

    Parameters
    ----------
    penalty
        A price per edge: "bic", "ebic", or such a penalty object.
    max_parents
        The most parents a node may have.
    """

    name: ClassVar[str] = "equal-variance-l0"
    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = False
    selects_edges: ClassVar[bool] = True
    scale_dependent: ClassVar[bool] = True

    def __init__(self, penalty: str | Penalty = "bic", max_parents: int | None = None) -> None:
        self.penalty: Penalty = resolve("penalty", penalty, PENALTIES, Penalty)
        self.max_parents = max_parents

    def bind(self, data: Dataset) -> BoundPooled:
        """Resolve the price of an edge for n rows and d columns."""
        penalty = self.penalty.bind(data.n, data.d)
        if not isinstance(penalty, L0):
            raise InputError(
                f"penalty: equal variances go with a price per edge (bic, ebic, L0), not with "
                f"{self.penalty!r}; use Penalized('least-squares', ...) for that"
            )
        return BoundPooled(self, data, penalty.weight, checked_max_parents(self.max_parents))
