"""A time budget holds for networks whose fits alone would exceed it."""

import time

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.core.runtime.clock import clock, lost_seconds
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.pruning.network_parents import kept_parents
from toposwap.scores.mlp.pace import Pace
from toposwap.simulate import nonlinear_dataset


@pytest.mark.parametrize(
    ("n", "d"), [(300, 10), (2000, 5), pytest.param(100, 30, marks=pytest.mark.thorough)]
)
def test_the_budget_is_kept_where_penalties_weigh_nothing(n, d):
    """There descents go on for thousands of iterations, and Newton's method for as long."""
    X = 100.0 * nonlinear_dataset(d, n, "ER2", random_state=0).X
    lost, began = lost_seconds(), time.perf_counter()
    with pytest.warns(ts.ToposwapWarning):
        model = ts.Topo("mlp", time_budget=0.4).fit(X)
    taken = time.perf_counter() - began - (lost_seconds() - lost)
    assert model.status_ == "time limit"
    # Thirty seconds without a limit; machines that run tests are busy.
    assert taken < 5.0
    assert np.isfinite(model.score_)


def test_a_polish_that_is_cut_short_says_so():
    X = 100.0 * nonlinear_dataset(5, 100, "ER2", random_state=0).X
    bound = ts.scores.MLP(n_starts=1).bind(Dataset.from_table(X))
    fit = bound.fit(Order(range(5)))
    before = fit.value
    bound.deadline = Deadline(0.05)
    fit.refresh()
    networks = [node.parameters for node in fit._nodes]
    assert not all(network.polished for network in networks)
    assert fit.value <= before * (1.0 + 1e-6)
    # No more is begun when the parameters are asked for.
    assert fit.parameters().first.shape == (5, 20, 5)


def test_pruning_gives_a_node_up_when_time_is_up():
    X = np.random.default_rng(0).standard_normal((100, 4))
    X[:, 3] += 2.0 * X[:, :3].sum(axis=1)
    bound = ts.scores.MLP(hidden=4, n_starts=1).bind(Dataset.from_table(X))
    fit = bound.fit(Order(range(4)))
    solution = bound.nodes.node_of(fit.parameters(), 3)
    assert kept_parents(bound.nodes, 3, solution, np.arange(3)) is not None
    with bound.nodes.pace.until(Deadline(0.0)):
        assert kept_parents(bound.nodes, 3, solution, np.arange(3)) is None


def test_the_time_that_is_left_is_shared_out_by_the_pace_so_far():
    pace = Pace()
    assert pace.most(3000, 1e9, single=True) == 3000
    pace.took(clock() - 1.0, 100, 1e3, single=True)
    with pace.until(Deadline(0.5)):
        assert 40 <= pace.most(3000, 1e3, single=True) <= 50
        assert 80 <= pace.most(3000, 5e2, single=True) <= 100
        assert pace.most(20, 1e3, single=True) == 20
        assert pace.most(3000, 1e3, single=False) == 3000
    with pace.until(Deadline(0.0)):
        assert pace.most(3000, 1e3, single=True) == 10
        assert pace.most(5, 1e3, single=True) == 5
    assert pace.deadline is NEVER


def test_a_budget_that_suffices_changes_nothing():
    X = nonlinear_dataset(5, 60, "ER2", random_state=0).X
    score = ts.scores.MLP(hidden=4, n_starts=1)
    one, other = (ts.Topo(score, time_budget=budget).fit(X) for budget in (None, 60.0))
    np.testing.assert_array_equal(one.weights_, other.weights_)
    assert one.score_ == other.score_
