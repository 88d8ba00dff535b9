"""Files that are nested, long, endless or of another kind than they say: one sentence each."""

import os
import struct
import sys

import numpy as np
import pytest

from toposwap.core.errors import InputError
from toposwap.io import read_graph, read_order, read_table

NAMES = ["a", "b", "c"]


def as_result(weight):
    return (
        f'{{"names": ["a", "b"], "edges": [{{"source": "a", "target": "b", "weight": {weight}}}]}}'
    )


TEXTS = {
    "nested.json": ("[" * 200_000, "nested too deeply"),
    "names.json": ('{"names": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    "digits.json": (as_result("1" * 5001), "the weight inf is not finite"),
    "large.json": (as_result("1" * 350), "the weight 1111.* is not finite"),
    "list.json": (as_result("[[1]]"), r"\[\[1\]\] is not a number"),
    "half.json": ('{"names": ["\\ud800"], "edges": []}', "half a pair of UTF-16"),
    "digits.csv": ("source,target,weight\na,b," + "1" * 5001, "the weight 1111.* is not finite"),
    "text.csv": ("source,target,weight\na,b," + "x" * 5001, "'xxxx.* is not a number"),
    "field.csv": ("source,target\na," + "x" * 200_000, "larger than field limit"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_graphs(tmp_path, name):
    text, reason = TEXTS[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=reason) as refusal:
        read_graph(tmp_path / name)
    assert len(str(refusal.value).replace(str(tmp_path), "")) < 250


def test_orders(tmp_path):
    (tmp_path / "nested.json").write_text("[" * 200_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_order(tmp_path / "nested.json", NAMES)
    (tmp_path / "digits.json").write_text('{"causal_order": [' + "1" * 5001 + "]}")
    with pytest.raises(InputError, match="'inf' is not among the columns"):
        read_order(tmp_path / "digits.json", NAMES)


def claims(shape, dtype="<f8"):
    """An .npy file whose header says ``shape``, and which holds next to nothing."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + b"\0" * 64


ARRAYS = {
    "structured": np.zeros((3, 3), dtype=[("x", "f8")]),
    "two fields": np.zeros((3, 3), dtype=[("x", "f8"), ("y", "f8")]),
    "text": np.full((3, 3), "1"),
    "complex": np.zeros((3, 3), dtype=complex),
    "dates": np.zeros((3, 3), dtype="M8[D]"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_that_are_no_real_numbers(tmp_path, kind):
    np.save(tmp_path / "w.npy", ARRAYS[kind])
    with pytest.raises(InputError, match="a weight matrix holds real numbers, this one"):
        read_graph(tmp_path / "w.npy")


@pytest.mark.parametrize(
    "content",
    [
        claims((10**6, 10**6)),
        claims((10**12, 10**12)),
        claims((2**32, 2**32)),
        claims((10**30, 10**30)),
        claims((3, 3), "|O"),
        claims((3, 0)),
        b"\x93NUMPY",
        claims("(3, 3"),
        claims("((((("),
        b"PK\x03\x04 not an archive",
    ],
)
def test_arrays_that_do_not_hold_what_they_claim(tmp_path, content):
    (tmp_path / "w.npy").write_bytes(content)
    with pytest.raises(InputError):
        read_graph(tmp_path / "w.npy")


def test_several_arrays_in_one_file(tmp_path):
    np.savez(tmp_path / "w.npz", a=np.eye(2))
    (tmp_path / "w.npz").rename(tmp_path / "w.npy")
    with pytest.raises(InputError, match="as a matrix of numbers"):
        read_graph(tmp_path / "w.npy")


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4", "|b1", "<i8"])
def test_matrices_of_every_type_of_number(tmp_path, kind):
    matrix = np.array([[0, 1], [0, 0]])
    np.save(tmp_path / "w.npy", matrix.astype(kind))
    np.testing.assert_array_equal(read_graph(tmp_path / "w.npy").weights, matrix.astype(float))


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices are those of POSIX")
@pytest.mark.parametrize("read", [read_graph, lambda path: read_table(path, sep=",")])
def test_pipes_and_devices_do_not_hang(tmp_path, read):
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", "/dev/zero"):
        with pytest.raises(InputError, match="is a pipe or a device: save its contents"):
            read(path)


def test_a_whole_pair_of_utf_16_is_a_character(tmp_path):
    (tmp_path / "w.json").write_text('{"names": ["\\ud83d\\ude00"], "edges": []}')
    assert read_graph(tmp_path / "w.json").names == ("😀",)
