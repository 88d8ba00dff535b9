"""What is open and what is strong: the same in tables, files and pictures."""

from __future__ import annotations

import csv
import io
import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.report import as_text, edge_table, record_of, report, write_result
from toposwap.report.evidence import evidence_of
from toposwap.report.graph import open_directions, reported_graph

NAMES = ["a", "b", "c", "d", "e", 'f "g"']


@pytest.fixture(scope="module")
def table():
    """a -> c <- b, c -> d, e -> f: all but the last follow from the v-structure at c."""
    X = np.random.default_rng(0).normal(size=(1000, 6))
    X[:, 2] += 0.5 * X[:, 0] + X[:, 1]
    X[:, 3] += 2.0 * X[:, 2]
    X[:, 5] -= X[:, 4]
    return pd.DataFrame(X * [1, 1, 1, 1e-3, 1e3, 1], columns=NAMES)


@pytest.fixture(scope="module")
def model(table):
    return ts.Topo("bic", random_state=0).fit(table)


@pytest.fixture
def written(model, tmp_path):
    """The text of a file with the model's graph, by its ending."""

    def write(suffix):
        write_result(tmp_path / f"g{suffix}", model, 1000)
        return (tmp_path / f"g{suffix}").read_text(encoding="utf-8")

    return write


def pair_of(edges):
    return {frozenset((edge.source, edge.target)) for edge in edges if edge.open}


def test_only_the_lone_edge_is_open(model):
    edges = reported_graph(model).edges()
    assert len(edges) == 4
    assert pair_of(edges) == {frozenset(("e", 'f "g"'))}


@pytest.mark.filterwarnings("ignore::toposwap.core.errors.UnitsWarning")
def test_scores_that_tell_directions_apart_leave_none_open(table):
    assert not open_directions(ts.Topo("equal-variance-l0").fit(table)).any()
    assert not open_directions(ts.Topo("least-squares").fit(table)).any()
    assert not open_directions(ts.Topo("basis-bic").fit(table)).any()
    # What pruned leaves them open, whatever the certified score does.
    pruned = ts.Topo("gaussian-l1", prune="bic", random_state=0).fit(table)
    assert pair_of(reported_graph(pruned).edges()) == {frozenset(("e", 'f "g"'))}


def test_the_order_is_that_of_the_standardised_weights_where_units_mean_nothing(model, table):
    sizes = [abs(edge.standardised) for edge in reported_graph(model).edges()]
    assert sizes == sorted(sizes, reverse=True)
    weights = [abs(edge.weight) for edge in reported_graph(model).edges()]
    assert weights != sorted(weights, reverse=True)
    squares = reported_graph(ts.Topo("least-squares").fit(table)).edges()
    weights = [abs(edge.weight) for edge in squares]
    assert weights == sorted(weights, reverse=True)


# --- the same in every format --------------------------------------------------------------------


def test_the_table(model):
    lines = as_text(edge_table(model)).splitlines()
    heads = "cause effect weight standardised low high evidence direction"
    assert lines[0].split() == heads.split()
    marked = [line for line in lines[2:] if line.endswith(" open")]
    assert len(marked) == 1
    assert "e " in marked[0]
    assert 'f "g"' in marked[0]


def test_the_comma_separated_file(model, written):
    rows = list(csv.DictReader(io.StringIO(written(".csv"))))
    given = ["parameters", "given_low", "given_high", "evidence"]
    assert list(rows[0]) == ["source", "target", "weight", "standardised", "open", *given]
    for row, edge in zip(rows, reported_graph(model).edges(), strict=True):
        assert (row["source"], row["target"]) == (edge.source, edge.target)
        assert float(row["weight"]) == edge.weight
        assert float(row["standardised"]) == edge.standardised
        assert row["open"] == ("true" if edge.open else "false")
    assert pd.read_csv(io.StringIO(written(".csv")))["open"].dtype == bool


def test_json(model, written):
    read = json.loads(written(".json"))
    graph = reported_graph(model, given=evidence_of(model, model._data))
    told = [edge._asdict() for edge in graph.edges()]
    # Without resamples there is nothing to say of doubt.
    assert read["edges"] == [{k: v for k, v in edge.items() if v is not None} for edge in told]
    assert read["edges"] == record_of(model)["edges"]
    assert len(read["open_directions"]) == 1
    assert set(read["open_directions"][0]) == {"e", 'f "g"'}
    assert read["penalty"] == {"name": "bic", "factor": 2.0}


def test_gml(model, written, tmp_path):
    text = written(".gml")
    assert text.count("open 1") == 1
    graph = nx.read_gml(tmp_path / "g.gml")
    assert set(graph) == set(NAMES)
    for edge in reported_graph(model).edges():
        attributes = graph.edges[edge.source, edge.target]
        assert attributes["weight"] == edge.weight
        assert attributes["standardised"] == edge.standardised
        assert bool(attributes["open"]) == edge.open


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dot(model, written):
    pydot = pytest.importorskip("pydot")
    (graph,) = pydot.graph_from_dot_data(written(".dot"))
    assert len(graph.get_nodes()) == len(NAMES)
    found = {}
    for edge in graph.get_edges():
        ends = (edge.get_source(), edge.get_destination())
        found[tuple(end[1:-1].replace('\\"', '"') for end in ends)] = edge.get_attributes()
    for edge in reported_graph(model).edges():
        attributes = found.pop((edge.source, edge.target))
        assert float(attributes["coefficient"].strip('"')) == edge.weight
        assert float(attributes["standardised"].strip('"')) == edge.standardised
        assert attributes.get("dir") == ("none" if edge.open else None)
    assert not found


def test_a_graph_without_edges_has_the_same_columns(tmp_path):
    X = np.random.default_rng(8).normal(size=(200, 2))
    model = ts.Topo("bic").fit(X)
    write_result(tmp_path / "g.csv", model)
    assert (tmp_path / "g.csv").read_text() == "source,target,weight,standardised,open\n"
    assert "directions" not in as_text(report(model))


# --- what the report claims ----------------------------------------------------------------------


def test_directions_are_claimed_under_the_model_s_assumptions_only(model):
    text = " ".join(as_text(report(model)).split())
    claim = "3 of 4 follow from the data if the model holds (linear effects, Gaussian noise, no "
    assert f"{claim}unmeasured common causes)" in text
    assert "fixed" not in text


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("bic", "bic, factor 2: twice Schwarz's penalty per edge, as in FLOP and Tetrad"),
        ("auto", "bic, factor 2: twice Schwarz's penalty per edge, as in FLOP and Tetrad"),
        (ts.scores.Auto(factor=1.0), "bic, factor 1: Schwarz's penalty per edge"),
        (
            ts.scores.Penalized("gaussian", ts.penalties.BIC(factor=1.0)),
            "bic, factor 1: Schwarz's penalty per edge",
        ),
        ("ebic", "ebic, factor 2, gamma 0.5: twice Schwarz's penalty per edge"),
        ("basis-bic", "bic, factor 1: Schwarz's penalty per coefficient of a curve"),
        ("gaussian-l1", "l1, weight 0.1"),
        ("least-squares", None),
        ("gaussian-none", None),
    ],
)
def test_what_an_edge_costs_is_said(table, score, words):
    X = table.to_numpy()[:, :2]
    text = as_text(report(ts.Topo(score, random_state=0).fit(X)), width=200)
    lines = [line for line in text.splitlines() if line.startswith("penalty")]
    if words is None:
        assert not lines
        return
    assert words in lines[0]
    assert ("--penalty 1" in lines[0]) == ("factor 2" in lines[0])
