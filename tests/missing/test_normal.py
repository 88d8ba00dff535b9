"""Mean and covariance from rows with gaps: against scipy, complete data, and themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER
from toposwap.core.tables.gaps import Incomplete
from toposwap.missing.normal import Patterns, any_covariance, start


def correlated(seed, n=200, d=4):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.uniform(-3.0, 3.0, d)


def with_gaps(X, share, seed=0):
    rng = np.random.default_rng(seed)
    Y = X.copy()
    Y[rng.random(X.shape) < share] = np.nan
    return Y


def maximum(X, tolerance=1e-10, weights=None):
    """Mean and covariance in the units of the data, and the trace."""
    patterns = Patterns(Incomplete.from_table(X, sample_weight=weights))
    trace = patterns.maximise(
        patterns.independent(), any_covariance, tolerance=tolerance, deadline=NEVER
    )
    unit = patterns.unit
    mean = trace.moments.mean * unit + patterns.shift
    return mean, trace.moments.covariance * np.outer(unit, unit), trace


def log_likelihood(X, mean, covariance):
    """Of what is there, by scipy, pattern by pattern."""
    total = 0.0
    for o in np.unique(~np.isnan(X), axis=0):
        if o.any():
            rows = X[(~np.isnan(X) == o).all(axis=1)][:, o]
            total += multivariate_normal(mean[o], covariance[np.ix_(o, o)]).logpdf(rows).sum()
    return total


def test_without_gaps_it_is_the_mean_and_the_covariance():
    X = correlated(0)
    mean, covariance, trace = maximum(X)
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(covariance, np.cov(X.T, bias=True), rtol=1e-10)
    assert trace.log_likelihoods[-1] == pytest.approx(log_likelihood(X, mean, covariance))


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_the_likelihood_of_what_is_there_has_its_maximum_there(share):
    X = with_gaps(correlated(1), share)
    mean, covariance, trace = maximum(X)
    value = log_likelihood(X, mean, covariance)
    assert trace.log_likelihoods[-1] == pytest.approx(value, rel=1e-9)
    lower = np.tril_indices(4)

    def at(parameters):
        factor = np.zeros((4, 4))
        factor[lower] = parameters[4:]
        return log_likelihood(X, parameters[:4], factor @ factor.T)

    there = np.concatenate((mean, np.linalg.cholesky(covariance)[lower]))
    slope = approx_fprime(there, at, 1e-6)
    somewhere = approx_fprime(1.1 * there, at, 1e-6)
    assert np.abs(slope).max() < 2e-3
    assert np.abs(somewhere).max() > 1.0


@given(st.integers(0, 10**6), st.floats(0.05, 0.6))
@settings(max_examples=25, deadline=None)
def test_no_step_lowers_the_likelihood(seed, share):
    X = with_gaps(correlated(seed, 60, 3), share, seed)
    X = X[~np.isnan(X).all(axis=1)]
    try:
        _, _, trace = maximum(X, 1e-8)
    except InputError:
        return
    steps = np.diff(trace.log_likelihoods)
    assert (steps > -1e-8 * np.abs(trace.log_likelihoods[:-1])).all()


def test_rows_columns_and_units_do_not_matter():
    X = with_gaps(correlated(2), 0.3)
    rng = np.random.default_rng(5)
    mean, covariance, _ = maximum(X)
    rows, columns = rng.permutation(len(X)), rng.permutation(4)
    scale = 10.0 ** rng.integers(-6, 6, 4)
    moved, spread, _ = maximum((X * scale)[rows][:, columns])
    np.testing.assert_allclose(moved, (mean * scale)[columns], rtol=1e-7)
    expected = (covariance * np.outer(scale, scale))[np.ix_(columns, columns)]
    np.testing.assert_allclose(spread, expected, rtol=1e-6)


def test_weights_are_repetitions():
    X = with_gaps(correlated(3, 80), 0.2)
    weights = np.random.default_rng(0).integers(0, 4, 80)
    mean, covariance, _ = maximum(X, weights=weights)
    again, repeated, _ = maximum(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(mean, again, rtol=1e-7)
    np.testing.assert_allclose(covariance, repeated, rtol=1e-7)


def test_a_start_without_a_maximum_is_that_of_independent_columns():
    few = Patterns(Incomplete.from_table(with_gaps(correlated(4, 5, 4), 0.1)))
    assert not start(few, NEVER).unrestricted
    X = correlated(4)
    X[:, 3] = 2.0 * X[:, 0]
    X[::3, 1] = np.nan
    assert not start(Patterns(Incomplete.from_table(X)), NEVER).unrestricted
    assert start(Patterns(Incomplete.from_table(X[:, :3])), NEVER).unrestricted
