"""Restarts on the workers of a cluster, one of which is killed on the way."""

import os
import signal
import sys
import threading

import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.search.workers import Job

distributed = pytest.importorskip("distributed")

X = ts.simulate.linear_dataset(30, 300, "ER4", random_state=0).X
pytestmark = pytest.mark.filterwarnings("ignore")


def answer(model):
    history = [(step.score, step.move) for step in model.history_]
    return model.weights_.tobytes(), model.score_, history, model.result_.starts


@pytest.fixture(scope="module")
def threads():
    """Workers that are threads of this process, which start at once."""
    with (
        distributed.LocalCluster(
            n_workers=2, processes=False, dashboard_address=None, silence_logs=50
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.parametrize("settings", [
    {"score": "bic", "n_restarts": 30},
    {"score": "least-squares", "init": "random", "n_restarts": 12},
    pytest.param(
        {"score": "gaussian-l1", "n_restarts": 4, "init": "random"}, marks=pytest.mark.thorough
    ),
], ids=str)  # fmt: skip
def test_the_same_answer(settings, threads):
    data = X if settings["score"] != "gaussian-l1" else X[:, :8]
    plain = ts.Topo(**settings).fit(data)
    assert answer(ts.Topo(**settings, n_jobs=threads).fit(data)) == answer(plain)


def test_what_cannot_travel_is_said(threads):
    class Untold(ts.scores.LeastSquares):
        def __reduce__(self):
            raise TypeError("stays here")

    with pytest.raises(InputError, match=r"cannot be sent .* \(stays here\)"):
        ts.Topo(Untold(), n_restarts=1, n_jobs=threads).fit(X[:, :3])


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_lost_worker_changes_no_bit():
    settings = {"score": "bic", "n_restarts": 400}
    plain = ts.Topo(**settings).fit(X)
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        ts.Topo("bic", n_restarts=5, n_jobs=client).fit(X)
        victim = next(iter(local.workers.values())).pid
        threading.Timer(0.5, os.kill, (victim, signal.SIGKILL)).start()
        assert answer(ts.Topo(**settings, n_jobs=client).fit(X)) == answer(plain)
        assert next(iter(local.workers.values())).pid != victim


class KilledWorker(Exception):
    """Named as the one of the cluster."""


@pytest.mark.parametrize(
    ("error", "expected"), [(None, "there"), (KilledWorker(), "here"), (OSError("gone"), OSError)]
)
def test_a_job_is_done_by_whoever_is_left(error, expected):
    class Lost:
        status = "pending"

        def exception(self):
            return error

        def result(self):
            return "there"

    job = Job(Lost(), lambda: "here")
    if isinstance(expected, str):
        assert job.result() == expected
    else:
        with pytest.raises(expected):
            job.result()
