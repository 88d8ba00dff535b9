r"""All parent sets of a node under a likelihood with L0 penalty, from a table of determinants.

.. math:: \log \operatorname{var}(x_v \mid S) = \log\det C_{S \cup v} - \log\det C_S,

so one table of :math:`2^d` numbers, whole ones in units of some :math:`10^{-8}`, knows the scores
of all sets of parents of all nodes. As in :mod:`toposwap.kernels.exact.blocks` a set is
:math:`S = T \cup L` with :math:`L` among the first m variables, and a block has all :math:`L`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.runtime.memory import memory_bytes
from toposwap.kernels.exact.blocks import LEAST_BITS, spread
from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.exact import factorised, residual_variance
from toposwap.kernels.l0.node import node_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.kernels.l0.tables import Rule

#: Low variables: the work on a block stays in the cache.
_LOW = 14
#: The largest number in the table, so that the sum of two and a price is one, too.
_LARGEST = 1 << 28
#: Scores that differ by fewer units may be equal: each is the sum of two rounded numbers.
_SLACK = 2
#: No variable may be so nearly determined by others that determinants have few digits.
_REGULAR = 1e-8
#: Share of the memory that a table may take.
_SHARE = 0.5
#: Blocks between two looks at the clock.
_BLOCKS_A_PIECE = 16


@kernel
def log_determinants(
    C: NDArray[np.float64], m: int, scale: float, first: int, end: int, table: NDArray[np.int32]
) -> None:
    """Fill ``table[T]`` (2^(d - m), 2^m) with ``scale`` log det C_S for T from ``first`` on.

    ``C`` (d, d) is a regular correlation matrix.
    """
    d = C.shape[0]
    given = np.empty((d, d))
    # The covariances of the first p variables given those of a set that are numbered p and more.
    parts = np.empty((m + 1, m, m))
    owner = np.empty(m + 1, dtype=np.int64)
    logs = np.empty(1 << m)
    for high in range(first, end):
        for i in range(d):
            for j in range(d):
                given[i, j] = C[i, j]
        logs[0] = 0.0
        for p in range(m, d):
            if high >> (p - m) & 1:
                logs[0] += math.log(given[p, p])
                for i in range(d):
                    share = given[i, p] / given[p, p]
                    # Those that are through are not needed any more.
                    if i < m or i > p:
                        for j in range(d):
                            given[i, j] -= share * given[p, j]
        for i in range(m):
            for j in range(m):
                parts[m, i, j] = given[i, j]
        for p in range(m + 1):
            owner[p] = m
        table[high, 0] = round(scale * logs[0])
        for low in range(1, 1 << m):
            p = 0
            while low >> p & 1 == 0:
                p += 1
            source = parts[owner[p + 1]]
            target = parts[p]
            pivot = source[p, p]
            for i in range(p):
                share = source[i, p] / pivot
                for j in range(i + 1):
                    target[i, j] = source[i, j] - share * source[j, p]
                    target[j, i] = target[i, j]
            for k in range(p + 1):
                owner[k] = p
            logs[low] = logs[low & (low - 1)] + math.log(pivot)
            table[high, low] = round(scale * logs[low])


@kernel(borrowing=True)
def _scores(
    table: NDArray[np.int32],
    v: int,
    m: int,
    price: int,
    high: int,
    sizes: NDArray[np.int32],
    scores: NDArray[np.int32],
) -> None:
    """Fill ``scores`` with those of v with the parents T + L, for all L without v.

    ``sizes`` (2^m,) holds the price of L. There are 2^m of them, or half as many if v is low: then
    the variables above it move down by one.
    """
    count, rest = 0, high
    while rest:
        rest &= rest - 1
        count += 1
    own = table[high]
    paid = np.int32(count * price)
    if v >= m:
        other = table[high | 1 << (v - m)]
        for s in range(own.size):
            scores[s] = np.int32(np.int32(other[s] - own[s]) + np.int32(sizes[s] + paid))
        return
    step = 1 << v
    if step < 16:
        # Too short for stretches.
        below = step - 1
        for s in range(own.size // 2):
            at = (s & below) | (s & ~below) << 1
            scores[s] = own[at | step] - own[at] + sizes[s] + paid
        return
    for base in range(0, own.size, 2 * step):
        target = scores[base // 2 : base // 2 + step]
        without = own[base : base + step]
        with_v = own[base + step : base + 2 * step]
        price_of = sizes[base // 2 : base // 2 + step]
        for i in range(step):
            gain = np.int32(with_v[i] - without[i])
            target[i] = np.int32(gain + np.int32(price_of[i] + paid))


@kernel
def wanted_sets(
    table: NDArray[np.int32],
    v: int,
    m: int,
    price: int,
    limit: int,
    high: int,
    sizes: NDArray[np.int32],
    work: NDArray[np.int32],
    sets: NDArray[np.uint64],
) -> int:
    """Parent sets T + L of v that none of the subsets that are looked at is as good as.

    These are the ones with the same T, and those that lack one variable of T. ``work`` (3, 2^m) is
    workspace; ``sets`` (2^m,) receive what is found. Returns how many.
    """
    bits = m if v >= m else m - 1
    size = 1 << bits
    mine, least, fewer = work[0, :size], work[1, :size], work[2, :size]
    _scores(table, v, m, price, high, sizes, mine)
    for s in range(size):
        least[s] = mine[s]
    rest = high
    while rest:
        one = rest & -rest
        rest ^= one
        _scores(table, v, m, price, high ^ one, sizes, fewer)
        for s in range(size):
            least[s] = min(least[s], fewer[s])
    spread(least, bits)
    count = 0
    below = (1 << v) - 1
    for s in range(size):
        if mine[s] <= least[s] + _SLACK and mine[s] < limit:
            low = s if v >= m else (s & below) | (s & ~below) << 1
            sets[count] = np.uint64(high << m | low)
            count += 1
    return count


@kernel
def exact_scores(rule: Rule, z: int, sets: NDArray[np.uint64], scores: NDArray[np.float64]) -> None:
    """Fill ``scores`` (m,) with Q_z of the parents ``sets`` (m,), to the last digits."""
    C = rule.C[rule.own[z]]
    d = C.shape[0]
    members = np.empty(d, dtype=np.int64)
    triangle = np.empty((d, d))
    solved = np.empty(d)
    for s in range(sets.size):
        k = 0
        for u in range(d):
            if sets[s] >> np.uint64(u) & np.uint64(1):
                members[k] = u
                k += 1
        scores[s] = np.inf
        if factorised(C, members, k, triangle):
            variance = residual_variance(C, members, k, triangle, z, solved)
            scores[s] = node_value(rule, z, variance, k)


class Determinants:
    """The table for all sets of the variables whose correlations ``C`` (d, d) are.

    Only where it is :meth:`possible`. No edge costs more than ``most_price`` in units of log det.
    """

    def __init__(self, C: NDArray[np.float64], most_price: float) -> None:
        self.d = len(C)
        self.m = min(_LOW, self.d)
        self._C = np.ascontiguousarray(C)
        self._scale = _LARGEST / max(-np.linalg.slogdet(C)[1], self.d * most_price, 1.0)
        self._table = np.empty((1 << (self.d - self.m), 1 << self.m), dtype=np.int32)
        bits = np.arange(1 << self.m)[:, None] >> np.arange(self.m) & 1
        self._sizes = bits.sum(axis=1)

    @staticmethod
    def possible(C: NDArray[np.float64]) -> bool:
        """Whether there is room for the table, and its numbers have digits enough."""
        d = len(C)
        if d < LEAST_BITS + 1 or 4 << d > _SHARE * memory_bytes():
            return False
        return bool(np.linalg.eigvalsh(C)[0] > _REGULAR)

    def fill(self, deadline: Deadline) -> bool:
        """Make the table; False if time is up before."""
        for first in range(0, len(self._table), _BLOCKS_A_PIECE):
            if deadline.passed:
                return False
            end = min(first + _BLOCKS_A_PIECE, len(self._table))
            log_determinants(self._C, self.m, self._scale, first, end, self._table)
        return True

    def wanted(
        self,
        rule: Rule,
        z: int,
        allowed: NDArray[np.bool_],
        most_parents: int,
        limit: float,
        deadline: Deadline,
    ) -> tuple[NDArray[np.uint64], NDArray[np.float64]] | None:
        """Parent sets of ``z`` among ``allowed`` (d,), and their scores; None if time is up.

        All that some order may want, and few others.
        """
        unit = 0.5 * rule.unit[z] / self._scale
        price = round(rule.weight / unit)
        most = int(min(limit / unit + _SLACK, 2.0**31 - 1))
        sizes = (price * self._sizes).astype(np.int32)
        work = np.empty((3, 1 << self.m), dtype=np.int32)
        sets = np.empty(1 << self.m, dtype=np.uint64)
        forbidden = sum(1 << u for u in range(self.d) if u == z or not allowed[u])
        found = []
        for high in range(len(self._table)):
            if high & forbidden >> self.m:
                continue
            if deadline.passed:
                return None
            count = wanted_sets(self._table, z, self.m, price, most, high, sizes, work, sets)
            found.append(sets[:count].copy())
        listed = np.concatenate(found)
        keep = (listed & np.uint64(forbidden) == 0) & (np.bitwise_count(listed) <= most_parents)
        listed = listed[keep]
        values = np.empty(listed.size)
        exact_scores(rule, z, listed, values)
        return listed[values < limit], values[values < limit]
