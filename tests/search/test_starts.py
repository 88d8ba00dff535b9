"""Where searches begin: rules that follow the data, and guides that lead to better orders."""

import numpy as np
import pytest

import toposwap as ts
from toposwap.dataset import Dataset
from toposwap.order import Order
from toposwap.scores import SCORES
from toposwap.search import AutoSearch, run
from toposwap.search.start import starting_order


def table(d=8, n=300, seed=0):
    return ts.simulate.linear_dataset(d, n, "ER2", noise="gauss-NV", random_state=seed).X


def test_the_least_correlated_come_first_whatever_the_units():
    X = table()
    rng = np.random.default_rng(0)
    squares = np.square(np.corrcoef(X.T)).sum(axis=1)
    for units in (1.0, np.array([1e-6, 1, 1e3, 1, 1e-3, 1, 1e6, 1])):
        order, remark = starting_order("correlation", Dataset.from_table(X * units), rng)
        assert remark is None
        np.testing.assert_array_equal(order.variables, np.argsort(squares, kind="stable"))


@pytest.mark.parametrize(
    ("score", "rule"),
    [("bic", "correlation"), ("gaussian-mcp", "correlation"), ("least-squares", "variance")],
)
def test_auto_is_what_the_score_suggests(score, rule):
    X = table()
    by_rule, by_default = (
        ts.Topo(score=score, search="none", init=init).fit(X).causal_order_
        for init in (rule, "auto")
    )
    assert by_rule == by_default


def test_a_guide_is_followed_only_down():
    followed = 0
    for seed in range(6):
        bound = SCORES["gaussian-mcp"]().bind(Dataset.from_table(table(seed=seed)))
        rng = np.random.default_rng(seed)
        fit = bound.fit(Order(rng.permutation(bound.data.d)))
        history, _ = run(AutoSearch(), fit, bound.data.names, rng=rng)
        guided = [step for step in history if step.space == "guide"]
        followed += len(guided)
        assert all(step.score < history[0].score for step in guided)
    assert followed > 0


def test_from_the_best_order_a_guide_leads_nowhere():
    bound = SCORES["gaussian-l1"]().bind(Dataset.from_table(table()))
    rng = np.random.default_rng(0)
    fit = bound.fit(Order(rng.permutation(bound.data.d)))
    run(AutoSearch(n_restarts=5), fit, bound.data.names, rng=rng)
    again = bound.fit(fit.order)
    history, _ = run(AutoSearch(n_restarts=0), again, bound.data.names, rng=rng)
    assert [step.space for step in history] == ["start"]
