r"""All sets of variables, gone through in blocks by :mod:`toposwap.kernels.exact.blocks`.

Blocks are visited in the order of their numbers, by a walk that decides on one high variable after
the other: without it, then with it. On the way the lists of parent sets are merged, so that those
of a block are short, and whole branches are left out that no block within the limit leads into.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.runtime.memory import memory_bytes
from toposwap.kernels.exact import blocks as kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.kernels.exact.blocks import Lists

    Costs = Sequence[tuple[NDArray[np.uint64], NDArray[np.int32]]]

#: Low variables: the tables of a block stay in the cache, and few blocks remain.
_LOW = 14
#: A few numbers for each set of high variables and each of these are always held.
MOST_VARIABLES = _LOW + 20
#: Share of the memory that B may take.
_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class Through:
    """What a walk through all sets found.

    Attributes
    ----------
    sequence
        The variables in the best order, None if nothing is within the limit or the walk was cut.
    least
        What that order costs, or else a bound: what any costs at the least, at most the limit.
    complete
        Whether the walk came to its end.
    """

    sequence: list[int] | None
    least: int
    complete: bool


def go_through(costs: Costs, limit: int, deadline: Deadline) -> Through:
    """The best order of d variables among those that cost less than ``limit``.

    Parameters
    ----------
    costs
        For each variable its parent sets, as bits, and what they cost.
    limit
        At most half of :data:`toposwap.kernels.exact.blocks.NEVER`.
    deadline
        When to stop; looked at after each block.
    """
    return _Walk(costs, limit, deadline).result()


class _Walk:
    """The state of :func:`go_through`: variables renamed so that the first ``m`` are low."""

    def __init__(self, costs: Costs, limit: int, deadline: Deadline) -> None:
        self.n_real = len(costs)
        # Variables that cost nothing and are nobody's parents fill up the smallest block.
        nothing = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.int32)
        costs = [*costs, *[nothing] * (kernels.LEAST_BITS - len(costs))]
        self.d = len(costs)
        self.m = min(self.d, max(_LOW, kernels.LEAST_BITS))
        self.high = self.d - self.m
        self.limit, self.deadline = limit, deadline
        self.names = _together(costs, self.m)
        self.root = _renamed(costs, self.names)
        self.b = np.empty((self.d, 1 << self.m), dtype=np.int32)
        self.after = np.empty(1 << self.m, dtype=np.int32)
        #: B(T + L) of the blocks T that something within the limit leads to.
        self.blocks: dict[int, NDArray[np.int32]] = {0: self._new_block()}
        self.blocks[0][0] = 0
        self.reached = np.zeros(1 << self.high, dtype=np.bool_)
        self.reached[0] = True
        self.most = int(_SHARE * memory_bytes() / self.after.nbytes)
        self.ahead = self._ahead_of_low()
        self.ahead_high = self._ahead_of_high()

    def result(self) -> Through:
        """Walk, and trace back what led to the full set."""
        least = min(self.limit, int(self.ahead[0]) + int(self.ahead_high[-1]))
        if least >= self.limit:
            return Through(None, self.limit, complete=True)
        for number, lists in self._leaves(self.root, self.high, 0):
            if self.deadline.passed or len(self.blocks) > self.most:
                return Through(None, least, complete=False)
            self._solve(number, lists)
        end = self.blocks.get((1 << self.high) - 1)
        if end is None or end[-1] >= self.limit:
            return Through(None, self.limit, complete=True)
        return Through(self._trace_back(), int(end[-1]), complete=True)

    def _new_block(self) -> NDArray[np.int32]:
        return np.full(1 << self.m, kernels.NEVER, dtype=np.int32)

    def _leaves(self, lists: Lists, left: int, number: int) -> Iterator[tuple[int, Lists]]:
        """Numbers of the blocks that are reached, with their lists, in ascending order.

        ``left`` high variables are still to be decided on.
        """
        first = number << left
        if not self.reached[first : first + (1 << left)].any():
            return
        if left == 0:
            yield number, lists
            return
        bit = np.uint64(1) << np.uint64(self.m + left - 1)
        middle = np.empty(self.d, dtype=np.int64)
        length = kernels.first_with(lists, bit, middle)
        yield from self._leaves(lists._replace(end=middle), left - 1, 2 * number)
        first += 1 << (left - 1)
        if self.reached[first : first + (1 << (left - 1))].any():
            with_it = _merged(lists, bit, middle, length)
            yield from self._leaves(with_it, left - 1, 2 * number + 1)

    def _solve(self, number: int, lists: Lists) -> None:
        """Complete the block, and go on to those with one more high variable."""
        kernels.fill_tables(lists, np.uint64(number << self.m), self.m, self.b)
        B = self.blocks[number]
        others = (1 << self.high) - 1 ^ number
        room = self.limit - int(self.ahead_high[others])
        if not kernels.solve_block(self.b, self.m, self.ahead, room, B):
            del self.blocks[number]
            return
        for i in range(self.high):
            if number >> i & 1:
                continue
            larger = number | 1 << i
            room = self.limit - int(self.ahead_high[others ^ 1 << i])
            if kernels.place_high(B, self.b, self.m + i, self.ahead, room, self.after):
                if not self.reached[larger]:
                    self.reached[larger] = True
                    self.blocks[larger] = self._new_block()
                kernels.lower(self.blocks[larger], self.after)

    def _ahead_of_low(self) -> NDArray[np.int32]:
        """For each set of low variables what the other low ones cost, all high ones at hand."""
        lists = self.root
        for i in range(self.high - 1, -1, -1):
            bit = np.uint64(1) << np.uint64(self.m + i)
            middle = np.empty(self.d, dtype=np.int64)
            length = kernels.first_with(lists, bit, middle)
            lists = _merged(lists, bit, middle, length)
        kernels.fill_tables(lists, np.uint64(0), self.m, self.b)
        return self._bounds(self.b, 0, self.m)[::-1].copy()

    def _ahead_of_high(self) -> NDArray[np.int32]:
        """For each set of high variables what these cost, all low ones at hand."""
        size = 1 << max(self.high, kernels.LEAST_BITS)
        b = np.full((self.high, size), kernels.NEVER, dtype=np.int32)
        for i, table in enumerate(b):
            mine = slice(self.root.begin[self.m + i], self.root.end[self.m + i])
            sets = (self.root.sets[mine] >> np.uint64(self.m)).astype(np.int64)
            np.minimum.at(table, sets, self.root.costs[mine])
            kernels.spread(table, max(self.high, kernels.LEAST_BITS))
        return self._bounds(b, 0, self.high)

    def _bounds(self, b: NDArray[np.int32], first: int, m: int) -> NDArray[np.int32]:
        bounds = np.empty(1 << m, dtype=np.int32)
        kernels.bound_group(b, first, m, self.limit, bounds)
        return bounds

    def _trace_back(self) -> list[int]:
        """Who came last, who before, and so on: sums of whole numbers are equal or not."""
        order = []
        here = (1 << self.d) - 1
        while here:
            value = self._value(here)
            for v in range(self.d):
                rest = here ^ (1 << v)
                if here >> v & 1 and self._value(rest) + self._least(v, rest) == value:
                    break
            order.append(int(self.names[v]))
            here = rest
        return [v for v in order[::-1] if v < self.n_real]

    def _value(self, subset: int) -> int:
        block = self.blocks.get(subset >> self.m)
        return kernels.NEVER if block is None else int(block[subset & ((1 << self.m) - 1)])

    def _least(self, v: int, within: int) -> int:
        mine = slice(self.root.begin[v], self.root.end[v])
        fits = self.root.sets[mine] & ~np.uint64(within) == 0
        return int(self.root.costs[mine][fits].min(initial=kernels.NEVER))


def _merged(lists: Lists, bit: np.uint64, middle: NDArray[np.int64], length: int) -> Lists:
    """New lists with room for ``length`` sets, filled."""
    d = middle.size
    merged = kernels.Lists(
        np.empty(length, dtype=np.uint64),
        np.empty(length, dtype=np.int32),
        np.empty(d, dtype=np.int64),
        np.empty(d, dtype=np.int64),
    )
    kernels.merge(lists, bit, middle, merged)
    return merged


def _together(costs: Costs, m: int) -> NDArray[np.int64]:
    """All variables, first ``m`` that belong together most, grown one by one, then the rest.

    Two belong together if each is in many of the sets that the other may want: then forbidding
    cycles among them is worth most.
    """
    d = len(costs)
    places = np.arange(d, dtype=np.uint64)
    share = np.array(
        [[np.mean(sets >> place & np.uint64(1)) for place in places] for sets, _ in costs]
    )
    weight = share + share.T
    inside = np.zeros(d, dtype=np.bool_)
    inside[int(weight.sum(axis=0).argmax())] = True
    while inside.sum() < m:
        pull = np.where(inside, -np.inf, weight[inside].sum(axis=0))
        inside[int(pull.argmax())] = True
    return np.concatenate([np.flatnonzero(inside), np.flatnonzero(~inside)])


def _renamed(costs: Costs, names: NDArray[np.int64]) -> Lists:
    """Lists of variables numbered by their place in ``names``, each sorted."""
    sets, values = [], []
    for v in names.tolist():
        old, cost = costs[v]
        new = np.zeros_like(old)
        for place, u in enumerate(names.tolist()):
            new |= (old >> np.uint64(u) & np.uint64(1)) << np.uint64(place)
        order = np.argsort(new, kind="stable")
        sets.append(new[order])
        values.append(cost[order])
    end = np.cumsum([len(some) for some in sets])
    begin = end - [len(some) for some in sets]
    return kernels.Lists(
        np.concatenate(sets), np.concatenate(values), begin.astype(np.int64), end.astype(np.int64)
    )
