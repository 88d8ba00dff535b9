"""The factor of the data: what it stands for, from whatever the caller holds."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.tables import held_rows


def table(seed=0, n=40, d=4):
    rng = np.random.default_rng(seed)
    mixing = np.eye(d) + np.triu(rng.uniform(-1, 1, (d, d)), 1)
    return (rng.standard_normal((n, d)) @ mixing + rng.uniform(-3, 3, d))[:, rng.permutation(d)]


def centred_exactly(X):
    """X - mean in rational arithmetic, rounded once."""
    columns = [[Fraction(float(x)) for x in column] for column in X.T]
    return np.array([[float(x - sum(c) / len(c)) for x in c] for c in columns]).T


# --- what the attributes mean --------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(2, 30), st.integers(2, 8), st.booleans())
def test_factor_reproduces_the_second_moments(seed, n, d, center):
    X = table(seed, n, d)
    data = Dataset.from_table(X, center=center)
    centred = X - X.mean(axis=0) if center else X
    C = centred.T @ centred / n
    sd = np.sqrt(np.diag(C))
    size = np.outer(sd, sd)
    np.testing.assert_allclose(data.covariance() / size, C / size, atol=1e-13)
    np.testing.assert_allclose(data.deviations * data.scale, sd, rtol=1e-12)
    np.testing.assert_array_equal(data.factor, np.triu(data.factor))
    assert (data.n, data.d) == (n, d)
    assert data.names == tuple(f"x{j}" for j in range(d))
    np.testing.assert_allclose(data.mean, X.mean(axis=0) if center else np.zeros(d), atol=1e-14)


def test_scale_is_a_power_of_two_just_above_the_largest_deviation():
    X = table() * [1e-150, 1e-3, 1.0, 1e150]
    data = Dataset.from_table(X)
    assert (np.frexp(data.scale)[0] == 0.5).all()
    largest = np.abs(X - X.mean(axis=0)).max(axis=0)
    assert (largest < data.scale).all()
    assert (data.scale <= 2.0 * largest).all()


@pytest.mark.parametrize("entries", [1, 13, 64])
def test_blocks_of_rows_do_not_change_the_factor(monkeypatch, entries):
    X = table(1, n=57)
    whole = Dataset.from_table(X)
    assert len(list(held_rows.row_blocks(X))) == 1
    monkeypatch.setattr(held_rows, "BLOCK_ENTRIES", entries)
    assert len(list(held_rows.row_blocks(X))) > 3
    parts = Dataset.from_table(X)
    np.testing.assert_allclose(parts.covariance(), whole.covariance(), rtol=1e-12)
    np.testing.assert_allclose(parts.mean, whole.mean, rtol=1e-14)


def test_data_are_immutable_and_survive_pickling():
    data = Dataset.from_table(table())
    for array in (data.factor, data.mean, data.scale):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(AttributeError):
        data.n = 3
    copy = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(copy.factor, data.factor)
    assert copy.names == data.names


# --- centring ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mean", "size"),
    [
        pytest.param(1e8, 1.0, marks=pytest.mark.thorough),
        pytest.param(1e8, 1e-3, marks=pytest.mark.thorough),
        (1e8, 1e-6),
        (-1e12, 1e-2),
    ],
)
def test_a_large_mean_costs_no_digits(mean, size):
    """The reference is centred in rational arithmetic, so only the data's own digits count."""
    X = table(3, n=300) * size + mean
    model = ts.Topo("least-squares").fit(X)
    reference = ts.Topo("least-squares", center=False).fit(centred_exactly(X))
    assert model.score_ == pytest.approx(reference.score_, rel=1e-12)
    assert model.causal_order_ == reference.causal_order_
    np.testing.assert_allclose(model.weights_, reference.weights_, rtol=1e-9, atol=1e-12)


def test_center_false_leaves_the_mean_in():
    X = table(4)
    model = ts.Topo("least-squares", center=False, search="none", init=[2, 0, 3, 1]).fit(X)
    score = 0.0
    for k, v in enumerate(model.causal_order_):
        before = model.causal_order_[:k]
        w = np.linalg.lstsq(X[:, before], X[:, v], rcond=None)[0]
        np.testing.assert_allclose(model.weights_[before, v], w, rtol=1e-9, atol=1e-12)
        score += np.sum((X[:, v] - X[:, before] @ w) ** 2) / (2 * len(X))
    assert model.score_ == pytest.approx(score, rel=1e-12)
    assert (
        model.score_
        > 1.1 * ts.Topo("least-squares", search="none", init=[2, 0, 3, 1]).fit(X).score_
    )


