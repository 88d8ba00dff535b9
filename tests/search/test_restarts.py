"""Restarts on several threads: the answer of one, and an end in every case."""

import os
import threading
import time
from itertools import count

import numpy as np
import pytest
from tables import binary_table

from toposwap import Topo, simulate
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.scores import SCORES
from toposwap.search import AutoSearch, crossing, run
from toposwap.search.restarts import Restarts, perturb, thread_count

TABLES = {
    "bic": lambda: simulate.linear_dataset(25, 200, "ER4", noise="gauss-NV", random_state=3).X,
    "equal-variance-l0": lambda: (
        simulate.linear_dataset(20, 40, "ER4", noise="gauss-NV", random_state=3).X
    ),
    "least-squares": lambda: simulate.linear_dataset(30, 60, "ER4", random_state=3).X,
    "logistic-l1": lambda: binary_table(1, 7),
}


@pytest.fixture(autouse=True)
def no_thread_left():
    """Whatever other threads the process has."""
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def problem(score, seed=0):
    data = Dataset.from_table(TABLES[score]())
    bound = SCORES[score]().bind(data)
    return bound, bound.fit(Order(np.random.default_rng(seed).permutation(data.d)))


def found(score, n_jobs, seed=0, **settings):
    """Everything about the way and its end but the time it took."""
    bound, fit = problem(score, seed)
    search = AutoSearch(n_jobs=n_jobs, **settings)
    history, status = run(search, fit, bound.data.names, rng=np.random.default_rng(seed))
    steps = [(step.score, step.space, step.move) for step in history]
    return steps, status, list(fit.order), fit.value, fit.point().weights.tobytes()


@pytest.mark.parametrize(
    "score",
    ["bic", *(pytest.param(name, marks=pytest.mark.thorough) for name in TABLES if name != "bic")],
)
def test_the_answer_is_the_same_for_any_number_of_threads(score):
    improved = 0
    for seed in range(4):
        one = found(score, None, seed, n_restarts=12)
        improved += any(space == "restart" for _, space, _ in one[0])
        for n_jobs in (1, 2, 5):
            assert found(score, n_jobs, seed, n_restarts=12) == one
    # Otherwise nothing would have been begun again.
    assert improved >= 1 or score == "logistic-l1"


def test_restarts_are_a_plain_loop():
    """Perturb with a generator of their own, sweep, keep if better."""
    bound, fit = problem("bic")
    rng = np.random.default_rng(0)
    run(AutoSearch(n_restarts=0), fit, bound.data.names, rng=rng)
    seed = 7
    with Restarts(fit, 6, 3, seed) as restarts:
        for restart in range(6):
            copy = fit.copy()
            rng = np.random.default_rng([seed, restart])
            d = len(fit.order)
            perturb(copy, rng, at_most=0 if rng.integers(max(4, d // 3)) else d // 2)
            while copy.insertion_sweep(copy.order.variables):
                pass
            trial = restarts.take(restart)
            assert (trial.value, trial.order) == (copy.value, copy.order)
            if restart == 3:
                restarts.forget()
                fit.copy_from(trial)


def test_an_error_counts_only_where_it_would_have_come_about(monkeypatch):
    _, fit = problem("bic")
    with Restarts(fit, 4, 4, 0) as restarts:
        good = Restarts._run

        def fail(self, restart, trial):
            if restart == 2:
                raise InputError("restart 2")
            return good(self, restart, trial)

        monkeypatch.setattr(Restarts, "_run", fail)
        restarts.take(0)
        restarts.take(1)
        restarts.forget()
        with pytest.raises(InputError, match="restart 2"):
            restarts.take(2)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_time_budget_ends_restarts(n_jobs):
    bound, fit = problem("bic")
    began = time.perf_counter()
    search = AutoSearch(n_restarts=10**9, time_budget=0.3, n_jobs=n_jobs)
    _, status = run(search, fit, bound.data.names, rng=np.random.default_rng(0))
    assert status == "time limit"
    assert time.perf_counter() - began < 20.0


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_interruption_keeps_the_best_and_leaves_no_thread(monkeypatch, n_jobs):
    bound, fit = problem("bic")
    calls = count()
    walked = crossing._walked

    def interrupted(*given, **more):
        if next(calls) == 5:
            raise KeyboardInterrupt
        return walked(*given, **more)

    monkeypatch.setattr(crossing, "_walked", interrupted)
    search = AutoSearch(n_restarts=10**9, n_jobs=n_jobs)
    history, status = run(search, fit, bound.data.names, rng=np.random.default_rng(0))
    assert status == "interrupted"
    assert fit.value == pytest.approx(history[-1].score, rel=1e-10)


def test_a_limit_of_iterations_leaves_no_thread():
    model = Topo("bic", init="random", n_jobs=3, n_restarts=10**6, max_iter=1, random_state=0)
    assert model.fit(TABLES["bic"]()).status_ == "iteration limit"


def test_a_copy_that_was_cut_short_is_built_anew(monkeypatch):
    """An interruption in the middle of copy_from() does not leave half a table behind."""
    bound, fit = problem("bic")
    start, value = fit.snapshot(), fit.value
    other = fit.copy()
    perturb(other, np.random.default_rng(0))

    class Cut(type(fit._rule)):
        @property
        def unit(self):
            raise KeyboardInterrupt

    monkeypatch.setattr(other, "_rule", Cut(*other._rule))
    with pytest.raises(KeyboardInterrupt):
        fit.copy_from(other)
    fit.restore(start)
    assert fit.value == pytest.approx(value, rel=1e-12)
    fresh = bound.fit(fit.order)
    for v in range(bound.data.d):
        np.testing.assert_allclose(
            fit.insertion_profile(v), fresh.insertion_profile(v), rtol=1e-8, atol=1e-10
        )


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, "2", True])
def test_bad_numbers_of_threads(n_jobs):
    with pytest.raises(InputError, match="n_jobs: must be None, a whole number"):
        Topo("bic", n_jobs=n_jobs).fit(TABLES["bic"]())


def test_numbers_of_threads():
    assert thread_count(None) == 1
    assert thread_count(np.int64(3)) == 3
    assert thread_count(-1) >= 1


def test_all_cores_are_those_that_this_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert thread_count(-1) == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert thread_count(-1) == 7
    # An unknown number is one.
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert thread_count(-1) == 1
