"""Tables from files: what is read, and what is refused in which words."""

from __future__ import annotations

import gzip
import sys

import numpy as np
import pandas as pd
import pytest

from toposwap.core.errors import InputError, MissingExtraError, ToposwapWarning
from toposwap.io import read_table, write_table

FRAME = pd.DataFrame({"rain, mm": [0.1, -2.5, 1e-300], "naïve 雪": [1.0, 2.0, 1 / 3]})


@pytest.fixture
def file(tmp_path):
    """Write bytes or text to a file of a given name, and return its path."""

    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.TSV.GZ", "t.parquet", "t.pq"])
def test_what_is_written_is_read(tmp_path, name):
    write_table(tmp_path / name, FRAME)
    pd.testing.assert_frame_equal(
        read_table(tmp_path / name), FRAME, check_column_type=False, check_exact=True
    )
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_separators(file):
    expected = [[1.0, 2.0], [3.0, 4.0]]
    assert read_table(file("a\tb\n1\t2\n3\t4\n", "t.tsv")).to_numpy().tolist() == expected
    assert read_table(file("a;b\n1;2\n3;4\n"), sep=";").to_numpy().tolist() == expected
    assert read_table(file("a|b\n1|2\n3|4\n", "t.txt"), sep="|").to_numpy().tolist() == expected
    read = read_table(file("a;b\n1,5;2\n3;4\n"), sep=";", decimal=",")
    assert read["a"].tolist() == [1.5, 3.0]


def test_excel_s_byte_order_mark_and_blanks_are_no_part_of_a_name(file):
    frame = read_table(file("\ufeffa, b \r\n1,2\r\n\r\n3,4\r\n"))
    assert list(frame.columns) == ["a", "b"]
    assert frame.to_numpy().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"'.*table\.csv' is empty"),
        ("\n\n", "is empty"),
        ("a,b,c\n", "has column names but no rows"),
        ("a,b,c\n1,2,3\n4,5\n", "line 3: 2 fields where the header has 3"),
        ("a,b,c\n1,2,3\n4\n", "line 3: 1 field where the header has 3"),
        ('a,b,c\n"1\n",2,3\n4,5,6,7\n', "line 4: 4 fields where the header has 3"),
        # pandas would take the first column of these for row labels.
        ("a,b\n0,1,2\n1,3,4\n", "line 2: 3 fields where the header has 2"),
        ("a,b\n1,2,\n3,4,\n", "line 2: 3 fields where the header has 2"),
        ("a,b,a\n1,2,3\n", "duplicate column names: 'a'"),
        ("a, a\n1,2\n", "duplicate column names: 'a'"),
        ("a:b:c\n1:2:3\n", r"one column only, 'a:b:c'.*--sep ':'"),
        ("a\n1\n", "one column only, 'a', and a graph needs at least two$"),
        (bytes(range(256)), "is no text, nor a table in another form"),
        ("0.5,-1.5\n1,2\n", r"first line holds numbers \('0.5', '-1.5'\)"),
        ("a,b,\n1,2,3\n", "column 3 has no name"),
        (",b,c\n1,2,3\n1,3,4\n", "column 1 has no name"),
    ],
)
def test_files_that_are_refused(file, text, message):
    with pytest.raises(InputError, match=message) as refused:
        read_table(file(text))
    assert "\n" not in str(refused.value)


def test_other_files_that_are_refused(file, tmp_path):
    with pytest.raises(InputError, match=r"'.*none\.csv' does not exist"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a directory"):
        read_table(tmp_path)
    with pytest.raises(InputError, match="as Excel: it does not begin like"):
        read_table(file("a,b\n1,2\n", "table.xlsx"))
    with pytest.raises(InputError, match="as Parquet: it does not begin like"):
        read_table(file("not parquet at all", "t.parquet"))
    with pytest.raises(InputError, match=r"cannot read .*t\.parquet.* as Parquet"):
        read_table(file(b"PAR1 cut short", "t.parquet"))
    with pytest.raises(InputError, match=r"ending, one of \.csv"):
        write_table(tmp_path / "t.xlsx", FRAME)
    text = "a,b\n" + "1,2\n" * 9999
    with pytest.raises(InputError, match=r"cannot read .*cut\.csv\.gz"):
        read_table(file(gzip.compress(text.encode())[:-40], "cut.csv.gz"))
    with pytest.raises(InputError, match="sep: one character"):
        read_table(file("a,b\n1,2\n"), sep=", ")
    with pytest.raises(InputError, match=r"decimal: must be '\.' or ','"):
        read_table(file("a,b\n1,2\n"), decimal=",")


@pytest.mark.parametrize("labels", [[0, 1, 2], ["r1", "r2", "r3"]])
def test_row_labels_are_left_out(tmp_path, labels):
    FRAME.set_index(pd.Index(labels)).to_csv(tmp_path / "t.csv")
    with pytest.warns(ToposwapWarning, match="first column, which has no name"):
        frame = read_table(tmp_path / "t.csv")
    assert list(frame.columns) == list(FRAME.columns)


def test_an_empty_column_without_a_name_is_left_out(file):
    with pytest.warns(ToposwapWarning, match="empty column"):
        frame = read_table(file("a,b,\n1,2,\n3,4,\n"))
    assert list(frame.columns) == ["a", "b"]


def test_numbered_columns_and_missing_values_pass(file):
    frame = read_table(file("0,1\n1,2\nNA,\n"))
    assert list(frame.columns) == ["0", "1"]
    assert np.isnan(frame.to_numpy(float)[1]).all()


def test_without_pyarrow(tmp_path, monkeypatch):
    write_table(tmp_path / "t.parquet", FRAME)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for use in (read_table, lambda path: write_table(path, FRAME)):
        with pytest.raises(MissingExtraError, match=r"t\.parquet.*toposwap\[parquet\]"):
            use(tmp_path / "t.parquet")
