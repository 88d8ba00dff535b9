"""The swaps that bounds leave, against the deltas of all swaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.admissible import Admissible
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.kernels.least_squares.improving_swaps import improving_swaps
from toposwap.scores import LeastSquares


def by_pair(pairs, changes):
    return {tuple(pair): change for pair, change in zip(pairs.tolist(), changes, strict=True)}


def improving_of_all(fit):
    pairs = fit.all_pairs()
    changes = fit.swap_changes(pairs)
    chosen = changes < -fit.resolution
    return by_pair(pairs[chosen], changes[chosen])


@given(st.integers(2, 12), st.integers(0, 2**32), st.booleans())
def test_they_are_those_of_all_swaps_that_lower_the_score(d, seed, related):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((5 * d, d)) * np.exp(rng.uniform(-3, 3, d))
    X = X @ rng.standard_normal((d, d)) if related else X
    fit = LeastSquares().bind(Dataset.from_table(X)).fit(Order(rng.permutation(d)))
    expected, found = improving_of_all(fit), by_pair(*fit.improving_swaps()[:2])
    # At the resolution itself rounding may decide.
    clear = {pair for pair, change in expected.items() if change < -2.0 * fit.resolution}
    assert clear <= set(found) <= set(expected) | clear
    for pair in clear:
        assert found[pair] == pytest.approx(expected[pair], rel=1e-6, abs=1e-10 * fit.value)


def test_what_must_stand_before_is_obeyed():
    X = ts.simulate.linear_dataset(12, 200, "ER2", random_state=0).X
    bound = LeastSquares().bind(Dataset.from_table(X))
    before = np.zeros((12, 12), dtype=bool)
    before[3, 7] = before[1, 2] = True
    bound.admissible = Admissible(None, before)
    order = Order(bound.admissible.nearest(Order(np.random.default_rng(1).permutation(12))))
    fit = bound.fit(order)
    found = by_pair(*fit.improving_swaps()[:2])
    assert set(found) == set(improving_of_all(fit))
    assert all(bound.admissible.obeys(order.swap(i, j)) for i, j in found)


def test_more_than_there_is_room_for_are_counted():
    rng = np.random.default_rng(0)
    columns = np.ascontiguousarray(rng.standard_normal((9, 9)))
    diagonal, cost = rng.uniform(0.1, 3.0, 9), np.ones(9)
    places, changes = np.empty((36, 2), dtype=np.int64), np.empty(36)
    count = improving_swaps(columns, diagonal, cost, 0.0, places, changes)
    assert count > 3
    few, some = np.empty((3, 2), dtype=np.int64), np.empty(3)
    assert improving_swaps(columns, diagonal, cost, 0.0, few, some) == count
    np.testing.assert_array_equal(few, places[:3])
