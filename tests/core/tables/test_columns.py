"""Arrow tables and dicts keep their names; what is no table yet gets the remedy."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError


def table(n=40, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 3)) @ np.triu(np.ones((3, 3)))


NAMES = ["rain", "wind speed", "yield"]


def arrow(X):
    pa = pytest.importorskip("pyarrow")
    return pa.table({name: X[:, k] for k, name in enumerate(NAMES)})


class Relation:
    """A query of a data base: it hands over Arrow's columns and nothing else."""

    columns = NAMES

    def __init__(self, X):
        self._table = arrow(X)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


HOLDERS = {
    "arrow table": arrow,
    "chunked arrow table": lambda X: (
        arrow(X).slice(0, 7).from_batches([*arrow(X[:7]).to_batches(), *arrow(X[7:]).to_batches()])
    ),
    "record batch": lambda X: arrow(X).to_batches()[0],
    "relation": Relation,
    "dict of arrays": lambda X: dict(zip(NAMES, X.T, strict=True)),
    "dict of lists": lambda X: dict(zip(NAMES, X.T.tolist(), strict=True)),
    "dict of series": lambda X: dict(pd.DataFrame(X, columns=NAMES)),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_names_and_values_are_those_of_a_frame(holder):
    X = table()
    held, frame = HOLDERS[holder](X), pd.DataFrame(X, columns=NAMES)
    data = Dataset.from_table(held)
    assert data.names == tuple(NAMES)
    np.testing.assert_array_equal(data.rows, X)
    model, same = ts.Topo("least-squares").fit(held), ts.Topo("least-squares").fit(frame)
    assert model.feature_names_in_.tolist() == NAMES
    assert list(model.causal_graph_) == list(same.causal_graph_)
    np.testing.assert_allclose(model.weights_, same.weights_, rtol=1e-12)
    # Matched by name: the columns of the frame stand the other way round.
    np.testing.assert_allclose(model.predict(frame[NAMES[::-1]]), model.predict(X), rtol=1e-12)
    np.testing.assert_allclose(same.predict(held), same.predict(X), rtol=1e-12)


@given(st.sampled_from(["int8", "uint16", "int64", "float32", "bool"]), st.integers(0, 99))
def test_numbers_of_every_kind(dtype, seed):
    pa = pytest.importorskip("pyarrow")
    X = np.random.default_rng(seed).integers(0, 2, (9, 2)).astype(dtype)
    X[:2] = [[0, 1], [1, 0]]
    for held in ({"a": X[:, 0], "b": X[:, 1]}, pa.table({"a": X[:, 0], "b": X[:, 1]})):
        np.testing.assert_array_equal(Dataset.from_table(held).rows, X.astype(float))


def with_column(b):
    return {"a": np.arange(4.0), "b": b}


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (with_column([1, 2, 3]), "columns of unequal length: 'a' has 4 rows and 'b' has 3"),
        (with_column(1.0), "column 'b' has 0 dimensions"),
        (with_column(np.eye(4)), "column 'b' has 2 dimensions"),
        (with_column(list("uvwx")), "column 'b' holds text, another in every row"),
        (with_column([1, 2, None, 4]), "NaN .* in column 'b'"),
        (with_column(pd.array([1, None, 2, 3], dtype="Int64")), "'b'"),
        (with_column(pd.Series([1, None, 2, 3], dtype="Int64")), "NaN .* in column 'b'"),
        (with_column(pd.date_range("2020", periods=4)), "column 'b' holds dates"),
        ({}, "no columns"),
    ],
)
def test_bad_columns_are_refused_by_name(held, message):
    with pytest.raises(InputError, match=message):
        Dataset.from_table(held)


def test_bad_arrow_columns_are_refused_by_name():
    pa = pytest.importorskip("pyarrow")
    for b, message in (
        (["u", "v", "w"], "column 'b' holds text"),
        ([1, None, 3], "NaN .* in column 'b'"),
        ([True, None, False], "NaN .* in column 'b'"),
    ):
        with pytest.raises(InputError, match=message):
            ts.Topo("least-squares").fit(pa.table({"a": [1.0, 2.0, 4.0], "b": b}))
    twice = pa.table([pa.array([1.0, 2.0]), pa.array([2.0, 1.0])], names=["a", "a"])
    with pytest.raises(InputError, match="duplicate column names: 'a'"):
        ts.Topo("least-squares").fit(twice)


class LazyFrame:
    """Of polars: to look at its columns begins the work, which tests turn into an error."""

    @property
    def columns(self):
        raise AssertionError("the columns of a lazy frame were asked for")

    def collect(self):
        raise AssertionError("nobody asked for the data")


class Delayed:
    columns = NAMES

    def compute(self):
        raise AssertionError("nobody asked for the data")

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("nobody asked for the data")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("data/rain.csv", "X: a path ('data/rain.csv'); read it first, for example with pandas"),
        (Path("rain.csv"), "X: a path ('rain.csv'); read it first"),
        (LazyFrame(), "LazyFrame) holds no numbers yet; compute it first: X.collect()"),
        (Delayed(), "Delayed) holds no numbers yet; compute it first: X.compute()"),
        (iter([[1.0, 2.0], [2.0, 1.0]]), "X: an iterator can be read once only"),
    ],
)
def test_what_is_no_table_yet_gets_the_remedy(given, message):
    for use in (ts.Topo("least-squares").fit, Dataset.from_table):
        with pytest.raises(InputError, match=re.escape(message)):
            use(given)


def test_an_open_file_and_a_covariance_by_its_own_name(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,2\n")
    with file.open() as stream, pytest.raises(InputError, match="X: an open file"):
        ts.Topo("least-squares").fit(stream)
    with pytest.raises(InputError, match="covariance: a path"):
        Dataset.from_covariance(str(file), 10)
