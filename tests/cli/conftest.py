"""The command line, called in this process and in one of its own."""

from __future__ import annotations

from typing import NamedTuple

import pytest

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
def sample():
    return sample_table()


@pytest.fixture
def truth():
    return sample_truth()
