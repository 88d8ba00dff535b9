"""What cannot be used is refused with the column or argument and the remedy, and nothing hangs."""

import copy
import itertools
import warnings
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import toposwap as ts
from toposwap.errors import InputError, ToposwapWarning
from toposwap.scores import LeastSquares

N, D = 50, 4
NAMES = list("abcd")


def table(seed=0, n=N, d=D):
    return ts.simulate.linear_dataset(d, n, "ER1", random_state=seed).X


def with_entry(value, column=2):
    X = table()
    X[7, column] = value
    return X


def frame(**columns):
    return pd.DataFrame(table(), columns=NAMES).assign(**columns)


def days():
    return [date(2020, 1, 1) + timedelta(k) for k in range(N)]


def exactly_dependent(means=0.0):
    X = table() + means
    X[:, 1] = 2.0 * X[:, 0] - 3.0 * X[:, 3]
    return pd.DataFrame(X, columns=NAMES)


# What is wrong: how to make it, and what the message must say (the culprit, then the remedy).
BAD_TABLES = {
    # missing and infinite
    "NaN": (lambda: with_entry(np.nan), "NaN.* in column 'x2': drop or impute"),
    "infinity": (lambda: with_entry(np.inf), "infinity.* in column 'x2': drop or impute"),
    "minus infinity": (lambda: with_entry(-np.inf), "infinity .* in column 'x2': drop or impute"),
    "both infinities": (
        lambda: np.vstack([with_entry(np.inf), with_entry(-np.inf)]),
        "infinity .* in column 'x2'",
    ),
    "NaN in two columns": (
        lambda: frame(a=np.nan, d=np.nan),
        "NaN .* in columns 'a', 'd': drop or impute",
    ),
    "NA in a nullable column": (
        lambda: frame(b=pd.array([None, *range(N - 1)], dtype="Int64")),
        "missing values.* in column 'b': drop or impute",
    ),
    "NA in a nullable boolean": (
        lambda: frame(b=pd.array([None, *[True, False] * 24, True], dtype="boolean")),
        "missing values.* in column 'b': drop or impute",
    ),
    "NA among objects": (
        lambda: frame(b=pd.Series([pd.NA, *range(N - 1)], dtype=object)),
        "missing values.* in column 'b': drop or impute",
    ),
    "None among objects": (
        lambda: frame(b=pd.Series([None, *range(N - 1)], dtype=object)),
        "missing values.* in column 'b': drop or impute",
    ),
    "masked entries": (
        lambda: np.ma.masked_array(table(), mask=np.arange(N * D).reshape(N, D) == 6),
        "missing values.* in column 'x2': drop or impute",
    ),
    # not numbers
    "text": (lambda: frame(c="word"), "column 'c' holds text: encode it as numbers"),
    "digits written as text": (
        lambda: frame(c=[str(k) for k in range(N)]),
        "column 'c' holds text: encode it as numbers .*to_numeric",
    ),
    "array of text": (lambda: table().astype(str), "column 'x0' holds text: encode it"),
    "array of bytes": (lambda: table().astype("S"), "column 'x0' holds text: encode it"),
    "categories": (
        lambda: frame(c=pd.Categorical(["u", "v"] * (N // 2))),
        "column 'c' holds text: encode it as numbers",
    ),
    "dates": (
        lambda: frame(b=pd.date_range("2020", periods=N)),
        "column 'b' holds dates.*: turn it into a number",
    ),
    "dates with a time zone": (
        lambda: frame(b=pd.date_range("2020", periods=N, tz="UTC")),
        "column 'b' holds dates.*: turn it into a number",
    ),
    "durations": (
        lambda: frame(b=pd.to_timedelta(np.arange(N), unit="D")),
        "column 'b' holds .*durations: turn it into a number",
    ),
    "Python dates": (lambda: frame(b=days()), "column 'b' holds dates.*: turn it into a number"),
    "only dates": (
        lambda: np.arange(100).reshape(N, 2).astype("M8[D]"),
        "column 'x0' holds dates.*: turn it into a number",
    ),
    "periods": (
        lambda: frame(b=pd.period_range("2020", periods=N, freq="D")),
        "column 'b' is not numeric .*: encode it",
    ),
    "complex": (lambda: table() + 1j, "column 'x0' .*Complex data not supported: give the real"),
    "one complex column": (
        lambda: frame(c=1j * np.arange(N)),
        "column 'c' .*Complex data not supported: give the real part",
    ),
    "complex objects": (
        lambda: frame(c=np.arange(N) * 1j).astype(object),
        "column 'c' .*Complex data not supported",
    ),
    "complex without imaginary part": (
        lambda: table().astype(complex),
        "column 'x0' .*Complex data not supported",
    ),
    "lists in cells": (
        lambda: np.array([[1, [2, 3]], [4, 5], [6, 7]], dtype=object),
        "column 'x1' is not numeric .*: encode it",
    ),
    # shapes
    "one column": (lambda: table()[:, :1], "1 feature.*one column.* give at least 2"),
    "one row": (lambda: table()[:1], "one row.* give more rows"),
    "no rows": (lambda: table()[:0], "no rows.* minimum of 2"),
    "no columns": (lambda: table()[:, :0], "minimum of 2 .*no columns"),
    "empty frame": (pd.DataFrame, "no rows.* minimum of 2"),
    "one dimension": (lambda: table()[:, 0], "two dimensions .*got 1.* [Rr]eshape"),
    "series": (lambda: frame()["a"], "two dimensions .*got 1.* [Rr]eshape"),
    "three dimensions": (lambda: table()[None], "two dimensions .*got 3"),
    "nothing": (lambda: None, "two dimensions .*got 0"),
    "a word": (lambda: "table", "two dimensions .*got 0"),
    "ragged rows": (lambda: [[1.0, 2.0], [3.0]], "rows of equal length"),
    "few rows": (lambda: table()[:D], r"4 rows are too few .* 4 columns.*ridge=0.1.*fewer columns"),
    "fewer rows": (lambda: table()[:2], r"2 rows are too few .* 4 columns.*ridge"),
    # names
    "duplicate names": (
        lambda: pd.DataFrame(table(), columns=list("abba")),
        "duplicate column names: 'a', 'b'; rename",
    ),
    "duplicate names among objects": (
        lambda: pd.DataFrame(table(), columns=list("abca")).astype(object),
        "duplicate column names: 'a'; rename",
    ),
    "names equal as text": (
        lambda: pd.DataFrame(table(), columns=["a", "1", 1, "b"]),
        "duplicate column names: '1'; rename",
    ),
    # nothing to learn from
    "constant": (lambda: frame(b=3.3), "column 'b' is constant.* drop it"),
    "two constants": (lambda: frame(b=0, d=True), "columns 'b', 'd' are constant.* drop"),
    "constant to rounding": (
        lambda: frame(b=[0.1 + 0.2, 0.3] * (N // 2)),
        "column 'b' is constant.* drop it",
    ),
    "noise below the last digit of the mean": (
        lambda: frame(b=1e8 + 1e-8 * np.arange(N) / N),
        "column 'b' is constant.* drop it",
    ),
    "dependent": (
        exactly_dependent,
        "columns 'a', 'b', 'd' depend linearly .*: drop one of them, or use a ridge",
    ),
    "copied column": (
        lambda: frame().assign(d=lambda x: x["b"]),
        "columns 'b', 'd' depend linearly .*: drop one",
    ),
    "dependent in the digits a large mean leaves": (
        lambda: exactly_dependent(means=1e8),
        "columns 'a', 'b', 'd' depend linearly .*: drop one",
    ),
    "multiple of a column with a large mean": (
        lambda: frame().assign(a=lambda x: x["a"] + 1e8, b=lambda x: 3.0 * x["a"]),
        "columns 'a', 'b' depend linearly .*: drop one",
    ),
    "column without its large mean": (
        lambda: frame().assign(a=lambda x: x["a"] + 1e8, b=lambda x: x["a"] - 1e8),
        "columns 'a', 'b' depend linearly .*: drop one",
    ),
    # magnitudes
    "too large": (lambda: table() * [1, 1e154, 1, 1], "above 1e.152 in column 'x1'.* larger unit"),
    "too small": (
        lambda: table() * [1, 1, 1, 1e-160],
        "below 1e-152 in column 'x3'.* smaller unit",
    ),
    "subnormal": (lambda: table() * 1e-310, "below 1e-152 in columns 'x0', .* smaller unit"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_table_is_refused(case):
    make, words = BAD_TABLES[case]
    X = make()
    before = copy.deepcopy(X)
    model = ts.Topo()
    with pytest.raises(InputError, match=f"(?s){words}"):
        model.fit(X)
    assert not hasattr(model, "weights_")
    with pytest.raises(InputError, match=f"(?s){words}"):
        ts.check_kkt(np.zeros((D, D)), X)
    if isinstance(X, pd.DataFrame | pd.Series):
        assert X.equals(before)
    else:
        np.testing.assert_equal(X, before)


def test_a_sparse_matrix_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(InputError, match=r"dense data is required: use X.toarray\(\)"):
        ts.Topo().fit(sparse.csr_array(table()))


def test_long_lists_of_columns_are_cut_short():
    X = np.zeros((50, 30))
    with pytest.raises(InputError, match="'x7' and 22 more are constant"):
        ts.Topo().fit(X)


@pytest.mark.parametrize("names", [["a"], list("abcde")])
def test_wrong_number_of_names(names):
    for X in (table(), frame(), frame(b=True)):
        with pytest.raises(InputError, match=f"names: {len(names)} given for 4 columns"):
            ts.Dataset.from_table(X, names=names)


@pytest.mark.parametrize("center", ["no", None, 1])
def test_center_is_yes_or_no(center):
    with pytest.raises(InputError, match="center: must be True or False"):
        ts.Topo(center=center).fit(table())


# --- few rows, dependent columns: the remedy works -----------------------------------------------


def test_the_ridge_that_is_offered_works():
    ridge = LeastSquares(ridge=0.1)
    for X in (table()[:3], exactly_dependent(), exactly_dependent(1e8)):
        model = ts.Topo(score=ridge).fit(X)
        assert model.certificate_.satisfied
        assert np.isfinite(model.weights_).all()


@pytest.mark.parametrize("seed", range(3))
def test_nearly_dependent_columns_pass(seed):
    """Fully connected graphs: relative residuals down to 1e-10, still far from rounding error."""
    sample = ts.simulate.linear_dataset(50, 1000, "full", random_state=seed)
    X = sample.X - sample.X.mean(axis=0)
    inverse = np.linalg.inv(np.linalg.qr(X)[1])
    relative = 1.0 / (np.linalg.norm(inverse, axis=1) * np.linalg.norm(X, axis=0))
    assert relative.min() < 1e-7
    model = ts.Topo().fit(sample.X)
    assert model.certificate_.satisfied
    assert np.isfinite(model.weights_).all()


@pytest.mark.parametrize("residual", [1e-10, 1e-11])
def test_a_residual_that_is_small_but_real(residual):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    noise = X[:, 2].copy()
    X[:, 2] = X[:, 0] + X[:, 1] + residual * noise
    model = ts.Topo(search="none", init=[0, 1, 2]).fit(X)
    np.testing.assert_allclose(model.weights_[:2, 2], 1.0, rtol=1e-9)


# --- magnitudes ----------------------------------------------------------------------------------


def same_up_to(model, reference, c):
    """``model`` was fitted to c times the data of ``reference``."""
    assert model.causal_order_ == reference.causal_order_
    assert model.status_ == reference.status_
    assert model.score_ / c / c == pytest.approx(reference.score_, rel=1e-9)
    # Weights near zero are differences of larger numbers.
    size = np.abs(reference.weights_).max()
    np.testing.assert_allclose(model.weights_, reference.weights_, rtol=1e-7, atol=1e-12 * size)
    assert model.certificate_.satisfied
    assert model.certificate_.max_residual < 1e-12
    assert np.isfinite(model.certificate_.matrix).all()


@pytest.mark.parametrize("search", ["auto", "insertion", "paper", "exact", "none"])
@pytest.mark.parametrize("size", [1e-150, 1e-100, 1e100, 1e150])
def test_all_columns_tiny_or_huge(search, size):
    X = table(1, n=200, d=8)
    init = np.random.default_rng(1).permutation(8).tolist()
    model = ts.Topo(search=search, init=init).fit(X * size)
    same_up_to(model, ts.Topo(search=search, init=init).fit(X), size)


MIXTURES = {
    "spread": np.array([1e-150, 1e150, 1.0, 1e-75, 1e75, 1e-150, 1e150, 1e10]),
    "mostly tiny": np.array([1e-150] * 6 + [1e150] * 2),
    "mostly huge": np.array([1e-150, 1e-150] + [1e150] * 6),
}


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize("search", ["auto", "insertion", "paper", "exact"])
def test_tiny_and_huge_columns_in_one_table(search, mixture):
    scale = MIXTURES[mixture]
    X = table(2, n=200, d=8)
    model = ts.Topo(search=search).fit(X * scale)
    # The same order on the rescaled copy: weights, residuals and KKT residuals follow the units.
    reference = ts.Topo(search="none", init=model.causal_order_).fit(X)
    ratio = scale / scale[:, None]
    np.testing.assert_allclose(model.weights_ / ratio, reference.weights_, rtol=1e-7, atol=1e-12)
    Z = X - X.mean(axis=0)
    variance = ((Z - Z @ reference.weights_) ** 2).mean(axis=0)
    assert model.score_ == pytest.approx(0.5 * (scale**2 * variance).sum(), rel=1e-9)
    certificate = model.certificate_
    assert certificate.satisfied
    assert certificate.max_residual < 1e-12
    assert np.isfinite(certificate.matrix).all()


UNITS = {**MIXTURES, "all tiny": np.full(8, 1e-150), "all huge": np.full(8, 1e150)}


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("cyclic", [False, True])
def test_certificate_of_any_point_follows_the_units(units, cyclic):
    scale = UNITS[units]
    X = table(3, n=200, d=8)
    W = np.triu(np.random.default_rng(3).uniform(0.5, 2.0, (8, 8)), 1)
    W[5, 1] = 0.7 if cyclic else 0.0
    ratio = scale / scale[:, None]
    here = ts.check_kkt(W * ratio, X * scale)
    there = ts.check_kkt(W, X)
    assert not here.satisfied
    assert here.worst == there.worst
    assert here.max_residual == pytest.approx(there.max_residual, rel=1e-9)
    # K holds weights where there is a walk back, and elsewhere entries of the gradient.
    walk_back = there.matrix == np.abs(W)
    expected = there.matrix * np.where(walk_back, ratio, np.outer(scale, scale))
    np.testing.assert_allclose(here.matrix, expected, rtol=1e-9)


def test_exact_search_finds_the_minimum_among_mixed_magnitudes():
    scale = np.array([1e-150, 1e150, 1.0, 1e149])
    X = table(4, n=60)
    values = {}
    for order in itertools.permutations(range(D)):
        values[order] = ts.Topo(search="none", init=list(order)).fit(X * scale).score_
    best = ts.Topo(search="exact").fit(X * scale)
    assert best.score_ == pytest.approx(min(values.values()), rel=1e-12)


@st.composite
def tables(draw):
    """Anything at all, or columns of small numbers in wild units around wild means."""
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    if draw(st.booleans()):
        return draw(hnp.arrays(np.float64, (n, d), elements=st.floats(width=64)))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.floats(-9, 9, width=16)))
    units = draw(hnp.arrays(np.int64, d, elements=st.integers(-154, 154)))
    means = draw(hnp.arrays(np.float64, d, elements=st.sampled_from([0.0, 1.0, 1e8, 1e15])))
    return (X + means) * 10.0**units


@given(tables(), st.sampled_from(["auto", "paper", "exact"]))
def test_any_table_is_either_refused_or_solved(X, search):
    """Never a NaN, a warning from the middle of a computation, or a changed array."""
    before = X.copy()
    try:
        model = ts.Topo(search=search).fit(X)
    except InputError:
        return
    finally:
        np.testing.assert_array_equal(X, before)
    assert np.isfinite(model.score_)
    assert model.score_ >= 0.0
    assert np.isfinite(model.weights_).all()
    assert np.isfinite(model.certificate_.matrix).all()
    assert model.certificate_.satisfied


# --- orders and weight matrices ------------------------------------------------------------------

BAD_INITS = {
    "twice the same": ([0, 1, 2, 2], r"order: not a permutation .* appear once \(missing: \[3\]"),
    "negative": ([0, 1, 2, -1], r"order: not a permutation .* \(missing: \[3\]"),
    "from one": ([1, 2, 3, 4], r"order: not a permutation .* \(missing: \[0\]"),
    "too short": ([0, 1, 2], "init: an order of 3 variables for 4 columns"),
    "too long": ([0, 1, 2, 3, 4], "init: an order of 5 variables for 4 columns"),
    "empty": ([], "order: one row of variables is needed"),
    "fractions": ([0.0, 1.0, 2.0, 3.0], "order: column positions must be integers"),
    "booleans": ([True, False, True, False], "order: column positions must be integers"),
    "order object of another size": (ts.Order([1, 0]), "init: an order of 2 variables for 4"),
    "unknown name": (["a", "b", "c", "e"], "no column is called 'e'; there are 'a', 'b'"),
    "name twice": (["a", "b", "c", "c"], "order: not a permutation"),
    "names and numbers": (["a", 1, 2, 3], "order: column positions must be integers"),
    "unknown word": ("best", "init: 'best' is not one of 'auto', 'variance', 'random'"),
    "number": (5, "init: expected a name, an order or a weight matrix, got int"),
    "nothing": (None, "init: expected a name, an order or a weight matrix, got NoneType"),
    "ragged": ([[1], [1, 2]], "init: expected a name, an order or a weight matrix"),
    "three dimensions": (np.zeros((4, 4, 4)), "init: expected a name, an order or a weight"),
    "matrix of another shape": (np.zeros((3, 3)), r"init: shape \(3, 3\) .* must be \(4, 4\)"),
    "matrix that is not square": (np.zeros((4, 3)), r"init: shape \(4, 3\) .* must be \(4, 4\)"),
    "matrix with NaN": (
        np.full((4, 4), np.nan),
        "init: NaN or infinity at the edge 'a' -> 'a'; set absent edges to 0",
    ),
}


@pytest.mark.parametrize("case", BAD_INITS)
def test_bad_start_is_refused(case):
    init, words = BAD_INITS[case]
    with pytest.raises(InputError, match=words):
        ts.Topo(init=init).fit(frame())


def weights_with(value, dtype=np.float64):
    W = np.zeros((D, D), dtype=dtype)
    W[0, 1] = value
    return W


BAD_WEIGHTS = {
    "shape": (np.zeros((3, 3)), r"W: shape \(3, 3\) .* must be \(4, 4\) with W\[i, j\]"),
    "one dimension": (np.zeros(D), r"W: shape \(4,\) .* must be \(4, 4\)"),
    "an order": ([0, 1, 2, 3], r"W: shape \(4,\) .* must be \(4, 4\)"),
    "a word": ("auto", r"W: shape \(\) .* must be \(4, 4\)"),
    "nothing": (None, r"W: shape \(\) .* must be \(4, 4\)"),
    "NaN": (weights_with(np.nan), "W: NaN or infinity at the edge 'a' -> 'b'; set absent"),
    "infinity": (weights_with(-np.inf), "W: NaN or infinity at the edge 'a' -> 'b'; set absent"),
    "None": (weights_with(None, object), "W: NaN or infinity at the edge 'a' -> 'b'"),
    "masked": (
        np.ma.masked_array(np.ones((D, D)), mask=weights_with(1.0)),
        "W: NaN or infinity at the edge 'a' -> 'b'",
    ),
    "complex": (weights_with(1j, complex), "W: real numbers are needed, got complex128"),
    "text": (weights_with(1.0).astype(str), "W: real numbers are needed"),
    "objects": (weights_with({}, object), "W: not a matrix of numbers"),
    "ragged": ([[1.0], [1.0, 2.0]], "W: not a matrix of numbers"),
    "other names": (
        pd.DataFrame(weights_with(1.0), columns=list("abce"), index=list("abce")),
        "W: its columns .*'e'.* are not those of the data .*'d'",
    ),
    "rows called otherwise": (
        pd.DataFrame(weights_with(1.0), columns=NAMES, index=list("abce")),
        "W: its rows .*'e'.* are not called like its columns .*'d'",
    ),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weight_matrix_is_refused(case):
    W, words = BAD_WEIGHTS[case]
    with pytest.raises(InputError, match=words):
        ts.check_kkt(W, frame())
    with pytest.raises(InputError, match=words):
        ts.refine(W, frame())


# --- other arguments -----------------------------------------------------------------------------

BAD_PARAMETERS = [
    ({"search": "best"}, "search: 'best' is not one of 'auto', 'paper'"),
    ({"search": ts.search.AutoSearch}, "search: .* nor an object of type Search"),
    ({"score": "aic"}, "score: 'aic' is not one of 'auto'"),
    ({"acyclicity": 1}, "acyclicity: 1 is not one of 'logdet', 'exponential', 'polynomial'"),
    ({"random_state": -1}, "random_state: must be None, a whole number >= 0 or a .*Generator"),
    ({"random_state": "seed"}, "random_state: must be None, a whole number"),
    ({"max_iter": 0}, "max_iter: must be None or a whole number >= 1, got 0; search='none'"),
    ({"max_iter": 1.5}, "max_iter: must be None or a whole number >= 1"),
    ({"max_iter": True}, "max_iter: must be None or a whole number >= 1"),
    ({"search": "paper", "s_small": -1}, "s_small: must be a whole number >= 0, got -1"),
    ({"search": "paper", "s_0": 0.5}, "s_0: must be a whole number >= 0"),
    ({"search": "paper", "s_small": 5, "s_large": 2}, "s_large=2 must not be smaller than s_s"),
]


@pytest.mark.parametrize(("parameters", "words"), BAD_PARAMETERS)
def test_bad_parameter_is_refused(parameters, words):
    with pytest.raises(InputError, match=words):
        ts.Topo(**parameters).fit(table())


@pytest.mark.parametrize("tolerance", [-1.0, np.nan])
def test_bad_tolerance_is_refused(tolerance):
    with pytest.raises(InputError, match="tolerance: must be a number >= 0"):
        ts.check_kkt(np.zeros((D, D)), table(), tolerance=tolerance)


def test_refine_takes_no_second_start():
    with pytest.raises(InputError, match="refine: W is the starting point"):
        ts.refine(np.zeros((D, D)), table(), init="random")


@pytest.mark.parametrize("argument", ["s_small", "s_large"])
def test_too_large_a_search_space_is_clipped_and_said_once(argument):
    X = table(5, d=6)
    init = [5, 4, 3, 2, 1, 0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ts.Topo(search="paper", init=init, **{argument: 1000}).fit(X)
    assert [w.category for w in caught] == [ToposwapWarning]
    assert f"{argument}=1000 is more than the 15 pairs of 6 variables; 15 is used" in str(
        caught[0].message
    )
    clipped = ts.Topo(search="paper", init=init, **{argument: 15}).fit(X)
    assert model.causal_order_ == clipped.causal_order_
    np.testing.assert_array_equal(model.weights_, clipped.weights_)


# --- covariance matrices -------------------------------------------------------------------------

C = np.cov(table().T, bias=True)


def symmetric(i, j, value):
    changed = C.copy()
    changed[i, j] = changed[j, i] = value
    return changed


BAD_COVARIANCES = {
    "not square": (C[:3], N, r"covariance: must be square, got shape \(3, 4\)"),
    "one dimension": (C[0], N, "two dimensions"),
    "not symmetric": (
        C + 0.1 * (np.arange(D * D).reshape(D, D) == 7),
        N,
        r"covariance: not symmetric at \('x1', 'x3'\): .*; give a covariance matrix",
    ),
    "negative variance": (
        symmetric(2, 2, -1.0),
        N,
        "covariance: negative variance of column 'x2': the diagonal must hold",
    ),
    "no variance": (symmetric(2, 2, 0.0), N, "column 'x2' is constant.* drop it"),
    "correlation above one": (
        symmetric(0, 3, 1.5 * np.sqrt(C[0, 0] * C[3, 3])),
        N,
        "covariance: not positive definite; column '.*: drop it, or add a small multiple",
    ),
    "NaN": (symmetric(0, 3, np.nan), N, "NaN .* in columns 'x0', 'x3'"),
    "complex": (C + 0j, N, "Complex data not supported"),
    "text": (C.astype(str), N, "column 'x0' holds text"),
    "too large": (C * 1e305, N, "above 1e.304 in column"),
    "too small": (C * 1e-307, N, "below 1e-152 in column"),
    "n of one": (C, 1, "n: the number of rows behind the covariance must be >= 2, got 1"),
    "n not whole": (C, 50.0, "n: the number of rows behind the covariance"),
    "n missing": (C, None, "n: the number of rows behind the covariance"),
    "n too small": (C, D, "4 rows are too few .* 4 columns"),
    "one column": (C[:1, :1], N, "1 feature.* give at least 2"),
}


@pytest.mark.parametrize("case", BAD_COVARIANCES)
def test_bad_covariance_is_refused(case):
    covariance, n, words = BAD_COVARIANCES[case]
    before = covariance.copy()
    with pytest.raises(InputError, match=words):
        ts.Topo().fit_covariance(covariance, n)
    np.testing.assert_array_equal(covariance, before)


@pytest.mark.parametrize("d", [4, 10, 30])
@pytest.mark.parametrize("seed", range(4))
def test_dependent_columns_are_found_in_a_covariance_too(d, seed):
    """Squares are rounded there, so some such matrices pass for positive definite."""
    X = np.random.default_rng(seed).standard_normal((200, d))
    X[:, 0] = X[:, 1:].sum(axis=1)
    with pytest.raises(InputError, match=r"not positive definite|depend linearly"):
        ts.Topo().fit_covariance(np.cov(X.T, bias=True), 200)
