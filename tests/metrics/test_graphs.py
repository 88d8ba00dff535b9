"""The same figures whatever holds the graphs: matched by names, or by places if these are safe."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.metrics import compare, compare_classes, cpdag, shd

NAMES = list("abcde")


@st.composite
def two_graphs(draw):
    """The adjacency matrices of two DAGs on five nodes, and a permutation of these."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dags = []
    for _ in range(2):
        label = rng.permutation(5)
        dags.append(np.triu(rng.random((5, 5)) < 0.5, k=1)[np.ix_(label, label)])
    return *dags, rng.permutation(5)


def as_frame(edges, order, names=NAMES):
    return pd.DataFrame(edges.astype(float), index=names, columns=names).iloc[order, order]


def as_networkx(edges, order, names=NAMES):
    graph = nx.DiGraph()
    graph.add_nodes_from(names[k] for k in order)
    graph.add_edges_from((names[i], names[j], {"weight": 0.0}) for i, j in np.argwhere(edges))
    return graph


@given(two_graphs())
def test_nodes_are_matched_by_name(graphs):
    true, guess, order = graphs
    expected, classes = compare(true, guess), compare_classes(true, guess)
    for first in (as_frame(true, range(5)), as_networkx(true, range(5))):
        for second in (as_frame(guess, order), as_networkx(guess, order)):
            assert compare(first, second) == expected
            assert compare_classes(first, second) == classes
            assert shd(second, first) == shd(guess, true)
    shuffled_rows = as_frame(guess, range(5)).iloc[order]
    assert compare(as_frame(true, range(5)), shuffled_rows) == expected


@given(two_graphs(), st.sampled_from([range(5), list("01234"), [f"x{k}" for k in range(5)]]))
def test_numbered_nodes_are_rows_of_a_matrix(graphs, names):
    true, guess, order = graphs
    held = as_networkx(guess, order, list(names))
    assert compare(true, held) == compare(true, guess)
    assert compare(as_networkx(true, order, list(names)), guess) == compare(true, guess)
    in_order = as_networkx(guess, range(5), list(names))
    np.testing.assert_array_equal(cpdag(in_order), cpdag(guess))


def test_an_undirected_graph_is_undirected_both_ways():
    true = np.zeros((3, 3))
    true[0, 1] = 1.0
    assert compare(true, nx.Graph([(0, 1), (1, 2)])) == compare(
        true, np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    )


def test_fitted_models_and_their_own_graphs():
    sample = ts.simulate.linear_dataset(5, 300, "ER2", random_state=3)
    by_array = ts.Topo("least-squares").fit(sample.X)
    # Its columns are in no causal order, so that places and names differ.
    assert by_array.causal_order_ != sorted(by_array.causal_order_)
    expected = compare(sample.weights, by_array.adjacency_matrix_)
    assert compare(sample.weights, by_array) == expected
    assert compare(sample.weights, by_array.causal_graph_) == expected
    by_name = ts.Topo("least-squares").fit(pd.DataFrame(sample.X, columns=NAMES))
    assert compare(as_frame(sample.weights, [4, 2, 0, 1, 3]), by_name) == expected
    assert compare(as_frame(sample.weights, [4, 2, 0, 1, 3]), by_name.causal_graph_) == expected
    assert compare(by_name, by_name.causal_graph_).shd == 0
    assert compare(sample.weights, by_name) == expected
    np.testing.assert_array_equal(cpdag(by_name), by_name.cpdag_)


def test_what_cannot_be_matched_is_refused():
    edges = np.triu(np.ones((5, 5)), k=1)
    named = as_networkx(edges, range(5))
    with pytest.raises(InputError, match=r"true has no names, and .* DataFrame"):
        compare(edges, named)
    with pytest.raises(InputError, match="estimate has no names, and the nodes of true"):
        compare(named, edges)
    with pytest.raises(InputError, match="other nodes: 'e', 'z' in one of them only"):
        compare(named, as_frame(edges, range(5), list("abcdz")))
    with pytest.raises(InputError, match=r"true has shape .* and estimate"):
        compare(np.zeros((4, 4)), as_networkx(edges, range(5), list(range(5))))
    with pytest.raises(InputError, match="two nodes are called alike"):
        compare(edges, nx.DiGraph([(1, "1")]))
    with pytest.raises(InputError, match="this Topo is not fitted; fit it first"):
        compare(edges, ts.Topo("least-squares"))
    with pytest.raises(InputError, match=r"its rows .* are not called like its columns"):
        compare(edges, pd.DataFrame(edges, index=list("vwxyz"), columns=NAMES))
    with pytest.raises(InputError, match="cycle"):
        cpdag(nx.DiGraph([("a", "b"), ("b", "a")]))


def test_a_frame_without_names_is_a_matrix():
    edges = np.triu(np.ones((5, 5)), k=1)
    assert compare(edges, pd.DataFrame(edges)).shd == 0
    assert compare(as_frame(edges, range(5)), pd.DataFrame(edges)).shd == 0
    assert compare(edges, as_frame(edges, range(5))).shd == 0
