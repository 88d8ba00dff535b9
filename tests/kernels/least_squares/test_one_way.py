"""Places in one direction against the halves of the insertion profile."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from precedences import random_precedence

from toposwap.kernels.least_squares import factor_pair
from toposwap.kernels.least_squares.one_way import earlier_places, later_places


@given(st.integers(2, 9), st.integers(0, 2**32))
def test_places_are_the_best_of_half_a_profile(d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3 * d, d)) @ rng.standard_normal((d, d))
    order, cost = rng.permutation(d), rng.uniform(0.5, 2.0, d)
    before = random_precedence(rng, order)
    position = np.argsort(order)
    R = np.linalg.qr(X[:, order], mode="r")
    R *= np.sign(np.diag(R))[:, None]
    V = np.linalg.inv(R)
    pair = np.empty((d, d))
    pair[:, order] = np.triu(R) + np.tril(V.T, -1)
    state = pair, np.diag(R).copy(), order, position
    earlier, gains = earlier_places(np.ascontiguousarray(R.T), cost, order, position, before)
    later, more = later_places(np.ascontiguousarray(V), cost, order, position, before)
    expected, slack = np.zeros(2), 1e-9 * float(cost[order] @ np.diag(R) ** 2)
    for p, v in enumerate(order):
        profile = np.empty(d)
        factor_pair.insertion_profile(*state, cost, before, v, profile)
        assert earlier[p] <= p <= later[p]
        assert profile[earlier[p]] == pytest.approx(profile[: p + 1].min(), abs=slack)
        assert profile[later[p]] == pytest.approx(profile[p:].min(), abs=slack)
        expected -= profile[: p + 1].min(), profile[p:].min()
    assert (gains, more) == pytest.approx(tuple(expected), abs=d * slack)
