"""Tables that are read once: the answers of tables in memory, and the same refusals."""

import threading

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap import streams
from toposwap.core.errors import InputError
from toposwap.streams.files import FileStream, files_of

X = ts.simulate.linear_dataset(6, 4000, "ER2", random_state=0).X
FRAME = pd.DataFrame(X, columns=list("abcdef"))
CUTS = [10, 700, 2500]


def parts():
    return [FRAME.iloc[rows] for rows in np.split(np.arange(len(FRAME)), CUTS)]


def as_arrow():
    pa = pytest.importorskip("pyarrow")
    return [pa.RecordBatch.from_pandas(part, preserve_index=False) for part in parts()]


FORMS = {
    "arrays": lambda: np.split(X, CUTS),
    "frames": parts,
    "dicts": lambda: [dict(part) for part in parts()],
    "arrow": as_arrow,
    "a generator": lambda: (part for part in parts()),
    "columns in another order": lambda: [parts()[0], *(p[list("fedcba")] for p in parts()[1:])],
    "one table": lambda: FRAME,
}


@pytest.mark.parametrize("form", FORMS)
def test_the_graph_of_a_stream_is_that_of_the_table(form):
    data = ts.Dataset.from_batches(FORMS[form]())
    whole = ts.Dataset.from_table(X)
    np.testing.assert_allclose(data.covariance(), whole.covariance(), rtol=1e-12, atol=1e-13)
    for score in ("bic", "least-squares", "gaussian-l1"):
        one, other = ts.Topo(score).fit(data), ts.Topo(score).fit(X)
        np.testing.assert_allclose(one.adjacency_matrix_, other.adjacency_matrix_, atol=1e-9)
        assert one.certificate_.satisfied
    assert data.n == 4000


def test_auto_says_that_only_moments_are_known():
    model = ts.Topo().fit(ts.Dataset.from_batches([X]))
    assert model.result_.score_name == "bic"
    with pytest.raises(InputError, match=r"only the moments of the rows .* --sample 100000"):
        ts.Topo("mlp").fit(ts.Dataset.from_batches([X]))


@pytest.mark.parametrize("ending", ["csv", "parquet", "csv.gz", "jsonl"])
def test_files_of_every_kind(tmp_path, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    for k, part in enumerate(parts()):
        path = tmp_path / f"part-{k}.{ending}"
        if ending == "parquet":
            part.to_parquet(path)
        elif ending == "jsonl":
            part.to_json(path, orient="records", lines=True, double_precision=15)
        else:
            part.to_csv(path, index=False)
    (tmp_path / "_SUCCESS").write_text("")
    said = []
    for given in (tmp_path, str(tmp_path / "part-*")):
        data = ts.Dataset.from_files(given, progress=said.append)
        np.testing.assert_allclose(
            data.covariance(), ts.Dataset.from_table(X).covariance(), rtol=1e-9, atol=1e-12
        )
        assert data.names == tuple("abcdef")
    assert any("reading 4 file(s)" in line for line in said)
    assert ts.Dataset.from_files(tmp_path, columns=["c", "a"]).names == ("c", "a")
    assert threading.active_count() < 10


def test_whole_numbers_may_become_fractions_later_in_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr("toposwap.io.tables.pieces._BYTES", 1 << 16)
    path = tmp_path / "late.csv"
    rows = 40_000
    x = np.arange(rows) % 7
    lines = [f"{v},{v % 3}" for v in x]
    lines[-1] = "0.5,1e-3"
    path.write_text("a,b\n" + "\n".join(lines) + "\n")
    data = ts.Dataset.from_files(path)
    assert data.n == rows
    assert data.mean[0] == pytest.approx((x[:-1].sum() + 0.5) / rows, rel=1e-12)
    assert "'a', 'b': few values" in data.remarks[0]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda f: f.assign(c="text"), "column 'c' does not hold numbers"),
        (lambda f: f.assign(c=np.where(f.index == 3000, np.nan, f.c)), "row 3001: 'c' is missing"),
        (lambda f: f.assign(c=np.where(f.index == 3, np.inf, f.c)), "row 4: 'c' is infinite"),
        (lambda f: f.assign(c=0.1), "column 'c' is constant"),
        (lambda f: f[["a"]], "leaves no edge"),
        (lambda f: f.iloc[:1], "1 sample"),
        (lambda f: f.iloc[:0], "0 sample"),
    ],
)
def test_what_cannot_be_used_is_named(change, told):
    frame = change(FRAME)
    with pytest.raises(InputError, match=told):
        ts.Dataset.from_batches([frame.iloc[:500], frame.iloc[500:]])


def test_parts_of_a_table_have_the_same_columns():
    with pytest.raises(InputError, match=r"batch 2 has no column 'f': all parts"):
        ts.Dataset.from_batches([FRAME, FRAME.drop(columns="f")])


def test_rows_with_gaps_can_be_left_out():
    holed = FRAME.mask(np.random.default_rng(0).random(FRAME.shape) < 0.01)
    data = ts.Dataset.from_batches([holed[:1500], holed[1500:]], drop_missing=True)
    np.testing.assert_allclose(
        data.covariance(), ts.Dataset.from_table(holed.dropna()).covariance(), rtol=1e-11
    )
    left = len(holed) - len(holed.dropna())
    assert data.remarks == (f"{left} of 4000 rows have missing values and were left out",)


def test_dependent_columns_are_named_as_ever():
    frame = FRAME.assign(g=FRAME.a + FRAME.b)
    data = ts.Dataset.from_batches([frame[:2000], frame[2000:]])
    with pytest.raises(InputError, match="'g'"):
        ts.Topo("least-squares").fit(data)


def test_a_reservoir_draws_every_row_with_the_same_chance():
    counts = np.zeros(50)
    frame = pd.DataFrame({"row": np.arange(50)})
    for seed in range(400):
        pieces = [frame[:3], frame[3:20], frame[20:]]
        drawn, seen = streams.sampled_rows(pieces, 10, np.random.default_rng(seed))
        assert seen == 50
        assert drawn.row.is_monotonic_increasing
        assert drawn.row.nunique() == 10
        counts[drawn.row] += 1
    # 80 each are expected, with a deviation of 8.
    assert (np.abs(counts - 80) < 40).all()
    again, _ = streams.sampled_rows([frame], 10, np.random.default_rng(3))
    once, _ = streams.sampled_rows([frame[:30], frame[30:]], 10, np.random.default_rng(3))
    assert len(again) == len(once) == 10
    for more in (100, 10**50):
        everything, _ = streams.sampled_rows([frame], more, np.random.default_rng(0))
        assert len(everything) == 50


def test_files_are_found_or_missed_in_words(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        files_of(tmp_path / "no.csv")
    with pytest.raises(InputError, match="no file matches"):
        files_of(str(tmp_path / "*.csv"))
    with pytest.raises(InputError, match="no tables in the folder"):
        files_of(tmp_path)
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert files_of([tmp_path, tmp_path / "x.csv"]) == (tmp_path / "x.csv",)


def test_an_error_in_a_file_is_told_where_it_is_used(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n2,3\n")
    (tmp_path / "2.csv").write_text("a,c\n1,2\n")
    stream = FileStream.of(tmp_path)
    with pytest.raises(InputError, match=r"2.csv' has no column 'b'"):
        list(stream)
    with pytest.raises(InputError, match="has no column 'z'"):
        FileStream.of(tmp_path, columns=["z"])