def test_center_false_admits_a_column_of_ones():
    X = np.column_stack([np.ones(40), table(5)])
    with pytest.raises(InputError, match="column 'x0' is constant"):
        ts.Topo("least-squares").fit(X)
    assert ts.Topo("least-squares", center=False).fit(X).certificate_.satisfied


# --- layouts and types ---------------------------------------------------------------------------


def read_only(X):
    X = X.copy()
    X.setflags(write=False)
    return X


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": read_only,
    "big-endian": lambda X: X.astype(">f8"),
    "list of lists": lambda X: X.tolist(),
    "object": lambda X: X.astype(object),
    "long double": lambda X: X.astype(np.longdouble),
    "nothing masked": np.ma.masked_array,
    "frame": pd.DataFrame,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_does_not_matter_and_is_left_alone(layout):
    X = table(6)
    given_ = LAYOUTS[layout](X)
    before = pickle.dumps(given_)
    model = ts.Topo("least-squares").fit(given_)
    reference = ts.Topo("least-squares").fit(X)
    assert model.causal_order_ == reference.causal_order_
    np.testing.assert_allclose(model.weights_, reference.weights_, rtol=1e-12)
    assert pickle.dumps(given_) == before
    if isinstance(given_, np.ndarray):
        assert given_.flags.writeable == (layout != "read-only")


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", "bool", "float16", "float32"])
def test_numbers_of_every_kind(dtype):
    X = (np.random.default_rng(0).standard_normal((60, 3)) > 0) if dtype == "bool" else table(7) * 9
    X = np.abs(X).astype(dtype)
    model = ts.Topo("least-squares").fit(X)
    reference = ts.Topo("least-squares").fit(X.astype(np.float64))
    assert model.score_ == reference.score_
    assert X.dtype == dtype


def test_a_double_array_is_referred_to_not_copied():
    X = table()
    assert Dataset.from_table(X).rows is X


def mixed_frame():
    rng = np.random.default_rng(8)
    values = rng.integers(0, 50, (30, 6)).astype(float)
    values[:, 1] = rng.random(30) > 0.5
    frame = pd.DataFrame(
        {
            "float": values[:, 0],
            "bool": values[:, 1].astype(bool),
            "nullable": pd.array(values[:, 2].astype(int), dtype="Int64"),
            "object": values[:, 3].astype(object),
            "int": values[:, 4].astype(np.int32),
            "nullable bool": pd.array(values[:, 5] > 25, dtype="boolean"),
        }
    )
    values[:, 5] = values[:, 5] > 25
    return frame, values


def test_a_frame_with_columns_of_many_types():
    frame, values = mixed_frame()
    before = frame.copy(deep=True)
    data = Dataset.from_table(frame)
    np.testing.assert_array_equal(data.rows, values)
    assert data.names == tuple(frame.columns)
    pd.testing.assert_frame_equal(frame, before)


def test_arrow_columns():
    pytest.importorskip("pyarrow")
    X = table()
    frame = pd.DataFrame(X, columns=list("abcd")).astype("float64[pyarrow]")
    np.testing.assert_array_equal(Dataset.from_table(frame).rows, X)


class Polars:
    """What a polars frame offers, and no more: no index, no iloc, dtypes without a kind."""

    def __init__(self, columns):
        self._columns = columns

    @property
    def columns(self):
        return list(self._columns)

    def to_numpy(self):
        return np.column_stack([np.asarray(c, dtype=object) for c in self._columns.values()])

    def __getitem__(self, name):
        return PolarsSeries(self._columns[name])


class PolarsSeries:
    dtype = "Float64"

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._values, dtype=dtype)


def test_a_frame_that_is_not_pandas():
    X = table()
    frame = Polars({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "e": X[:, 3] > 0})
    model = ts.Topo("least-squares").fit(frame)
    assert model.names_ == ("a", "b", "c", "e")
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "e"]
    np.testing.assert_array_equal(Dataset.from_table(frame).rows[:, :3], X[:, :3])
    with pytest.raises(InputError, match="in column 'b'"):
        ts.Topo("least-squares").fit(
            Polars({"a": X[:, 0], "b": [None, *X[1:, 1]], "c": X[:, 2] > 0})
        )
    with pytest.raises(InputError, match="column 'b' is constant"):
        ts.Topo("least-squares").fit(Polars({"a": X[:, 0], "b": ["u"] * 40, "c": X[:, 2]}))


