"""Data, methods and scores of the user's own: found, checked, and told what is wrong with them."""

import sys
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from toposwap.core.errors import InputError
from toposwap.experiments import load_experiment
from toposwap.experiments.cell import Cell
from toposwap.experiments.check import check_experiment
from toposwap.experiments.datasets import draw
from toposwap.experiments.execution.work import run_cell
from toposwap.experiments.scores import score_of
from toposwap.io import write_table
from toposwap.simulate import linear_dataset

MODULE = """
import numpy as np
import toposwap as ts

def draw(seed, d, n=50):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), np.triu(np.ones((d, d)), 1)

def table_alone(seed):
    return np.random.default_rng(seed).standard_normal((40, 3))

def simulated(seed, d):
    return ts.simulate.linear_dataset(d, 60, "ER1", random_state=seed)

def text(seed):
    return "no table"

def wrong_truth(seed):
    return np.ones((5, 3)), np.ones((2, 2))

def empty(sample, task, size=0.0):
    return np.zeros((sample.X.shape[1],) * 2)

def echo(sample, task):
    return task.start

def wrong_shape(sample, task):
    return np.zeros(3)

def words(sample, task):
    return "no weights"

def any_settings(sample, task, **settings):
    return np.zeros((sample.X.shape[1],) * 2)

def alone(sample):
    return None

def ridge(weight=0.1):
    return ts.scores.LeastSquares(ridge=weight)

def no_score():
    return 3

number = 4
"""
TOPO = {"kind": "topo"}


@pytest.fixture
def name(tmp_path, monkeypatch, request):
    """A module beside the config, under a name that no other test has."""
    name = f"mine_{abs(hash(request.node.nodeid))}"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield name
    sys.modules.pop(name, None)


def cell(data=None, method=TOPO, score="least-squares", folder="."):
    data = data or {"kind": "linear", "d": 4, "n": 60, "graph": "ER1"}
    return Cell(data, method, score, 0.3, 1, str(folder))


def test_data_of_ones_own(name):
    with_truth = run_cell(cell({"kind": f"{name}:draw", "d": 3}), None).result
    assert with_truth["true_edges"] == 3
    without = run_cell(cell({"kind": f"{name}:table_alone"}), None).result
    assert without["kkt"] is True
    assert without["edges"] >= 0
    assert not {"shd", "f1", "true_edges"} & set(without)
    assert draw({"kind": f"{name}:simulated", "d": 4}, 0).weights.shape == (4, 4)
    oracle = run_cell(cell({"kind": f"{name}:table_alone"}, {"kind": "true-order"}), None)
    assert "needs data whose true graph is known" in oracle.result["error"]


def test_a_method_of_ones_own(name):
    outcome = run_cell(cell(method={"kind": f"{name}:empty"}), None)
    assert (outcome.result["edges"], outcome.result["kkt"]) == (0, False)
    start = np.diag([1.0, 2.0, 3.0], 1)
    echoed = run_cell(cell(method={"kind": f"{name}:echo"}), start).weights
    np.testing.assert_array_equal(echoed, start)


def test_a_score_of_ones_own(name):
    spec = {"name": f"{name}:ridge", "weight": 0.5}
    assert score_of(spec).ridge == 0.5
    assert score_of(f"{name}:ridge").ridge == 0.1
    assert run_cell(cell(score=spec), None).result["kkt"] is True
    own = run_cell(cell(method={**TOPO, "score": spec}), None).result
    assert own["kkt"] is True


@pytest.mark.parametrize(
    ("data", "method", "score", "says"),
    [
        ("MINE:nothing", None, None, "data: kind = 'MINE:nothing': module .* has no function"),
        ("MINE:number", None, None, "'number', which is none"),
        ("no_such_module:f", None, None, "there is no module 'no_such_module' beside the config"),
        ("MINE:text", None, None, "returned what is no table"),
        ("MINE:wrong_truth", None, None, r"shapes are \(\(5, 3\), \(2, 2\)\)"),
        (None, "MINE:wrong_shape", None, r"must return the weights \(4, 4\)"),
        (None, "MINE:words", None, "returned no weights"),
        (None, None, "MINE:no_score", "must return a toposwap.scores.Score, not int"),
    ],
)
def test_what_is_wrong_is_said(name, data, method, score, says):
    def mine(kind, default):
        return default if kind is None else {"kind": kind.replace("MINE", name)}

    one = cell(mine(data, None), mine(method, TOPO), (score or "bic").replace("MINE", name))
    with pytest.raises(InputError, match=says.replace("MINE", name)):
        raise InputError(run_cell(one, None).result["error"])


