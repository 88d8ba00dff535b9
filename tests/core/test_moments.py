"""Moments of rows in blocks against the factor of all rows, from easy to hard data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.dataset import Dataset
from toposwap.core.moments import Moments


def upright(factor):
    """With a positive diagonal, which makes a factor the only one."""
    return factor * np.where(np.diag(factor) < 0.0, -1.0, 1.0)[:, None]


def pieces(X, cuts, weights=None):
    parts = [list(part.T) for part in np.split(X, cuts)]
    split = [None] * len(parts) if weights is None else np.split(weights, cuts)
    return list(zip(parts, split, strict=True))


def one_by_one(parts):
    moments = Moments.beginning(parts[0][0])
    for columns, weights in parts:
        assert moments.add(columns, weights)
    return moments


def merged(parts):
    first, *others = [Moments.of(columns, weights) for columns, weights in parts]
    for other in others:
        first.merge(other)
    return first


def agree(moments, X, weights=None, digits=1e-12):
    data = Dataset.from_table(X, sample_weight=weights)
    factor, scale = moments.factor()
    deviations = data.deviations * data.scale
    expected = upright(data.factor) * data.scale / deviations
    np.testing.assert_allclose(upright(factor) * scale / deviations, expected, atol=digits)
    # The mean of a table in memory is rounded to the digits of its own size.
    reach = 1e-12 + 1e-13 * np.abs(data.mean) / deviations
    assert (np.abs(moments.mean() - data.mean) <= reach * deviations).all()
    assert moments.n == (len(X) if weights is None else weights.sum())


rng = np.random.default_rng(0)
N, D = 3000, 6
NOISE = rng.standard_normal((N, D))
MIXED = NOISE @ rng.standard_normal((D, D))
LATE = NOISE.copy()
LATE[:1200, 3] = 0.1
TABLES = {
    "independent": NOISE,
    "correlated": MIXED,
    "means of 1e8, deviations of 1e-2": 1e8 + 1e-2 * MIXED,
    "drifting": MIXED + np.linspace(0.0, 80.0, N)[:, None],
    "jumping": MIXED + 1e5 * (np.arange(N) > 1700)[:, None],
    "constant at first": LATE,
    "all units": NOISE * np.logspace(-140, 140, D),
    "single precision": NOISE.astype(np.float32),
}


@pytest.mark.parametrize("how", [one_by_one, merged])
@pytest.mark.parametrize("name", TABLES)
def test_blocks_come_to_what_all_rows_come_to(name, how):
    X = TABLES[name]
    agree(how(pieces(X, [1000, 1100, 2000])), X.astype(float))


@pytest.mark.parametrize("how", [one_by_one, merged])
def test_columns_that_nearly_determine_each_other_keep_their_digits(how):
    X = MIXED.copy()
    X[:, 5] = X[:, 0] + 1e-7 * NOISE[:, 5]
    factor, scale = how(pieces(X, [1000, 2000])).factor()
    data = Dataset.from_table(X)
    # The QR itself knows the small pivot to 1e-16 of its column.
    pivot = abs(factor[5, 5] * scale[5]) / abs(data.factor[5, 5] * data.scale[5])
    assert pivot == pytest.approx(1.0, abs=1e-7)


@given(st.integers(1, 4), st.lists(st.integers(1, 120), min_size=1, max_size=6), st.integers(0, 99))
def test_any_lengths_and_weights(d, lengths, seed):
    draw = np.random.default_rng(seed)
    n = sum(lengths) + d + 2
    X = draw.standard_normal((n, d + 1)) @ draw.standard_normal((d + 1, d + 1))
    weights = draw.integers(1, 5, n).astype(float)
    cuts = np.cumsum(lengths)
    agree(one_by_one(pieces(X, cuts, weights)), X, weights, 1e-9)
    agree(merged(pieces(X, cuts, weights)), X, weights, 1e-9)


def test_without_centring():
    X = MIXED + 3.0
    moments = one_by_one(pieces(X, [1000]))
    factor, scale = moments.factor(center=False)
    data = Dataset.from_table(X, center=False)
    np.testing.assert_allclose(
        upright(factor) * scale, upright(data.factor) * data.scale, atol=1e-11
    )


def test_what_is_not_finite_is_not_added():
    moments = one_by_one(pieces(NOISE, [1000]))
    before, n = moments.collected(), moments.n
    bad = NOISE[:1000].copy()
    bad[500, 2] = np.nan
    endless = bad.copy()
    endless[500, 2], endless[501, 2] = np.inf, -np.inf
    assert not Moments.beginning(list(NOISE.T)).add(list(endless.T))
    for _ in range(2):
        assert not moments.add(list(bad.T))
        moments.add(list(NOISE[:1].T), np.zeros(1))
    assert moments.n == n
    np.testing.assert_allclose(moments.collected(), before, atol=1e-12)


def test_constant_columns_are_seen_whatever_their_value():
    X = NOISE.copy()
    X[:, 1], X[:, 4] = 0.1, 1e9
    np.testing.assert_array_equal(
        one_by_one(pieces(X, [100, 1500])).constant(), [False, True, False, False, True, False]
    )
