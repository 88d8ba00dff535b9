"""Every kind of file that people have: the same table from each of them."""

import bz2
import gzip
import io
import json
import lzma
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from toposwap.core.errors import InputError, MissingExtraError, ToposwapWarning
from toposwap.io import read_numbers, read_table
from toposwap.io.tables import text_files

FRAME = pd.DataFrame(
    {
        "größe": [1.5, -2.25, 1e-3, 4.0],
        "n": [3, 1, 4, 1],
        "smoker": ["yes", "no", "no", "yes"],
    }
)


def text(sep=",", decimal="."):
    return FRAME.to_csv(index=False, sep=sep, decimal=decimal)


def zipped(**files):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return sink.getvalue()


def arrow_bytes(how):
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    sink = io.BytesIO()
    if how == "parquet":
        FRAME.to_parquet(sink)
    elif how == "file":
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    else:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return sink.getvalue()


def zst():
    pa = pytest.importorskip("pyarrow")
    return pa.Codec("zstd").compress(text().encode(), asbytes=True)


def excel():
    pytest.importorskip("openpyxl")
    sink = io.BytesIO()
    FRAME.to_excel(sink, index=False)
    return sink.getvalue()


def json_rows():
    return [dict(zip(FRAME.columns, row, strict=True)) for row in FRAME.to_numpy().tolist()]


