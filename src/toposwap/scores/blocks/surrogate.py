"""Blocks of Gaussian columns: a quick score whose good orders are good for any kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.scores.base import Score

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset
    from toposwap.scores.blocks.bound import BoundBlocks


class GaussianBlocks(Score):
    r"""sum_j 1/2 log det cov(Z_j - sum_i Z_i theta_ij) + weight per parameter; separable.

    Every variable is the block of its columns, as if these were Gaussian: the degenerate Gaussian
    score. Equivalent, and solved from second moments alone.

    Parameters
    ----------
    weight
        The price of a parameter.
    ordinal
        As of :class:`~toposwap.scores.blocks.score.Blocks`.
    """

    name: ClassVar[str] = "gaussian-blocks"
    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True
    equivalent: ClassVar[bool] = True
    edge_blocks: ClassVar[bool] = True
    weighs_rows: ClassVar[bool] = True
    takes_nominal: ClassVar[bool] = True
    uses_interventions: ClassVar[bool] = True

    def __init__(self, weight: float, ordinal: str = "scores") -> None:
        self.weight = weight
        self.ordinal = ordinal

    def bind(self, data: Dataset) -> BoundBlocks:
        """The columns of the variables and their moments."""
        from toposwap.scores.blocks.bound import BoundBlocks
        from toposwap.scores.blocks.score import design_of

        return BoundBlocks(self, data, design_of(data, self.ordinal), None, self.weight, 0.0)
