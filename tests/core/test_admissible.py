"""Which edges and orders come into question, against going through all of them."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedences import random_admissible

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.order import Order

SEEDS = st.integers(0, 10_000)


def order_of(rng, d):
    return Order(rng.permutation(d))


@given(SEEDS, st.integers(1, 6))
def test_candidates_are_the_permitted_predecessors(seed, d):
    rng = np.random.default_rng(seed)
    admissible, order = random_admissible(rng, d), order_of(rng, d)
    table = admissible.candidates(order)
    for j in range(d):
        before = [i for i in order if order.positions[i] < order.positions[j]]
        expected = [i for i in before if admissible.permits(i, j)]
        assert np.flatnonzero(table[:, j]).tolist() == sorted(expected)
        np.testing.assert_array_equal(admissible.candidates(order, j), table[:, j])
    some = rng.permutation(d)[: max(1, d // 2)]
    np.testing.assert_array_equal(
        admissible.candidates_among(order, some), table[np.ix_(some, some)]
    )


@given(SEEDS, st.integers(1, 6))
def test_positions_are_those_that_keep_every_precedence(seed, d):
    rng = np.random.default_rng(seed)
    admissible = random_admissible(rng, d)
    order = admissible.nearest(order_of(rng, d))
    for v in range(d):
        places = [k for k in range(d) if admissible.obeys(order.insert(v, k))]
        assert list(admissible.positions(order, v)) == places
        assert order.positions[v] in places


@given(SEEDS, st.integers(1, 5))
def test_the_nearest_order_obeys_and_one_that_obeys_stays(seed, d):
    rng = np.random.default_rng(seed)
    admissible, order = random_admissible(rng, d), order_of(rng, d)
    nearest = admissible.nearest(order)
    assert admissible.obeys(nearest)
    assert admissible.nearest(nearest) == nearest
    permitted = [p for p in permutations(range(d)) if admissible.obeys(Order(p))]
    assert tuple(nearest) in permitted


def test_everything_rules_nothing_out():
    order = Order([2, 0, 1])
    assert EVERYTHING.everything
    assert EVERYTHING.only_orders
    assert list(EVERYTHING.positions(order, 0)) == [0, 1, 2]
    assert EVERYTHING.nearest(order) is order
    assert EVERYTHING.candidates(order).sum() == 3


def test_tiers_are_orders_alone_and_a_single_edge_is_not():
    before = np.zeros((3, 3), dtype=bool)
    before[0, 1:] = True
    possible = ~np.eye(3, dtype=bool) & ~before.T
    assert Admissible(possible, before).only_orders
    possible[1, 2] = False
    assert not Admissible(possible, before).only_orders


def test_precedences_that_go_round_and_tables_of_another_size_are_refused():
    before = np.zeros((3, 3), dtype=bool)
    before[0, 1] = before[1, 0] = True
    with pytest.raises(InputError, match="precedences has the cycle"):
        Admissible(before=before)
    with pytest.raises(InputError, match=r"parents: has shape \(2, 2\)"):
        Admissible(np.ones((2, 2), dtype=bool)).check(3)


def test_the_nearest_order_under_tiers_keeps_each_tier_as_it_was():
    rng = np.random.default_rng(0)
    tier = rng.integers(0, 3, 9)
    told = Admissible(before=tier[:, None] < tier)
    order = Order(rng.permutation(9))
    expected = topological_order(told.before, order.variables)
    np.testing.assert_array_equal(told.nearest(order).variables, expected)


def test_open_places_are_counted():
    assert Admissible().open_places(6) == 6.0
    tier = np.repeat([0, 1, 2], 2)
    assert Admissible(before=tier[:, None] < tier).open_places(6) == 2.0
