r"""Optima crossed with each other: what several of them want is tabled, and searched at once.

Of a few optima every node gets as candidates its parents and its children there, and some others
at random. With so few, the best parents for all sets of candidates are tabled
(:class:`~toposwap.orderfit.chain.OrderTables`), and a chain of perturbed descents through orders is
a matter of look-ups. What it ends with descends once more with all variables as candidates, joins
the optima, and brings new edges into the next tables.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from toposwap.core.order import Order
from toposwap.search.optima import End, ending

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from toposwap.orderfit.chain import OrderTables, TabledFit
    from toposwap.search.base import Context

#: Columns from which descents begin roughly; with fewer that saves little, and ends worse.
ROUGHLY_FROM = 40
#: How many optima are kept, and how many of them are crossed.
_KEPT, _CROSSED = 30, 4
#: An optimum that is worse by so many temperatures is crossed e times less often.
_SPREAD = 25.0
#: The fewest candidates of a node and the most, where the tables of all have no more numbers than
#: that: quick ones, and those that the optima ask for.
_FEWEST, _QUICK = 12, 2**17
_MOST, _ROOM = 16, 2**21
#: Optima from random orders that join one by one, in as many rounds.
_STARTS = 25
#: Steps of the chains of the first rounds; later ones have as many as the last of these.
_STEPS = (10, 20, 40, 100)
#: Rounds without anything better before the search may end, and the most; for up to 50 columns.
_PATIENCE, _ROUNDS = 12, 45
_LEAST_PATIENCE, _FEWEST_ROUNDS = 2, 3
_FEW_COLUMNS = 50
#: How often chains from random orders must have met the best score.
_AGREE = 3


@dataclass(eq=False)
class Crossing:
    """How far it is: all that the next round depends on, besides where the search began.

    The seed of all rounds, the most rounds and those without anything better before the end, the
    perturbations that are left, the rounds made, the best Q and how often chains from random orders
    met it, the rounds since it was met first, the optima that are crossed, and whether all is done.
    """

    seed: int
    rounds: float
    patience: float
    left: float
    number: int = 0
    best: float = np.inf
    met: int = 0
    idle: int = 0
    pool: list[End] = field(default_factory=list)
    over: bool = False

    @classmethod
    def begun(cls, context: Context, fit: TabledFit, n_restarts: int | None) -> Self:
        """Before the first round.

        ``n_restarts`` are the most perturbations in all; by default as many as are wanted until the
        best was met again and again. A chain for which not enough are left is not begun, so that
        more never end worse than fewer.
        """
        seed = int(context.rng.integers(2**63))
        if n_restarts is not None:
            return cls(seed, np.inf, np.inf, n_restarts)
        # Where variables have few places to go to, a round takes less time in proportion.
        d = len(context.names)
        open_places = fit.bound.admissible.open_places(d)
        share = min(1.0, _FEW_COLUMNS**2 / (d * open_places))
        rounds = max(_FEWEST_ROUNDS, int(_ROUNDS * share))
        return cls(seed, rounds, max(_LEAST_PATIENCE, int(_PATIENCE * share)), np.inf)

    def ends(self, fit: TabledFit, context: Context, n_threads: int) -> Iterator[list[End]]:
        """The optima of each round; ``fit`` stands at one when the first begins, and is moved.

        A round depends on what stands here alone, so that rounds can be made in several processes,
        one after the other.
        """
        fits = [fit, fit.copy()]
        with ThreadPoolExecutor(n_threads) if n_threads > 1 else nullcontext() as threads:
            while not (self.over or (self.number and context.deadline.passed)):
                yield self._round(fits, context, threads)

    def _round(
        self, fits: list[TabledFit], context: Context, threads: ThreadPoolExecutor | None
    ) -> list[End]:
        d, fit, number = len(context.names), fits[0], self.number
        rng = np.random.default_rng([self.seed, number])
        steps = _STEPS[min(number, len(_STEPS) - 1)]
        nearest = fit.bound.admissible.nearest
        drawn = nearest(Order(rng.permutation(d)))
        found = []
        if number == 0:
            found.append(ending(fit, 0))
        else:
            for one in fits:
                one.rebuild(self.pool[0].snapshot)
        if 0 < number <= _STARTS and self.left >= 1:
            fit.reorder(nearest(Order(rng.permutation(d))))
            if d >= ROUGHLY_FROM:
                fit.rough_descent()
            fit.descend()
            found.append(ending(fit, 1))
        self.pool = _joined(self.pool, found, fit.resolution)
        self.left -= sum(end.steps for end in found)
        chosen = _drawn(self.pool, _SPREAD * fit.temperature, rng)
        walks = [w for w in range(2) if self.left >= (w + 1) * steps]
        if walks and not (number and context.deadline.passed):
            fit.restore(chosen[0].snapshot)
            narrow = fit.bound.admissible.before is not None
            tables = fit.tables(_candidates(chosen, rng, beside=narrow))
            begins = chosen[0].order, drawn
            jobs = [
                (fits[w], self.pool, tables, begins[w], steps, self.seed ^ (2 * number + w))
                for w in walks
            ]
            mapped = map if threads is None else threads.map
            walked = list(mapped(_walked, *zip(*jobs, strict=True)))
            found += [replace(end, afresh=w > 0) for w, end in zip(walks, walked, strict=True)]
        self.left -= len(walks) * steps
        self.pool = _joined(self.pool, found, fit.resolution)
        self._count(found, fit.resolution)
        agreed = self.idle >= self.patience and self.met >= _AGREE
        self.over = len(walks) < 2 or agreed or self.number >= self.rounds
        return found

    def _count(self, found: list[End], resolution: float) -> None:
        self.number += 1
        self.idle += 1
        for end in found:
            if end.value < self.best - resolution:
                self.best, self.met, self.idle = end.value, 0, 0
        # The last is from a random order.
        if found:
            self.met += bool(found[-1].value <= self.best + resolution)


def _walked(
    fit: TabledFit, known: list[End], tables: OrderTables, order: Order, steps: int, seed: int
) -> End:
    """The optimum that a chain through the tables leads to; often one that is ``known``."""
    best, value = tables.walk(order, steps, seed)
    for end in known:
        if abs(end.nodes_value - value) <= fit.resolution:
            return replace(end, steps=steps)
    fit.take_parents(best, tables.parents(best))
    fit.descend()
    return ending(fit, steps)


def _joined(pool: list[End], found: list[End], resolution: float) -> list[End]:
    """The best of both, of those with the same Q one, from the best."""
    joined = list(pool)
    for end in found:
        if all(abs(end.value - other.value) > resolution for other in joined):
            joined.append(end)
    return sorted(joined, key=lambda end: end.value)[:_KEPT]


def _drawn(pool: list[End], spread: float, rng: np.random.Generator) -> list[End]:
    """Some optima of ``pool``, which is sorted: better ones more often, the best of them first."""
    values = np.array([end.value for end in pool])
    leaning = (values[0] - values) / spread + rng.gumbel(size=len(pool))
    return [pool[i] for i in np.sort(np.argsort(-leaning)[:_CROSSED])]


def _candidates(optima: list[End], rng: np.random.Generator, *, beside: bool) -> NDArray[np.bool_]:
    """``[z, u]``: parents of the first, then parents and children of all, then others at random.

    With ``beside``, of these rather those that have an effect in common with the node: where orders
    leave little to choose, such parents are to be exchanged between neighbours.
    """
    d = len(optima[0].order)
    parents = np.sum([end.adjacency.T for end in optima], axis=0)
    wanted = 10.0 * parents + parents.T
    fewest = min(_FEWEST, (_QUICK // d).bit_length() - 1)
    most = max(1, min(_MOST, (_ROOM // d).bit_length() - 1))
    counts = np.clip((wanted > 0.0).sum(axis=1), fewest, most)
    first = optima[0].adjacency.T
    # Whoever is a parent in the optimum that the chain begins with stays one.
    counts = np.minimum(np.maximum(counts, np.minimum(first.sum(axis=1), most)), d - 1)
    if beside:
        others = np.any([end.adjacency @ end.adjacency.T for end in optima], axis=0)
        wanted = 4.0 * wanted + 2.5 * others
    rank = wanted + 0.5 * rng.gumbel(size=(d, d)) + 1e3 * first
    np.fill_diagonal(rank, -np.inf)
    return np.asarray(np.argsort(np.argsort(-rank, axis=1), axis=1) < counts[:, None])
