r"""A chain of local optima of a score on contingency tables, all in compiled code.

As :mod:`toposwap.kernels.l0.order_chain`: a step perturbs the order, descends, and stays with
probability :math:`\min(1, e^{-\Delta / T})`; else it goes back. Here a node is a few numbers, and
going back is copying them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.categorical.moves import insert, note_change, settle_all, swap, sweep
from toposwap.kernels.categorical.parents import SAME, settle
from toposwap.kernels.categorical.tables import (
    ORDER,
    PENDING,
    POSITION,
    TOUCHED,
    Counter,
    Nodes,
    empty_nodes,
)
from toposwap.kernels.graphs.precedence import highest_position, lowest_position
from toposwap.kernels.jit import kernel
from toposwap.kernels.random import below, uniform

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Kinds of perturbations: three moves, each with or without another order of the graph first.
KINDS = 6
#: Places of ``Chain.counts``: steps made, and at which of them the best was met.
STEPS, BEST_AT = 0, 1


class Chain(NamedTuple):
    """Where a chain is besides its nodes.

    ``kept`` are the nodes of the last stay, ``best`` those of the best optimum met, whose cost is
    ``least`` (1,); ``counts`` (2,) see :data:`STEPS`; ``random`` (1,) is
    the state of the generator; ``credit`` (2, KINDS) how often each kind of perturbation was tried
    and led to something better; ``profile`` (d,) and ``visits`` (d,) are workspace.
    """

    kept: Nodes
    best: Nodes
    least: NDArray[np.float64]
    counts: NDArray[np.int64]
    random: NDArray[np.uint64]
    credit: NDArray[np.float64]
    profile: NDArray[np.float64]
    visits: NDArray[np.int64]


@kernel(borrowing=True)
def total_cost(nodes: Nodes) -> float:
    """Of all nodes."""
    total = 0.0
    for z in range(nodes.places.shape[1]):
        total += nodes.cost[z]
    return total


@kernel(borrowing=True)
def descend(nodes: Nodes, counter: Counter, chain: Chain) -> None:
    """Sweep until no insertion lowers the cost, and no exchange of parents."""
    d = nodes.places.shape[1]
    while True:
        for t in range(d):
            chain.visits[t] = nodes.places[ORDER, t]
        if sweep(nodes, counter, chain.visits, chain.profile) > 0:
            continue
        if not settle_all(nodes, counter, False, True):
            return


@kernel(borrowing=True)
def _insert_permitted(nodes: Nodes, counter: Counter, v: int, target: int) -> None:
    rule = counter.rule
    if rule.ordered:
        target = max(target, lowest_position(rule.before, nodes.places[POSITION], v))
        target = min(target, highest_position(rule.before, nodes.places[POSITION], v))
    insert(nodes, counter, v, target)


@kernel(borrowing=True)
def _another_order(nodes: Nodes, counter: Counter, chain: Chain) -> None:
    """A random order of the same graph, and each node settled among its new predecessors.

    From the last place on, any variable all of whose children stand behind it.
    """
    d = nodes.places.shape[1]
    places = nodes.places
    rule = counter.rule
    children = chain.visits
    for v in range(d):
        children[v] = 0
    for z in range(d):
        for t in range(nodes.parents[z, 0]):
            children[nodes.parents[z, 1 + t]] += 1
        if rule.ordered:
            for u in range(d):
                if rule.before[u, z] and u != z:
                    children[u] += 1
    for k in range(d - 1, -1, -1):
        free = 0
        chosen = -1
        for v in range(d):
            if children[v] == 0:
                free += 1
                if below(chain.random, free) == 0:
                    chosen = v
        children[chosen] = -1
        places[ORDER, k] = chosen
        places[POSITION, chosen] = k
        for t in range(nodes.parents[chosen, 0]):
            children[nodes.parents[chosen, 1 + t]] -= 1
        if rule.ordered:
            for u in range(d):
                if rule.before[u, chosen] and u != chosen:
                    children[u] -= 1
    for z in range(d):
        before = nodes.cost[z]
        settle(nodes, counter, z, z, places[POSITION, z], -1, -1, False)
        if nodes.cost[z] != before:
            note_change(nodes, z)
        places[PENDING, z] = 1


@kernel(borrowing=True)
def _perturb(nodes: Nodes, counter: Counter, chain: Chain, kind: int) -> None:
    random = chain.random
    d = nodes.places.shape[1]
    if kind >= KINDS // 2:
        _another_order(nodes, counter, chain)
        kind -= KINDS // 2
    if kind == 0:
        for _ in range(1 + below(random, 3)):
            _insert_permitted(nodes, counter, below(random, d), below(random, d))
        return
    for _ in range(1 + below(random, 2)):
        i = below(random, d)
        j = below(random, d)
        if kind == 2:
            # The edge whose end is the first with parents from i on.
            for _ in range(d):
                if nodes.parents[i, 0] > 0:
                    break
                i = (i + 1) % d
            if nodes.parents[i, 0] == 0:
                return
            j = nodes.parents[i, 1 + below(random, nodes.parents[i, 0])]
        if i != j:
            p = nodes.places[POSITION, i]
            q = nodes.places[POSITION, j]
            _insert_permitted(nodes, counter, i, q)
            _insert_permitted(nodes, counter, j, p)


@kernel(borrowing=True)
def _drawn_kind(chain: Chain) -> int:
    """A kind with odds in proportion to its share of successes."""
    total = 0.0
    for kind in range(KINDS):
        total += chain.credit[1, kind] / chain.credit[0, kind]
    left = uniform(chain.random) * total
    for kind in range(KINDS):
        left -= chain.credit[1, kind] / chain.credit[0, kind]
        if left < 0.0:
            return kind
    return KINDS - 1


@kernel(borrowing=True)
def _copy_graph(
    source: Nodes, target: Nodes, touched: NDArray[np.int64], all_of_them: bool
) -> None:
    """Take over the order, and what is known of nodes that are ``touched`` (d,)."""
    d = source.places.shape[1]
    for z in range(d):
        target.places[ORDER, z] = source.places[ORDER, z]
        target.places[POSITION, z] = source.places[POSITION, z]
        if touched[z] == 0 and not all_of_them:
            continue
        for t in range(1 + source.parents[z, 0]):
            target.parents[z, t] = source.parents[z, t]
        target.cost[z] = source.cost[z]
        for part in range(2):
            for v in range(d):
                target.memory[part, z, v] = source.memory[part, z, v]


@kernel
def swap_changes(
    nodes: Nodes,
    counter: Counter,
    kept: Nodes,
    pairs: NDArray[np.int64],
    changes: NDArray[np.float64],
) -> None:
    """``changes`` (m,) of the cost by exchanging ``pairs`` (m, 2), each carried out and taken back.

    ``kept`` is room for a copy of ``nodes``.
    """
    d = nodes.places.shape[1]
    places = nodes.places
    _copy_graph(nodes, kept, places[TOUCHED], True)
    for z in range(d):
        places[TOUCHED, z] = 0
        kept.places[PENDING, z] = places[PENDING, z]
    before = total_cost(nodes)
    for t in range(pairs.shape[0]):
        swap(nodes, counter, pairs[t, 0], pairs[t, 1])
        changes[t] = total_cost(nodes) - before
        _copy_graph(kept, nodes, places[TOUCHED], False)
        for z in range(d):
            places[TOUCHED, z] = 0
            places[PENDING, z] = kept.places[PENDING, z]


@kernel
def begin_chain(nodes: Nodes, counter: Counter, chain: Chain) -> None:
    """Descend from where ``nodes`` stand, and stay there."""
    descend(nodes, counter, chain)
    for z in range(nodes.places.shape[1]):
        nodes.places[TOUCHED, z] = 0
    _copy_graph(nodes, chain.kept, nodes.places[TOUCHED], True)
    _copy_graph(nodes, chain.best, nodes.places[TOUCHED], True)
    chain.least[0] = total_cost(nodes)


@kernel
def advance_chain(
    nodes: Nodes, counter: Counter, chain: Chain, steps: int, temperature: float
) -> None:
    """Make ``steps`` steps from where ``nodes`` stand, which is the last stay."""
    d = nodes.places.shape[1]
    places = nodes.places
    for _ in range(steps):
        before = total_cost(chain.kept)
        kind = _drawn_kind(chain)
        _perturb(nodes, counter, chain, kind)
        descend(nodes, counter, chain)
        after = total_cost(nodes)
        chain.counts[STEPS] += 1
        chain.credit[0, kind] += 1.0
        if after < chain.least[0] - SAME:
            chain.least[0] = after
            chain.counts[BEST_AT] = chain.counts[STEPS]
            _copy_graph(nodes, chain.best, places[TOUCHED], True)
        if after < before - SAME:
            chain.credit[1, kind] += 1.0
        stays = after <= before or uniform(chain.random) < math.exp((before - after) / temperature)
        if stays:
            _copy_graph(nodes, chain.kept, places[TOUCHED], False)
        else:
            _copy_graph(chain.kept, nodes, places[TOUCHED], False)
        for z in range(d):
            places[TOUCHED, z] = 0
            places[PENDING, z] = 0


def new_chain(d: int, most: int, seed: int) -> Chain:
    """A chain of nodes with at most ``most`` parents."""
    return Chain(
        kept=empty_nodes(d, most),
        best=empty_nodes(d, most),
        least=np.full(1, np.inf),
        counts=np.zeros(2, dtype=np.int64),
        random=np.array([seed], dtype=np.uint64),
        credit=np.ones((2, KINDS)),
        profile=np.empty(d),
        visits=np.empty(d, dtype=np.int64),
    )
