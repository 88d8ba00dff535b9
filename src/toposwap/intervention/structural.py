r"""A fitted model as structural equations, with interventions.

.. math:: x_j = f_j(x_{pa(j)}) + e_j, \qquad \text{or} \quad x_j \sim p(\cdot \mid f_j(x_{pa(j)}))

for columns of two values, counts, categories and ratings. do(x = a) replaces the equation of x by
the constant. The noise of a column is drawn from its residuals, so that no shape is assumed of it;
where only a covariance matrix is known it is normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.graph import acyclic_order
from toposwap.core.validation import listed
from toposwap.kernels.graphs.reachability import reachability

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses.base import ColumnFacts
    from toposwap.scores.base import Predictor

#: Draws of columns of two values and of counts for each row, on the way to an effect.
REPEATS = 20


@dataclass(frozen=True, eq=False)
class StructuralModel:
    """A graph, its functions and its noise.

    Attributes
    ----------
    edges
        (d, d), a DAG.
    predictor
        The means (m, d) of all columns given rows (m, d), each of its parents alone.
    data
        The rows behind the residuals, or what is known without them.
    losses, facts
        The distribution of each column that is not a mean plus noise; empty if all are that. Of
        categories and ratings the predictor tells the ``chances`` of each value.
    """

    edges: NDArray[np.bool_]
    predictor: Predictor
    data: Dataset
    losses: Sequence[Any] = ()
    facts: Sequence[ColumnFacts | None] = ()

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Causes first, (d,)."""
        return acyclic_order(self.edges, "the graph")

    @cached_property
    def levels(self) -> list[NDArray[np.int64]]:
        """Columns whose causes are all in levels before, so that a level is one prediction."""
        height = np.zeros(len(self.edges), dtype=np.int64)
        for j in self.order:
            parents = np.flatnonzero(self.edges[:, j])
            height[j] = height[parents].max() + 1 if parents.size else 0
        return [np.flatnonzero(height == k) for k in range(int(height.max()) + 1)]

    @cached_property
    def discrete(self) -> NDArray[np.bool_]:
        """Columns that are drawn instead of having noise added, (d,)."""
        if self.tables:
            return np.ones(len(self.edges), dtype=bool)
        if not self.losses:
            return np.zeros(len(self.edges), dtype=bool)
        return np.array([loss.discrete for loss in self.losses])

    @property
    def tables(self) -> bool:
        """Whether columns are categories, drawn from tables of probabilities."""
        return hasattr(self.predictor, "probabilities")

    def _means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of all columns at rows (m, d); tables are asked column by column."""
        return values if self.tables else self.predictor(values)

    def _quantiles(
        self,
        j: int,
        values: NDArray[np.float64],
        means: NDArray[np.float64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """What a discrete column j is at ``uniform`` (m,), its causes at rows ``values`` (m, d)."""
        told = self._chances(j, values)
        if told is None:
            facts = self.facts[j]
            assert facts is not None
            return self.losses[j].draw(uniform, means[:, j], facts)
        numbers, chances = told
        code = (np.cumsum(chances, axis=1)[:, :-1] < uniform[:, None]).sum(axis=1)
        return numbers[code]

    def _expected(
        self, j: int, values: NDArray[np.float64], means: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The mean of a discrete column j, in its own numbers."""
        told = self._chances(j, values)
        if told is None:
            facts = self.facts[j]
            assert facts is not None
            return self.losses[j].expected(means[:, j], facts)
        numbers, chances = told
        return np.asarray(chances @ numbers)

    def _chances(
        self, j: int, values: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Values (L,) of a category or rating, and the chance of each (m, L); None for others."""
        model: Any = self.predictor
        told = model.chances(values, j) if hasattr(model, "chances") else None
        return None if told is None else (np.asarray(told[0].numbers), told[1])

    @cached_property
    def residuals(self) -> NDArray[np.float64]:
        """E (n, d) of the rows."""
        rows = self._rows()
        return rows - self.predictor(rows)

    def _rows(self) -> NDArray[np.float64]:
        if self.data.rows is None:
            raise InputError(
                "this needs the rows that the model was fitted to, which a covariance matrix does "
                "not have and a pickled model leaves out: fit it to the table again"
            )
        return self.data.rows

    def sample(
        self, n: int, do: Mapping[int, NDArray[np.float64]], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Draw n rows (n, d); ``do`` has the values of the columns that are set, (n,) or ()."""
        # Nothing is read before it is drawn; but whatever stands there must be a possible value.
        rows = self.data.rows
        values = np.tile(self.data.mean if rows is None else rows[0], (n, 1))
        for level in self.levels:
            free = [j for j in level if j not in do]
            for j in level:
                if j in do:
                    values[:, j] = do[j]
            if free:
                means = self._means(values)
                for j in free:
                    values[:, j] = self._drawn(j, values, means, rng)
        return values

    def _drawn(
        self,
        j: int,
        values: NDArray[np.float64],
        means: NDArray[np.float64],
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        mean = means[:, j]
        if self.discrete[j]:
            return self._quantiles(j, values, means, rng.random(mean.size))
        if self.data.rows is None:
            deviation = np.sqrt(self.data.residual_variances(self._weights())[j])
            return mean + deviation * rng.standard_normal(mean.size)
        weights, done = self.data.row_weights, self.data.interventions
        counts = np.ones(len(self.residuals)) if weights is None else weights
        if done is not None:
            # Where a column was set, what is left of it is no noise.
            counts = np.where(done.targets[:, j], 0.0, counts)
        share = None if weights is None and done is None else counts / counts.sum()
        drawn = rng.choice(len(self.residuals), mean.size, p=share)
        return mean + self.residuals[drawn, j]

    def _weights(self) -> NDArray[np.float64]:
        weights = getattr(self.predictor, "weights", None)
        if weights is None:
            self._rows()
        return np.asarray(weights)

    def counterfactual(
        self,
        rows: NDArray[np.float64],
        do: Mapping[int, NDArray[np.float64]],
        names: Sequence[str],
    ) -> NDArray[np.float64]:
        """What rows (m, d) would have been with the columns of ``do`` set; noise is kept.

        Raises
        ------
        InputError
            If a column that would change is drawn from a distribution: what was drawn does not
            tell its noise.
        """
        touched = self.effects_of(list(do))
        lost = [names[int(j)] for j in np.flatnonzero(touched & self.discrete) if j not in do]
        if lost:
            raise InputError(
                f"counterfactual: {listed(lost)} would change, and a column of two values, of "
                "levels or of counts does not tell its noise; use sample(n, do=...) for the "
                "distribution"
            )
        noise = rows - self.predictor(rows)
        return self._replayed(rows, do, touched, noise, None)

    def expected(
        self, x: int, value: float, y: int, rng: np.random.Generator | None = None
    ) -> float:
        """E[y | do(x = value)] over the rows: what x does not act on stays, with its noise.

        Exact up to rounding where noise is added; columns of two values and counts between x and y
        are drawn with ``rng``, a few times for each row.
        """
        rows = self._rows()
        touched = self.effects_of([x])
        touched &= reachability(self.edges)[:, y]
        weights = self.data.row_weights
        residuals = rows if self.tables else self.residuals
        between = touched & self.discrete
        between[[x, y]] = False
        repeats = REPEATS if between.any() else 1
        if repeats > 1:
            rows, residuals = np.tile(rows, (repeats, 1)), np.tile(residuals, (repeats, 1))
            weights = None if weights is None else np.tile(weights, repeats)
        settled = self._replayed(
            rows, {x: np.asarray(value)}, touched, residuals, rng or np.random.default_rng(0), y
        )
        return float(np.average(settled[:, y], weights=weights))

    def effects_of(self, columns: Sequence[int]) -> NDArray[np.bool_]:
        """Columns that ``columns`` act on, and these, (d,)."""
        return np.asarray(reachability(self.edges)[list(columns)].any(axis=0))

    def _replayed(
        self,
        rows: NDArray[np.float64],
        do: Mapping[int, NDArray[np.float64]],
        touched: NDArray[np.bool_],
        noise: NDArray[np.float64],
        rng: np.random.Generator | None,
        mean_of: int | None = None,
    ) -> NDArray[np.float64]:
        """Rows with ``do``, the touched columns computed again; of ``mean_of`` only its mean."""
        values = rows.copy()
        for level in self.levels:
            free = [j for j in level if touched[j] and j not in do]
            for j in level:
                if j in do:
                    values[:, j] = do[j]
            if not free:
                continue
            means = self._means(values)
            for j in free:
                if not self.discrete[j]:
                    values[:, j] = means[:, j] + noise[:, j]
                elif j == mean_of:
                    values[:, j] = self._expected(j, values, means)
                else:
                    assert rng is not None
                    values[:, j] = self._quantiles(j, values, means, rng.random(len(values)))
        return values