CONFIG = """
[data]
kind = "{name}:draw"
d = 3
[methods.mine]
kind = "{name}:empty"
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("d = 3", "e = 3", "no setting is called 'e'; there are d, n"),
        ("d = 3", "", "d is missing"),
        (":empty", ":alone", r"called with \(sample, task, \*\*settings\), but .*alone\(sample\)"),
        (':empty"', ':empty"\nsizes = 1', "did you mean 'size'"),
        ("[data]", "score = {{name = '{name}:ridge', wait = 1}}\n[data]", "'weight'"),
        ("[data]", "score = '{name}:x'\n[data]", "no function 'x'"),
    ],
)
def test_signatures_are_checked_before_anything_is_run(name, tmp_path, old, new, says):
    path = tmp_path / "mine.toml"
    path.write_text(CONFIG.format(name=name), encoding="utf-8")
    check_experiment(load_experiment(str(path)))
    path.write_text(CONFIG.replace(old, new).format(name=name), encoding="utf-8")
    with pytest.raises(InputError, match=says):
        check_experiment(load_experiment(str(path)))


def test_a_function_of_any_settings_takes_any(name, tmp_path):
    path = tmp_path / "mine.toml"
    text = CONFIG.replace(':empty"', ':any_settings"\nwhatever = 1')
    path.write_text(text.format(name=name), encoding="utf-8")
    check_experiment(load_experiment(str(path)))


def test_a_module_that_cannot_be_imported(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_of_mine.py").write_text("import no_such_package\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot import 'broken_of_mine': .*no_such_package"):
        score_of("broken_of_mine:f")
    (tmp_path / "raises_of_mine.py").write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(InputError, match="cannot import 'raises_of_mine': ZeroDivisionError"):
        score_of("raises_of_mine:f")


# --- a table -------------------------------------------------------------------------------------


class Files(NamedTuple):
    table: pd.DataFrame
    truth: pd.DataFrame


@pytest.fixture
def table(tmp_path):
    """A table and its truth, in files."""
    names = list("abcde")
    sample = linear_dataset(5, 80, "ER2", random_state=0)
    files = Files(
        pd.DataFrame(sample.X, columns=names),
        pd.DataFrame(sample.weights, index=names, columns=names),
    )
    write_table(tmp_path / "table.csv", files.table)
    files.truth.to_csv(tmp_path / "truth.csv")
    return files


def test_a_seed_is_an_order_of_the_columns(table, tmp_path):
    settings = {"kind": "csv", "path": str(tmp_path / "table.csv")}
    settings["truth"] = str(tmp_path / "truth.csv")
    as_is, permuted, again = (draw(settings, seed) for seed in (0, 3, 3))
    np.testing.assert_allclose(as_is.X, table.table)
    np.testing.assert_allclose(as_is.weights, table.truth)
    np.testing.assert_array_equal(permuted.X, again.X)
    order = [list(as_is.X[0]).index(value) for value in permuted.X[0]]
    assert sorted(order) == list(range(5)) != order
    np.testing.assert_array_equal(permuted.weights, as_is.weights[np.ix_(order, order)])


def test_a_table_is_looked_for_beside_the_config(table, tmp_path):
    data = {"kind": "csv", "path": "table.csv", "truth": "truth.csv"}
    result = run_cell(cell(data, folder=tmp_path), None).result
    assert result["true_edges"] == int((table.truth != 0).sum().sum())
    del data["truth"]
    assert "shd" not in run_cell(cell(data, folder=tmp_path), None).result
    missing = run_cell(cell({**data, "path": "nowhere.csv"}, folder=tmp_path), None).result
    assert "path = 'nowhere.csv': there is no such file" in missing["error"]


def test_a_file_that_changes_during_a_run_is_refused(table, tmp_path):
    one = cell({"kind": "csv", "path": "table.csv"}, folder=tmp_path)
    assert one.key == replace(one).key
    write_table(tmp_path / "table.csv", table.table + 1.0)
    assert "has changed since the run began" in run_cell(one, None).result["error"]
