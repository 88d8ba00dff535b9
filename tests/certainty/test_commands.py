"""``toposwap confidence``, ``fit --confidence`` and ``compare --data``, end to end."""

import json

import numpy as np
import pytest

import toposwap as ts
from toposwap.cli import run


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = ts.simulate.linear_dataset(4, 120, "ER1", noise="gauss-NV", random_state=2).X
    patient = np.repeat(np.arange(40), 3)
    file = tmp_path / "table.csv"
    header = "a,b,c,d,patient"
    np.savetxt(file, np.c_[X, patient], delimiter=",", header=header, comments="")
    return file


def test_confidence_of_a_file(table, tmp_path, capsys):
    arguments = [
        "confidence",
        table,
        "--resamples",
        8,
        "--groups",
        '"patient"',
        "--store",
        "s.jsonl",
    ]
    outputs = [
        "-o",
        "pairs.json",
        "-o",
        "edges.csv",
        "-o",
        "g.dot",
        "--plot",
        "p.svg",
        "--report",
        "r.html",
    ]
    assert run([str(part) for part in (*arguments, *outputs, "--save", "c.npz")]) == 0
    out = capsys.readouterr().out
    assert "8 resamples, halves of the rows" in out
    assert "frequency" in out
    record = json.loads((tmp_path / "pairs.json").read_text())
    found = ts.load_confidence(tmp_path / "c.npz")
    assert found.names == ("a", "b", "c", "d")
    assert record["resamples"] == {"asked": 8, "done": 8, "method": "half"}
    np.testing.assert_allclose(record["probabilities"], found.probabilities)
    assert "frequency,direction,low,high" in (tmp_path / "edges.csv").read_text()
    assert "frequency=" in (tmp_path / "g.dot").read_text()
    assert "resample" in (tmp_path / "r.html").read_text()
    assert len((tmp_path / "s.jsonl").read_text().splitlines()) == 9
    # The same command has nothing left to do, and the same to say.
    assert run([str(part) for part in (*arguments, "--json")]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["probabilities"] == record["probabilities"]


def test_a_fit_with_confidence_says_how_sure_its_edges_are(table, tmp_path, capsys):
    shared = ["fit", str(table), "--exclude", "patient", "--confidence", "6"]
    assert run([*shared, "-o", "e.csv", "-o", "r.json", "-o", "g.gml", "--plot", "p.png"]) == 0
    assert "this way" in capsys.readouterr().out
    edges = json.loads((tmp_path / "r.json").read_text())["edges"]
    assert all(0.0 <= edge["frequency"] <= 1.0 for edge in edges)
    assert run([*shared, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["confidence"]["resamples"]["done"] == 6
    assert record["edges"] == edges
    # Without resamples files do not mention them.
    assert run(["fit", str(table), "-o", "plain.csv", "-q"]) == 0
    first = (tmp_path / "plain.csv").read_text().splitlines()[0]
    given = "parameters,given_low,given_high,evidence"
    assert first == f"source,target,weight,standardised,open,{given}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "x"], "method"),
        (["--groups", "patient", "--blocks", "3"], "--blocks"),
        (["--groups", "nobody"], "nobody"),
        (["--dask", "tcp://127.0.0.1:1"], "no scheduler"),
        (["--store", "/no/such/folder/s.jsonl"], "--store"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(table, capsys, monkeypatch, options, message):
    monkeypatch.setattr("toposwap.core.runtime.cluster.PATIENCE", "1s")
    if "--dask" in options:
        pytest.importorskip("distributed")
    assert run(["confidence", str(table), "--resamples", "2", *options]) == 2
    told = capsys.readouterr().err.splitlines()
    assert message in told[-1]


def test_graphs_are_compared_by_name_and_by_cost(table, tmp_path, capsys):
    assert run(["fit", str(table), "--exclude", "patient", "-o", "g.weights.csv", "-q"]) == 0
    lines = (tmp_path / "g.weights.csv").read_text().splitlines()
    empty = [lines[0], *(f"{name},0,0,0,0" for name in "abcd")]
    (tmp_path / "none.weights.csv").write_text("\n".join(empty) + "\n")
    data = np.loadtxt(table, delimiter=",", skiprows=1)[:, :4]
    np.savetxt("four.csv", data, delimiter=",", header="a,b,c,d", comments="")
    files = ["none.weights.csv", "g.weights.csv"]
    assert run(["compare", *files, "--data", "four.csv", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["differences"]
    model = ts.Topo().fit(data)
    assert len(listed) == np.count_nonzero(model.adjacency_matrix_)
    # The learned graph is the best there is, so giving up an edge of it costs.
    assert all(one["kind"] == "extra" and one["cost"] > 0.0 for one in listed)
    assert run(["compare", *files]) == 0
    assert "is extra" in capsys.readouterr().out
    assert run(["compare", *files, "--data", str(table)]) == 2
