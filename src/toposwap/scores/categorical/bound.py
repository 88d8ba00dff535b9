"""A score on contingency tables, on given data."""

from __future__ import annotations

import threading
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.kernels.categorical import exact
from toposwap.kernels.categorical.counting import cost_of
from toposwap.kernels.categorical.tables import Counter, Rule, new_cache, new_work
from toposwap.scores.base import BoundScore, Point
from toposwap.scores.categorical.fit import CategoricalFit
from toposwap.scores.categorical.model import CategoricalModel
from toposwap.scores.categorical.rows import CountedRows, bit_planes
from toposwap.scores.strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
    from toposwap.core.tables.codes import Coded
    from toposwap.orderfit.base import OrderFit
    from toposwap.scores.categorical.score import CategoricalScore

#: Parents that a node may have if nobody says; more have more configurations than tables have rows.
_MOST_PARENTS = 20
#: Rows times sets of columns that are gone through in about a second.
_PROVED_WORK = 2.5e8
#: Columns up to which the best parents of all sets are held.
_LARGEST = 20
#: Columns whose subsets are gone through between two looks at the clock.
_PREFIX = 6
#: The signs of sets, whatever the data.
_SEED = 20


class BoundCategorical(BoundScore):
    """Q = sum_j cost_j(parents) / n on given data; see :mod:`toposwap.kernels.categorical`.

    Parameters
    ----------
    score, data
        What is bound to what.
    coded
        The columns of the data as codes.
    """

    score: CategoricalScore

    def __init__(self, score: CategoricalScore, data: Dataset, coded: Sequence[Coded]) -> None:
        self.score = score
        self.data = data
        self.levels = tuple(column.levels for column in coded)
        self.counted = CountedRows.of(coded, data)
        self.sizes = np.array([len(levels) for levels in self.levels], dtype=np.int64)
        most = _MOST_PARENTS if score.max_parents is None else score.max_parents
        self.max_parents = max(1, min(most, data.d - 1))
        self.strategy = Strategy(start="entropy", search="chains", restarts=20)
        self._here = threading.local()
        # The last one made: pruning often keeps the graph that it is given.
        self._predictor: tuple[NDArray[np.bool_], CategoricalModel] | None = None

    def counter(self) -> Counter:
        """Room to count, and what was counted: one for each thread and what is admissible."""
        made = getattr(self._here, "made", None)
        if made is None or made[0] is not self.admissible:
            rule = self.rule()
            made = self.admissible, Counter(rule, new_work(rule), new_cache(self.data.d))
            self._here.made = made
        return made[1]

    def rule(self) -> Rule:
        """What the kernels are told."""
        d, told, counted = self.data.d, self.admissible, self.counted
        planes, words = self._planes
        none = np.zeros((1, 1), dtype=np.bool_)
        signs = np.random.default_rng(_SEED).integers(1, 2**63, (2, d), dtype=np.uint64)
        return Rule(
            codes=counted.codes,
            times=counted.times,
            sizes=self.sizes,
            by_size=np.argsort(self.sizes, kind="stable").astype(np.int64),
            group=counted.group,
            begins=counted.begins,
            planes=planes,
            level=np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64),
            words=words,
            prior=self.score.prior,
            price=self.score.price(self.data.n),
            allowed=none if told.parents is None else np.ascontiguousarray(told.parents.T),
            masked=told.parents is not None,
            before=none if told.before is None else np.ascontiguousarray(told.before),
            ordered=told.before is not None,
            required=none if told.required is None else np.ascontiguousarray(told.required.T),
            demanding=told.required is not None,
            signs=signs,
        )

    @cached_property
    def _planes(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        return bit_planes(self.counted, self.sizes)

    @property
    def quickly_proved(self) -> int:
        """So many columns of so many rows take about a second."""
        return int(min(18.0, np.log2(_PROVED_WORK / self.counted.codes.shape[1])))

    def fit(self, order: Order) -> CategoricalFit:
        """Choose every node's parents among its predecessors."""
        return CategoricalFit(self, order)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """F of all sets of columns; see :mod:`toposwap.kernels.categorical.exact`."""
        assert isinstance(fit, CategoricalFit)
        d, groups = self.data.d, self.counted.begins.size - 1
        if d > _LARGEST:
            raise InputError(
                f"search='exact' with score {self.score.name!r} goes through 2^d sets of columns: "
                f"{d} columns are too many (at most {_LARGEST}); use search='auto'"
            )
        rule, work, _ = self.counter()
        m = int(np.diff(self.counted.begins).max())
        sums = np.empty((groups, 1 << d), dtype=np.int64)
        rows = np.empty((d + 1, m), dtype=np.int32)
        begins = np.empty((d + 1, m + 2), dtype=np.int64)
        width = min(_PREFIX, d)
        for own, prefix in product(range(groups), range(1 << width)):
            self.deadline.check()
            exact.sums_of_sets(rule, work, own, prefix, width, rows, begins, sums[own])
        self.deadline.check()
        order = np.empty(d, dtype=np.int64)
        edges = np.zeros((d, d), dtype=np.bool_)
        exact.best_of_all(rule, sums, self.max_parents, order, edges)
        fit.take(order, edges)
        return True

    def costs(self, edges: NDArray[np.bool_]) -> NDArray[np.float64]:
        """N Q_j of every node with the parents ``edges`` (d, d), counted afresh, (d,)."""
        rule, work, _ = self.counter()
        costs = np.empty(self.data.d)
        for z in range(self.data.d):
            parents = np.flatnonzero(edges[:, z])
            costs[z] = cost_of(rule, work, z, parents, parents.size)
        return costs

    def weights(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """W (d, d): the parameters themselves."""
        return parameters

    def evaluate(self, parameters: NDArray[np.float64]) -> Point:
        """Q at the graph of W; there is nothing to take a derivative by."""
        d, n = self.data.d, self.data.n
        edges = parameters != 0.0
        if self.admissible.required is not None:
            edges = edges | self.admissible.required
        configured = np.where(edges, self.sizes[:, None], 1).prod(axis=0, dtype=np.float64)
        penalty = self.score.price(n) * float(((self.sizes - 1.0) * configured).sum())
        return Point(
            weights=parameters,
            value=float(self.costs(edges).sum()) / n,
            penalty=penalty / n,
            gradient=np.zeros((d, d)),
            row_scale=np.ones(d),
            column_scale=np.ones(d),
        )

    def predictor(self, parameters: NDArray[np.float64]) -> CategoricalModel:
        """The tables of conditional probabilities."""
        edges = parameters != 0.0
        if self._predictor is None or (self._predictor[0] != edges).any():
            model = CategoricalModel.of(
                self.counted, edges, self.levels, self.data.names, self.score.smoothing
            )
            self._predictor = edges, model
        return self._predictor[1]
