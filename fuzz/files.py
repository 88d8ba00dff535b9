"""Files that a user may hand over: tables and weights, whole, odd, broken, and no files at all."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.names import HOSTILE, draw_names
from fuzz.tables import KINDS, Table, draw_table

if TYPE_CHECKING:
    from fuzz.draws import Draw

#: Endings of the files of tables, and of those of graphs and orders.
_PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
TABLES = (
    ".csv", ".csv", ".csv", ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.bz2", ".csv.xz", ".txt",
    ".parquet", ".pq", ".feather", ".jsonl",
)  # fmt: skip
GRAPHS = (".csv", ".weights.csv", ".npy", ".json", ".txt")
_ODD_ENDINGS = ("", ".xlsx", ".CSV", ".txt", ".gz", ".json", ".csv.bz2")


def draw_file_table(draw: Draw) -> Table:
    """A small table, with hostile names more often than not."""
    table = draw_table(draw, draw.weighed(KINDS), small=True)
    while draw.chance(0.7) and not _usual(table):
        table = draw_table(draw, draw.weighed(KINDS), small=True)
    table.names = draw_names(draw, table.shape[1], hostile=0.6)
    return table


def _usual(table: Table) -> bool:
    """Whether most commands can do something with it."""
    return table.dependence == "none" and table.units == "alike" and table.shape[0] >= 20


def write_table(draw: Draw, folder: Path, table: Table) -> Path:
    """Write ``table``, as it should be or not, and return where."""
    how = draw.weighed({"whole": 65, "odd text": 16, "damaged": 11, "noise": 5, "no file": 3})
    if how == "no file":
        return _no_file(draw, folder)
    ending = draw.among(TABLES)
    path = folder / f"{_stem(draw)}{draw.among(_ODD_ENDINGS) if draw.chance(0.03) else ending}"
    if how == "noise":
        path.write_bytes(_noise(draw))
        return path
    content = _odd_text(draw, table) if how == "odd text" else _csv(draw, table, ending)
    if ending in (".parquet", ".pq", ".feather") and how != "odd text":
        content = _arrow(table, ending)
    elif ending == ".jsonl" and how != "odd text":
        content = _json_lines(table)
    elif Path(ending).suffix in _PACKED:
        content = _PACKED[Path(ending).suffix](content)
    path.write_bytes(_damaged(draw, content) if how == "damaged" else content)
    return path


def write_graph(draw: Draw, folder: Path, names: list[str]) -> Path:
    """Write weights or an order of ``names``, as it should be or not, and return where."""
    how = draw.weighed({"whole": 70, "damaged": 10, "noise": 6, "odd": 11, "no file": 3})
    if how == "no file":
        return _no_file(draw, folder)
    ending = draw.among(GRAPHS)
    path = folder / f"{_stem(draw)}{ending}"
    if how == "noise":
        path.write_bytes(_noise(draw))
        return path
    content = _odd_graph(draw, ending) if how == "odd" else _graph(draw, names, ending)
    path.write_bytes(_damaged(draw, content) if how == "damaged" else content)
    return path


def _stem(draw: Draw) -> str:
    if draw.chance(0.9):
        return f"file{draw.whole(0, 10**9)}"
    return draw.among(
        ["two words", "-o", "new\nline", "\x1b[31mred", "ünï", "=cmd", "a'b\"c", "%s"]
    )


def _no_file(draw: Draw, folder: Path) -> Path:
    path = folder / f"nothing{draw.whole(0, 99)}.csv"
    how = draw.weighed({"missing": 30, "folder": 20, "loop": 15, "null": 15, "fifo": 5, "long": 15})
    if how == "folder":
        path.mkdir()
    elif how == "loop":
        path.symlink_to(path.name)
    elif how == "null":
        return Path("/dev/null")
    elif how == "fifo" and hasattr(os, "mkfifo"):
        os.mkfifo(path)
    elif how == "long":
        return folder / ("x" * 300 + ".csv")
    return path


def _noise(draw: Draw) -> bytes:
    size = draw.among([0, 1, 7, 100, 5000])
    head = draw.among(
        [b"", b"", b"PAR1", b"\x1f\x8b\x08", b"\x93NUMPY\x01\x00", b"\xef\xbb\xbf", b"{"]
    )
    return head + draw.rng.bytes(size)


def _damaged(draw: Draw, content: bytes) -> bytes:
    if len(content) < 2:
        return content
    if draw.chance(0.5):
        return content[: draw.whole(0, len(content) - 1)]
    mutable = bytearray(content)
    for _ in range(draw.whole(1, 8)):
        mutable[draw.whole(0, len(content) - 1)] = draw.whole(0, 255)
    return bytes(mutable)


def _csv(draw: Draw, table: Table, ending: str) -> bytes:
    sink = io.StringIO(newline="")
    writer = csv.writer(
        sink,
        delimiter="\t" if ending.startswith(".tsv") else draw.among([",", ",", ",", ";", "|"]),
        lineterminator=draw.among(["\n", "\n", "\r\n"]),
        quoting=draw.among([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    )
    writer.writerow(table.names)
    writer.writerows([repr(v) for v in row] for row in table.values.tolist())
    encoding = draw.weighed({"utf-8": 85, "utf-8-sig": 8, "utf-16": 3, "latin-1": 3, "cp037": 1})
    return sink.getvalue().encode(encoding, "replace")


def _json_lines(table: Table) -> bytes:
    rows = (dict(zip(table.names, row, strict=True)) for row in table.values.tolist())
    return "\n".join(map(json.dumps, rows)).encode()


def _arrow(table: Table, ending: str) -> bytes:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
        from pyarrow import feather
    except ImportError:
        return b"PAR1"
    names = [name.encode(errors="replace").decode() for name in table.names]
    sink = io.BytesIO()
    columns = [pa.array(table.values[:, j]) for j in range(len(names))]
    held = pa.table(columns, names=names)
    if ending == ".feather":
        feather.write_feather(held, sink)
    else:
        pq.write_table(held, sink)
    return sink.getvalue()


def _odd_text(draw: Draw, table: Table) -> bytes:
    names = ",".join(f'"{name}"' for name in ("a", "b", "c"))
    rows = "".join(f"{x!r},{x * x!r},{-x!r}\n" for x in table.values[:, 0].tolist())
    texts = [
        "", "\n\n\n", names, names + "\n", "\ufeff" + names + "\n" + rows, rows,
        "a,b,a\n" + rows, "a,,c\n" + rows, ",b,c\n" + rows, "a,b\n" + rows, "a,b,c,d\n" + rows,
        names + "\n" + rows + "1,2\n", names + "\n" + rows + "1,2,3,4\n",
        names + "\n" + rows + "1,,3\n", names + "\n" + rows + "NA,nan,inf\n",
        names + "\n" + rows + '1,"2,5",3\n', names + "\n" + rows + "1,text,3\n",
        names + "\n" + rows + '1,"2,3\n', names + "\n" + rows + "1,\x00,3\n",
        names + "\n" + rows + "1e400,-1e400,1\n", names + "\n" + rows + "0x10,1_000,١\n",
        names + "\n" + rows + f"{10**400},1,2\n", names + "\n" + rows + "True,False,None\n",
        names + "\n" + rows.replace(",", ";"), "a;b;c\n" + rows.replace(",", ";"),
        "a|b\n1|2\n2|1\n", names + "\n" + rows.replace("\n", "\r"), "a b c\n1 2 3\n2 3 1\n",
        "a,b\n" + "1,2\n" * 20, "a,b\n" + "2020-01-01,1\n2020-01-02,2\n", "#a,b\n1,2\n2,5\n",
        ",".join(["x" * 70_000, "b"]) + "\n1,2\n2,1\n3,3\n", "a,b\n" + "9" * 200_000 + ",1\n1,2\n",
        ",".join(draw.among(HOSTILE).replace("\n", " ") for _ in range(3)) + "\n" + rows,
        ",".join(f"x{k}" for k in range(3000)) + "\n" + ",".join(["1"] * 3000) + "\n",
    ]  # fmt: skip
    return draw.among(texts).encode("utf-8", "surrogatepass")


def _graph(draw: Draw, names: list[str], ending: str) -> bytes:
    d = len(names)
    W = draw.rng.standard_normal((d, d)) * (draw.rng.random((d, d)) < 0.5)
    W = np.triu(W, 1) if draw.chance(0.7) else W
    if ending == ".npy":
        sink = io.BytesIO()
        np.save(sink, W)
        return sink.getvalue()
    if ending == ".txt":
        return "\n".join(names[k] for k in draw.rng.permutation(d)).encode(errors="replace")
    edges = [(names[i], names[j], float(W[i, j])) for i, j in np.argwhere(W)]
    if ending == ".json":
        listed = [dict(zip(("source", "target", "weight"), edge, strict=True)) for edge in edges]
        return json.dumps({"names": names, "edges": listed, "causal_order": names}).encode()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    if ending == ".csv":
        writer.writerows([("source", "target", "weight"), *edges])
    else:
        writer.writerow(["", *names])
        writer.writerows([name, *row] for name, row in zip(names, W.tolist(), strict=True))
    return text.getvalue().encode(errors="replace")


def _odd_graph(draw: Draw, ending: str) -> bytes:
    return draw.among(_ODD_GRAPHS[ending if ending in _ODD_GRAPHS else ".csv"])()


def _npy(array: Any, *, pickled: bool = False) -> Callable[[], bytes]:
    def save() -> bytes:
        sink = io.BytesIO()
        np.save(sink, array, allow_pickle=pickled)
        return sink.getvalue()

    return save


def _text(text: str) -> Callable[[], bytes]:
    return partial(str.encode, text)


_ODD_GRAPHS: dict[str, list[Callable[[], bytes]]] = {
    ".npy": [
        _npy(np.zeros(3)), _npy(np.zeros((2, 2, 2))), _npy(np.zeros((3, 3), dtype=complex)),
        _npy(np.full((3, 3), np.nan)), _npy(np.zeros((2, 3))), _npy(np.zeros((0, 0))),
        _npy(np.array([[{}]], dtype=object), pickled=True), _npy(np.array([["a", "b"]] * 2)),
        _npy(np.zeros((2, 2), dtype=[("a", float), ("b", int)])), _npy(np.ones((3, 3), dtype=bool)),
        _npy(np.zeros((2, 2), dtype="M8[s]")), _npy(np.float64(1.0)),
        lambda: b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': "
        b"(99999999999, 9), }" + b" " * 40 + b"\n",
    ],
    ".json": [
        _text("[" * 100_000), _text('{"a":' * 100_000), _text("null"), _text("[]"), _text("NaN"),
        _text("{}"), _text('{"edges": 3}'), _text('{"names": 3, "edges": []}'),
        _text('{"names": ["x0", "x0"], "edges": []}'), _text('{"causal_order": [1, null, {}]}'),
        _text('{"names": ["x0", "x1"], "edges": [{"source": "x0"}]}'),
        _text('{"names": ["x0", "x1"], "edges": [{"source": [], "target": {}, "weight": "x"}]}'),
        _text('{"names": ["x0", "x1"], "edges": [["x0", "x1", 1e999]]}'), _text("1" * 5000),
    ],
    ".csv": [
        _text("source,target,weight\nx0,x1,nan\n"), _text("source,target,weight\nx0,x0,1\n"),
        _text("source,target,weight\nx0,x1,1\nx0,x1,2\n"), _text("source,target\nx0,x1,3\n"),
        _text("source,target,weight\nx0,nobody,1\n"), _text("target,source\nx0,x1\n"),
        _text("x0,x1\n0,1\n0,0\n"), _text("0,1\n0,0\n"), _text("0,1,2\n0,0\n"), _text(""),
        _text("source,target,weight\nx0,x1,1e999\n"), _text("source,target,weight\n"),
        _text(",x0,x1\nx1,0,1\nx0,0,0\n"), _text(",x0,x1\nx0,0,a\nx1,0,0\n"), _text("x1\nx0\n"),
    ],
}  # fmt: skip
