"""Random DAGs: acyclic, as many edges as asked for, and shaped as their kind promises."""

from __future__ import annotations

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.simulate import GRAPH_KINDS, dag, graph_kind


@st.composite
def requests(draw):
    """A number of nodes, a kind, a density that fits, and a seed."""
    d = draw(st.integers(1, 15))
    k = draw(st.floats(0, (d - 1) / 2))
    return d, draw(st.sampled_from(["ER", "SF", "full"])), k, draw(st.integers(0, 2**32))


# --- what every kind promises -------------------------------------------------------------------


@given(requests(), st.sampled_from(["causes", "effects"]))
def test_every_kind_is_an_acyclic_boolean_matrix(request_, hubs):
    d, kind, k, seed = request_
    graph = dag(d, kind, k, seed, hubs=hubs)
    assert graph.shape == (d, d)
    assert graph.dtype == bool
    assert nx.is_directed_acyclic_graph(nx.from_numpy_array(graph, create_using=nx.DiGraph))


@given(requests())
def test_same_seed_same_graph_whether_as_number_or_as_generator(request_):
    d, kind, k, seed = request_
    graph = dag(d, kind, k, seed)
    np.testing.assert_array_equal(graph, dag(d, kind, k, seed))
    np.testing.assert_array_equal(graph, dag(d, kind, k, np.random.default_rng(seed)))


@pytest.mark.parametrize("kind", ["ER", "SF", "full"])
def test_one_generator_gives_different_graphs_in_turn(kind):
    rng = np.random.default_rng(0)
    assert (dag(30, kind, 2, rng) != dag(30, kind, 2, rng)).any()


def test_global_seed_is_neither_read_nor_changed():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    dag(20, "SF", random_state=1)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("kind", ["ER", "SF", "full"])
def test_labels_say_nothing_about_the_order(kind):
    """Each label is first equally often: 1200 draws, five standard deviations.

    With k = (d - 1) / 2 every pair is joined, so that which node is first is not a matter of taste.
    """
    rng = np.random.default_rng(0)
    d, draws = 4, 1200
    first = [topological_order(dag(d, kind, 1.5, rng))[0] for _ in range(draws)]
    expected, sd = draws / d, np.sqrt(draws * (1 / d) * (1 - 1 / d))
    assert np.abs(np.bincount(first, minlength=d) - expected).max() < 5 * sd


# --- the number of edges ------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0.3, 1.0, 4.0])
def test_erdos_renyi_edge_count_is_binomial_around_kd(k):
    d, draws = 20, 600
    rng = np.random.default_rng(1)
    counts = np.array([dag(d, "ER", k, rng).sum() for _ in range(draws)])
    pairs = d * (d - 1) / 2
    variance = k * d * (1 - k * d / pairs)
    assert abs(counts.mean() - k * d) < 4 * np.sqrt(variance / draws)
    # Independent edges make the count binomial; its sample variance has relative sd sqrt(2/draws).
    assert abs(counts.var(ddof=1) / variance - 1) < 5 * np.sqrt(2 / draws)


@given(requests())
def test_scale_free_has_kd_edges_up_to_rounding(request_):
    d, _, k, seed = request_
    assert abs(dag(d, "SF", k, seed).sum() - k * d) < 1


@pytest.mark.thorough
def test_scale_free_rounds_without_bias():
    d, k, draws = 11, 1.23, 2000  # k d = 13.53
    rng = np.random.default_rng(2)
    counts = np.array([dag(d, "SF", k, rng).sum() for _ in range(draws)])
    assert set(counts) == {13, 14}
    assert abs(counts.mean() - k * d) < 4 * np.sqrt(0.25 / draws)


@pytest.mark.parametrize("kind", ["ER", "SF"])
@pytest.mark.parametrize("d", [1, 2, 7, 30])
def test_the_extremes_are_the_empty_and_the_full_graph(kind, d):
    assert not dag(d, kind, 0).any()
    assert dag(d, kind, (d - 1) / 2).sum() == d * (d - 1) // 2


