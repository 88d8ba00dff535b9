"""Tables are read where they are, with the same answer as from doubles."""

import subprocess
import sys

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.tables.held_rows import HeldRows, held_column, row_blocks

X = ts.simulate.linear_dataset(6, 500, "ER2", random_state=0).X.astype(np.float32)
NAMES = list("abcdef")


def chunked(columns):
    pa = pytest.importorskip("pyarrow")
    halves = [pa.chunked_array([pa.array(x[:200]), pa.array(x[200:])]) for x in columns]
    return pa.table(halves, names=NAMES)


def frame(columns):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(dict(zip(NAMES, columns, strict=True)))


@pytest.mark.parametrize(
    "table",
    [
        lambda: X,
        lambda: np.asfortranarray(X),
        lambda: X[::-1][::-1],
        lambda: frame(X.T),
        lambda: frame([X[:, 0].astype(float), *X.T[1:]]),
        lambda: chunked(X.T),
        lambda: dict(zip(NAMES, X.T, strict=True)),
    ],
)
def test_no_copy_and_the_same_numbers(table):
    data = ts.Dataset.from_table(table())
    assert isinstance(data.held, HeldRows)
    whole = ts.Dataset.from_table(X.astype(np.float64))
    np.testing.assert_allclose(data.factor, whole.factor, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(data.mean, whole.mean, rtol=1e-13, atol=1e-15)
    model = ts.Topo("bic").fit(table())
    np.testing.assert_allclose(model.weights_, ts.Topo("bic").fit(X.astype(float)).weights_)
    # Nobody has asked for rows.
    assert "matrix" not in vars(model._data.held)
    np.testing.assert_array_equal(data.rows, X)
    assert data.rows is data.rows
    assert data.rows.dtype == np.float64


def test_views_of_rows_columns_and_extremes():
    pieces = [[x[:100], x[100:101], x[101:]] for x in X.T]
    for held in (HeldRows(X), HeldRows(pieces)):
        assert (held.shape, len(held)) == (X.shape, 500)
        np.testing.assert_array_equal(held[90:130], X[90:130])
        np.testing.assert_array_equal(held[:, 3], X[:, 3])
        np.testing.assert_array_equal(held[X[:, 0] > 0], X[X[:, 0] > 0])
        np.testing.assert_array_equal(held.min(axis=0), X.min(axis=0))
        np.testing.assert_array_equal(held.max(axis=0), X.max(axis=0))
        np.testing.assert_allclose(held.mean(axis=0), X.mean(axis=0, dtype=float))
        np.testing.assert_allclose(held.sum(), X.sum(dtype=float))
        np.testing.assert_array_equal(np.vstack(list(row_blocks(held))), X)
    weights = np.arange(500.0) % 3
    one, other = (
        ts.Dataset.from_table(table, sample_weight=weights) for table in (X, X.astype(float))
    )
    np.testing.assert_allclose(one.factor, other.factor, atol=1e-14)


def test_what_is_no_plain_number_is_read_as_ever():
    pa = pytest.importorskip("pyarrow")
    assert held_column(np.array([True])) is None
    assert held_column(np.array(["a"])) is None
    assert held_column([1.0]) is None
    assert held_column(np.ones(3, np.longdouble)) is None or np.longdouble(1).itemsize == 8
    assert held_column(pa.chunked_array([pa.array([1, None])])) is None
    assert held_column(pa.chunked_array([pa.array(["a"])])) is None
    assert held_column(pa.chunked_array([pa.array([True])])) is None
    broken = X.copy()
    broken[7, 2] = np.nan
    for table in (broken, frame(broken.T), chunked(broken.T)):
        with pytest.raises(ts.InputError, match="NaN"):
            ts.Topo("bic").fit(table)


_FIT = """
import numpy as np
import toposwap as ts
X = np.random.default_rng(0).standard_normal((200_000, 50), dtype=np.float32)
ts.Topo("SCORE").fit(X[:500])
def status(key):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
ts.Topo("SCORE").fit(X)
print((status("VmHWM") - before) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory as Linux tells it")
@pytest.mark.parametrize("score", ["auto", pytest.param("bic", marks=pytest.mark.thorough)])
def test_memory_beside_the_table(score):
    code = _FIT.replace("SCORE", score)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # In doubles the table alone is 76 MB.
    assert float(done.stdout) < 50.0
