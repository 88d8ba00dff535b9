r"""The best order by dynamic programming over all sets of variables, in blocks of the cache's size.

.. math:: B(S) = \min_{v \in S} B(S \setminus v) + b_v(S \setminus v), \qquad
          b_v(S) = \min \{ Q_v(P) : P \in L_v,\; P \subseteq S \},

:math:`L_v` being a list of parent sets. A set is :math:`S = T \cup L`: the *low* variables
:math:`L \subseteq \{0, \dots, m-1\}` are the places of a block, the others, :math:`T`, its number.
For one block all :math:`b_v(T \cup \cdot)` are tables of :math:`2^m` numbers: the sets of the list
that need no other of the high variables are put into their places, and the least over subsets is
spread by one pass for each low variable. So every step is the minimum of two stretches of memory,
sixteen numbers at a time, whatever the length of the lists.

Costs are whole numbers, rounded down, so that no sum is above the true one; :data:`NEVER` and more
stands for what is out of reach. B(S) counts as such where :math:`B(S) + h(S)` reaches a limit,

.. math:: h(S) = h_{\text{low}}(\text{low} \setminus S) + h_{\text{high}}(\text{high} \setminus S),
          \qquad h_G(U) = \min_{v \in U} b_v(V \setminus U) + h_G(U \setminus v),

a bound on what is still to come: cycles are forbidden within each group only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: More than any cost within the limit, and small enough that two of it are still a number.
NEVER = (1 << 30) - 1
#: Low variables whose places lie in one stretch, which is worked on at once.
LEAST_BITS = 4
_STRETCH = 1 << LEAST_BITS


class Lists(NamedTuple):
    """Parent sets of all nodes, those of v at ``begin[v]`` to ``end[v]``, (d,), sorted as numbers.

    ``sets`` (N,) are bits of the variables that are still to be decided on, ``costs`` (N,) whole
    numbers.
    """

    sets: NDArray[np.uint64]
    costs: NDArray[np.int32]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]


@kernel
def first_with(lists: Lists, bit: np.uint64, middle: NDArray[np.int64]) -> int:
    """Where the sets with the highest variable ``bit`` begin, (d,); the length of all lists."""
    total = 0
    for v in range(middle.size):
        low, high = lists.begin[v], lists.end[v]
        total += high - low
        while low < high:
            half = (low + high) // 2
            if lists.sets[half] < bit:
                low = half + 1
            else:
                high = half
        middle[v] = low
    return total


@kernel
def merge(lists: Lists, bit: np.uint64, middle: NDArray[np.int64], merged: Lists) -> None:
    """The lists where the highest variable ``bit`` is at hand: nobody has to ask for it any more.

    Of sets that became equal the cheaper one stays, and none that costs as much as no parents.
    """
    used = 0
    for v in range(middle.size):
        merged.begin[v] = used
        i, j = lists.begin[v], middle[v]
        alone = np.int32(NEVER)
        while i < middle[v] or j < lists.end[v]:
            mine = lists.sets[i] if i < middle[v] else bit
            other = lists.sets[j] ^ bit if j < lists.end[v] else bit
            wanted = min(mine, other)
            cost = np.int32(NEVER)
            if mine == wanted:
                cost = lists.costs[i]
                i += 1
            if other == wanted:
                cost = min(cost, lists.costs[j])
                j += 1
            if cost < alone:
                merged.sets[used] = wanted
                merged.costs[used] = cost
                used += 1
                if wanted == 0:
                    alone = cost
        merged.end[v] = used


@kernel
def fill_tables(lists: Lists, left_out: np.uint64, m: int, b: NDArray[np.int32]) -> None:
    """``b[v, L]`` (d, 2^m): the best parents of v, but for those ``left_out``, among L."""
    size = 1 << m
    for v in range(b.shape[0]):
        if left_out >> np.uint64(v) & np.uint64(1):
            continue
        table = b[v]
        for s in range(size):
            table[s] = NEVER
        for i in range(lists.begin[v], lists.end[v]):
            table[np.int64(lists.sets[i])] = lists.costs[i]
        spread(table, m)


@kernel(inner=True)
def spread(table: NDArray[np.int32], m: int) -> None:
    """Replace ``table[L]`` (2^m,) by the least over the subsets of L."""
    _spread_four(table[:_STRETCH])
    for stretch in range(1, 1 << (m - LEAST_BITS)):
        here = stretch * _STRETCH
        # The sets before, without the lowest of the higher variables of this one, are complete.
        length = (stretch & -stretch) * _STRETCH
        _lower(table[here : here + length], table[here - length : here])
        _spread_four(table[here : here + _STRETCH])


@kernel(inner=True, inlined=True)
def _spread_four(table: NDArray[np.int32]) -> None:
    """The same for one stretch, place by place, so that the compiler sees no branches."""
    for i in range(8):
        table[2 * i + 1] = min(table[2 * i + 1], table[2 * i])
    for i in range(4):
        table[4 * i + 2] = min(table[4 * i + 2], table[4 * i])
        table[4 * i + 3] = min(table[4 * i + 3], table[4 * i + 1])
    for i in range(4):
        table[i + 4] = min(table[i + 4], table[i])
        table[i + 12] = min(table[i + 12], table[i + 8])
    for i in range(8):
        table[i + 8] = min(table[i + 8], table[i])


@kernel
def bound_group(
    b: NDArray[np.int32], first: int, m: int, most: int, bounds: NDArray[np.int32]
) -> None:
    """Fill ``bounds`` (2^m,): h_G of the m variables from ``first`` on, at most ``most`` each.

    ``b[first + i, U]`` is the cost of the i-th of them with the others of G in U, and everyone
    outside of G, as possible parents.
    """
    every = (1 << m) - 1
    bounds[0] = 0
    for subset in range(1, 1 << m):
        best = np.int32(NEVER)
        for i in range(m):
            if subset >> i & 1:
                cost = b[first + i, every ^ subset] + bounds[subset ^ (1 << i)]
                best = min(best, np.int32(cost))
        bounds[subset] = min(best, np.int32(most))


@kernel
def solve_block(
    b: NDArray[np.int32], m: int, ahead: NDArray[np.int32], room: int, B: NDArray[np.int32]
) -> int:
    """Place low variables: B(T + L) (2^m,) from where high ones led; the number within the limit.

    ``ahead`` (2^m,) is what the low variables that L lacks cost at the least. What reaches ``room``
    with it is out of reach.
    """
    left = _place_four(b, 0, ahead, room, B)
    for stretch in range(1, 1 << (m - LEAST_BITS)):
        here = stretch * _STRETCH
        # The sets before are complete: the lowest of the higher variables of this one follows them.
        length, v = _STRETCH, LEAST_BITS
        while stretch & (length // _STRETCH) == 0:
            length *= 2
            v += 1
        begin = here - length
        _place(B[here : here + length], B[begin:here], b[v, begin:here])
        left += _place_four(b, here, ahead, room, B)
    return left


@kernel(inner=True, inlined=True)
def _place(then: NDArray[np.int32], before: NDArray[np.int32], cost: NDArray[np.int32]) -> None:
    """One variable behind each set of a stretch of them."""
    for i in range(then.size):
        then[i] = min(then[i], np.int32(before[i] + cost[i]))


@kernel(inner=True, inlined=True)
def _place_four(
    b: NDArray[np.int32], here: int, ahead: NDArray[np.int32], room: int, B: NDArray[np.int32]
) -> int:
    """The first four variables within the stretch from ``here`` on; how many are within limits."""
    part = B[here : here + _STRETCH]
    for i in range(_STRETCH):
        value = part[i]
        for j in range(LEAST_BITS):
            if i >> j & 1:
                value = min(value, np.int32(part[i ^ 1 << j] + b[j, here + (i ^ 1 << j)]))
        part[i] = value
    left = 0
    for i in range(_STRETCH):
        if np.int32(part[i] + ahead[here + i]) >= room:
            part[i] = NEVER
        else:
            left += 1
    return left


@kernel
def place_high(
    B: NDArray[np.int32],
    b: NDArray[np.int32],
    u: int,
    ahead: NDArray[np.int32],
    room: int,
    after: NDArray[np.int32],
) -> bool:
    """Fill ``after`` (2^m,) with B(T + L) + b_u(T + L); whether any of it is within the limit.

    ``ahead`` and ``room`` as in :func:`solve_block`, of the block T + u.
    """
    never = np.int32(NEVER)
    least = never
    for s in range(B.size):
        cost = min(np.int32(B[s] + b[u, s]), never)
        after[s] = cost
        least = min(least, np.int32(cost + ahead[s]))
    return bool(least < room)


@kernel(inner=True, inlined=True)
def _lower(B: NDArray[np.int32], after: NDArray[np.int32]) -> None:
    for s in range(B.size):
        B[s] = min(B[s], after[s])


@kernel
def lower(B: NDArray[np.int32], after: NDArray[np.int32]) -> None:
    """The lesser of both, place by place, in ``B``."""
    _lower(B, after)
