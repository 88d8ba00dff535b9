"""Pivoted order, exact order, reachability and pairs against literal definitions."""

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedences import FREE, obeys, random_precedence

from toposwap.kernels.graphs import kkt_pairs as pairs
from toposwap.kernels.graphs.precedence import possible_swaps
from toposwap.kernels.graphs.reachability import reachability
from toposwap.kernels.least_squares import exact, pivoted


def residual_variance(columns, v, given_):
    """||x_v - projection on the span of the given rows||^2."""
    if not len(given_):
        return columns[v] @ columns[v]
    basis = columns[list(given_)].T
    return np.sum((columns[v] - basis @ np.linalg.lstsq(basis, columns[v], rcond=None)[0]) ** 2)


@st.composite
def columns_and_cost(draw, largest=6):
    d = draw(st.integers(2, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = rng.standard_normal((d, d + 2)) @ rng.standard_normal((d + 2, d + 3))
    return columns, rng.uniform(0.2, 2.0, d), random_precedence(rng, rng.permutation(d))


@given(columns_and_cost())
def test_next_is_the_smallest_conditional_variance(problem):
    columns, cost, before = problem
    order = pivoted.smallest_variance_order(columns.copy(), cost, before)
    assert obeys(order, before)
    for k, v in enumerate(order):
        free = [w for w in order[k:] if before is FREE or not before[order[k:], w].any()]
        rest = [cost[w] * residual_variance(columns, w, order[:k]) for w in free]
        assert cost[v] * residual_variance(columns, v, order[:k]) == pytest.approx(min(rest))


@given(columns_and_cost(largest=5))
def test_exact_order_is_the_best_of_all_that_obey(problem):
    columns, cost, before = problem
    d = len(cost)

    def total(order):
        return sum(cost[v] * residual_variance(columns, v, order[:k]) for k, v in enumerate(order))

    found = tuple(exact.exact_order(columns.copy(), cost, before))
    assert sorted(found) == list(range(d))
    assert obeys(found, before)
    best = min(total(order) for order in permutations(range(d)) if obeys(order, before))
    assert total(found) == pytest.approx(best, rel=1e-9)


@given(st.integers(2, 8), st.integers(0, 2**32))
def test_swaps_are_possible_where_the_swapped_order_obeys(d, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(d)
    before = random_precedence(rng, order)
    possible = possible_swaps(before, order)
    for p in range(d):
        for q in range(d):
            swapped = order.copy()
            swapped[[p, q]] = swapped[[q, p]]
            assert possible[p, q] == (p < q and obeys(swapped, before))


@given(st.integers(1, 70), st.floats(0, 0.2), st.integers(0, 2**32))
def test_reachability_is_the_transitive_closure(d, density, seed):
    adjacency = np.random.default_rng(seed).random((d, d)) < density
    graph = nx.from_numpy_array(adjacency, create_using=nx.DiGraph)
    expected = np.zeros((d, d), dtype=bool)
    for i in range(d):
        expected[i, [i, *nx.descendants(graph, i)]] = True
    np.testing.assert_array_equal(reachability(adjacency), expected)


def test_pairs_are_those_above_their_own_tolerance_where_no_walk_leads_back():
    rng = np.random.default_rng(0)
    d = 6
    gradient, h = rng.random((d, d)), rng.random((d, d))
    gradient[rng.random((d, d)) < 0.2] = 0.0
    h[rng.random((d, d)) < 0.6] = 0.0
    row, column = rng.uniform(0.5, 2.0, d), rng.uniform(0.5, 2.0, d)
    found, q, h_found = pairs.unstationary_pairs(gradient, h, row, column, 0.4)
    expected = {
        (i, j)
        for i, j in (*combinations(range(d), 2), *((j, i) for i, j in combinations(range(d), 2)))
        if gradient[i, j] > (0.4 * row[i] * column[j] if h[i, j] == 0.0 else 0.0)
    }
    assert 0 < len(expected) < d * (d - 1)
    assert {tuple(p) for p in found.tolist()} == expected
    np.testing.assert_array_equal(q, gradient[found[:, 0], found[:, 1]])
    np.testing.assert_array_equal(h_found, h[found[:, 0], found[:, 1]])
