"""A cluster of two worker processes, one of which is killed during the run."""

import os
import signal
import sys
import threading
import time
from dataclasses import replace

import pytest

from toposwap.core.errors import InputError, MissingExtraError
from toposwap.experiments.execution.cluster import Cluster
from toposwap.experiments.execution.run import run
from toposwap.experiments.store import Store

distributed = pytest.importorskip("distributed")


@pytest.fixture
def cluster():
    """Two workers with one thread each, without the dashboard."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as local:
        yield local


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.thorough
def test_a_lost_worker_costs_no_cell(tiny, tmp_path, cluster, inline, records):
    many = replace(tiny, seeds=4)
    # First in this process: two workers would compile the same kernels side by side.
    with Store(tmp_path / "here") as store:
        run(many, store, inline())
    victim = next(iter(cluster.workers.values())).pid
    killed = threading.Event()

    def kill(state):
        if state.done >= 3 and not killed.is_set():
            killed.set()
            os.kill(victim, signal.SIGKILL)

    with Store(tmp_path / "cluster") as store:
        state = run(many, store, lambda: Cluster(cluster.scheduler_address), progress=kill)
    assert killed.is_set()
    assert (state.done, state.total, state.failed) == (16, 16, 0)
    found = records(tmp_path / "cluster")
    assert len({record["key"] for record in found}) == len(found) == 16
    scores = {record["key"]: record["score"] for record in records(tmp_path / "here")}
    assert {record["key"]: record["score"] for record in found} == pytest.approx(scores)


def test_no_scheduler_is_one_line(monkeypatch):
    monkeypatch.setattr("toposwap.core.runtime.cluster.PATIENCE", "0.5s")
    began = time.monotonic()
    with pytest.raises(InputError, match="no scheduler answers"):
        Cluster("tcp://127.0.0.1:9")
    assert time.monotonic() - began < 30


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"toposwap\[dask\]"):
        Cluster("tcp://127.0.0.1:9")
