"""Plain files without pandas: the same names and numbers, and nothing odd passes."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.tables.table import NumberTable
from toposwap.io import read_numbers, read_table
from toposwap.io.tables import plain_csv
from toposwap.io.tables.dialect import Dialect
from toposwap.io.tables.plain_csv import LARGEST_PLAIN
from toposwap.io.tables.sources import Source
from toposwap.io.tables.text_files import header_of, nearest

COMMAS = Dialect("utf-8-sig", ",", ".")


def read_plain(file):
    source = Source.of(file)
    try:
        header = header_of(source, COMMAS)
    except InputError:
        return None
    return plain_csv.read_plain(source, COMMAS, header)


def written(folder, text, name="table.csv"):
    file = folder / name
    file.write_bytes(text.encode())
    return file


#: Fields as people and programs write them; the odd ones must not be taken for numbers.
FIELDS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(2**70), 2**70).map(str),
    st.floats(-1e3, 1e3).map("{:.3f}".format),
    st.sampled_from(["", " ", "nan", "NA", "inf", "1e400", "True", "0x10", "1_000", '"1"', "a"]),
    st.sampled_from(["1 2", "1;5", "+1", " 1", "1 ", "1.", ".5", "-0", "1E5", "1d5", "١", "#1"]),
)
PLAIN = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(2**62), 2**62).map(str),
    st.sampled_from(["+1", " 1", "1 ", "1.", ".5", "-0", "1E5"]),
)


@given(
    rows=st.lists(st.lists(PLAIN, min_size=3, max_size=3), min_size=1, max_size=6),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    last=st.booleans(),
)
def test_plain_numbers_are_those_of_pandas(tmp_path_factory, rows, end, last):
    text = end.join(["a,b,c", *(",".join(row) for row in rows)]) + (end if last else "")
    file = written(tmp_path_factory.mktemp("plain"), text)
    table, frame = read_plain(file), read_table(file)
    assert table is not None
    assert table.columns == list(frame.columns)
    np.testing.assert_array_equal(table.to_numpy(), frame.to_numpy(dtype=np.float64))


@given(rows=st.lists(st.lists(FIELDS, min_size=2, max_size=3), min_size=1, max_size=5))
def test_what_is_read_without_pandas_is_what_pandas_reads(tmp_path_factory, rows):
    """Anything at all: either it is left to pandas, or both give the same."""
    text = "\n".join(["a,b", *(",".join(row) for row in rows)])
    file = written(tmp_path_factory.mktemp("any"), text)
    table = read_plain(file)
    if table is not None:
        values = pd.read_csv(io.StringIO(text), **nearest(pd.__version__))
        np.testing.assert_array_equal(table.to_numpy(), values.to_numpy(dtype=np.float64))


def test_numbers_written_in_full_are_read_back_as_they_were(tmp_path):
    X = np.random.default_rng(0).standard_normal((200, 4)) * 10.0 ** np.arange(-6, 10, 4)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.to_csv(tmp_path / "full.csv", index=False)
    np.testing.assert_array_equal(read_table(tmp_path / "full.csv").to_numpy(), X)
    np.testing.assert_array_equal(read_numbers(tmp_path / "full.csv").to_numpy(), X)


@pytest.mark.parametrize(
    "text",
    [
        ",a\n0,1\n1,2\n",  # row labels
        '"a,b",c\n1,2\n',  # a name with a comma
        '"a\nb",c\n1,2\n',  # a name of two lines
        "a,b\n1,\n2,3\n",  # a missing value
        "a,b\n1,nan\n2,3\n",
        "a,b\n1,x\n2,3\n",
        "a,b\n1,2,3\n",  # ragged
        "a,b\n1\n",
        "a,b\n",
        "a,a\n1,2\n",
        "a\n1\n",
        "a,b\n1,2\n \n3,4\n",
    ],
)
def test_what_is_odd_is_left_to_pandas(tmp_path, text):
    assert read_plain(written(tmp_path, text)) is None


def test_other_separators_compression_and_size(tmp_path):
    tabs = written(tmp_path, "a\tb\n1\t2\n3\t4\n", "table.tsv")
    assert isinstance(read_numbers(tabs), NumberTable)
    packed = tmp_path / "table.csv.gz"
    packed.write_bytes(gzip.compress("\ufeffa,b\n1,2\n3,4\n".encode()))
    assert read_numbers(packed).columns == ["a", "b"]
    semicolons = written(tmp_path, "a;b\n1,5;2\n3;4\n", "table.csv")
    assert isinstance(read_numbers(semicolons, sep=";", decimal=","), pd.DataFrame)
    large = written(tmp_path, "a,b\n" + "1,2\n" * (LARGEST_PLAIN // 4), "large.csv")
    assert isinstance(read_numbers(large), pd.DataFrame)


def test_errors_are_the_same_either_way(tmp_path):
    for text in ("0.5,1.5\n1,2\n", "a\n1\n", "a,a\n1,2\n", "", "a,b\n1,2,3\n", "a,b\n"):
        file = written(tmp_path, text)
        with pytest.raises(InputError) as by_frame:
            read_table(file)
        with pytest.raises(InputError) as by_numbers:
            read_numbers(file)
        assert str(by_numbers.value) == str(by_frame.value)


def test_a_table_of_numbers_is_taken_as_a_frame_is():
    X = np.random.default_rng(0).standard_normal((10, 3))
    table = NumberTable(list("abc"), X)
    assert len(table) == 10
    assert table.chosen(["c", "a"]).columns == ["c", "a"]
    np.testing.assert_array_equal(table.chosen(["c", "a"]).to_numpy(), X[:, [2, 0]])
    data = Dataset.from_table(table)
    assert data.names == ("a", "b", "c")
    np.testing.assert_array_equal(data.rows, X)
