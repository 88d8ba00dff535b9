"""The likelihood of columns of any kinds on given data, at a price for each parameter."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.core.errors import InputError
from toposwap.kernels.blocks.moments import DEPENDENT
from toposwap.losses import LevelLoss
from toposwap.losses.base import ColumnFacts
from toposwap.orderfit.exact import best_order, best_parents, members
from toposwap.orderfit.nodes import NodeFit, SeparableScore
from toposwap.scores.base import Point
from toposwap.scores.blocks.gaussian_node import GaussianNode
from toposwap.scores.blocks.model import BlockModel, NodeModel
from toposwap.scores.blocks.own_nodes import node_of, own_designs, own_levels
from toposwap.scores.blocks.selection import select_blocks
from toposwap.scores.dependence import determined_remarks
from toposwap.scores.strategy import MOST_RESTARTS, Strategy, Surrogate, patience

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit
    from toposwap.scores.base import Score
    from toposwap.scores.blocks.design import Design
    from toposwap.scores.blocks.model import NodeLoss
    from toposwap.scores.blocks.nodes import Fitted

    Floats = NDArray[np.float64]

#: Numbers in the columns of the causes from which on orders are perturbed once only.
_LARGE = 100_000
#: A node has at most this share of the rows as coefficients.
_MOST = 0.5
#: Columns of which every set of parents is fitted.
_MOST_EXACT = 12
#: What counts of a node that was set in all rows, for the sake of quotients.
_NEXT_TO_NOTHING = 1e-9


class BlockCoefficients(NamedTuple):
    """Theta: a block for each edge, and the constants of each node.

    Attributes
    ----------
    theta
        (M, K): rows are the columns of the causes, ``design.starts``, columns the predictors of the
        effects, ``bound.predictors``. Of numbers in the units of the data.
    constants
        Intercepts or thresholds of each node, (d,) arrays, where the columns of the design are 0.
    """

    theta: Floats
    constants: tuple[Floats, ...]


class BoundBlocks(SeparableScore):
    """Q on given data.

    Parameters
    ----------
    score, data
        What is bound to what.
    design
        The columns of the causes.
    losses
        Of the effects, (d,); None for blocks of Gaussian columns throughout.
    weight
        The price of a parameter.
    ridge
        What keeps coefficients finite.
    """

    def __init__(
        self,
        score: Score,
        data: Dataset,
        design: Design,
        losses: Sequence[NodeLoss] | None,
        weight: float,
        ridge: float,
    ) -> None:
        self.score = score
        self.data = data
        self.design = design
        self.losses = losses
        self.weight = weight
        designs = own_designs(design)
        self.nodes = [
            node_of(designs[j], j, None if losses is None else losses[j], ridge)
            for j in range(data.d)
        ]
        #: What counts of each node, (d,): nothing of one that was set in all rows.
        self.shares = data.shares
        sizes = np.array([node.q for node in self.nodes])
        #: Where the predictors of each node begin, (d + 1,).
        self.predictors = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        #: The price of each edge, (d, d).
        self.prices = weight * np.outer(design.sizes, sizes)
        #: Units of the parameters, (M, K).
        self.units = np.repeat([node.unit for node in self.nodes], sizes) / design.units[:, None]
        self._scalar = np.outer(design.sizes, sizes) == 1
        self._most = max(1, int(_MOST * data.n))

    def of(self, j: int) -> slice:
        """The predictors of node ``j``."""
        return slice(int(self.predictors[j]), int(self.predictors[j + 1]))

    # --- solving ---------------------------------------------------------------------------------

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Parents worth their price, from those at hand."""
        share = float(self.shares[node])
        if share == 0.0:
            return self._with_parents(node, np.zeros(self.data.d, dtype=bool))
        # In units of the mean over the rows of the node.
        one, price = self.nodes[node], self.prices[:, node] / share
        required = self.admissible.required_of(node)
        parents = np.zeros(self.data.d, dtype=bool)
        if warm is not None and warm.support is not None:
            parents = warm.support & allowed
        if isinstance(one, GaussianNode):
            wanted = np.zeros(self.data.d, dtype=bool) if required is None else required.copy()
            parents |= wanted
            worth = one.select(parents, allowed, wanted, self.weight / share, self._most)
            violating = (worth > 1e-10) & ~allowed
        else:
            parents, violating = select_blocks(
                one,
                allowed,
                parents,
                price,
                required,
                self.deadline,
                None if warm is None else warm.support,
            )
        violating[node] = False
        return self._with_parents(node, parents, violating)

    def _with_parents(
        self, node: int, parents: NDArray[np.bool_], violating: NDArray[np.bool_] | None = None
    ) -> NodeFit:
        """The solution with just these ``parents`` (d,)."""
        fitted = self.nodes[node].fit(parents)
        value = self.shares[node] * fitted.value + float(self.prices[parents, node].sum())
        return NodeFit(value, fitted, support=parents, violating=violating)

    def assemble(self, nodes: list[NodeFit]) -> BlockCoefficients:
        """The blocks of all nodes, in the units of the data."""
        fitted = [self._final(v, node) for v, node in enumerate(nodes)]
        theta = np.hstack([one.theta for one in fitted]) * self.units
        return BlockCoefficients(theta, tuple(one.constants for one in fitted))

    def _final(self, v: int, node: NodeFit) -> Fitted:
        """The solution of ``node`` that is told, which only its parents determine."""
        one = self.nodes[v]
        if isinstance(one, GaussianNode) or node.support is None:
            fitted: Fitted = node.parameters
            return fitted
        return one.anew(node.support)

    @cached_property
    def strategy(self) -> Strategy:  # type: ignore[override]
        """Blocks of Gaussian columns lead the way."""
        from toposwap.scores.blocks.surrogate import GaussianBlocks

        if self.losses is None:
            return Strategy(start="correlation", restarts=4)
        surrogate = Surrogate(GaussianBlocks(self.weight, self.score.ordinal))  # type: ignore[attr-defined]
        # Fits take time in proportion to the table.
        if self.design.Z.size > _LARGE:
            return Strategy(start="correlation", restarts=1, surrogates=(surrogate,))
        restarts, patient = self._restarts()
        return Strategy(
            start="correlation", restarts=restarts, patience=patient, surrogates=(surrogate,)
        )

    def _restarts(self) -> tuple[int, int | None]:
        """The most of them, and how many may be in vain."""
        return MOST_RESTARTS, patience(self.data.n, self.data.d)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """All sets of parents of all nodes, then all orders; a set of parents has one minimum."""
        d = self.data.d
        if d > _MOST_EXACT:
            raise InputError(
                f"search='exact' fits every set of parents with this score: {d} columns are too "
                f"many (at most {_MOST_EXACT}); use search='auto'"
            )
        digits = 1 << np.arange(d)
        required = self.admissible.required
        wanted = np.zeros(d, dtype=np.int64) if required is None else digits @ required
        tables = [best_parents(d, v, 0.0, self._costs_of(v), int(wanted[v])) for v in range(d)]
        order = best_order(
            d, lambda v, allowed: float(tables[v][0][allowed @ digits]), self.admissible
        )
        nodes = []
        for v in range(d):
            chosen = members(int(tables[v][1][self.candidates(order, v) @ digits]), d)
            nodes.append(self._with_parents(v, chosen))
        fit.restore((order, nodes))
        return True

    def _costs_of(self, node: int) -> Callable[[int], float]:
        """The cost of ``node`` with a set of parents; what has too many columns has none."""

        def cost(subset: int) -> float:
            self.deadline.check()
            parents = members(subset, self.data.d)
            permitted = self.admissible.parents
            if permitted is not None and (parents & ~permitted[:, node]).any():
                return np.inf
            wanted = self.admissible.required_of(node)
            least = 0 if wanted is None else int(self.design.sizes[wanted].sum())
            if int(self.design.sizes[parents].sum()) > max(self._most, least):
                return np.inf
            return self._with_parents(node, parents).value

        return cost

    # --- evaluating ------------------------------------------------------------------------------

    def evaluate(self, parameters: BlockCoefficients | Floats) -> Point:
        """Q and the 1-norms of the gradient of present blocks; an absent one is always stationary.

        Leaving zero costs at once. Without constants these are the best ones.
        """
        d, (theta, constants) = self.data.d, parts(parameters)
        present = self._present(theta)
        gradient, column_scale = np.zeros((d, d)), np.empty(d)
        value, worst, shares = 0.0, 0.0, np.ones(d)
        for j, node in enumerate(self.nodes):
            of = self.of(j)
            scaled = theta[:, of] / self.units[:, of]
            own = None if constants is None else constants[j]
            found = node.evaluate(scaled, own)
            share = float(self.shares[j])
            value += share * found.value
            worst = max(worst, found.rest)
            slopes = np.abs(found.gradient / self.units[:, of]).sum(axis=1)
            gradient[:, j] = share * np.add.reduceat(slopes, self.design.starts[:-1])
            column_scale[j] = self.scale_of(j, found.size)
            if isinstance(node, GaussianNode):
                shares[j] = node.share(scaled)
        if self.admissible.required is not None:
            present |= self.admissible.required
        np.fill_diagonal(present, val=False)
        paid = float(self.prices[present].sum())
        return Point(
            weights=self.weights(parameters),
            value=value + paid,
            penalty=paid,
            gradient=np.where(present, gradient, 0.0),
            row_scale=self.row_units * self.design.sizes,
            column_scale=column_scale,
            rest=worst,
            remarks=determined_remarks(self.data, shares, DEPENDENT),
        )

    def scale_of(self, j: int, size: float) -> float:
        """What a gradient of node ``j`` is measured by, whose terms cancel from ``size`` on."""
        node = self.nodes[j]
        return max(float(self.shares[j]), _NEXT_TO_NOTHING) * size * node.q / node.unit

    @cached_property
    def row_units(self) -> Floats:
        """Units of the columns of each cause, (d,)."""
        return self.design.units[self.design.starts[:-1]]

    def _present(self, theta: Floats) -> NDArray[np.bool_]:
        """Which edges there are, (d, d)."""
        rows = np.logical_or.reduceat(theta != 0.0, self.design.starts[:-1], axis=0)
        return np.logical_or.reduceat(rows, self.predictors[:-1], axis=1)

    def weights(self, parameters: BlockCoefficients | Floats) -> Floats:
        """W (d, d): the coefficient of a number for a number, the length of any other block."""
        theta, _ = parts(parameters)
        # In units in which nothing overflows.
        largest = float(np.abs(theta).max(initial=0.0)) or 1.0
        squares = np.add.reduceat(np.square(theta / largest), self.design.starts[:-1], axis=0)
        squares = np.add.reduceat(squares, self.predictors[:-1], axis=1)
        lengths = np.where(self._present(theta), largest * np.sqrt(squares), 0.0)
        signed = theta[np.ix_(self.design.starts[:-1], self.predictors[:-1])]
        return np.where(self._scalar, signed, lengths)

    def as_parameters(self, given: Any) -> BlockCoefficients | Floats:
        """Theta (M, K) with or without constants, or an error that says its shape."""
        if isinstance(given, BlockCoefficients):
            return given
        shape = self.units.shape
        theta = np.array(given, dtype=np.float64) if np.ndim(given) == 2 else np.empty(0)
        if theta.shape != shape:
            raise InputError(
                "parameters: edges of categories have blocks of coefficients, which weights do "
                f"not determine: give an array of shape {shape} or what "
                "Topo().fit(X).result_.parameters holds, or an order, not shape "
                f"{np.shape(given)}"
            )
        if not np.isfinite(theta).all():
            raise InputError("parameters: NaN or infinity; set absent edges to 0")
        return theta

    # --- predicting ------------------------------------------------------------------------------

    def predictor(self, parameters: BlockCoefficients | Floats) -> BlockModel:
        """Each column by the likelihood of its kind."""
        if self.losses is None:
            return super().predictor(parameters)  # type: ignore[return-value]
        assert self.data.rows is not None
        theta, constants = parts(parameters)
        scaled = theta / self.units
        present = self._present(theta)
        nodes, strengths = [], np.zeros((self.data.d, self.data.d))
        for j, (node, loss) in enumerate(zip(self.nodes, self.losses, strict=True)):
            of, x = self.of(j), self.data.rows[:, j]
            own = (
                constants[j]
                if constants is not None
                else node.evaluate(scaled[:, of], None).constants
            )
            parents = tuple(int(i) for i in np.flatnonzero(present[:, j]))
            blocks = tuple(scaled[self.design.of(i), of] for i in parents)
            for i, block in zip(parents, blocks, strict=True):
                size = float(np.sqrt(np.square(block).sum()))
                strengths[i, j] = block[0, 0] if block.size == 1 else size
            facts, levels = None, None
            if isinstance(loss, LevelLoss):
                levels = own_levels(node.design, j)[1]
            else:
                left = node.share(scaled[:, of]) if isinstance(node, GaussianNode) else 1.0
                facts = ColumnFacts(left * node.unit**2, float(x.min()), float(x.max()))
            mean = node.mean(scaled[:, of]) if isinstance(node, GaussianNode) else 0.0
            nodes.append(NodeModel(loss, parents, blocks, own, mean, node.unit, levels, facts))
        return BlockModel(self.design.columns, nodes, strengths)


def parts(
    parameters: BlockCoefficients | Floats,
) -> tuple[Floats, tuple[Floats, ...] | None]:
    """Theta, and the constants if they are given."""
    if isinstance(parameters, BlockCoefficients):
        return parameters.theta, parameters.constants
    return parameters, None