def test_full_graph_joins_every_pair_and_ignores_k():
    graph = dag(9, "full", k=100, random_state=0)
    assert ((graph ^ graph.T) == ~np.eye(9, dtype=bool)).all()


def test_full_graph_takes_every_order_equally_often():
    rng = np.random.default_rng(3)
    draws = 1200
    seen = [tuple(topological_order(dag(3, "full", random_state=rng))) for _ in range(draws)]
    counts = np.array([seen.count(order) for order in permutations(range(3))])
    assert np.abs(counts - draws / 6).max() < 5 * np.sqrt(draws * 5 / 36)


# --- the shape of scale-free graphs -------------------------------------------------------------


@pytest.mark.thorough
def test_attachment_is_proportional_to_degree_plus_one():
    """Four nodes, one attachment each: the last one completes a star with probability 3/7.

    Node 2 joins node 0 or 1, whose degree is then 2 against 1 and 1: weights 3, 2, 2. Uniform
    attachment would make it 1/3.
    """
    rng = np.random.default_rng(4)
    draws = 4000
    graphs = [dag(4, "SF", 3 / 4, rng) for _ in range(draws)]
    stars = np.mean([(graph | graph.T).sum(axis=0).max() == 3 for graph in graphs])
    assert abs(stars - 3 / 7) < 4 * np.sqrt(3 / 7 * 4 / 7 / draws)


def test_scale_free_has_a_heavier_tail_than_erdos_renyi():
    rng = np.random.default_rng(5)

    def largest_degree(kind):
        graphs = [dag(300, kind, 2, rng) for _ in range(10)]
        return np.mean([(graph | graph.T).sum(axis=0).max() for graph in graphs])

    assert largest_degree("SF") > 2 * largest_degree("ER")


def test_hubs_are_effects_unless_asked_to_be_causes():
    causes = dag(300, "SF2", random_state=0, hubs="causes")
    effects = dag(300, "SF2", random_state=0)
    n_parents, n_children = causes.sum(axis=0), causes.sum(axis=1)
    assert n_parents.max() <= 3
    assert n_children.max() > 20
    np.testing.assert_array_equal(effects, causes.T)


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("short", "kind", "k"), [("ER4", "ER", 4), ("SF1.5", "SF", 1.5), ("ER0", "ER", 0)]
)
def test_k_may_be_part_of_the_name(short, kind, k):
    np.testing.assert_array_equal(dag(40, short, random_state=0), dag(40, kind, k, 0))


def test_k_is_two_unless_given():
    np.testing.assert_array_equal(dag(40, "SF", random_state=0), dag(40, "SF2", random_state=0))


def test_a_new_kind_is_one_decorated_function(monkeypatch):
    monkeypatch.setattr("toposwap.simulate.graphs.GRAPH_KINDS", known := dict(GRAPH_KINDS))

    @graph_kind("chain")
    def chain(d, _k, _rng):
        return np.eye(d, k=1, dtype=bool)

    assert known["chain"] is chain
    graph = dag(6, "chain", random_state=0)
    assert graph[topological_order(graph)[:-1], topological_order(graph)[1:]].all()
    assert graph.sum() == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"d": 0}, "d is 0: give a whole number"),
        ({"d": 2.5}, "d is 2.5: give a whole number"),
        ({"d": True}, "d is True"),
        ({"d": 3, "k": 2}, "asks for 6 edges.* at most 3: use k <= 1"),
        ({"d": 3, "kind": "SF2"}, "asks for 6 edges.* at most 3: use k <= 1"),
        ({"d": 9, "k": -1}, "k is -1"),
        ({"d": 9, "k": float("nan")}, "k is nan"),
        ({"d": 9, "kind": "BA"}, "kind is 'BA': use one of ER, SF, full"),
        ({"d": 9, "kind": "4"}, "kind is '4'"),
        ({"d": 9, "kind": "ER2", "k": 2}, "k is given twice"),
        ({"d": 9, "hubs": "both"}, "hubs is 'both': use 'causes' or 'effects'"),
    ],
)
def test_dag_refuses(arguments, message):
    with pytest.raises(InputError, match=message):
        dag(**arguments)
