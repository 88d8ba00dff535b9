"""Topological orders and cycles of graphs given as matrices."""

import re
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.errors import InputError
from toposwap.core.graph import (
    acyclic_order,
    consistent_extension,
    square_matrix,
    topological_order,
)
from toposwap.metrics import cpdag


@st.composite
def dags(draw):
    """A random DAG with random labels, up to ten nodes."""
    d = draw(st.integers(1, 10))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    label = rng.permutation(d)
    return np.triu(rng.random((d, d)) < draw(st.floats(0, 1)), 1)[np.ix_(label, label)]


@given(dags())
def test_order_is_the_lexicographically_smallest(graph):
    reference = nx.lexicographical_topological_sort(
        nx.from_numpy_array(graph, create_using=nx.DiGraph)
    )
    np.testing.assert_array_equal(topological_order(graph), list(reference))


@given(dags(), st.integers(0, 2**32))
def test_preference_is_kept_where_the_graph_allows(graph, seed):
    preference = np.random.default_rng(seed).permutation(len(graph))
    order = topological_order(graph, preference)
    rank = np.argsort(preference)
    position = np.argsort(order)
    assert (position[:, None] < position)[graph].all()
    # A node comes before a preferred one only if an ancestor of that one has to come first.
    for earlier, later in pairwise(order):
        assert rank[earlier] < rank[later] or graph[earlier, later]


@given(dags(), st.integers(0, 2**32))
def test_a_cycle_is_named_and_is_one(graph, seed):
    d = len(graph)
    order = topological_order(graph)
    # One edge back to a node that reaches its start, or a loop if there is none.
    reaches = np.linalg.matrix_power(np.eye(d, dtype=int) + graph, d) > 0
    pairs = np.argwhere(reaches[np.ix_(order, order)])
    i, j = order[pairs[seed % len(pairs)]]
    graph[j, i] = True
    assert topological_order(graph) is None
    with pytest.raises(InputError, match="adjacency has the cycle") as caught:
        acyclic_order(graph, "adjacency")
    cycle = [int(node) for node in re.findall(r"\d+", str(caught.value))]
    assert cycle[0] == cycle[-1]
    assert len(set(cycle)) == len(cycle) - 1
    assert graph[cycle[:-1], cycle[1:]].all()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), r"A has shape \(2, 3\): pass a square"),
        (np.zeros(4), r"A has shape \(4,\)"),
        (np.zeros((0, 0)), r"A has shape \(0, 0\)"),
        ([[0, np.nan], [0, 0]], r"A\[0, 1\] is nan"),
        ([["a", "b"], ["c", "d"]], "A is not a matrix of numbers"),
    ],
)
def test_square_matrix_refuses(matrix, message):
    with pytest.raises(InputError, match=message):
        square_matrix(matrix, "A")


@given(seed=st.integers(0, 2**32), d=st.integers(1, 8), density=st.floats(0, 1))
def test_extension_of_a_class_is_a_member_of_it(seed, d, density):
    rng = np.random.default_rng(seed)
    label = rng.permutation(d)
    dag = np.triu(rng.random((d, d)) < density, 1)[np.ix_(label, label)]
    completed = cpdag(dag)
    extension, turned = consistent_extension(completed)
    assert turned == 0
    np.testing.assert_array_equal(cpdag(extension), completed)


@given(seed=st.integers(0, 2**32), d=st.integers(1, 8))
def test_extension_of_anything_is_a_dag_on_the_same_pairs(seed, d):
    marks = np.random.default_rng(seed).random((d, d)) < 0.4
    np.fill_diagonal(marks, val=False)
    extension, _ = consistent_extension(marks)
    assert topological_order(extension) is not None
    np.testing.assert_array_equal(extension | extension.T, marks | marks.T)
