"""The command line, called in this process and in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import toposwap
from toposwap.cli import run
from toposwap.data import sample_table, sample_truth


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    """Run a command in an empty directory: ``call("fit", table)``."""
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments):
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return run_here


@pytest.fixture
def refused(call):
    """Run a command that must fail with exit code 2 and one line; return the line."""

    def run_and_refuse(*arguments):
        outcome = call(*arguments)
        assert outcome.code == 2
        assert outcome.out == ""
        assert outcome.err.startswith("toposwap: error: ")
        assert outcome.err.count("\n") == 1
        return outcome.err

    return run_and_refuse


@pytest.fixture
def process(tmp_path):
    """Start Python in an empty directory, with the package under test."""
    home = str(Path(toposwap.__path__[0]).parent)
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))

    def start(*arguments):
        return subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    return start


@pytest.fixture
def sample():
    return sample_table()


@pytest.fixture
def truth():
    return sample_truth()
