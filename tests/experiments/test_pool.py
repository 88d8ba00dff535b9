"""Processes: they may be killed, the run may be killed, and nothing is lost or repeated."""

import os
import signal
import sys
import time
from dataclasses import replace

import pytest

from toposwap.core.runtime.signals import SIGNALS
from toposwap.experiments import load_experiment
from toposwap.experiments.cell import Cell
from toposwap.experiments.execution.pool import Pool
from toposwap.experiments.execution.run import run
from toposwap.experiments.store import Store

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")

QUICK = Cell(
    {"kind": "linear", "d": 5, "n": 50, "graph": "ER1", "noise": "gauss-EV"},
    {"kind": "topo"},
    "least-squares",
    0.3,
    0,
)
# Seconds of one swap after the other.
SLOW = replace(
    QUICK,
    data={**QUICK.data, "d": 100, "n": 200, "graph": "ER4"},
    method={"kind": "topo", "search": "paper", "init": "random", "several": False},
)


def outcomes(pool, count=1, seconds=120):
    found = []
    deadline = time.monotonic() + seconds
    while len(found) < count and time.monotonic() < deadline:
        found += pool.wait()
    return found


@pytest.mark.thorough
@posix
def test_a_worker_that_dies_or_is_late_costs_its_own_cell():
    pool = Pool(1, limit=0.05)
    try:
        pool.submit(SLOW, None)
        assert not pool.has_room()
        os.kill(pool._workers[0].process.pid, signal.SIGKILL)
        ((cell, outcome),) = outcomes(pool)
        assert cell is SLOW
        assert "died" in outcome.result["error"]
        # A new one stands in; loading packages and compiling kernels does not count as late.
        pool.submit(SLOW, None)
        ((_, outcome),) = outcomes(pool)
        assert outcome.result == {"error": "stopped after 0.05 s", "limit": 0.05}
        pool._limit = None
        pool.submit(QUICK, None)
        ((_, outcome),) = outcomes(pool)
        assert outcome.result["kkt"] is True
    finally:
        pool.close()


# Larger cells than those of the tiny experiment, so that a kill finds some at work.
MANY = """
caption = "Many cells"
source = "No table"
seeds = 5
minutes = 1

[data]
kind = "linear"
d = [30, 40]
n = 100
graph = "ER2"
noise = "gauss-EV"

[methods.random-topo]
kind = "topo"
search = "paper"
init = "random"
several = false

[methods.again]
kind = "topo"
start = "random-topo"

[[tables]]
rows = ["method"]
columns = ["d"]
metrics = ["score"]
"""
RESULTS = ("score", "order_score", "shd", "kkt", "residual", "edges")


def results(records):
    return {record["key"]: [record[name] for name in RESULTS] for record in records}


@posix
@pytest.mark.thorough
def test_killed_and_resumed_with_two_jobs_as_whole_with_one(process, tmp_path, records, inline):
    """``kill -9`` in the middle: the same cells as an undisturbed run, each of them once."""
    path = tmp_path / "many.toml"
    path.write_text(MANY, encoding="utf-8")
    # First in this process: two workers would compile the same kernels side by side.
    with Store(tmp_path / "whole") as store:
        run(load_experiment(str(path)), store, inline())
    command = ("-m", "toposwap", "reproduce", "many.toml", "-o", "runs", "--jobs", "2")
    job = process(*command)
    file = tmp_path / "runs" / "cells.jsonl"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and job.poll() is None:
        if file.exists() and file.read_bytes().count(b"\n") >= 3:
            break
        time.sleep(0.002)
    job.send_signal(signal.SIGKILL)
    job.communicate()
    assert job.returncode == -signal.SIGKILL
    before = records(tmp_path / "runs")
    assert 3 <= len(before) < 20
    # A kill in the middle of a line leaves part of it.
    with file.open("ab") as stream:
        stream.write(b'{"key": "half of a li')
    resumed = process(*command)
    out, err = resumed.communicate(timeout=240)
    assert (resumed.returncode, err) == (0, "")
    assert "20 of 20 cells are finished" in out
    after = records(tmp_path / "runs")
    assert after[: len(before)] == before
    assert len({record["key"] for record in after}) == len(after) == 20
    assert results(records(tmp_path / "whole")) == results(after)
    assert _descendants(job.pid) == []


def _descendants(pid):
    """Workers end with their parent; those of a killed one a moment later."""
    import subprocess

    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        listed = subprocess.run(
            ["ps", "-eo", "ppid=,pid="], capture_output=True, text=True, check=True
        ).stdout
        children = [row.split()[1] for row in listed.splitlines() if row.split()[0] == str(pid)]
        if not children:
            return []
        time.sleep(0.1)
    return children


@posix
def test_signals_to_end_belong_to_the_parent():
    """Also while a worker loads packages: then it has not come to ignoring them by itself."""
    pool = Pool(1)
    try:
        pid = pool._workers[0].process.pid
        for number in SIGNALS:
            os.kill(pid, number)
        pool.submit(QUICK, None)
        ((_, outcome),) = outcomes(pool)
        assert outcome.result["kkt"] is True
        for number in SIGNALS:
            os.kill(pid, number)
        pool.submit(QUICK, None)
        ((_, outcome),) = outcomes(pool)
        assert outcome.result["kkt"] is True
        assert pool._workers[0].process.pid == pid
    finally:
        pool.close()


@posix
@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGINT, marks=pytest.mark.thorough), signal.SIGTERM]
)
def test_a_signal_keeps_what_is_finished(process, tmp_path, records, number):
    (tmp_path / "many.toml").write_text(MANY, encoding="utf-8")
    job = process("-m", "toposwap", "reproduce", "many.toml", "-o", "runs")
    file = tmp_path / "runs" / "cells.jsonl"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and job.poll() is None:
        if file.exists() and file.read_bytes().count(b"\n") >= 2:
            break
        time.sleep(0.002)
    job.send_signal(number)
    out, err = job.communicate(timeout=60)
    assert job.returncode == 128 + number
    assert err == "toposwap: interrupted: finished cells are kept; the same command goes on\n"
    count = len(records(tmp_path / "runs"))
    assert 2 <= count < 20
    assert f"{count} of 20 cells are finished" in out
    assert (tmp_path / "runs" / "many.md").exists()
    assert list(tmp_path.rglob(".*")) == []
