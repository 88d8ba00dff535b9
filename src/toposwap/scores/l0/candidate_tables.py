"""Orders of which every node has a few candidates, whose costs are known for all sets of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.order import Order
from toposwap.kernels.l0.order_chain import CandidateTables, parents_at, walk_orders
from toposwap.kernels.l0.subset_tables import fill_candidate_tables, room_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.kernels.l0.tables import Rule


@lru_cache(maxsize=1)
def _sizes(k: int) -> NDArray[np.int8]:
    """How many bits the numbers below 2^k have."""
    sizes = np.zeros(1, dtype=np.int8)
    for _ in range(k):
        sizes = np.concatenate([sizes, sizes + np.int8(1)])
    return sizes


class L0CandidateTables:
    """The tables of :mod:`toposwap.kernels.l0.subset_tables` for given candidates.

    Parameters
    ----------
    rule
        Correlations, penalty, and who may be whose parent.
    candidates
        ``[z, u]`` (d, d): u may be a parent of z; those that must be are so in any case.
    most_parents
        The most parents of a node.
    temperature, threshold
        What a worse optimum must not exceed by much, and what counts as better.
    """

    def __init__(
        self,
        rule: Rule,
        candidates: NDArray[np.bool_],
        most_parents: int,
        temperature: float,
        threshold: float,
    ) -> None:
        self._temperature, self._threshold = temperature, threshold
        self._required = rule.required
        d = len(candidates)
        chosen = candidates & ~rule.required if rule.demanding else candidates.copy()
        if rule.masked:
            chosen &= rule.allowed
        np.fill_diagonal(chosen, False)
        counts = chosen.sum(axis=1)
        start = np.zeros(d + 1, dtype=np.int64)
        np.cumsum(1 << counts, out=start[1:])
        cost = np.empty(start[-1])
        bit = np.empty((d, d), dtype=np.int32)
        most = int(counts.max())
        work = np.empty(room_for(most))
        fill_candidate_tables(rule, chosen, start, most_parents, _sizes(most), work, cost, bit)
        self._tables = CandidateTables(cost, start, bit, rule.before, rule.ordered)

    def walk(self, order: Order, steps: int, seed: int) -> tuple[Order, float]:
        """The best order that a chain of ``steps`` perturbations from ``order`` meets, and its Q.

        See :mod:`toposwap.kernels.l0.order_chain`.
        """
        best = order.variables.astype(np.int64)
        value = walk_orders(self._tables, best, steps, self._temperature, self._threshold, seed)
        return Order(best), float(value)

    def parents(self, order: Order) -> NDArray[np.bool_]:
        """The parents that ``order`` wants, (d, d): ``[i, j]`` for i -> j."""
        adjacency = np.empty(self._tables.bit.shape, dtype=np.bool_)
        parents_at(self._tables, order.variables.astype(np.int64), adjacency)
        return adjacency | self._required.T
