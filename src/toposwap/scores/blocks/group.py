r"""Tables of any kinds with a penalty on the lengths of blocks.

.. math:: Q(\theta, c) = \sum_j \ell_j\Bigl(x_j, \sum_i \theta_{ij}^\top Z_i, c_j\Bigr)
          + \sum_{ij} \rho_{ij}(\lVert \theta_{ij} \rVert_F), \qquad
          \rho_{ij}'(0) = \text{weight} \cdot \sqrt{m_i q_j} ,

with the losses and the columns of :mod:`~toposwap.scores.blocks.score`. Lengths are those of blocks
in units of the columns, so that nothing depends on units or on the names of categories.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import checked
from toposwap.losses import GaussianLoss
from toposwap.orderfit.nodes import NodeFit, SeparableScore
from toposwap.penalties import BIC
from toposwap.scores.base import Point, Score
from toposwap.scores.blocks.bound import BlockCoefficients, BoundBlocks, parts
from toposwap.scores.blocks.group_nodes import GroupPenalty, block_lengths, solve_group
from toposwap.scores.blocks.score import RIDGE, check_blocks, design_of, node_losses
from toposwap.scores.strategy import few_restarts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit
    from toposwap.scores.blocks.design import Design
    from toposwap.scores.blocks.model import NodeLoss
    from toposwap.scores.blocks.nodes import Fitted

    Floats = NDArray[np.float64]

#: The price of a parameter where blocks of Gaussian columns lead the way, in units of Schwarz's.
_FACTOR = 2.0


class GroupBlocks(Score):
    r"""sum_j loss_j + sum_ij rho(|theta_ij|), a loss and a block of columns by kind; separable.

    Parameters
    ----------
    penalty
        "lasso" (the group lasso) or "mcp" (group MCP, which leaves strong blocks as they are).
    weight
        Slope of the penalty at zero, over the root of the number of parameters of the block. By
        default :math:`(1 + \sqrt{2 \log d}) / \sqrt n`, which the gradient of a block that is not
        needed rarely exceeds.
    beta
        How far the slope of "mcp" reaches: it is zero beyond ``beta`` times that at zero; > 1.
    ordinal
        As of :class:`~toposwap.scores.Blocks`.
    """

    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True
    edge_blocks: ClassVar[bool] = True
    weighs_rows: ClassVar[bool] = True
    takes_nominal: ClassVar[bool] = True
    uses_interventions: ClassVar[bool] = True

    def __init__(
        self,
        penalty: str = "lasso",
        weight: float | None = None,
        beta: float = 3.0,
        ordinal: str = "scores",
    ) -> None:
        self.penalty = penalty
        self.weight = weight
        self.beta = beta
        self.ordinal = ordinal

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name with its penalty: "blocks-lasso" or "blocks-mcp"."""
        return f"blocks-{self.penalty}"

    def bind(self, data: Dataset) -> BoundGroupBlocks:
        """Find the kinds of the columns, their losses and their blocks."""
        if self.penalty not in ("mcp", "lasso"):
            raise InputError(f"penalty: must be 'mcp' or 'lasso', got {self.penalty!r}")
        if not checked("beta", self.beta) > 1.0:
            raise InputError(f"beta: must be a number > 1, got {self.beta!r}")
        check_blocks(self, data)
        weight = (1.0 + sqrt(2.0 * log(data.d))) / sqrt(data.n)
        if self.weight is not None:
            weight = checked("weight", self.weight)
        return BoundGroupBlocks(
            self, data, design_of(data, self.ordinal), node_losses(data), weight
        )


