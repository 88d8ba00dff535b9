"""Orders read off second moments: products of matrices against one step after the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.dataset import Dataset
from toposwap.kernels.graphs.precedence import precedence_table
from toposwap.kernels.least_squares import pivoted
from toposwap.orderfit import starts


def step_by_step(factor, cost):
    return pivoted.smallest_variance_order(factor.T.copy(), cost, precedence_table(None))


@given(st.integers(2, 40), st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32))
def test_panels_take_the_same_variables(d, panel, block, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3 * d, d)) @ rng.standard_normal((d, d))
    factor = np.asfortranarray(np.linalg.qr(X, mode="r"))
    cost = rng.uniform(0.2, 2.0, d)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starts, "_PANEL", panel)
        patch.setattr(starts, "_BLOCK", block)
        before = factor.copy()
        found = starts._by_panels(factor, cost)
        np.testing.assert_array_equal(factor, before)
    if found is not None:
        np.testing.assert_array_equal(found, step_by_step(factor, cost))
    else:
        left = 1.0 / np.linalg.norm(np.linalg.inv(factor), axis=1)
        assert (left / np.linalg.norm(factor, axis=0)).min() < 2e-4


@pytest.mark.parametrize("noise", [1e-6, 0.0])
def test_what_a_covariance_matrix_cannot_tell_is_left_to_the_factor(noise, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 8))
    X[:, 5] = X[:, :5].sum(axis=1) + noise * rng.standard_normal(50)
    data = Dataset.from_table(X)
    cost = (data.scale / data.scale.max()) ** 2
    assert starts._by_panels(data.factor, cost) is None
    monkeypatch.setattr(starts, "_WIDE", 2)
    order = starts.smallest_variance_order(data).variables
    if noise:
        np.testing.assert_array_equal(order, step_by_step(data.factor, cost))
    assert set(order[-6:]) >= {5}
