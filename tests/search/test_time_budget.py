"""A time budget is kept, and the status tells when it ended something."""

import time

import numpy as np
import pytest

import toposwap as ts
from toposwap.baselines.start import resolve_start
from toposwap.core.dataset import Dataset
from toposwap.core.runtime.deadline import NEVER, Deadline, TimeUp
from toposwap.learn import learn
from toposwap.scores.names import named_score
from toposwap.scores.penalized.bound import BoundPenalized
from toposwap.search.auto import AutoSearch
from toposwap.search.exact import ExactSearch
from toposwap.search.paper import PaperSearch


@pytest.fixture
def slow(monkeypatch):
    """Nodes that take a twentieth of a second each: a sweep takes ten seconds and more."""
    solve = BoundPenalized.fit_node

    def waiting(self, *given):
        time.sleep(0.05)
        return solve(self, *given)

    monkeypatch.setattr(BoundPenalized, "fit_node", waiting)


@pytest.mark.parametrize("search", [AutoSearch(n_restarts=5), PaperSearch(), ExactSearch()])
def test_it_ends_within_a_sweep_or_an_iteration(slow, search):
    X = np.random.default_rng(0).normal(size=(60, 8)).cumsum(axis=1)
    data, score = Dataset.from_table(X), named_score("least-squares-l1")
    began = time.perf_counter()
    rng = np.random.default_rng(1)
    result = learn(data, score, search, "random", rng=rng, deadline=Deadline(0.6))
    assert time.perf_counter() - began < 5.0
    assert result.status == "time limit"
    assert result.history[-1].score == pytest.approx(result.score)


def test_parents_stay_as_they_are_when_time_is_up():
    X = np.random.default_rng(0).normal(size=(200, 5)).cumsum(axis=1)
    bound = named_score("huber-bic").bind(Dataset.from_table(X))
    allowed = np.array([True, True, True, True, False])
    assert bound.fit_node(4, allowed, None).support.any()
    bound.deadline = Deadline(0.0)
    assert not bound.fit_node(4, allowed, None).support.any()


@pytest.mark.parametrize("score", ["gaussian-scad", "gaussian-l1", "huber-mcp", "poisson-l1"])
def test_nodes_solved_in_stages_are_those_of_one(score, monkeypatch):
    """A stage only lets the clock be looked at."""
    rng = np.random.default_rng(2)
    X = rng.poisson(3.0, size=(90, 6)).cumsum(axis=1).astype(float)
    bound = named_score(score).bind(Dataset.from_table(X))
    allowed = np.array([False, True, True, True, True, True])
    for module in ("gaussian_nodes", "glm_nodes"):
        monkeypatch.setattr(f"toposwap.scores.penalized.{module}._STAGE", 1)
    one = bound.fit_node(0, allowed, None)
    bound.deadline = Deadline(1000.0)
    stages = bound.fit_node(0, allowed, None)
    np.testing.assert_array_equal(one.parameters[0], stages.parameters[0])
    assert one.parameters[1] == stages.parameters[1]


@pytest.mark.parametrize("score", ["gaussian-scad", "huber-mcp", "least-squares-l1"])
def test_a_starting_order_is_solved_as_far_as_time_allows(score):
    X = np.random.default_rng(0).normal(size=(60, 5)).cumsum(axis=1)
    for search in ("none", "auto"):
        model = ts.Topo(score, search=search, time_budget=0).fit(X)
        assert model.status_ == "time limit"
        assert not model.weights_.any()
        assert not model.certificate_.satisfied


def test_stages_end_with_the_deadline():
    assert list(NEVER.stages(7, 3)) == [(0, 7)]
    assert list(Deadline(60.0).stages(7, 3)) == [(0, 3), (3, 6), (6, 7)]
    assert list(Deadline(0.0).stages(7, 3)) == [(0, 0)]
    deadline = Deadline(60.0)
    stages = deadline.stages(7, 3)
    next(stages)
    deadline._end = 0.0
    assert list(stages) == []


def test_pieces_are_whole_without_a_limit_and_checked_with_one():
    work = np.arange(7)
    assert [piece.tolist() for piece in NEVER.pieces(work, 2)] == [work.tolist()]
    parts = Deadline(60.0).pieces(work, 3)
    assert [piece.tolist() for piece in parts] == [[0, 1, 2], [3, 4, 5], [6]]
    late = Deadline(0.0)
    pieces = late.pieces(work, 3)
    next(pieces)
    with pytest.raises(TimeUp):
        next(pieces)


@pytest.mark.parametrize("score", ["bic", "least-squares", "basis"])
def test_sweeps_in_pieces_are_those_of_one(score):
    """The pieces only let the clock be looked at."""
    X = ts.simulate.linear_dataset(120, 300, "ER2", random_state=0).X[:, :40]
    one, pieces = (
        ts.Topo(score, random_state=0, n_restarts=2, time_budget=budget).fit(X)
        for budget in (None, 1000.0)
    )
    np.testing.assert_array_equal(one.weights_, pieces.weights_)


@pytest.mark.parametrize("init", ["notears", "golem-ev", "golem-nv", "kkts"])
def test_a_learner_to_start_from_is_within_the_budget(init):
    X = ts.simulate.linear_dataset(25, 200, "ER2", random_state=0).X
    data = Dataset.from_table(X)
    resolve_start(init, Dataset.from_table(X[:, :4]), np.random.default_rng(0))
    began = time.perf_counter()
    resolve_start(init, data, np.random.default_rng(0), Deadline(0.05))
    assert time.perf_counter() - began < 5.0
