r"""A chain of local optima: perturb, descend, stay or go back, all in compiled code.

A step perturbs the order, descends by insertions and by single edges, and stays there with
probability :math:`\min(1, e^{-\Delta / T})`, :math:`\Delta` being the change of Q since the last
stay; else it goes back, which costs as much as what was touched. With :math:`T = 1/n` for a score
of :math:`2nQ` these are the odds of the two graphs. The best optimum met is kept.

There are six kinds of perturbations (a few insertions, swaps, or swaps of the ends of edges, each
from the order at hand or from another order of the same graph); those that led to better optima are
drawn more often.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.graphs.precedence import highest_position, lowest_position
from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.moves import insert, settle, sweep
from toposwap.kernels.l0.node import node_value, price_all_exchanges
from toposwap.kernels.l0.partial_covariance import S, add_parent, no_parents
from toposwap.kernels.l0.single_edges import improve_single_edges
from toposwap.kernels.l0.swap_deltas import copy_touched, keep
from toposwap.kernels.l0.tables import ORDER, PENDING, POSITION, TOUCHED, Nodes, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Kinds of perturbations: three moves, each with or without another order of the graph first.
KINDS = 6
#: Places of ``Chain.counts``: steps made, and at which of them the best was met.
STEPS, BEST_AT = 0, 1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


class Chain(NamedTuple):
    """Where a chain is besides its nodes.

    ``kept`` are the nodes of the last stay. ``order`` (d,), ``parents`` (d, K), ``n_parents`` (d,)
    and ``value`` (1,) are the best optimum met; ``counts`` (2,) see :data:`STEPS`; ``random`` (1,)
    is the state of the generator; ``credit`` (2, KINDS) how often each kind was tried and led to
    something better; ``profile`` (d,), ``visits`` (d,) and ``ancestors`` (d, d) are workspace.
    """

    kept: Nodes
    order: NDArray[np.int64]
    parents: NDArray[np.int64]
    n_parents: NDArray[np.int64]
    value: NDArray[np.float64]
    counts: NDArray[np.int64]
    random: NDArray[np.uint64]
    credit: NDArray[np.float64]
    profile: NDArray[np.float64]
    visits: NDArray[np.int64]
    ancestors: NDArray[np.bool_]


@kernel(inner=True)
def uniform(random: NDArray[np.uint64]) -> float:
    """A number in [0, 1) by the generator splitmix64, whose state is ``random`` (1,)."""
    random[0] += _GOLDEN
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * _MIX1
    z = (z ^ (z >> np.uint64(27))) * _MIX2
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) / 9007199254740992.0


@kernel(inner=True)
def below(random: NDArray[np.uint64], m: int) -> int:
    """A whole number in [0, m)."""
    return int(uniform(random) * m)


@kernel
def descend(nodes: Nodes, rule: Rule, chain: Chain, threshold: float) -> None:
    """Sweep, and change single edges, until neither lowers Q."""
    d = nodes.value.size
    total = np.inf
    # Where columns nearly determine each other, a gain may be rounding error and come up for ever.
    while nodes.value.sum() < total - 0.5 * threshold:
        total = nodes.value.sum()
        for t in range(d):
            chain.visits[t] = nodes.places[ORDER, t]
        if sweep(nodes, rule, chain.visits, threshold, chain.profile) > 0:
            continue
        if improve_single_edges(nodes, rule, chain.ancestors, threshold) == 0:
            return


@kernel(inner=True)
def _insert_permitted(nodes: Nodes, rule: Rule, v: int, target: int) -> None:
    if rule.ordered:
        target = max(target, lowest_position(rule.before, nodes.places[POSITION], v))
        target = min(target, highest_position(rule.before, nodes.places[POSITION], v))
    insert(nodes, rule, v, target)


@kernel(inner=True)
def _exchange_places(nodes: Nodes, rule: Rule, i: int, j: int) -> None:
    p = nodes.places[POSITION, i]
    q = nodes.places[POSITION, j]
    _insert_permitted(nodes, rule, i, q)
    _insert_permitted(nodes, rule, j, p)


@kernel(inner=True)
def _another_order(nodes: Nodes, rule: Rule, chain: Chain) -> None:
    """A random order of the same graph, and each node settled among its new predecessors.

    From the last place on, any variable all of whose children stand behind it.
    """
    d = nodes.value.size
    places = nodes.places
    children = chain.visits
    for v in range(d):
        children[v] = 0
    for z in range(d):
        for i in range(nodes.parents[z, 0]):
            children[nodes.parents[z, 1 + i]] += 1
        if rule.ordered:
            for u in range(d):
                if rule.before[u, z] and u != z:
                    children[u] += 1
    for t in range(d - 1, -1, -1):
        free = 0
        chosen = -1
        for v in range(d):
            if children[v] == 0:
                free += 1
                if below(chain.random, free) == 0:
                    chosen = v
        children[chosen] = -1
        places[ORDER, t] = chosen
        places[POSITION, chosen] = t
        for i in range(nodes.parents[chosen, 0]):
            children[nodes.parents[chosen, 1 + i]] -= 1
        if rule.ordered:
            for u in range(d):
                if rule.before[u, chosen] and u != chosen:
                    children[u] -= 1
    for v in range(d):
        settle(nodes, rule, v)
        places[PENDING, v] = 1


@kernel(inner=True)
def _perturb(nodes: Nodes, rule: Rule, chain: Chain, kind: int) -> None:
    random = chain.random
    d = nodes.value.size
    if kind >= KINDS // 2:
        _another_order(nodes, rule, chain)
        kind -= KINDS // 2
    if kind == 0:
        for _ in range(1 + below(random, 3)):
            _insert_permitted(nodes, rule, below(random, d), below(random, d))
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
            _exchange_places(nodes, rule, i, j)


@kernel(inner=True)
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


@kernel(inner=True)
def _build_anew(nodes: Nodes, rule: Rule, z: int) -> None:
    """The tables of ``z`` from its parents, free of what additions and removals left behind."""
    k = nodes.parents[z, 0]
    no_parents(rule.C[rule.own[z]], nodes.table, nodes.parents, z, z)
    for i in range(k):
        add_parent(rule.C[rule.own[z]], nodes.table, nodes.parents, z, z, nodes.parents[z, 1 + i])
    nodes.value[z] = node_value(rule, z, nodes.table[z, S, z], k)
    price_all_exchanges(nodes, rule, z)


@kernel(inner=True)
def _note_best(nodes: Nodes, chain: Chain, value: float) -> None:
    d = nodes.value.size
    chain.value[0] = value
    chain.counts[BEST_AT] = chain.counts[STEPS]
    for z in range(d):
        chain.order[z] = nodes.places[ORDER, z]
        chain.n_parents[z] = nodes.parents[z, 0]
        for i in range(nodes.parents[z, 0]):
            chain.parents[z, i] = nodes.parents[z, 1 + i]


@kernel
def begin_chain(nodes: Nodes, rule: Rule, chain: Chain, threshold: float) -> None:
    """Descend from where ``nodes`` stand, and stay there."""
    descend(nodes, rule, chain, threshold)
    keep(nodes, chain.kept)
    _note_best(nodes, chain, nodes.value.sum())


@kernel
def advance_chain(
    nodes: Nodes, rule: Rule, chain: Chain, steps: int, temperature: float, threshold: float
) -> None:
    """Make ``steps`` steps from where ``nodes`` stand, which is the last stay."""
    d = nodes.value.size
    places = nodes.places
    for _ in range(steps):
        before = chain.kept.value.sum()
        kind = _drawn_kind(chain)
        _perturb(nodes, rule, chain, kind)
        descend(nodes, rule, chain, threshold)
        after = nodes.value.sum()
        chain.counts[STEPS] += 1
        chain.credit[0, kind] += 1.0
        if after < chain.value[0] - threshold:
            _note_best(nodes, chain, after)
        if after < before - threshold:
            chain.credit[1, kind] += 1.0
        stays = after <= before or uniform(chain.random) < math.exp((before - after) / temperature)
        if stays:
            for z in range(d):
                if places[TOUCHED, z] != 0:
                    _build_anew(nodes, rule, z)
            copy_touched(nodes, chain.kept, places[TOUCHED])
        else:
            copy_touched(chain.kept, nodes, places[TOUCHED])
        for z in range(d):
            places[TOUCHED, z] = 0
            places[PENDING, z] = 0


def new_chain(kept: Nodes, seed: int) -> Chain:
    """A chain whose last stay will be kept in ``kept``."""
    d, most = kept.value.size, kept.parents.shape[1] - 1
    return Chain(
        kept=kept,
        order=np.empty(d, dtype=np.int64),
        parents=np.zeros((d, most), dtype=np.int64),
        n_parents=np.zeros(d, dtype=np.int64),
        value=np.full(1, np.inf),
        counts=np.zeros(2, dtype=np.int64),
        random=np.array([seed], dtype=np.uint64),
        credit=np.ones((2, KINDS)),
        profile=np.empty(d),
        visits=np.empty(d, dtype=np.int64),
        ancestors=np.empty((d, d), dtype=np.bool_),
    )
