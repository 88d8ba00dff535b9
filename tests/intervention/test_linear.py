"""Total effects of linear models against simulation, regression and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toposwap as ts
from toposwap.intervention.linear import LinearGraph, adjusted_effect
from toposwap.intervention.over import all_effects


def random_table(seed, d=6, n=400, noise="normal"):
    rng = np.random.default_rng(seed)
    edges = np.triu(rng.random((d, d)) < 0.5, 1)
    weights = edges * rng.uniform(0.5, 1.5, (d, d)) * rng.choice([-1, 1], (d, d))
    draw = getattr(rng, f"standard_{noise}")
    X = draw((n, d)) @ np.linalg.inv(np.eye(d) - weights) + rng.standard_normal(d)
    order = rng.permutation(d)
    return X[:, order], edges[np.ix_(order, order)], weights[np.ix_(order, order)]


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_path_algebra_is_the_inverse(seed):
    X, edges, _ = random_table(seed)
    graph = LinearGraph(ts.Dataset.from_table(X), edges)
    inverse = np.linalg.inv(np.eye(len(edges)) - graph.weights)
    assert all_effects(graph.weights) == pytest.approx(inverse, abs=1e-9)
    for x, y in ((0, 1), (2, 4), (5, 3)):
        assert graph.total_effect(x, y).value == pytest.approx(inverse[x, y], abs=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_standard_errors_are_those_of_the_delta_method(seed):
    """Against numerical derivatives with the regressions' own covariance matrices."""
    X, edges, _ = random_table(seed)
    n, d = X.shape
    graph = LinearGraph(ts.Dataset.from_table(X), edges)
    x, y = 0, 3
    centred = X - X.mean(axis=0)
    variance = 0.0
    for j in range(d):
        on = np.flatnonzero(edges[:, j])
        if not on.size:
            continue
        A = centred[:, on]
        left = centred[:, j] - A @ np.linalg.lstsq(A, centred[:, j], rcond=None)[0]
        covariance = np.linalg.inv(A.T @ A) * (left @ left) / (n - on.size - 1)
        slopes = []
        for i in on:
            ends = []
            for step in (-1e-5, 1e-5):
                moved = graph.weights.copy()
                moved[i, j] += step
                ends.append(np.linalg.inv(np.eye(d) - moved)[x, y])
            slopes.append((ends[1] - ends[0]) / 2e-5)
        variance += np.array(slopes) @ covariance @ np.array(slopes)
    error = graph.total_effect(x, y).standard_error
    # Where no path leads from x to y the differences are rounding error and no effect.
    assert error == pytest.approx(np.sqrt(variance), rel=1e-5, abs=1e-9)


def test_one_edge_has_the_interval_of_its_regression():
    sm = pytest.importorskip("statsmodels.api")
    X, _, _ = random_table(1, d=2)
    edges = np.array([[False, True], [False, False]])
    data = ts.Dataset.from_table(X)
    found = LinearGraph(data, edges).total_effect(0, 1)
    fitted = sm.OLS(X[:, 1], sm.add_constant(X[:, 0])).fit()
    assert found.value == pytest.approx(fitted.params[1])
    assert found.standard_error == pytest.approx(fitted.bse[1])
    assert found.interval() == pytest.approx(tuple(fitted.conf_int()[1]))
    assert adjusted_effect(data, 0, 1, []) == pytest.approx(found)


def test_the_regressions_of_a_table_that_is_not_centred_have_no_intercept():
    sm = pytest.importorskip("statsmodels.api")
    X = random_table(2, d=2)[0] + 3.0
    data = ts.Dataset.from_table(X, center=False)
    fitted = sm.OLS(X[:, 1], X[:, :1]).fit()
    found = adjusted_effect(data, 0, 1, [])
    assert (found.value, found.standard_error) == pytest.approx((fitted.params[0], fitted.bse[0]))


@pytest.mark.parametrize("noise", ["normal", "exponential"])
def test_intervals_cover(noise):
    """Of all effects of graphs that are given, about 95 percent; benchmarks/effects.py has more."""
    covered = []
    for seed in range(60):
        X, edges, weights = random_table(seed, n=150, noise=noise)
        truth = np.linalg.inv(np.eye(len(edges)) - weights)
        graph = LinearGraph(ts.Dataset.from_table(X), edges)
        for x in range(len(edges)):
            for y in range(len(edges)):
                found = graph.total_effect(x, y)
                if x != y and found.standard_error > 0.0:
                    low, high = found.interval()
                    covered.append(low <= truth[x, y] <= high)
    assert len(covered) > 500
    assert 0.92 <= np.mean(covered) <= 0.98


def test_what_the_rows_do_not_determine_has_no_interval():
    X, _, _ = random_table(0, d=6, n=6)
    edges = np.zeros((6, 6), dtype=bool)
    edges[:5, 5] = True
    found = LinearGraph(ts.Dataset.from_table(X), edges).total_effect(0, 5)
    assert found.interval() == (-np.inf, np.inf)
    told = ts.effect(edges, X, 0, 5)
    assert any("too few rows" in remark for remark in told.remarks)


@pytest.mark.parametrize("decades", [7.0, 140.0])
def test_units_of_the_columns_change_units_alone(decades):
    X, edges, _ = random_table(2, d=5)
    scale = 10.0 ** np.linspace(-decades, decades, 5)
    plain = LinearGraph(ts.Dataset.from_table(X), edges)
    scaled = LinearGraph(ts.Dataset.from_table(X * scale), edges)
    for x, y in np.argwhere(edges):
        own, other = plain.total_effect(x, y), scaled.total_effect(x, y)
        ratio = scale[y] / scale[x]
        assert other.value == pytest.approx(own.value * ratio, rel=1e-9)
        assert other.standard_error == pytest.approx(own.standard_error * ratio, rel=1e-9)
        assert other.freedom == pytest.approx(own.freedom, rel=1e-9)