# --- names ---------------------------------------------------------------------------------------


def test_names_of_columns():
    X = table()
    assert Dataset.from_table(pd.DataFrame(X)).names == ("0", "1", "2", "3")
    data = Dataset.from_table(X, names=["a", "b", "c", 4])
    assert data.names == ("a", "b", "c", "4")
    assert data.index("c") == 2
    with pytest.raises(InputError, match="no column is called 'z'; there are 'a', 'b', 'c', '4'"):
        data.index("z")
    twice = pd.DataFrame(X, columns=list("aabb")).assign()
    assert Dataset.from_table(twice, names=list("abcd")).names == ("a", "b", "c", "d")
    twice = twice.astype(object)
    np.testing.assert_array_equal(Dataset.from_table(twice, names=list("abcd")).rows, X)


# --- covariance matrices -------------------------------------------------------------------------


@given(st.integers(0, 2**32))
def test_covariance_gives_what_the_table_gives(seed):
    X = table(seed, n=100, d=5)
    init = np.random.default_rng(seed).permutation(5).tolist()
    for search in ("none", "auto", "paper"):
        by_rows = ts.Topo("least-squares", search=search, init=init).fit(X)
        by_moments = ts.Topo("least-squares", search=search, init=init).fit_covariance(
            np.cov(X.T, bias=True), 100
        )
        assert by_moments.causal_order_ == by_rows.causal_order_
        assert by_moments.score_ == pytest.approx(by_rows.score_, rel=1e-7)
        size = np.abs(by_rows.weights_).max()
        np.testing.assert_allclose(
            by_moments.weights_, by_rows.weights_, rtol=1e-5, atol=1e-7 * size
        )
        assert by_moments.certificate_.satisfied
        assert by_moments.n_features_in_ == 5


def test_covariance_by_names():
    X = table(2, n=100)
    C = pd.DataFrame(np.cov(X.T, bias=True), index=list("abcd"), columns=list("abcd"))
    model = ts.Topo("least-squares").fit_covariance(C, 100)
    assert model.names_ == ("a", "b", "c", "d")
    assert model.feature_names_in_.tolist() == list("abcd")
    shuffled = ts.Topo("least-squares").fit_covariance(C.loc[list("dbca")], 100)
    np.testing.assert_array_equal(shuffled.weights_, model.weights_)
    named = ts.Topo("least-squares").fit_covariance(C.to_numpy(), 100, names=["p", "q", "r", "s"])
    assert named.names_ == ("p", "q", "r", "s")


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_covariance_at_the_ends_of_the_range(size):
    X = table(3, n=100)
    C = np.cov(X.T, bias=True)
    model = ts.Topo("least-squares").fit_covariance(C * size * size, 100)
    reference = ts.Topo("least-squares").fit_covariance(C, 100)
    np.testing.assert_allclose(model.weights_, reference.weights_, rtol=1e-9)
    assert model.score_ / size / size == pytest.approx(reference.score_, rel=1e-9)
    assert model.certificate_.satisfied


def test_covariance_array_is_left_alone():
    C = np.cov(table().T, bias=True)
    before = C.copy()
    data = Dataset.from_covariance(C, 40)
    np.testing.assert_array_equal(C, before)
    np.testing.assert_allclose(data.covariance(), C, rtol=1e-12)
    assert data.rows is None


def test_short_wide_tables_are_factorised_as_a_whole(monkeypatch):
    X = table(2, n=40)
    weights = np.arange(40.0) % 4
    parts = [Dataset.from_table(X), Dataset.from_table(X, sample_weight=weights)]
    monkeypatch.setattr("toposwap.core.factor._WIDE", 1)
    monkeypatch.setattr("toposwap.core.factor._SHORT", 100)
    for part, weighed in zip(parts, (None, weights), strict=True):
        whole = Dataset.from_table(X, sample_weight=weighed)
        np.testing.assert_allclose(whole.covariance(), part.covariance(), rtol=1e-12)
        assert (np.diag(whole.factor) > 0.0).all()
