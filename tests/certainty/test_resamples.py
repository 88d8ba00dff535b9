"""Resamples are weights: the same as rows that are repeated, whoever works on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.certainty.methods import METHODS
from toposwap.certainty.moments import WeighedMoments
from toposwap.certainty.resampler import Resampler
from toposwap.certainty.units import Units
from toposwap.core.dataset import Dataset


def table(d=6, n=200, seed=0):
    return ts.simulate.linear_dataset(d, n, "ER1", noise="gauss-NV", random_state=seed).X


def resampler(X, method="half", model=None, groups=None, **dataset):
    data = Dataset.from_table(X, **dataset)
    fitted = (ts.Topo("bic") if model is None else model).fit(data)
    return Resampler(data, fitted, METHODS[method], Units.of(data, groups), 0)


@given(st.integers(0, 1000), st.floats(1e-3, 1e4))
def test_moments_of_weighed_rows_are_those_of_repeated_rows(seed, size):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 4)) * size + 100.0 * size
    times = rng.multinomial(60, np.full(60, 1 / 60))
    found = WeighedMoments(Dataset.from_table(X)).dataset(times.astype(float))
    expected = Dataset.from_table(np.repeat(X, times, axis=0))
    assert found.n == expected.n
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-10)
    np.testing.assert_allclose(found.covariance(), expected.covariance(), rtol=1e-8)
    np.testing.assert_allclose(np.tril(found.factor, -1), 0.0)


def test_moments_keep_the_digits_that_a_gram_matrix_loses():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    X[:, 2] = X[:, 0] + 1e-7 * X[:, 1]
    weights = rng.multinomial(200, np.full(200, 1 / 200)).astype(float)
    found = WeighedMoments(Dataset.from_table(X)).dataset(weights)
    expected = Dataset.from_table(np.repeat(X, weights.astype(int), axis=0))
    left = np.abs(np.diag(found.factor) * found.scale)[2]
    assert left == pytest.approx(np.abs(np.diag(expected.factor) * expected.scale)[2], rel=1e-6)


@pytest.mark.parametrize("score", ["bic", "least-squares", "logistic-bic"])
def test_the_graph_of_a_resample_is_that_of_the_rows_it_repeats(score):
    X = table()
    X = (X > 0.0).astype(float) if score == "logistic-bic" else X
    model = ts.Topo(score, search="exact", prune=None)
    made = resampler(X, "bootstrap", model)
    found = made(3)
    again = ts.Topo(score, search="exact", prune=None)
    again.fit(np.repeat(X, made.weights(3).astype(int), axis=0))
    W = np.zeros((6, 6))
    W[found.edges[:, 0], found.edges[:, 1]] = found.weights
    assert (ts.metrics.cpdag(W) == ts.metrics.cpdag(again.adjacency_matrix_)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("times", [np.ones(31, dtype=np.int64), np.array([3, 0, 5, 1, 8])])
def test_weights_are_what_the_method_says(method, times):
    drawn = METHODS[method].draw(times, np.random.default_rng(0))
    assert drawn.shape == times.shape
    assert (drawn >= 0.0).all()
    total = times.sum()
    assert drawn.sum() == pytest.approx(total if method == "bootstrap" else total // 2, abs=0.6)
    if METHODS[method].whole:
        assert (drawn == np.floor(drawn)).all()
    if METHODS[method].pairs:
        other = METHODS[method].other_half(times, drawn)
        assert (other >= 0.0).all()
        assert (drawn + other <= times).all()
        assert other.sum() == drawn.sum()


def test_halves_of_a_pair_have_no_row_in_common():
    made = resampler(table(n=101))
    first, second = made.weights(4), made.weights(5)
    assert first.sum() == second.sum() == 50
    assert not (first * second).any()
    assert (made.weights(4) == first).all()
    assert (made.weights(6) != first).any()


def test_rows_of_a_group_stay_together():
    groups = np.repeat(np.arange(40), 5)
    weights = resampler(table(), groups=groups).weights(0).reshape(40, 5)
    assert (weights == weights[:, :1]).all()
    assert weights.sum() == 100


def test_weights_that_are_whole_numbers_are_rows():
    X, times = table(n=80), np.tile([1, 3], 40)
    made = resampler(X, "half", sample_weight=times)
    weights = made.weights(0)
    assert weights.sum() == 80
    assert (weights <= times).all()
    assert (weights == 2).any()


def test_other_weights_multiply():
    X, survey = table(n=80), np.tile([0.5, 1.5], 40)
    weights = resampler(X, "half", sample_weight=survey).weights(0)
    assert set(np.unique(weights)) == {0.0, 0.5, 1.5}
