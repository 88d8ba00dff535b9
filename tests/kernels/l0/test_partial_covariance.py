"""Partial covariance tables and parent selection against linear algebra from scratch."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.l0 import partial_covariance as partial
from toposwap.kernels.l0.node import Node, Rule, grow_and_shrink, node_value


def correlation(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4 * d, d)) @ rng.standard_normal((d, d))
    return np.corrcoef(X.T), rng


def conditional(C, given_):
    """C_ab - C_aP C_PP^-1 C_Pb."""
    P = list(given_)
    return C - C[:, P] @ np.linalg.solve(C[np.ix_(P, P)], C[P, :]) if P else C


def empty_node(C, z):
    d = len(C)
    return Node(np.empty((d, d)), np.empty(d, dtype=np.int64), C[z].copy(), np.diag(C).copy())


@given(st.integers(0, 10_000), st.integers(3, 9))
def test_tables_after_additions_and_removals(seed, d):
    C, rng = correlation(seed, d)
    z = int(rng.integers(d))
    node, k = empty_node(C, z), 0
    chosen: list[int] = []
    for _ in range(12):
        if chosen and rng.random() < 0.4:
            index = int(rng.integers(len(chosen)))
            k = partial.remove_parent(node.rows, node.parents, k, node.g, node.c, z, index)
            chosen.pop(index)
        else:
            rest = sorted(set(range(d)) - {z, *chosen})
            if not rest:
                continue
            u = int(rng.choice(rest))
            k = partial.add_parent(C, node.rows, node.parents, k, node.g, node.c, z, u)
            chosen.append(u)
        assert node.parents[:k].tolist() == chosen
        expected = conditional(C, chosen)
        np.testing.assert_allclose(node.g, expected[z], atol=1e-8)
        np.testing.assert_allclose(node.c, np.diag(expected), atol=1e-8)
        for i, u in enumerate(chosen):
            assert partial.index_of(node.parents, k, u) == i
        assert partial.index_of(node.parents, k, z) == -1
        if chosen:
            index, rise = partial.cheapest_removal(node.rows, node.parents, k, z, np.empty((d, d)))
            rises = [
                conditional(C, [v for v in chosen if v != u])[z, z] - expected[z, z] for u in chosen
            ]
            assert rise == pytest.approx(min(rises), rel=1e-5, abs=1e-9)
            assert rises[index] == pytest.approx(min(rises), rel=1e-5, abs=1e-9)


@given(st.integers(0, 10_000), st.booleans())
def test_parents_cannot_be_improved_by_one_edge(seed, logarithmic):
    d = 7
    C, rng = correlation(seed, d)
    z = int(rng.integers(d))
    unit = rng.uniform(0.5, 2.0, d)
    rule = Rule(C, logarithmic, 0.05, unit, np.empty(d), np.empty((d, d)))
    position = rng.permutation(d)
    limit = int(rng.integers(d + 1))
    node = empty_node(C, z)
    k = grow_and_shrink(rule, node, 0, z, position, limit, -1, -1)
    parents = set(node.parents[:k].tolist())
    allowed = {u for u in range(d) if position[u] < limit and u != z}
    assert parents <= allowed

    def value(chosen):
        variance = conditional(C, sorted(chosen))[z, z]
        loss = 0.5 * np.log(variance) if logarithmic else 0.5 * unit[z] * variance
        return loss + 0.05 * len(chosen)

    reached = value(parents)
    assert node_value(rule, z, node.c[z], k) == pytest.approx(reached, rel=1e-8)
    for u in allowed:
        assert value(parents ^ {u}) >= reached - 1e-9
    # Forward steps from nothing are at most as good as the best subset, and often that.
    best = min(value(s) for m in range(len(allowed) + 1) for s in combinations(allowed, m))
    assert reached >= best - 1e-9


def test_at_most_as_many_parents_as_rows():
    C, _ = correlation(0, 8)
    rule = Rule(C, True, 1e-6, np.ones(8), np.empty(8), np.empty((2, 2)))
    node = Node(np.empty((2, 8)), np.empty(2, dtype=np.int64), C[7].copy(), np.diag(C).copy())
    assert grow_and_shrink(rule, node, 0, 7, np.arange(8), 7, -1, -1) == 2
