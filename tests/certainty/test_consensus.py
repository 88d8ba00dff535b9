"""The acyclic graph that agrees best: against all orders, and against the greedy average."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.certainty.consensus import (
    _descended,
    _swap_gains,
    _value,
    best_dag,
    exact_order,
    greedy_dag,
    searched_order,
)
from toposwap.core.graph import topological_order


def random_gains(d, seed, threshold=0.5):
    """Shares of edges as resamples give them, p_ij + p_ji <= 1, less the threshold."""
    rng = np.random.default_rng(seed)
    joined, way = rng.uniform(size=(d, d)), rng.uniform(size=(d, d))
    shares = np.triu(joined * way, 1) + np.triu(joined * (1.0 - way), 1).T
    return np.where(np.eye(d, dtype=bool), -1.0, shares - threshold)


def best_of_all_orders(gains):
    worth = np.maximum(gains, 0.0)
    orders = (np.array(order) for order in permutations(range(len(gains))))
    return max(float(np.triu(worth[np.ix_(o, o)], 1).sum()) for o in orders)


@given(st.integers(2, 6), st.integers(0, 10**6), st.sampled_from([0.05, 0.3, 0.5]))
def test_the_best_of_all_orders_is_found(d, seed, threshold):
    gains = random_gains(d, seed, threshold)
    found = best_dag(gains)
    assert found.proved
    assert found.value == pytest.approx(best_of_all_orders(gains))
    assert topological_order(found.edges) is not None
    assert found.value == pytest.approx(gains[found.edges].sum())


def test_never_below_the_greedy_average():
    """The reference: edges from the most frequent down, each unless it closes a cycle."""
    better = 0
    for seed in range(60):
        gains = random_gains(5 + seed % 26, seed, threshold=0.2)
        found, greedy = best_dag(gains), greedy_dag(gains)
        assert topological_order(greedy) is not None
        assert found.value >= gains[greedy].sum() - 1e-12
        better += found.value > gains[greedy].sum() + 1e-9
    assert better > 5


@given(st.integers(3, 9), st.integers(0, 10**6))
def test_search_ends_where_no_insertion_and_no_swap_helps(d, seed):
    rng = np.random.default_rng(seed)
    worth = np.where(np.eye(d, dtype=bool), 0.0, rng.uniform(size=(d, d)))
    order = _descended(worth, rng.permutation(d))
    here = _value(worth, order)
    changes = _swap_gains(worth[np.ix_(order, order)])
    for p in range(d):
        for q in range(p + 1, d):
            swapped = order.copy()
            swapped[[p, q]] = swapped[[q, p]]
            assert changes[p, q] == pytest.approx(_value(worth, swapped) - here)
            assert changes[p, q] <= 1e-9
            rest = np.delete(order, p)
            assert _value(worth, np.insert(rest, q, order[p])) <= here + 1e-9
    assert _value(worth, searched_order(worth, rng)) <= _value(worth, exact_order(worth)) + 1e-9


def test_what_must_come_first_does():
    gains = random_gains(6, 3, threshold=0.0)
    before = np.zeros((6, 6), dtype=bool)
    before[5, 0] = before[5, 1] = True
    found = best_dag(gains, before)
    assert not found.edges[0, 5]
    assert not found.edges[1, 5]
    order = topological_order(found.edges | before)
    assert order is not None
