"""A fitted model of columns of any kinds without its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from toposwap.losses.levels import LevelLoss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.tables.codes import Levels
    from toposwap.losses import ColumnLoss
    from toposwap.losses.base import ColumnFacts
    from toposwap.scores.blocks.columns import Columns

    Floats = NDArray[np.float64]


#: What a column can have.
NodeLoss: TypeAlias = "ColumnLoss | LevelLoss"


@dataclass(frozen=True, eq=False, repr=False)
class NodeModel:
    """One column given its parents.

    Attributes
    ----------
    loss
        Its distribution.
    parents
        Positions of the parents.
    theta
        For each parent its block (m, q), in units of the design.
    constants
        What belongs to no parent, (e,).
    mean, unit
        What a predictor is multiplied by, and what is added to it; of a Gaussian column.
    levels
        The L values of a column that has a :class:`~toposwap.losses.LevelLoss`.
    facts
        What the distributions of other columns took from the data.
    """

    loss: NodeLoss
    parents: tuple[int, ...]
    theta: tuple[Floats, ...]
    constants: Floats
    mean: float
    unit: float
    levels: Levels | None
    facts: ColumnFacts | None

    @property
    def shift(self) -> Floats:
        """What is added to the predictors: the constants where these are intercepts, (q,)."""
        if isinstance(self.loss, LevelLoss) and not self.loss.intercepts:
            return np.zeros(1)
        return self.constants if self.constants.size else np.zeros(1)

    def expected(self, eta: Floats) -> Floats:
        """What the column is expected to be at predictors ``eta`` (q, m), (m,)."""
        if isinstance(self.loss, LevelLoss):
            assert self.levels is not None
            chances = self.loss.chances(eta, self.constants)
            if self.loss.ordered:
                return np.asarray(chances @ self.levels.numbers)
            return self.levels.numbers[chances.argmax(axis=1)]
        return self.loss.mean(self.mean + self.unit * eta[0])

    def log_density(self, x: Floats, eta: Floats) -> Floats:
        """Log p of the values ``x`` (m,) at predictors ``eta`` (q, m); -inf for one never seen."""
        if isinstance(self.loss, LevelLoss):
            assert self.levels is not None
            place = self.levels.find(x)
            chance = self.loss.chances(eta, self.constants)[np.arange(x.size), place]
            with np.errstate(divide="ignore"):
                return np.where(place >= 0, np.log(chance), -np.inf)
        assert self.facts is not None
        return self.loss.log_density(x, self.mean + self.unit * eta[0], self.facts)


@dataclass(frozen=True, eq=False, repr=False)
class BlockModel:
    """Every column given its parents, by the likelihood of its kind.

    Attributes
    ----------
    columns
        The columns that stand for each variable as a cause.
    nodes
        Each variable as an effect.
    strengths
        Deviations of the functions behind the edges over those of their effects, (d, d).
    """

    columns: Sequence[Columns]
    nodes: Sequence[NodeModel]
    strengths: Floats

    @property
    def losses(self) -> list[NodeLoss]:
        """Of the columns, (d,)."""
        return [node.loss for node in self.nodes]

    @property
    def facts(self) -> list[ColumnFacts | None]:
        """What the distributions of columns took from the data, (d,); None for categories."""
        return [node.facts for node in self.nodes]

    def __call__(self, X: Floats) -> Floats:
        """Means of the columns, and the likeliest of categories, for rows ``X`` (m, d), (m, d)."""
        etas = self._predictors(X)
        return np.column_stack(
            [node.expected(eta) for node, eta in zip(self.nodes, etas, strict=True)]
        )

    def log_density(self, X: Floats) -> Floats:
        """Log p of each row of ``X`` (m, d), (m,)."""
        etas = self._predictors(X)
        parts = zip(self.nodes, etas, X.T, strict=True)
        return np.asarray(sum(node.log_density(x, eta) for node, eta, x in parts))

    def chances(self, X: Floats, j: int) -> tuple[Levels, Floats] | None:
        """The L values of column ``j`` and the chance of each, (m, L), for rows ``X`` (m, d).

        None for a column that is neither a category nor a rating.
        """
        node = self.nodes[j]
        if not isinstance(node.loss, LevelLoss):
            return None
        assert node.levels is not None
        return node.levels, node.loss.chances(self._predictor(X, node), node.constants)

    def values_of(self, j: int) -> Floats | None:
        """The numbers that column ``j`` can have as a cause, (L,); None where any will do."""
        levels = getattr(self.columns[j], "levels", None)
        return None if levels is None else np.asarray(levels.numbers)

    def along(self, i: int, j: int, n_points: int, reach: tuple[float, float]) -> tuple[Any, Any]:
        """Column ``j`` over the values of column ``i``, all else at its mean.

        Where i is a category, its values (k,); else ``n_points`` numbers over its ``reach``. Where
        j is a category, the chance of each of its values, (n_points, L).
        """
        levels = getattr(self.columns[i], "levels", None)
        grid = np.linspace(*reach, n_points) if levels is None else levels.numbers
        node = self.nodes[j]
        eta = np.tile(node.shift[:, None], grid.size)
        if i in node.parents:
            eta += node.theta[node.parents.index(i)].T @ self.columns[i](grid)
        if isinstance(node.loss, LevelLoss) and not node.loss.ordered:
            return grid, node.loss.chances(eta, node.constants)
        return grid, node.expected(eta)

    def standardised(self, weights: Floats, deviations: Floats) -> Floats:  # noqa: ARG002
        """sd(f_ij(x_i)) / sd_j, (d, d); over 1 where f_j is a logarithm, of odds or of a mean.

        With the sign of the weight where cause and effect are numbers.
        """
        return np.where(weights != 0.0, self.strengths, 0.0)

    def _predictors(self, X: Floats) -> list[Floats]:
        return [self._predictor(X, node) for node in self.nodes]

    def _predictor(self, X: Floats, node: NodeModel) -> Floats:
        """(q, m)."""
        eta = np.tile(node.shift[:, None], len(X))
        for i, block in zip(node.parents, node.theta, strict=True):
            eta += block.T @ self.columns[i](X[:, i])
        return eta
