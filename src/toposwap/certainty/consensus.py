r"""The acyclic graph that agrees best with many.

.. math:: \max_{G \text{ acyclic}} \; \sum_{i \to j \in G} g_{ij}, \qquad
          g_{ij} = p_{ij} + \tau\, p_{ji} - t ,

(d, d), a linear score over pairs: :math:`p_{ij}` is the share of graphs with i -> j, t the
threshold, and :math:`\tau` what an edge is worth that is there but points the other way. At an
order the best graph has every edge i -> j with i before j and :math:`g_{ij} > 0`, so the value of
an order is the sum of :math:`c_{ij} = \max(g_{ij}, 0)` over pairs in that sequence: the linear
ordering problem.

Only edges on a cycle of :math:`\{c > 0\}` compete. Each strongly connected component is solved by
itself: by dynamic programming over its subsets up to 20 columns, which is exact, and beyond by
insertions and swaps from several starts, the greedy average among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.core.graph import topological_order
from toposwap.kernels.exact.sequences import best_sequence

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Columns of a component whose subsets can all be looked at.
EXACT = 20
#: Starts of the search on a larger one.
_STARTS = 20
_ROUNDING = 1e-12


class Consensus(NamedTuple):
    """A DAG, (d, d) of bool; the sum over its edges; and whether no DAG has a larger one."""

    edges: NDArray[np.bool_]
    value: float
    proved: bool


def best_dag(
    gains: NDArray[np.float64], before: NDArray[np.bool_] | None = None, seed: int = 0
) -> Consensus:
    """The DAG whose edges have the largest sum of ``gains`` (d, d).

    Parameters
    ----------
    gains
        What the edge i -> j is worth, ``gains[i, j]``; those that are not positive are never there.
    before
        (d, d) without cycles: ``before[i, j]`` if i must stand before j. None asks for nothing.
    seed
        Of the starts of the search where a component is too large for a proof.
    """
    d = len(gains)
    worth = np.where(np.eye(d, dtype=bool), 0.0, np.maximum(gains, 0.0))
    if before is not None:
        worth = np.where(before.T, 0.0, worth)
        # More than all edges together, so that no order gives it up.
        worth = worth + before * (1.0 + worth.sum())
    place = np.empty(d)
    proved, rank = True, 0
    for component in _components(worth > 0.0):
        part = worth[np.ix_(component, component)]
        if len(component) <= EXACT:
            order = exact_order(part)
        else:
            order, proved = searched_order(part, np.random.default_rng(seed)), False
        place[component[order]] = rank + np.arange(len(component))
        rank += len(component)
    edges = (gains > 0.0) & (place[:, None] < place)
    return Consensus(edges, float(gains[edges].sum()), proved)


def greedy_dag(gains: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The greedy average, (d, d): edges from the best down, each unless it closes a cycle."""
    d = len(gains)
    edges = np.zeros((d, d), dtype=bool)
    reach = np.eye(d, dtype=bool)
    for flat in np.argsort(-gains, axis=None, kind="stable"):
        i, j = divmod(int(flat), d)
        if not gains[i, j] > 0.0:
            break
        if i != j and not reach[j, i]:
            edges[i, j] = True
            reach |= reach[:, [i]] & reach[j]
    return edges


def exact_order(worth: NDArray[np.float64]) -> NDArray[np.int64]:
    """B(S) = max_{v in S} B(S - v) + sum_{u in S - v} worth[u, v], for all S; (d,)."""
    d = len(worth)
    half = d // 2
    # What v gains from a set is looked up for the two halves of its digits.
    return best_sequence(_sums(worth[:half]), _sums(worth[half:]), half)


def searched_order(worth: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """A local optimum of insertions and swaps, the best from several starts, (d,)."""
    d = len(worth)
    greedy = topological_order(greedy_dag(worth))
    assert greedy is not None
    by_balance = np.argsort(worth.sum(axis=0) - worth.sum(axis=1), kind="stable")
    best, highest = _descended(worth, greedy), -np.inf
    starts = [greedy, by_balance, *(rng.permutation(d) for _ in range(_STARTS))]
    for number, start in enumerate(starts):
        order = _descended(worth, start)
        value = _value(worth, order)
        if value > highest + _ROUNDING:
            best, highest = order, value
        # From the best so far, a stretch of it shuffled.
        if number >= 2:
            first = int(rng.integers(d - 1))
            stretch = slice(first, first + max(3, d // 4))
            shaken = best.copy()
            shaken[stretch] = rng.permutation(shaken[stretch])
            order = _descended(worth, shaken)
            value = _value(worth, order)
            if value > highest + _ROUNDING:
                best, highest = order, value
    return best


def _value(worth: NDArray[np.float64], order: NDArray[np.int64]) -> float:
    return float(np.triu(worth[np.ix_(order, order)], 1).sum())


def _descended(worth: NDArray[np.float64], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Insertions, O(d) for all places of a variable, then swaps, until neither helps."""
    order = np.array(start)
    least = _ROUNDING * max(1.0, float(worth.sum()))
    while True:
        moved = False
        for v in order.tolist():
            place = int(np.flatnonzero(order == v)[0])
            rest = np.delete(order, place)
            # Put at k, v follows the first k of the rest and precedes the others.
            profile = np.concatenate([[0.0], np.cumsum(worth[rest, v] - worth[v, rest])])
            best = int(profile.argmax())
            if profile[best] > profile[place] + least:
                order = np.insert(rest, best, v)
                moved = True
        if moved:
            continue
        changes = _swap_gains(worth[np.ix_(order, order)])
        p, q = divmod(int(changes.argmax()), len(order))
        if not changes[p, q] > least:
            return order
        order[[p, q]] = order[[q, p]]


def _swap_gains(worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """The change of the sum over pairs in sequence by exchanging positions p < q, (d, d).

    ``worth`` is by position. With a = worth - worth', which a pair gains by being kept,
    exchanging loses a[p, k] for k in p+1..q and a[k, q] for k in p+1..q-1.
    """
    kept = worth - worth.T
    rows = np.cumsum(kept, axis=1)
    columns = np.cumsum(kept, axis=0)
    d = len(worth)
    gains = np.full((d, d), -np.inf)
    p, q = np.triu_indices(d, 1)
    gains[p, q] = -(rows[p, q] - rows[p, p]) - (columns[q - 1, q] - columns[p, q])
    return gains


def _sums(worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of the rows in each of the 2^k subsets of k rows, (2^k, d)."""
    sums = np.zeros((1, worth.shape[1]))
    for row in worth:
        sums = np.vstack([sums, sums + row])
    return sums


def _components(edges: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Strongly connected components, each (k,), causes first."""
    from scipy.sparse.csgraph import connected_components

    count, of_node = connected_components(edges, directed=True, connection="strong")
    between = np.zeros((count, count), dtype=bool)
    i, j = np.nonzero(edges)
    between[of_node[i], of_node[j]] = True
    np.fill_diagonal(between, val=False)
    order = topological_order(between)
    assert order is not None
    return [np.flatnonzero(of_node == component) for component in order]
