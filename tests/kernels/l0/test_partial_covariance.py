"""Partial covariance tables and parent selection against linear algebra from scratch."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.l0 import exchanges
from toposwap.kernels.l0 import partial_covariance as partial
from toposwap.kernels.l0.node import grow_and_shrink, node_value
from toposwap.kernels.l0.partial_covariance import E, G, S
from toposwap.kernels.l0.tables import OWN, POSITION, WORK, empty_nodes, rule_for


def correlation(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4 * d, d)) @ rng.standard_normal((d, d))
    return np.corrcoef(X.T), rng


def conditional(C, given_):
    """C_ab - C_aP C_PP^-1 C_Pb."""
    P = list(given_)
    return C - C[:, P] @ np.linalg.solve(C[np.ix_(P, P)], C[P, :]) if P else C


def check_exchanges(C, table, parents, z, chosen):
    """The best parent to give up for each other variable, tried one by one."""
    d = len(C)
    here = conditional(C, chosen)[z, z]
    # The inverse of the triangle was left behind by the search for the cheapest removal.
    exchanges.price_exchanges(table, parents, OWN, z, WORK, 0)
    for u in set(range(d)) - {z, *chosen}:
        lowered = [
            here - conditional(C, [*(v for v in chosen if v != old), u])[z, z] for old in chosen
        ]
        assert table[OWN, E, u] == pytest.approx(max(0.0, *lowered), rel=1e-5, abs=1e-8)
        if max(lowered) > 1e-6:
            index = exchanges.parent_to_exchange(table, parents, OWN, z, WORK, 0, u)
            assert lowered[index] == pytest.approx(max(lowered), rel=1e-5)


@given(st.integers(0, 10_000), st.integers(3, 9))
def test_tables_after_additions_and_removals(seed, d):
    C, rng = correlation(seed, d)
    z = int(rng.integers(d))
    table, parents = empty_nodes(d, d)[:2]
    partial.no_parents(C, table, parents, OWN, z)
    chosen: list[int] = []
    for _ in range(12):
        if chosen and rng.random() < 0.4:
            index = int(rng.integers(len(chosen)))
            partial.remove_parent(table, parents, OWN, z, index)
            chosen.pop(index)
        else:
            rest = sorted(set(range(d)) - {z, *chosen})
            if not rest:
                continue
            u = int(rng.choice(rest))
            partial.add_parent(C, table, parents, OWN, z, u)
            chosen.append(u)
        assert parents[OWN, 1 : 1 + parents[OWN, 0]].tolist() == chosen
        expected = conditional(C, chosen)
        np.testing.assert_allclose(table[OWN, G], expected[z], atol=1e-8)
        np.testing.assert_allclose(table[OWN, S], np.diag(expected), atol=1e-8)
        for i, u in enumerate(chosen):
            assert partial.index_of(parents, OWN, u) == i
        assert partial.index_of(parents, OWN, z) == -1
        if chosen:
            index, rise = partial.cheapest_removal(table, parents, OWN, z, WORK, 0, 0)
            rises = [
                conditional(C, [v for v in chosen if v != u])[z, z] - expected[z, z] for u in chosen
            ]
            assert rise == pytest.approx(min(rises), rel=1e-5, abs=1e-9)
            assert rises[index] == pytest.approx(min(rises), rel=1e-5, abs=1e-9)
            check_exchanges(C, table, parents, z, chosen)


@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_parents_cannot_be_improved_by_one_edge(seed, logarithmic, masked):
    d = 7
    C, rng = correlation(seed, d)
    z = int(rng.integers(d))
    unit = rng.uniform(0.5, 2.0, d)
    mask = rng.random((d, d)) < 0.6 if masked else None
    rule = rule_for(C, logarithmic, 0.05, unit, parents=mask)
    nodes = empty_nodes(d, d)
    nodes.position[:] = rng.permutation(d)
    limit = int(rng.integers(d + 1))
    partial.no_parents(C, nodes.table, nodes.parents, OWN, z)
    grow_and_shrink(nodes, rule, OWN, z, limit, -1, -1)
    parents = set(nodes.parents[OWN, 1 : 1 + nodes.parents[OWN, 0]].tolist())
    allowed = {u for u in range(d) if nodes.places[POSITION, u] < limit and u != z}
    if masked:
        allowed = {u for u in allowed if mask[u, z]}
    assert parents <= allowed

    def value(chosen):
        variance = conditional(C, sorted(chosen))[z, z]
        loss = 0.5 * unit[z] * (np.log(variance) if logarithmic else variance)
        return loss + 0.05 * len(chosen)

    reached = value(parents)
    assert node_value(rule, z, nodes.table[OWN, S, z], len(parents)) == pytest.approx(
        reached, rel=1e-8
    )
    for u in allowed:
        assert value(parents ^ {u}) >= reached - 1e-9
    # Forward steps from nothing are at most as good as the best subset, and often that.
    best = min(value(s) for m in range(len(allowed) + 1) for s in combinations(allowed, m))
    assert reached >= best - 1e-9


def test_at_most_as_many_parents_as_rows():
    C, _ = correlation(0, 8)
    nodes = empty_nodes(8, 2)
    nodes.position[:] = np.arange(8)
    partial.no_parents(C, nodes.table, nodes.parents, OWN, 7)
    grow_and_shrink(nodes, rule_for(C, True, 1e-6, np.ones(8)), OWN, 7, 7, -1, -1)
    assert nodes.parents[OWN, 0] == 2
