"""Tables that cannot be used are refused with the column and the remedy."""

import copy

import numpy as np
import pandas as pd
import pytest
from small import D, N, days, exactly_dependent, frame, table, with_entry

import toposwap as ts
from toposwap.core.errors import InputError

BAD_TABLES = {
    # missing and infinite
    "NaN": (lambda: with_entry(np.nan), "NaN.* in column 'x2' \\(1\\): missing='em'"),
    "infinity": (
        lambda: with_entry(np.inf),
        "infinity .* in column 'x2': drop or impute .*replace",
    ),
    "minus infinity": (lambda: with_entry(-np.inf), "infinity .* in column 'x2': drop or impute"),
    "both infinities": (
        lambda: np.vstack([with_entry(np.inf), with_entry(-np.inf)]),
        "infinity .* in column 'x2'",
    ),
    "NaN in two columns": (
        lambda: frame(a=np.nan, d=np.nan),
        "NaN .* in columns 'a' .*, 'd' .*: missing='em'",
    ),
    "NA in a nullable column": (
        lambda: frame(b=pd.array([None, *range(N - 1)], dtype="Int64")),
        "missing values.* in column 'b' .*: missing='em'",
    ),
    "NA in a nullable boolean": (
        lambda: frame(b=pd.array([None, *[True, False] * 24, True], dtype="boolean")),
        "missing values.* in column 'b' .*: missing='em'",
    ),
    "NA among objects": (
        lambda: frame(b=pd.Series([pd.NA, *range(N - 1)], dtype=object)),
        "missing values.* in column 'b' .*: missing='em'",
    ),
    "None among objects": (
        lambda: frame(b=pd.Series([None, *range(N - 1)], dtype=object)),
        "missing values.* in column 'b' .*: missing='em'",
    ),
    "masked entries": (
        lambda: np.ma.masked_array(table(), mask=np.arange(N * D).reshape(N, D) == 6),
        "missing values.* in column 'x2' .*: missing='em'",
    ),
    # not numbers
    "text": (lambda: frame(c="word"), "column 'c' is constant"),
    "words": (
        lambda: frame(c=[f"word {k}" for k in range(N)]),
        "column 'c' holds text, another in every row, .*: leave it out",
    ),
    "free text": (
        lambda: frame(c=[f"word {k // 2 * 2 - k % 3}" for k in range(N)]),
        "column 'c' holds text, .* different ones in 50 rows: make numbers or few categories",
    ),
    "text among numbers": (
        lambda: frame(c=["?", "unknown", *map(str, range(N - 2))]),
        r"column 'c' holds numbers, but in 2 of 50 rows text \('\?', 'unknown'\): .*to_numeric",
    ),
    "objects and text": (
        lambda: frame(c=pd.Series(["?", *range(N - 1)], dtype=object)),
        r"column 'c' holds numbers, but in 1 of 50 rows text \('\?'\): .*to_numeric",
    ),
    "dates written as text": (
        lambda: frame(c=[f"{k % 28 + 1}/03/2021 10:15" for k in range(N)]),
        "column 'c' holds dates",
    ),
    "records": (lambda: frame().to_dict("records"), r"give pandas.DataFrame\(X\)"),
    "everything at once": (
        lambda: frame(
            a=days(), b=list("uvwxy") * 10, c=list("uvwxy") * 10, d=list(map(str, range(N)))
        ),
        "'a' holds dates.*: turn it.*; column 'd' holds text, all of it numbers: make numbers",
    ),
    "digits written as text": (
        lambda: frame(c=[str(k) for k in range(N)]),
        "column 'c' holds text, all of it numbers: make numbers of it with pandas.to_numeric",
    ),
    "array of text": (lambda: table().astype(str), "'x0', .*'x3' hold text, all of it numbers"),
    "array of bytes": (lambda: table().astype("S"), "'x0', .* 'x3' hold text, all of it numbers"),
    "categories": (
        lambda: frame(b=pd.Categorical(list("uvwxy") * 10), c=list("uvwxy") * 10),
        "columns 'b', 'c' hold categories of more than two values.*leave them out, or encode",
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
        "columns 'x0', 'x1' hold dates.*: turn it into a number",
    ),
    "periods": (
        lambda: frame(b=pd.period_range("2020", periods=N, freq="D")),
        "column 'b' holds dates or durations: turn it into a number",
    ),
    "complex": (lambda: table() + 1j, "columns 'x0', .*Complex data not supported: give the real"),
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
        "columns 'x0', .*Complex data not supported",
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
    "a path": (lambda: "table.csv", "X: a path .*read it first"),
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
    model = ts.Topo("least-squares")
    with pytest.raises(InputError, match=f"(?s){words}"):
        model.fit(X)
    assert not hasattr(model, "weights_")
    with pytest.raises(InputError, match=f"(?s){words}"):
        ts.check_kkt(np.zeros((D, D)), X, score="least-squares")
    if isinstance(X, pd.DataFrame | pd.Series):
        assert X.equals(before)
    else:
        np.testing.assert_equal(X, before)


def test_a_sparse_matrix_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(InputError, match=r"dense data is required: use X.toarray\(\)"):
        ts.Topo("least-squares").fit(sparse.csr_array(table()))


def test_long_lists_of_columns_are_cut_short():
    X = np.zeros((50, 30))
    with pytest.raises(InputError, match="'x7' and 22 more are constant"):
        ts.Topo("least-squares").fit(X)


@pytest.mark.parametrize("names", [["a"], list("abcde")])
def test_wrong_number_of_names(names):
    for X in (table(), frame(), frame(b=True)):
        with pytest.raises(InputError, match=f"names: {len(names)} given for 4 columns"):
            ts.Dataset.from_table(X, names=names)


@pytest.mark.parametrize("center", ["no", None, 1])
def test_center_is_yes_or_no(center):
    with pytest.raises(InputError, match="center: must be True or False"):
        ts.Topo("least-squares", center=center).fit(table())
