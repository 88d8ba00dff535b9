"""CPDAGs against their definition: the union of the DAGs that share skeleton and v-structures."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.errors import InputError
from toposwap.metrics import cpdag


def is_acyclic(edges):
    """No walk of length d."""
    return not np.linalg.matrix_power(edges.astype(int), len(edges)).any()


@cache
def all_dags(d):
    """Every DAG on d labelled nodes: each pair has no edge or one of two directions."""
    pairs = list(combinations(range(d), 2))
    dags = []
    for choice in product([None, "forward", "backward"], repeat=len(pairs)):
        edges = np.zeros((d, d), dtype=bool)
        for (i, j), direction in zip(pairs, choice, strict=True):
            edges[i, j], edges[j, i] = direction == "forward", direction == "backward"
        if is_acyclic(edges):
            dags.append(edges)
    return dags


def class_of(edges):
    """Name of the equivalence class: the adjacent pairs and the v-structures."""
    adjacent = edges | edges.T
    v_structures = frozenset(
        (i, j, k)
        for j in range(len(edges))
        for i, k in combinations(np.flatnonzero(edges[:, j]).tolist(), 2)
        if not adjacent[i, k]
    )
    return adjacent.tobytes(), v_structures


# The numbers of DAGs and of classes on d labelled nodes are OEIS A003024 and A007984.
@pytest.mark.parametrize(("d", "n_dags", "n_classes"), [(1, 1, 1), (3, 25, 11), (4, 543, 185)])
def test_cpdag_is_the_union_of_the_class(d, n_dags, n_classes):
    classes = defaultdict(list)
    for edges in all_dags(d):
        classes[class_of(edges)].append(edges)
    assert sum(map(len, classes.values())) == n_dags
    assert len(classes) == n_classes
    for members in classes.values():
        union = np.logical_or.reduce(members)
        for edges in members:
            np.testing.assert_array_equal(cpdag(edges), union)


@given(st.integers(2, 8), st.floats(0, 1), st.integers(0, 2**32))
def test_reversing_covered_edges_keeps_the_cpdag(d, density, seed):
    """i -> j may be turned around within the class iff pa(j) = pa(i) and i (Chickering 1995)."""
    rng = np.random.default_rng(seed)
    label = rng.permutation(d)
    edges = np.triu(rng.random((d, d)) < density, k=1)[np.ix_(label, label)]
    completed = cpdag(edges)
    for i, j in np.argwhere(edges):
        parents_of_j_besides_i = edges[:, j].copy()
        parents_of_j_besides_i[i] = False
        covered = (parents_of_j_besides_i == edges[:, i]).all()
        turned = edges.copy()
        turned[i, j], turned[j, i] = False, True
        same_class = is_acyclic(turned) and (cpdag(turned) == completed).all()
        assert same_class == covered
        if covered:
            assert completed[i, j]
            assert completed[j, i]


@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 2**32))
def test_cpdag_keeps_adjacencies_v_structures_and_follows_labels(d, density, seed):
    rng = np.random.default_rng(seed)
    label = rng.permutation(d)
    edges = np.triu(rng.random((d, d)) < density, k=1)
    completed = cpdag(edges)
    np.testing.assert_array_equal(completed | completed.T, edges | edges.T)
    assert (completed >= edges).all()
    directed = completed & ~completed.T
    assert class_of(directed)[1] >= class_of(edges)[1]
    relabelled = cpdag(edges[np.ix_(label, label)])
    np.testing.assert_array_equal(relabelled, completed[np.ix_(label, label)])


@pytest.mark.parametrize(
    ("name", "edges", "undirected"),
    [
        ("chain", [(0, 1), (1, 2)], [(0, 1), (1, 2)]),
        ("fork", [(1, 0), (1, 2)], [(0, 1), (1, 2)]),
        ("v-structure", [(0, 1), (2, 1)], []),
        ("v-structure and what follows", [(0, 1), (2, 1), (1, 3)], []),
        ("triangle", [(0, 1), (0, 2), (1, 2)], [(0, 1), (0, 2), (1, 2)]),
        # 1 -> 3 <- 2 is a v-structure, and 3 -> 0 would force another one, at 0.
        ("kite", [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)], [(0, 1), (0, 2)]),
    ],
)
def test_cpdags_known_by_heart(name, edges, undirected):
    dag = np.zeros((4, 4))
    dag[tuple(np.transpose(edges))] = -0.7
    expected = dag != 0
    for i, j in undirected:
        expected[i, j] = expected[j, i] = True
    np.testing.assert_array_equal(cpdag(dag), expected)


def test_argument_is_left_alone():
    weights = np.triu(np.arange(16.0).reshape(4, 4), k=1)
    copy = weights.copy()
    weights.setflags(write=False)
    cpdag(weights)
    np.testing.assert_array_equal(weights, copy)


@pytest.mark.parametrize(
    ("dag", "message"),
    [
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], "dag has the cycle 0 -> 1 -> 2 -> 0"),
        ([[0, 1, 0], [0, 0, 1], [0, 1, 0]], "dag has the cycle (1 -> 2 -> 1|2 -> 1 -> 2)"),
        (np.eye(3), "dag has an edge from node 0 to itself: set its diagonal to 0"),
        (np.zeros((2, 3)), r"dag has shape \(2, 3\): pass a square"),
        ([[0, np.inf], [0, 0]], r"dag\[0, 1\] is inf"),
        ([["a", "b"], ["c", "d"]], "dag is not a matrix of numbers"),
    ],
)
def test_cpdag_refuses(dag, message):
    with pytest.raises(InputError, match=message):
        cpdag(dag)