class BoundGroupBlocks(BoundBlocks):
    """Q on given data."""

    score: GroupBlocks

    def __init__(
        self,
        score: GroupBlocks,
        data: Dataset,
        design: Design,
        losses: Sequence[NodeLoss],
        weight: float,
    ) -> None:
        price = BIC(_FACTOR).bind(data.n, data.d).weight
        super().__init__(score, data, design, losses, price, RIDGE / data.n)
        self.penalty = GroupPenalty(1.0 / score.beta if score.penalty == "mcp" else 0.0)
        sizes = np.diff(self.predictors)
        #: The slope at zero of each edge, (d, d).
        self.kinks = weight * np.sqrt(np.outer(design.sizes, sizes))
        if score.weight is None:
            self.choices = (f"penalty weight {weight:.3g} by the numbers of rows and columns",)

    def _restarts(self) -> tuple[int, int | None]:
        return few_restarts(self.data.d), None

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Solve ``node``; where it may have several minima, from zero too."""
        share = float(self.shares[node])
        if share == 0.0:
            return self._with_parents(node, np.zeros(self.data.d, dtype=bool))
        one, kinks = self.nodes[node], self._kinks_of(node)
        starts = [None] if warm is None else [warm.parameters]
        if warm is not None and not self._convex(node):
            starts.append(None)
        solved = [solve_group(one, share, allowed, kinks, self.penalty, start) for start in starts]
        fitted, value, violating = min(solved, key=lambda found: found[1])
        support = block_lengths(fitted.theta, self.design.starts) > 0.0
        required = self.admissible.required_of(node)
        return NodeFit(
            value,
            fitted,
            support=support if required is None else support | required,
            violating=violating,
        )

    def _final(self, v: int, node: NodeFit) -> Fitted:  # noqa: ARG002
        """As it was found: where a solver ends depends on where it began."""
        fitted: Fitted = node.parameters
        return fitted

    def _kinks_of(self, node: int) -> Floats:
        """Of the parents of ``node``, (d,); what is required has no penalty."""
        required = self.admissible.required_of(node)
        return (
            self.kinks[:, node]
            if required is None
            else np.where(required, 0.0, self.kinks[:, node])
        )

    def _convex(self, node: int) -> bool:
        assert self.losses is not None
        return self.penalty.concavity == 0.0 and not isinstance(self.losses[node], GaussianLoss)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Refuse where a node may have several solutions, of which a solver finds one."""
        if not all(self._convex(j) for j in range(self.data.d)):
            raise InputError(
                f"search='exact' proves a global minimum, and a node of {self.score!r} may have "
                "several local ones; use search='auto', or score='blocks-bic'"
            )
        return SeparableScore.solve_exactly(self, fit)

    def evaluate(self, parameters: BlockCoefficients | Floats) -> Point:
        """Q and, for each edge, the 1-norm of the least subgradient with respect to its block."""
        d, starts, (theta, constants) = self.data.d, self.design.starts, parts(parameters)
        gradient, column_scale = np.zeros((d, d)), np.empty(d)
        value = paid = worst = 0.0
        for j, node in enumerate(self.nodes):
            of, share = self.of(j), float(self.shares[j])
            scaled = theta[:, of] / self.units[:, of]
            found = node.evaluate(scaled, None if constants is None else constants[j])
            kinks, lengths = self._kinks_of(j), block_lengths(scaled, starts)
            paid += self.penalty.value(lengths, kinks)
            value += share * found.value
            worst = max(worst, found.rest)
            slope = share * found.gradient
            steep = block_lengths(slope, starts)
            with np.errstate(divide="ignore", invalid="ignore"):
                along = np.where(lengths > 0.0, self.penalty.slope(lengths, kinks) / lengths, 0.0)
                left = np.where(lengths > 0.0, 1.0, np.maximum(1.0 - kinks / steep, 0.0))
            left = np.where(steep > 0.0, left, 1.0)
            sizes = self.design.sizes
            least = np.repeat(left, sizes)[:, None] * slope
            least += np.repeat(along, sizes)[:, None] * scaled
            entries = np.abs(least / self.units[:, of]).sum(axis=1)
            gradient[:, j] = np.add.reduceat(entries, starts[:-1])
            column_scale[j] = self.scale_of(j, found.size)
        np.fill_diagonal(gradient, 0.0)
        return Point(
            weights=self.weights(parameters),
            value=value + paid,
            penalty=paid,
            gradient=gradient,
            row_scale=self.row_units * self.design.sizes,
            column_scale=column_scale,
            rest=worst,
        )
