"""A tiny experiment, and a stand-in for workers that computes in this process."""

import json

import pytest

from toposwap.experiments import load_experiment
from toposwap.experiments.execution.run import run
from toposwap.experiments.execution.work import run_cell
from toposwap.experiments.output.files import write_outputs
from toposwap.experiments.store import Store

TINY = """
caption = "A tiny experiment"
source = "No table"
seeds = 3
minutes = 0.1

[data]
kind = "linear"
d = [5, 8]
n = 100
graph = "ER1"
noise = "gauss-EV"

[methods.random-topo]
kind = "topo"
init = "random"

[methods.again]
kind = "topo"
search = "paper"
start = "random-topo"

[[tables]]
rows = ["method", "metric"]
columns = ["d"]
metrics = ["kkt", "score", "shd"]

[[figures]]
kind = "lines"
x = "d"
metrics = ["score", "shd"]

[quick]
seeds = 1
d = [5]
methods = ["again"]

[quick.settings.random-topo]
search = "insertion"
"""
PAPER = """# A comment.
method,d,metric,mean,error
random-topo,5,score,2.50,0.1
random-topo,8,kkt,1,
"""


def write_tiny(folder):
    """The config with the paper's figures beside it."""
    path = folder / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    (folder / "paper").mkdir()
    (folder / "paper" / "tiny.csv").write_text(PAPER, encoding="utf-8")
    return path


@pytest.fixture
def tiny_path(tmp_path):
    return write_tiny(tmp_path)


@pytest.fixture
def tiny(tiny_path):
    return load_experiment(str(tiny_path))


class Inline:
    """Workers that are this process; ``answer(cell, start)`` may stand for the computation."""

    jobs = 1

    def __init__(self, answer=run_cell):
        self.answer = answer
        self.ran = []
        self.open = True
        self._waiting = []

    def __call__(self):
        return self

    def has_room(self):
        return len(self._waiting) < 2

    def submit(self, cell, start):
        self._waiting.append((cell, start))

    def wait(self):
        cell, start = self._waiting.pop(0)
        self.ran.append(cell)
        return [(cell, self.answer(cell, start))]

    def close(self):
        self.open = False


@pytest.fixture
def inline():
    return Inline


@pytest.fixture(scope="session")
def outputs(tmp_path_factory):
    """A finished run of the tiny experiment, and the files it wrote; to be read only."""
    folder = tmp_path_factory.mktemp("tiny")
    tiny = load_experiment(str(write_tiny(folder)))
    with Store(folder / "runs") as store:
        run(tiny, store, Inline())
        return folder / "runs", write_outputs(tiny, store, None)


def lines_of(folder):
    """The records of a store as they are on disk."""
    text = (folder / "cells.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def records():
    return lines_of
