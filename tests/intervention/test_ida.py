"""Parents and effects that a class leaves possible, against the class itself, edge by edge."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.graph import topological_order
from toposwap.intervention import ida
from toposwap.intervention.estimate import is_identified
from toposwap.intervention.linear import LinearGraph
from toposwap.metrics import cpdag
from toposwap.metrics.meek import orient


def colliders(dag):
    adjacent = dag | dag.T
    return {
        (int(a), int(c), int(b))
        for c in range(len(dag))
        for a in np.flatnonzero(dag[:, c])
        for b in np.flatnonzero(dag[:, c])
        if a < b and not adjacent[a, b]
    }


def enumerated(dag, known=None):
    """All DAGs with the same pairs and colliders that have the edges ``known``, by brute force."""
    pairs = np.argwhere(np.triu(dag | dag.T))
    wanted = colliders(dag)
    found = []
    for turns in product((False, True), repeat=len(pairs)):
        other = np.zeros_like(dag)
        for (i, j), turned in zip(pairs, turns, strict=True):
            other[(j, i) if turned else (i, j)] = True
        if known is not None and (known & ~other).any():
            continue
        if topological_order(other) is not None and colliders(other) == wanted:
            found.append(other)
    return found


def random_dag(seed, d):
    rng = np.random.default_rng(seed)
    dag = np.triu(rng.random((d, d)) < rng.uniform(0.3, 0.9), 1)
    order = rng.permutation(d)
    return dag[np.ix_(order, order)], rng


@given(st.integers(0, 10_000), st.integers(3, 5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_parent_sets_are_those_of_the_members(seed, d, informed):
    dag, rng = random_dag(seed, d)
    known = dag & (rng.random((d, d)) < 0.3) if informed else np.zeros_like(dag)
    graph = orient(cpdag(dag.astype(float)), known)
    members = enumerated(dag, known)
    assert {m.tobytes() for m in ida.members(graph)} == {m.tobytes() for m in members}
    for x in range(d):
        truth = Counter(tuple(np.flatnonzero(m[:, x])) for m in members)
        found = ida.parent_sets(graph, x)
        assert sorted(entry.parents for entry in found) == sorted(truth)
        assert {entry.dag.tobytes() for entry in found} <= {m.tobytes() for m in members}
        # Members around x stand for as many members each.
        numbers = ida.count_members(graph, found, x)
        counts = {entry.parents: n for entry, n in zip(found, numbers, strict=True)}
        total = sum(counts.values())
        assert {p: c / total for p, c in counts.items()} == pytest.approx(
            {p: c / len(members) for p, c in truth.items()}
        )


@given(st.integers(0, 10_000), st.integers(3, 5), st.booleans())
@settings(max_examples=40, deadline=None)
def test_possible_effects_are_those_of_the_members(seed, d, informed):
    dag, rng = random_dag(seed, d)
    known = dag & (rng.random((d, d)) < 0.3) if informed else np.zeros_like(dag)
    graph = orient(cpdag(dag.astype(float)), known)
    weights = dag * rng.uniform(0.5, 1.5, (d, d))
    noise = rng.uniform(0.5, 2.0, d)
    inverse = np.linalg.inv(np.eye(d) - weights)
    data = ts.Dataset.from_covariance(inverse.T @ np.diag(noise) @ inverse, 1000)
    members = enumerated(dag, known)
    for x, y in ((0, 1), (1, 2), (2, 0)):
        truth = {round(LinearGraph(data, m).total_effect(x, y).value, 9) for m in members}
        found = ts.effect(graph, data, x, y)
        assert {round(value, 9) + 0.0 for value in found.values} == {v + 0.0 for v in truth}
        assert found.interval[0] <= min(truth) + 1e-9
        assert found.interval[1] >= max(truth) - 1e-9
        if is_identified(graph, x, y):
            assert len(truth) == 1


def test_a_chain_has_the_textbooks_three_values():
    """x - m - y: an effect if x comes first, none if m does."""
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    graph = cpdag(chain.astype(float))
    found = ida.parent_sets(graph, 0)
    numbers = ida.count_members(graph, found, 0)
    assert [(entry.parents, n) for entry, n in zip(found, numbers, strict=True)] == [
        ((), 1),
        ((1,), 2),
    ]


def test_too_many_sets_are_told(monkeypatch):
    monkeypatch.setattr(ida, "MOST_SETS", 3)
    complete = np.ones((4, 4), dtype=bool) & ~np.eye(4, dtype=bool)
    assert ida.parent_sets(complete, 0) is None
    X = np.random.default_rng(0).standard_normal((50, 4))
    told = ts.effect(complete.astype(float), X, 0, 1)
    assert any("more sets of causes" in remark for remark in told.remarks)


def test_what_no_open_edge_leads_to_is_settled():
    dag, _ = random_dag(3, 5)
    assert is_identified(dag, 0, 1)
