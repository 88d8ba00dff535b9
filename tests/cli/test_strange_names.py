"""Names of columns and files that would steer the terminal, or break the syntax of an output."""

import csv
import json
import re
import sys
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from toposwap.cli.terminal.show import show
from toposwap.io import read_weights
from toposwap.report.plot.edges import edge_figure
from toposwap.report.text import key_values

NAMES = ["a\x1b]0;title\x07", "b\u202egnp", "c\nd", "\x9b31mred", "e\x00\x0b\ufffe"]
SHOWN = ["a\\x1b]0;title\\x07", "b\\u202egnp", "c\\nd", "\\x9b31mred", "e\\x00\\x0b\\ufffe"]
FIT = ("--score", "least-squares", "--prune", "none")


@pytest.fixture
def strange(tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 5)) @ np.triu(np.ones((5, 5)))
    file = tmp_path / "t\x1b[2J.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([NAMES, *X.tolist()])
    return file


def steers(text):
    return not text.replace("\n", "").isprintable()


def test_reports_notes_and_errors_show_names_escaped(call, strange):
    done = call("fit", strange, *FIT, "-o", "x\x1b.csv")
    assert done.code == 0
    assert not steers(done.out + done.err)
    assert all(name in done.out for name in SHOWN)
    assert "wrote x\\x1b.csv" in done.out
    checked = call("check", strange, "x\x1b.csv", "--score", "bic")
    assert not steers(checked.out + checked.err)
    for arguments in (["fit", "no\x1b.csv"], ["fit", strange, "--columns", "\x1b"], ["\u202e"]):
        refused = call(*arguments)
        assert refused.code == 2
        assert not steers(refused.err)
        assert refused.err.count("\n") == 1


def test_a_terminal_gets_the_programs_own_controls_only(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    show(key_values([("key\x1b]0;x\x07", "a\x9bm\nb")]))
    text = capsys.readouterr().out
    assert "a\\x9bm\\nb" in text
    assert "\x1b]" not in text
    assert "\x9b" not in text


def test_outputs_for_programs_hold_the_exact_names(call, strange, tmp_path):
    outputs = [f"g{suffix}" for suffix in (".csv", ".json", ".gml", ".weights.csv")]
    printed = call("fit", strange, *FIT, "--json", *(w for o in outputs for w in ("-o", o)))
    assert json.loads(printed.out)["names"] == NAMES
    assert not steers(printed.out)
    assert not steers((tmp_path / "g.json").read_text(encoding="utf-8"))
    assert list(nx.read_gml(tmp_path / "g.gml")) == NAMES
    for file in ("g.csv", "g.json", "g.weights.csv"):
        assert list(read_weights(tmp_path / file, NAMES).columns) == NAMES


def test_pictures_are_well_formed(call, strange, tmp_path):
    assert call("fit", strange, *FIT, "--plot", "g.svg", "--plot", "g.svg").code == 0
    text = (tmp_path / "g.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert "b\\u202egnp" in text


def test_dot_says_what_to_draw_in_place_of_a_name(call, strange, tmp_path):
    assert call("fit", strange, *FIT, "-o", "g.dot").code == 0
    text = (tmp_path / "g.dot").read_bytes().decode()
    assert "\x00" not in text
    labels = re.findall(r'" \[label="([^"]*)"\];$', text, re.MULTILINE)
    assert [label.replace("\\\\", "\\") for label in labels] == SHOWN


def test_labels_of_an_edge_function_are_printable(strange):
    import toposwap as ts

    frame = pd.read_csv(strange)
    frame.columns = NAMES
    model = ts.Topo("least-squares", prune=None).fit(frame)
    i, j = np.argwhere(model.adjacency_matrix_)[0]
    axes = edge_figure(model, int(i), int(j), title="t\x1b").axes[0]
    assert not steers(axes.get_xlabel() + axes.get_ylabel() + axes.get_title())


@pytest.mark.parametrize(("name", "noted"), [("=1+1", 1), ("@x", 1), ("-log p", 1), ("x=1", 0)])
def test_names_that_a_spreadsheet_takes_for_formulas(call, tmp_path, name, noted):
    X = np.random.default_rng(0).standard_normal((30, 2))
    pd.DataFrame(X, columns=[name, "b"]).to_csv(tmp_path / "t.csv", index=False)
    done = call("fit", "t.csv", *FIT, "-o", "e.csv")
    assert done.err.count("import those columns as text") == noted
    with (tmp_path / "e.csv").open(newline="") as stream:
        assert name in [field for row in csv.reader(stream) for field in row]
    assert call("fit", "t.csv", *FIT, "-o", "e.json").err == ""


def test_an_experiment_with_words_that_cannot_be_shown(refused, tmp_path):
    (tmp_path / "x.toml").write_text(
        '[data]\nkind = "linear"\n[methods."\\u001b[2J"]\nkind = "topo"\n', encoding="utf-8"
    )
    assert "characters that cannot be shown" in refused("reproduce", "x.toml")
