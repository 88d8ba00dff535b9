"""Graphs to files and back, whatever the nodes are called."""

from __future__ import annotations

import json
import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.errors import InputError
from toposwap.io import (
    LearnedEdge,
    edge_list,
    read_graph,
    read_order,
    read_weights,
    write_graph,
)

NAMES = [
    "a b",
    'qu"ote',
    "it's",
    "naïve 雪",
    "x,y",
    "back\\slash\\",
    "&amp; <b>",
    "[1]",
    "new\nline",
    "$x$",
    "NA",
    "-> ;{}#",
]


def graph(names, seed=0):
    d = len(names)
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(d, d)), 1) * (rng.random((d, d)) < 0.5)
    return pd.DataFrame(weights, index=list(names), columns=list(names))


@pytest.fixture
def file(tmp_path):
    def write(text, name="w.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("suffix", [".csv", ".weights.csv", ".json"])
@given(
    names=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(
            lambda name: name.strip() == name
        ),
        min_size=2,
        max_size=6,
        unique=True,
    )
)
def test_round_trip_of_any_names(tmp_path_factory, suffix, names):
    frame = graph(names, seed=len(names))
    path = tmp_path_factory.mktemp("graph") / f"g{suffix}"
    write_graph(path, frame)
    pd.testing.assert_frame_equal(read_weights(path, names), frame, check_exact=True)


def test_round_trip_through_gml(tmp_path):
    frame = graph(NAMES)
    frame.iloc[0, 1:4] = [1e-9, -1e30, 2.0]
    write_graph(tmp_path / "g.gml", frame)
    read = nx.read_gml(tmp_path / "g.gml")
    assert list(read) == NAMES
    np.testing.assert_array_equal(nx.to_numpy_array(read, nodelist=NAMES), frame.to_numpy())


def test_dot_quotes_every_name(tmp_path):
    frame = graph(NAMES)
    write_graph(tmp_path / "g.dot", frame)
    text = (tmp_path / "g.dot").read_text(encoding="utf-8")
    string = r'"((?:[^"\\]|\\.)*)"'

    def unquoted(quoted):
        return re.sub(r"\\(.)", r"\1", quoted)

    nodes = re.findall(rf"^  {string}(?: \[label=.*\])?;$", text, re.MULTILINE)
    assert [unquoted(node) for node in nodes] == NAMES
    edges = re.findall(
        rf'^  {string} -> {string} \[label="[^"]*", coefficient="([^"]*)"\];$', text, re.MULTILINE
    )
    assert [(unquoted(a), unquoted(b), float(w)) for a, b, w in edges] == edge_list(frame)
    # Graphviz refuses negative numbers there.
    assert not re.search(r"\bweight=", text)


def test_what_is_known_of_learned_edges_is_written_and_passed_over_by_the_reader(tmp_path):
    frame = pd.DataFrame([[0.0, -2.0, 0.5], [0, 0, 3.0], [0, 0, 0]], columns=list("abc"))
    frame.index = frame.columns
    edges = [
        LearnedEdge("b", "c", 3.0, 0.75, open=False),
        LearnedEdge("a", "b", -2.0, -0.5, open=True),
        LearnedEdge("a", "c", 0.5, None, open=False),
    ]
    for suffix in (".csv", ".json", ".gml", ".dot"):
        write_graph(tmp_path / f"g{suffix}", frame, edges=edges)
    assert (tmp_path / "g.csv").read_text() == (
        "source,target,weight,standardised,open\n"
        "b,c,3.0,0.75,false\na,b,-2.0,-0.5,true\na,c,0.5,,false\n"
    )
    for suffix in (".csv", ".json"):
        read = read_weights(tmp_path / f"g{suffix}", list("abc"))
        pd.testing.assert_frame_equal(read, frame, check_exact=True)
    lines = (tmp_path / "g.dot").read_text().splitlines()
    assert [line for line in lines if "dir=none" in line] == [
        '  "a" -> "b" [label="-2", coefficient="-2.0", standardised="-0.5", dir=none];'
    ]
    read = nx.read_gml(tmp_path / "g.gml")
    assert read.edges["a", "b"] == {"weight": -2.0, "standardised": -0.5, "open": 1}
    assert read.edges["a", "c"] == {"weight": 0.5, "open": 0}


def test_edges_are_sorted_by_size(tmp_path):
    frame = pd.DataFrame([[0, -2.0, 0.5], [0, 0, 2.0], [0, 0, 0]], columns=list("abc"))
    frame.index = frame.columns
    write_graph(tmp_path / "g.csv", frame)
    assert (tmp_path / "g.csv").read_text() == (
        "source,target,weight\na,b,-2.0\nb,c,2.0\na,c,0.5\n"
    )


def test_json_has_no_nan(tmp_path):
    record = {"score": float("nan"), "history": [{"seconds": float("inf")}]}
    write_graph(tmp_path / "g.json", graph("ab"), record)
    read = json.loads((tmp_path / "g.json").read_text(), parse_constant=pytest.fail)
    assert read["score"] is None
    assert read["history"] == [{"seconds": None}]
    assert read["names"] == ["a", "b"]


def test_unknown_endings(tmp_path):
    with pytest.raises(InputError, match=r"g\.xml'.*\.weights\.csv, \.csv, \.json, \.gml, \.dot"):
        write_graph(tmp_path / "g.xml", graph("ab"))
    (tmp_path / "g.xml").write_text("<graph/>")
    with pytest.raises(InputError, match=r"read from \.csv, \.json, \.npy"):
        read_weights(tmp_path / "g.xml")


