"""Effects over resamples."""

from types import SimpleNamespace

import numpy as np
import pytest

import toposwap as ts
from toposwap.intervention.over import Distribution

CHAIN = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])


def test_matrices_alone():
    frame = ts.effects([CHAIN, CHAIN * 1.1, CHAIN * 0.0], names=["a", "b", "c"])
    row = frame.set_index(["cause", "effect"]).loc[("a", "c")]
    assert row["median"] == pytest.approx(6.0)
    assert row["share"] == pytest.approx(2 / 3)
    assert list(frame.columns) == ["cause", "effect", "median", "low", "high", "share"]
    assert len(frame) == 6
    assert len(ts.effects([CHAIN], cause=0, effect="x2")) == 1


def test_intervals_over_bootstrap_tables_cover():
    """Of a graph that is known, the interval over resamples is that of the regression."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3)) @ np.linalg.inv(np.eye(3) - CHAIN)
    found = []
    for _ in range(200):
        rows = X[rng.integers(0, 400, 400)]
        W = np.zeros((3, 3))
        W[0, 1] = np.polyfit(rows[:, 0], rows[:, 1], 1)[0]
        W[1, 2] = np.polyfit(rows[:, 1], rows[:, 2], 1)[0]
        found.append(W)
    row = ts.effects(found, cause=0, effect=2).iloc[0]
    exact = ts.effect(CHAIN, X, 0, 2)
    assert row["median"] == pytest.approx(exact.value, abs=0.1)
    width = exact.interval[1] - exact.interval[0]
    assert row["high"] - row["low"] == pytest.approx(width, rel=0.2)


def test_open_directions_count_by_the_members_of_the_class():
    """a - b open: half of the members have no effect of a on b."""
    rng = np.random.default_rng(1)
    a = rng.standard_normal(500)
    X = np.column_stack([a, 0.5 * a + rng.standard_normal(500)])
    resample = SimpleNamespace(
        edges=np.array([[0, 1]]), weights=np.array([0.5]), open=np.array([True])
    )
    for turned in (False, True):
        if turned:
            slope = float(np.cov(X.T)[0, 1] / np.var(X[:, 1], ddof=1))
            resample.edges, resample.weights = np.array([[1, 0]]), np.array([slope])
        confidence = SimpleNamespace(names=("a", "b"), resamples=[resample] * 4)
        row = ts.effects(confidence, X_named(X), "a", "b").iloc[0]
        assert row["share"] == 0.5
        assert row["low"] == 0.0
        assert row["high"] == pytest.approx(0.5, abs=0.05)
    with pytest.raises(ts.InputError, match="give the table as well"):
        ts.effects(confidence)


def X_named(X):
    return ts.Dataset.from_table(X, names=["a", "b"])


def test_a_turned_edge_has_the_interval_of_its_own_regression():
    """Weights and variances are of the same rows: with those of the table it would be a point."""
    rng = np.random.default_rng(2)
    a = rng.standard_normal(600)
    X = np.column_stack([a, a + rng.standard_normal(600)])  # a squared correlation of one half
    c = ts.confidence(X, ts.Topo("bic"), 200, n_jobs=1)
    assert all(resample.open.all() and resample.noise is not None for resample in c.resamples)
    for cause, effect in ((0, 1), (1, 0)):
        row = ts.effects(c, cause=cause, effect=effect).iloc[0]
        there = np.array([[False, cause == 0], [cause == 1, False]])
        exact = ts.effect(there, X, cause, effect)
        # Half of the weight is at no effect, so that all of one tail is on the other side.
        assert row["low"] == 0.0
        assert row["share"] == 0.5
        assert row["high"] == pytest.approx(exact.value + 1.645 * exact.standard_error, rel=0.02)


def test_weighted_medians_and_intervals_are_those_of_repeated_values():
    rng = np.random.default_rng(0)
    values, counts = rng.standard_normal(40), rng.integers(1, 5, 40)
    found, repeated = Distribution(values, counts.astype(float)), np.repeat(values, counts)
    assert found.median == np.quantile(repeated, 0.5, method="inverted_cdf")
    for level in (0.5, 0.8, 0.95, 0.999):
        k = max(1, int((1 - level) / 2 * (len(repeated) + 1)))
        expected = np.sort(repeated)[[k - 1, -k]]
        assert found.interval(level) == pytest.approx(expected)
    assert Distribution(np.array([0.0, 1.0]), np.array([3.0, 1.0])).nonzero == 0.25


def test_the_interval_over_two_hundred_leaves_four_beyond_each_end():
    found = Distribution(np.arange(200.0), np.ones(200))
    assert found.interval(0.95) == (4.0, 195.0)


def test_nothing_to_compute_from():
    with pytest.raises(ts.InputError, match="no resample"):
        ts.effects([])
    with pytest.raises(ts.InputError, match="shape"):
        ts.effects([np.zeros((2, 2))], names=["a", "b", "c"])