FILES = {
    "comma.csv": lambda: text().encode(),
    "tab.tsv": lambda: text("\t").encode(),
    "tab.csv": lambda: text("\t").encode(),
    "semicolon.csv": lambda: text(";").encode(),
    "bar.txt": lambda: text("|").encode(),
    "german.csv": lambda: text(";", ",").encode(),
    "german.tsv": lambda: text("\t", ",").encode(),
    "crlf.csv": lambda: text().replace("\n", "\r\n").encode(),
    "old-mac.csv": lambda: text().replace("\n", "\r").encode(),
    "bom.csv": lambda: text().encode("utf-8-sig"),
    "utf-16.csv": lambda: text().encode("utf-16"),
    "utf-16-be.txt": lambda: text("\t").encode("utf-16-be"),
    "gzip.csv.gz": lambda: gzip.compress(text().encode()),
    "gzip-unsaid.csv": lambda: gzip.compress(text().encode()),
    "unpacked.csv.gz": lambda: text().encode(),
    "bzip2.csv.bz2": lambda: bz2.compress(text().encode()),
    "xz.csv.xz": lambda: lzma.compress(text().encode()),
    "zip.zip": lambda: zipped(**{"t.csv": text()}),
    "zst.csv.zst": zst,
    "parquet.parquet": lambda: arrow_bytes("parquet"),
    "unsaid.dat": lambda: arrow_bytes("parquet"),
    "feather.feather": lambda: arrow_bytes("file"),
    "stream.arrow": lambda: arrow_bytes("stream"),
    "excel.xlsx": excel,
    "lines.jsonl": lambda: "\n".join(map(json.dumps, json_rows())).encode(),
    "list.json": lambda: json.dumps(json_rows(), indent=1).encode(),
    "columns.json": lambda: json.dumps(FRAME.to_dict("list"), indent=1).encode(),
    "pandas.json": lambda: FRAME.to_json().encode(),
    "names-after-a-mark.csv": lambda: b"#" + text().encode(),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("where", ["file", "standard input"])
def test_the_same_table_from_every_kind_of_file(tmp_path, monkeypatch, name, where):
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    if where == "standard input":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        path = "-"
    frame = read_numbers(path)
    assert [str(column) for column in frame.columns] == list(FRAME.columns)
    np.testing.assert_allclose(frame["größe"], FRAME["größe"], rtol=1e-15)
    assert frame["n"].tolist() == FRAME["n"].tolist()
    assert frame["smoker"].tolist() == FRAME["smoker"].tolist()


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_letters_of_windows_are_told(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes(text().encode(encoding))
    with pytest.warns(ToposwapWarning, match=r"t\.csv' is not UTF-8 text and was read as cp1252"):
        assert "größe" in read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("reader", ["pyarrow", "pandas"])
def test_a_late_letter_of_windows(tmp_path, reader, monkeypatch):
    if reader == "pandas":
        monkeypatch.setattr(text_files, "_by_arrow", lambda *_given: None)
    lines = ["a,b"] + ["word,1"] * 60_000 + ["größe,2"]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode("latin-1"))
    with pytest.warns(ToposwapWarning, match="read as cp1252"):
        assert read_table(tmp_path / "t.csv")["a"].iloc[-1] == "größe"


@pytest.mark.parametrize("reader", ["pyarrow", "pandas"])
@pytest.mark.parametrize(
    ("written", "numbers", "told"),
    [
        (
            'a,b\n"160,000",1\n"1,250",2\n900,3\n',
            [160_000, 1250, 900],
            "'160,000' was read as 160000",
        ),
        ('a,b\n"1,234,567.5",1\n"2,000",2\n', [1234567.5, 2000], "as 1234567.5"),
        ('a,b\n"1,5",1\n"-2,25",2\n', [1.5, -2.25], "'1,5' was read as 1.5"),
        ("a;b\n1.234,5;1\n2.000.000,0;2\n", [1234.5, 2e6], "as 1234.5"),
        ("a;b\n$1.50;1\n$20;2\n", [1.5, 20.0], "as 1.5"),
        ("a,b\n45%,1\n,3\n7.5%,2\n", [45.0, np.nan, 7.5], "'45%' was read as 45"),
        ("a;b\n$1,500;1\n$-20;2\n-$3;2\n", [1500.0, -20.0, -3.0], "as 1500"),
    ],
)
def test_numbers_as_people_write_them(tmp_path, monkeypatch, reader, written, numbers, told):
    if reader == "pandas":
        monkeypatch.setattr(text_files, "_by_arrow", lambda *_given: None)
    (tmp_path / "t.csv").write_text(written)
    with pytest.warns(ToposwapWarning, match=f"{told}, and so were the others in 'a'"):
        frame = read_table(tmp_path / "t.csv")
    np.testing.assert_allclose(frame["a"], numbers)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("reader", ["pyarrow", "pandas"])
def test_lines_after_a_mark(tmp_path, monkeypatch, reader, packed):
    """Are left out and told, unless the last of them holds the names."""
    if reader == "pandas":
        monkeypatch.setattr(text_files, "_by_arrow", lambda *_given: None)
    path = tmp_path / "t.csv"

    def write(lines):
        path.write_bytes(gzip.compress(lines.encode()) if packed else lines.encode())

    write("# made by hand, in June\n#\na,b,c\n1,2,3\n4,5,6\n")
    with pytest.warns(
        ToposwapWarning, match=r"lines before the names that begin with '#' .* \(2\)"
    ):
        frame = read_table(path)
    assert list(frame.columns) == ["a", "b", "c"]
    assert frame["c"].tolist() == [3, 6]
    for lines in ("# a b c\n1 2 3\n4 5 6\n", "#a,b,c\nx,2,3\ny,5,6\n"):
        write(lines)
        frame = read_table(path)
        assert list(frame.columns) == ["a", "b", "c"]
        assert list(frame["c"]) == [3, 6]
    write("# by hand\na,b\n1,2\n3\n")
    with pytest.warns(ToposwapWarning), pytest.raises(InputError, match="line 4: 1 field where"):
        read_table(path)


def test_rows_above_the_names_of_a_sheet(tmp_path):
    pytest.importorskip("openpyxl")
    for title in (None, "Results of June"):
        with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
            FRAME.to_excel(book, index=False, startrow=2)
            book.sheets["Sheet1"].cell(1, 1, title)
        with pytest.warns(
            ToposwapWarning, match="the first 2 lines, above the names, were left out"
        ):
            frame = read_table(tmp_path / "t.xlsx")
        assert list(frame.columns) == list(FRAME.columns)
        assert frame["n"].tolist() == FRAME["n"].tolist()


def test_blanks_between_columns(tmp_path):
    (tmp_path / "t.txt").write_text("a   b  c\n 1.5  2 3\n4  5   6\n")
    table = read_numbers(tmp_path / "t.txt")
    assert list(table.columns) == ["a", "b", "c"]
    assert table.to_numpy().tolist() == [[1.5, 2, 3], [4, 5, 6]]


def test_further_marks_of_missing_values(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c\n1,-999,x\n?,2.5,y\n3,-999.0,?\n")
    frame = read_table(tmp_path / "t.csv", missing=["?", "-999"])
    np.testing.assert_array_equal(frame["a"], [1, np.nan, 3])
    np.testing.assert_array_equal(frame["b"], [np.nan, 2.5, np.nan])
    assert frame["c"].isna().tolist() == [False, False, True]


def test_fields_of_several_lines(tmp_path):
    words = "\n".join(f'"one\ntwo {k}",{k}' for k in range(100_000))
    (tmp_path / "t.csv").write_text("a,b\n" + words)
    frame = read_table(tmp_path / "t.csv")
    assert len(frame) == 100_000
    assert frame["a"].iloc[-1] == "one\ntwo 99999"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("two.zip", lambda: zipped(a=text(), b=text()), "an archive of 2 files: unpack it"),
        ("none.zip", zipped, "archive of 0 files"),
        ("cut.csv.gz", lambda: gzip.compress(text().encode() * 99)[:-40], "cannot read"),
        ("cut.csv.bz2", lambda: bz2.compress(text().encode() * 99)[:-40], "cannot read"),
        ("cut.csv.xz", lambda: lzma.compress(text().encode() * 99)[:-40], "cannot read"),
        ("cut.zip", lambda: zipped(a=text())[:-40], "cannot read"),
        ("cut.zst", lambda: zst()[:-4], "cannot read"),
        ("cut.feather", lambda: arrow_bytes("file")[:-40], "as Arrow"),
        ("cut.arrow", lambda: arrow_bytes("stream")[:40], "as Arrow"),
        ("cut.xlsx", lambda: excel()[:-40], "cannot read"),
        ("old.xls", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), r"save it as \.xlsx"),
        ("npy.npy", lambda: b"\x93NUMPY\x01\x00v\x00{'descr'", "is no text"),
        ("cut.jsonl", lambda: b'{"a": 1, "b": 2}\n{"a": 1', "as JSON: line 2"),
        ("list.json", lambda: b"[1, 2, 3]", "one object a line, or a list of objects"),
        ("nested.json", lambda: b"[" * 100_000, "nested too deeply"),
        ("lists.jsonl", lambda: b'{"a": 1, "b": [2]}\n{"a": 1, "b": [3]}', "'b' hold lists"),
        ("half.jsonl", lambda: b'{"\\ud800": 1, "b": 2}', "half a pair of UTF-16"),
        ("short.feather", lambda: b"ARROW1" + bytes(50), "as Arrow"),
        ("t.csv", lambda: b"\n <!DOCTYPE html><p>a,b", "is a web page: save the table on it"),
        ("t.pdf", lambda: b"%PDF-1.7 1,2", "is a PDF document"),
        (
            "t.csv",
            lambda: b"Results\n\na,b\n1,2\n3,4\n",
            "line 3 has 2 fields: delete what is above",
        ),
        ("uneven.json", lambda: b'{"a": [1, 2], "b": [1]}', "'a', 'b' hold lists"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content())
    with pytest.raises(InputError, match=message) as refused:
        read_table(path)
    assert "\n" not in str(refused.value)


def test_other_sheets_are_told(tmp_path):
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        FRAME.to_excel(book, sheet_name="data", index=False)
        FRAME.to_excel(book, sheet_name="notes", index=False)
    with pytest.warns(ToposwapWarning, match=r"first of 2 sheets was read, 'data'.*'notes'"):
        assert len(read_table(tmp_path / "t.xlsx")) == len(FRAME)


@pytest.mark.parametrize(
    ("package", "name", "extra"),
    [
        ("openpyxl", "t.xlsx", "excel"),
        ("pyarrow", "t.feather", "parquet"),
    ],
)
def test_without_an_extra(tmp_path, monkeypatch, package, name, extra):
    content = {"t.xlsx": zipped(**{"xl/workbook.xml": ""}), "t.feather": b"ARROW1" + bytes(20)}
    (tmp_path / name).write_bytes(content[name])
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"t\.{extra and name[2:]}.*toposwap\[{extra}\]"):
        read_table(tmp_path / name)


def test_nothing_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(InputError, match="standard input is empty"):
        read_table("-")
