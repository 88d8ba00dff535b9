"""SHD and its relatives against a literal count, pair by pair."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.errors import InputError
from toposwap.metrics import Comparison, compare, compare_classes, cpdag, shd


@st.composite
def dags(draw, d):
    """A DAG on d nodes, its labels shuffled."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    label = rng.permutation(d)
    return np.triu(rng.random((d, d)) < draw(st.floats(0, 1)), k=1)[np.ix_(label, label)]


@st.composite
def marked_graphs(draw, d):
    """Any graph on d nodes with directed and undirected edges."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    graph = rng.random((d, d)) < draw(st.floats(0, 1))
    np.fill_diagonal(graph, False)
    return graph


two_dags = st.integers(1, 8).flatmap(lambda d: st.tuples(dags(d), dags(d)))
dag_and_graph = st.integers(1, 8).flatmap(lambda d: st.tuples(dags(d), marked_graphs(d)))


def literal_counts(true, estimate, *, favourable):
    """Count (correct, extra, missing, reversed) in words, one pair at a time."""
    correct = extra = missing = reversed_ = 0
    for i, j in combinations(range(len(true)), 2):
        in_true = {(i, j)} if true[i, j] else set()
        in_true |= {(j, i)} if true[j, i] else set()
        in_estimate = {(i, j)} if estimate[i, j] else set()
        in_estimate |= {(j, i)} if estimate[j, i] else set()
        if not in_true and not in_estimate:
            continue
        if not in_true:
            extra += 1
        elif not in_estimate:
            missing += 1
        elif in_true == in_estimate or (favourable and len(in_estimate) == 2):
            correct += 1
        else:
            reversed_ += 1
    return correct, extra, missing, reversed_


def counts(comparison):
    return comparison.correct, comparison.extra, comparison.missing, comparison.reversed


# --- graphs -------------------------------------------------------------------------------------


@given(dag_and_graph)
def test_compare_is_the_literal_count(graphs):
    true, estimate = graphs
    expected = literal_counts(true, estimate, favourable=True)
    assert counts(compare(true, estimate)) == expected
    assert shd(true, estimate) == sum(expected[1:])


@given(two_dags)
def test_shd_of_dags_is_the_fewest_additions_deletions_and_reversals(graphs):
    """Each differing pair takes one operation, whichever it is: a distance."""
    first, second = graphs
    differing = (first != second) | (first != second).T
    assert shd(first, second) == shd(second, first) == np.triu(differing).sum()
    assert shd(first, first) == 0


@given(st.integers(1, 8).flatmap(lambda d: st.tuples(dags(d), dags(d), dags(d))))
def test_shd_of_dags_obeys_the_triangle_inequality(graphs):
    a, b, c = graphs
    assert shd(a, c) <= shd(a, b) + shd(b, c)


@given(two_dags)
def test_judging_the_class_favourably_costs_no_more_than_any_member(graphs):
    true, estimate = graphs
    assert shd(true, cpdag(estimate)) <= shd(true, estimate)
    assert shd(true, cpdag(true)) == 0


@given(dag_and_graph, st.integers(0, 2**32))
def test_weights_count_as_edges_however_small(graphs, seed):
    true, estimate = graphs
    rng = np.random.default_rng(seed)
    weights = [graph * rng.choice([-3.0, 1e-300], graph.shape) for graph in graphs]
    copies = [matrix.copy() for matrix in weights]
    for matrix in weights:
        matrix.setflags(write=False)
    assert compare(*weights) == compare(true, estimate)
    for matrix, copy in zip(weights, copies, strict=True):
        np.testing.assert_array_equal(matrix, copy)


@given(dag_and_graph)
def test_rates_are_ratios_of_the_counts(graphs):
    true, estimate = graphs
    comparison = compare(true, estimate)
    correct, extra, missing, reversed_ = literal_counts(true, estimate, favourable=True)
    predicted, actual = correct + extra + reversed_, correct + missing + reversed_
    absent = len(true) * (len(true) - 1) // 2 - actual
    assert (comparison.n_edges, comparison.n_true_edges) == (predicted, actual)
    assert comparison.tpr == (correct / actual if actual else 0.0)
    assert comparison.fdr == ((reversed_ + extra) / predicted if predicted else 0.0)
    assert comparison.fpr == ((reversed_ + extra) / absent if absent else 0.0)
    assert comparison.precision == (correct / predicted if predicted else 0.0)
    precision, recall = comparison.precision, comparison.tpr
    harmonic = 2 * precision * recall / (precision + recall) if correct else 0.0
    assert comparison.f1 == pytest.approx(harmonic)


def test_an_example_by_hand():
    """True: 0 -> 1, 0 -> 2, 1 -> 2. Estimate: 0 -> 1 right, 2 -> 1 reversed, 2 -> 3 extra."""
    true, estimate = np.zeros((4, 4)), np.zeros((4, 4))
    true[[0, 0, 1], [1, 2, 2]] = 1
    estimate[[0, 2, 2], [1, 1, 3]] = 1
    comparison = compare(true, estimate)
    expected = {
        "shd": 3,
        "extra": 1,
        "missing": 1,
        "reversed": 1,
        "n_edges": 3,
        "n_true_edges": 3,
        "fdr": 2 / 3,
        "tpr": 1 / 3,
        "fpr": 2 / 3,
        "f1": 1 / 3,
        "precision": 1 / 3,
    }
    assert comparison.as_dict() == pytest.approx(expected)
    assert str(comparison) == (
        "SHD 3: 1 extra, 1 missing, 1 reversed (3 edges estimated, 3 true)\n"
        "precision 0.333, TPR 0.333, F1 0.333, FDR 0.667, FPR 0.667"
    )


def test_zero_over_zero_is_zero():
    empty, full = np.zeros((3, 3)), np.triu(np.ones((3, 3)), k=1)
    rates = ("fdr", "tpr", "fpr", "f1", "precision")
    assert [getattr(compare(empty, empty), rate) for rate in rates] == [0, 0, 0, 0, 0]
    assert [getattr(compare(full, empty), rate) for rate in rates] == [0, 0, 0, 0, 0]
    assert [getattr(compare(full, full), rate) for rate in rates] == [0, 1, 0, 1, 1]


def test_comparison_is_immutable_and_made_of_plain_numbers():
    comparison = compare([[0, 1], [0, 0]], [[0, 1], [0, 0]])
    assert {type(value) for value in comparison.as_dict().values()} == {int, float}
    with pytest.raises(FrozenInstanceError):
        comparison.extra = 3
    assert isinstance(comparison, Comparison)


# --- classes ------------------------------------------------------------------------------------


@given(two_dags)
def test_classes_are_compared_mark_by_mark(graphs):
    true, estimate = graphs
    expected = literal_counts(cpdag(true), cpdag(estimate), favourable=False)
    assert counts(compare_classes(true, estimate)) == expected


@given(two_dags)
def test_a_dag_and_its_cpdag_stand_for_the_same_class(graphs):
    true, estimate = graphs
    assert compare_classes(true, estimate) == compare_classes(true, cpdag(estimate))
    assert compare_classes(true, cpdag(true)).shd == 0


def test_equivalent_dags_differ_as_graphs_and_agree_as_classes():
    chain, fork = np.zeros((3, 3)), np.zeros((3, 3))
    chain[[0, 1], [1, 2]] = fork[[1, 1], [0, 2]] = 1
    assert shd(chain, fork) == 1
    assert compare_classes(chain, fork).shd == 0


def test_an_undirected_edge_where_the_class_has_an_arrow_is_wrong():
    collider = np.zeros((3, 3))
    collider[[0, 2], [1, 1]] = 1
    skeleton = collider + collider.T
    assert compare(collider, skeleton).shd == 0
    assert compare_classes(collider, skeleton).reversed == 2


# --- refusals -----------------------------------------------------------------------------------

EDGE = np.diag([1.0, 0.0], k=1)
CYCLE = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])


@pytest.mark.parametrize("function", [shd, compare, compare_classes])
@pytest.mark.parametrize(
    ("true", "estimate", "message"),
    [
        (CYCLE, EDGE, "true has the cycle 0 -> 1 -> 2 -> 0"),
        (EDGE + EDGE.T, EDGE, "true has the cycle"),
        (EDGE + np.eye(3), EDGE, "true has an edge from node 0 to itself"),
        (EDGE, np.diag([0, 0, 1]), "estimate has an edge from node 2 to itself"),
        (EDGE, np.zeros((4, 4)), r"true has shape \(3, 3\) and estimate \(4, 4\)"),
        (EDGE, np.zeros((3, 4)), r"estimate has shape \(3, 4\): pass a square"),
        (np.zeros(3), EDGE, r"true has shape \(3,\): pass a square"),
        (EDGE, np.full((3, 3), np.nan), r"estimate\[0, 0\] is nan"),
        (np.full((3, 3), np.inf), EDGE, r"true\[0, 0\] is inf"),
    ],
)
def test_bad_graphs_are_refused_by_name(function, true, estimate, message):
    with pytest.raises(InputError, match=message):
        function(true, estimate)


def test_a_cyclic_estimate_has_a_distance_and_no_class():
    true = np.triu(np.ones((3, 3)), k=1)
    assert shd(true, CYCLE) == 1
    with pytest.raises(InputError, match="estimate has the cycle 0 -> 1 -> 2 -> 0"):
        compare_classes(true, CYCLE)
