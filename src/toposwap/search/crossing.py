r"""Optima crossed with each other: what several of them want is tabled, and searched at once.

Of a few optima every node gets as candidates its parents and its children there, and some others
at random. With so few, the best parents for all sets of candidates are tabled
(:class:`~toposwap.orderfit.chain.OrderTables`), and a chain of perturbed descents through orders is
a matter of look-ups. What it ends with descends once more with all variables as candidates, joins
the optima, and brings new edges into the next tables.

Optima that are crossed grow alike. So a pool of them that brings nothing better is put apart, and
another begins at orders of its own: where it ends at the same optimum, that says something, and
where not, both are crossed with each other.
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
#: Steps of the chains of the first rounds of a pool; later ones have as many as the last of these.
_STEPS = (10, 20, 40, 100)
#: Rounds without anything better after which a pool is at its end, the most rounds of all pools,
#: and those of them that the last one has; for up to 70 columns.
_PATIENCE, _ROUNDS, _LAST = 5, 42, 8
_LEAST_PATIENCE, _FEWEST_ROUNDS = 2, 3
_FEW_COLUMNS = 70
#: Variables whose candidates are drawn together.
_AT_ONCE = 256


@dataclass(eq=False)
class Crossing:
    """How far it is: all that the next round depends on, besides where the search began.

    The seed of all rounds, the most rounds, how many of them a pool of optima may bring nothing
    better, the perturbations that are left, and the rounds made; the optima that are crossed now,
    for how many rounds that has been so, and for how many without anything better; those of
    earlier pools, which stand apart so that another pool says something of its own; whether the
    optima are those of several pools, and whether all is done.
    """

    seed: int
    rounds: float
    patience: int
    left: float
    number: int = 0
    pool: list[End] = field(default_factory=list)
    age: int = 0
    idle: int = 0
    apart: list[End] = field(default_factory=list)
    mixed: bool = False
    over: bool = False

    @classmethod
    def begun(cls, context: Context, fit: TabledFit, n_restarts: int | None) -> Self:
        """Before the first round.

        ``n_restarts`` are the most perturbations in all; by default as many as are wanted until a
        pool of optima that knew nothing of the others ended where they had. A chain for which not
        enough are left is not begun, so that more never end worse than fewer.
        """
        seed = int(context.rng.integers(2**63))
        if n_restarts is not None:
            return cls(seed, np.inf, _PATIENCE, n_restarts)
        # Where variables have few places to go to, a round takes less time in proportion.
        d = len(context.names)
        open_places = fit.bound.admissible.open_places(d)
        share = min(1.0, _FEW_COLUMNS**2 / (d * open_places)) ** 0.5
        rounds = max(_FEWEST_ROUNDS, int(_ROUNDS * share**1.5))
        return cls(seed, rounds, max(_LEAST_PATIENCE, int(_PATIENCE * share)), np.inf)

    def ends(self, fit: TabledFit, context: Context, n_threads: int) -> Iterator[list[End]]:
        """The optima of each round; ``fit`` stands at one when the first begins, and is moved.

        A round depends on what stands here alone, so that rounds can be made in several processes,
        one after the other.
        """
        fits = [fit, fit.copy() if n_threads > 1 else fit]
        with ThreadPoolExecutor(n_threads) if n_threads > 1 else nullcontext() as threads:
            while not (self.over or (self.number and context.deadline.passed)):
                yield self._round(fits, context, threads)

    def _round(
        self, fits: list[TabledFit], context: Context, threads: ThreadPoolExecutor | None
    ) -> list[End]:
        d, fit = len(context.names), fits[0]
        rng = np.random.default_rng([self.seed, self.number])
        steps = _STEPS[min(self.age, len(_STEPS) - 1)]
        nearest = fit.bound.admissible.nearest
        drawn = nearest(Order(rng.permutation(d)))
        found = []
        if self.number == 0:
            found.append(ending(fit, 0))
        else:
            fit.rebuild((self.pool or self.apart)[0].snapshot)
            if not self.mixed and self.left >= 1:
                fit.reorder(nearest(Order(rng.permutation(d))))
                if d >= ROUGHLY_FROM:
                    fit.rough_descent()
                fit.descend()
                found.append(ending(fit, 1))
        before = self.pool[0].value if self.pool else np.inf
        self.pool = _joined(self.pool, found, fit.resolution)
        self.left -= sum(end.steps for end in found)
        walks = [w for w in range(2) if self.pool and self.left >= (w + 1) * steps]
        if walks and not (self.number and context.deadline.passed):
            chosen = _drawn(self.pool, _SPREAD * fit.temperature, rng)
            fit.restore(chosen[0].snapshot)
            narrow = fit.bound.admissible.before is not None
            tables = fit.tables(_candidates(chosen, rng, beside=narrow))
            begins = chosen[0].order, drawn
            jobs = [
                (fits[w], self.pool, tables, begins[w], steps, self.seed ^ (2 * self.number + w))
                for w in walks
            ]
            mapped = map if threads is None else threads.map
            walked = list(mapped(_walked, *zip(*jobs, strict=True)))
            found += [replace(end, afresh=w > 0) for w, end in zip(walks, walked, strict=True)]
        self.left -= len(walks) * steps
        self.pool = _joined(self.pool, found, fit.resolution)
        self.number += 1
        self.age += 1
        better = bool(self.pool) and self.pool[0].value < before - fit.resolution
        self.idle = 0 if better else self.idle + 1
        self._turn(fit.resolution)
        self.over = self.over or len(walks) < 2 or self.number >= self.rounds
        return found

    def _turn(self, resolution: float) -> None:
        """Begin another pool where this one has nothing better, or bring it together with others.

        Pools that end at the same optimum without knowing of each other agree. Those that do not
        are crossed with each other, also when the last rounds begin.
        """
        last = self.number >= self.rounds - _LAST and bool(self.apart)
        if self.idle < self.patience + self.mixed and not last:
            return
        self.age = self.idle = 0
        if not self.apart:
            self.apart, self.pool, self.mixed = self.pool, [], False
            return
        change = self.pool[0].value - self.apart[0].value
        both = _joined(self.apart, self.pool, resolution)
        if abs(change) <= resolution:
            self.apart, self.pool = both, []
            self.over = self.rounds < np.inf
        else:
            self.apart, self.pool, self.mixed = [], both, True
            self.age = len(_STEPS)


def _walked(
    fit: TabledFit, known: list[End], tables: OrderTables, order: Order, steps: int, seed: int
) -> End:
    """The optimum that a chain through the tables leads to; often one that is ``known``."""
    best, value = tables.walk(order, steps, seed)
    for end in known:
        if abs(end.nodes_value - value) <= fit.resolution:
            return replace(end, steps=steps)
    # Nothing is left of what this fit was used for before.
    fit.rebuild(known[0].snapshot)
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
    fewest = min(_FEWEST, (_QUICK // d).bit_length() - 1)
    most = max(1, min(_MOST, (_ROOM // d).bit_length() - 1))
    chosen = np.zeros((d, d), dtype=np.bool_)
    # Piece by piece, since ranks are numbers for each pair.
    for z in np.split(np.arange(d), range(_AT_ONCE, d, _AT_ONCE)):
        first = optima[0].adjacency[:, z].T
        parents = np.sum([end.adjacency[:, z].T for end in optima], axis=0)
        wanted = 10.0 * parents + np.sum([end.adjacency[z] for end in optima], axis=0)
        counts = np.clip((wanted > 0.0).sum(axis=1), fewest, most)
        # Whoever is a parent in the optimum that the chain begins with stays one.
        counts = np.minimum(np.maximum(counts, np.minimum(first.sum(axis=1), most)), d - 1)
        if beside:
            others = np.any([end.adjacency[z] @ end.adjacency.T for end in optima], axis=0)
            wanted = 4.0 * wanted + 2.5 * others
        rank = wanted + 0.5 * rng.gumbel(size=(z.size, d)) + 1e3 * first
        rank[np.arange(z.size), z] = -np.inf
        least = -np.partition(-rank, counts.max() - 1, axis=1)[:, : counts.max()]
        least.sort(axis=1)
        chosen[z] = rank >= least[np.arange(z.size), counts.max() - counts][:, None]
    return chosen