# --- the forms that weights come in --------------------------------------------------------------


def test_square_matrices(file, tmp_path):
    expected = [[0.0, 1.5], [0.0, 0.0]]
    for text in ("a,b\n0,1.5\n0,0\n", ",a,b\na,0,1.5\nb,0,0\n", "id, b, a\nb,0,0\na,1.5,0\n"):
        frame = read_weights(file(text), ["a", "b"])
        assert frame.to_numpy().tolist() == expected
        assert list(frame.columns) == list(frame.index) == ["a", "b"]
    assert read_weights(file("0,1.5\n0,0\n"), ["a", "b"]).loc["a", "b"] == 1.5
    assert list(read_weights(file("0,1.5\n0,0\n")).columns) == ["x0", "x1"]
    # Names that are numbers are still names.
    assert read_weights(file("0,1\n0,7\n0,0\n")).loc["0", "1"] == 7
    np.save(tmp_path / "w.npy", np.array(expected))
    assert read_weights(tmp_path / "w.npy", ["a", "b"]).loc["a", "b"] == 1.5


def test_lists_of_edges(file):
    frame = read_weights(file("source, target\nb, a\n"), ["a", "b", "c"])
    assert frame.to_numpy().tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    frame = read_weights(file("Weight,Target,Source\n-2,b,a\n"))
    assert frame.loc["a", "b"] == -2
    assert not read_graph(file("source,target\na,b\n")).complete
    assert read_weights(file("source,target,weight\n"), ["a", "b"]).to_numpy().sum() == 0


def test_blanks_around_the_names_of_the_data(file):
    frame = read_weights(file("source,target,weight\na,b,3\n"), [" a", "b "])
    assert frame.loc[" a", "b "] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source,target,weight\na,b,1\na,b,2\n", "line 3: the edge 'a' -> 'b' is there twice"),
        ("source,target,weight\na,b,strong\n", "line 2: 'strong' is not a number"),
        ("source,target,weight\na,b,nan\n", "line 2: the weight nan is not finite"),
        ("source,target,weight\na,b\n", "line 2: 2 fields where the header has 3"),
        ("source,target\na,\n", "line 2: an edge needs a source and a target"),
        ("source,target\na,z\n", "'z' is not among the columns"),
        ("a,b,c\n0,1,0\n", "neither a list of edges .* nor a square matrix: 1 rows below"),
        ("a,b\n0,1\n0,x\n", "line 3: 'x' is not a number"),
        ("a,b\n0,1\n0\n", "line 3: 1 fields where 2 were expected"),
        ("a,a\n0,1\n0,0\n", "duplicate names: 'a'"),
        (",a,b\na,0,1\nc,0,0\n", r"names of the rows are not those of the columns \('c'\)"),
        ("a,c\n0,1\n0,0\n", "'c' is not among the columns"),
        ("0,1,0\n0,0,1\n0,0,0\n", "a matrix of 3 variables, but there are 2 columns"),
        ("source,target,target\na,b,b\n", "neither a list of edges"),
        ("source,target,p-value\na,b,0.1\n", "neither a list of edges"),
        ("", "is empty"),
    ],
)
def test_weights_that_are_refused(file, text, message):
    with pytest.raises(InputError, match=message) as refused:
        read_weights(file(text), ["a", "b"])
    assert "w.csv" in str(refused.value)


def test_a_matrix_must_have_every_column(file):
    with pytest.raises(InputError, match="'c' is missing from it"):
        read_weights(file("a,b\n0,1\n0,0\n"), ["a", "b", "c"])


def test_other_weights_that_are_refused(file, tmp_path):
    with pytest.raises(InputError, match="as JSON"):
        read_weights(file("{", "w.json"))
    with pytest.raises(InputError, match="not a result of toposwap"):
        read_weights(file('{"nodes": []}', "w.json"))
    stray = '{"names": ["a"], "edges": [{"source": "a", "target": "b", "weight": 1}]}'
    with pytest.raises(InputError, match="'b' is not one of the names"):
        read_weights(file(stray, "w.json"))
    np.save(tmp_path / "w.npy", np.zeros((2, 3)))
    with pytest.raises(InputError, match=r"square, got shape \(2, 3\)"):
        read_weights(tmp_path / "w.npy")
    np.save(tmp_path / "w.npy", np.full((2, 2), np.nan))
    with pytest.raises(InputError, match="NaN or infinity"):
        read_weights(tmp_path / "w.npy")
    np.save(tmp_path / "w.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(InputError, match="as a matrix of numbers"):
        read_weights(tmp_path / "w.npy")


# --- orders --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("c\na b\nd,e\n", "o.txt"),
        ('c\na b\n\n"d,e"\n', "o.csv"),
        ('causes first\nc\na b\n"d,e"\n', "o.csv"),
        ('{"causal_order": ["c", "a b", "d,e"]}', "o.json"),
    ],
)
def test_orders(file, text, name):
    assert read_order(file(text, name), ["a b", "c", "d,e"]) == ["c", "a b", "d,e"]


def test_files_that_hold_no_order(file):
    assert read_order(file("a,b\n0,1\n0,0\n"), ["a", "b"]) is None
    assert read_order(file('{"names": []}', "o.json"), ["a", "b"]) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nz\n", "'z' is not among the columns"),
        ("a\n", "'b' is missing"),
        ("a\nb\na\n", "'a' is there twice"),
    ],
)
def test_orders_that_are_refused(file, text, message):
    with pytest.raises(InputError, match=message):
        read_order(file(text, "o.txt"), ["a", "b"])
