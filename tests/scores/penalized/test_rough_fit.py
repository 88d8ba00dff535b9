"""Rough deltas: never too low, and moves made by them keep what they promise."""

import numpy as np
import pytest

import toposwap as ts
from toposwap.certificate import certify
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.scores import Penalized
from toposwap.scores.penalized.rough_fit import RoughFit
from toposwap.search import AutoSearch, run

PAIRS = [("gaussian", "mcp"), ("gaussian", ts.penalties.MCP(0.1, 3.0)), ("gaussian", "l1")]


def problem(loss, penalty, seed, d=8):
    X = ts.simulate.linear_dataset(d, 200, "ER2", noise="gauss-NV", random_state=seed).X
    bound = Penalized(loss, penalty).bind(Dataset.from_table(X))
    rng = np.random.default_rng(seed)
    return bound, Order(rng.permutation(d)), rng


@pytest.mark.parametrize(("loss", "penalty"), PAIRS)
def test_a_rough_value_lies_between_start_and_solution(loss, penalty):
    for seed in range(5):
        bound, order, rng = problem(loss, penalty, seed)
        for v in range(bound.data.d):
            allowed = order.positions < order.positions[v]
            full = bound.fit_node(v, allowed, None)
            fewer = allowed & (rng.random(bound.data.d) < 0.6)
            rough = bound.rough_node(v, fewer, full)
            exact = bound.fit_node(v, fewer, rough)
            assert exact.value <= rough.value + 1e-12 * abs(rough.value)
            assert not rough.parameters[0][~fewer].any()


@pytest.mark.parametrize(("loss", "penalty"), PAIRS)
def test_sweeps_go_down_to_exact_solutions(loss, penalty):
    moves = 0
    for seed in range(5):
        bound, order, _ = problem(loss, penalty, seed)
        fit = RoughFit(bound, order)
        while True:
            before = fit.value
            moved = fit.insertion_sweep(fit.order.variables)
            moves += moved
            assert fit.value <= before
            if not moved:
                break
        point = fit.point()
        assert point.value == pytest.approx(fit.value, rel=1e-12)
        later = fit.order.positions[:, None] >= fit.order.positions
        assert not point.weights[later].any()
        # Every node is stationary in what it may use.
        limit = 1e-8 * np.outer(point.row_scale, point.column_scale)
        assert (point.gradient <= limit)[~later].all()
    assert moves > 0


@pytest.mark.thorough
def test_a_search_by_rough_deltas_is_nearly_as_good_and_certified():
    rough, exact, start = [], [], []
    for seed in range(5):
        bound, order, _ = problem("gaussian", "mcp", seed)
        for kind, values in ((RoughFit, rough), (type(bound.fit(order)), exact)):
            fit = kind(bound, order)
            start.append(fit.value)
            run(AutoSearch(), fit, bound.data.names, rng=np.random.default_rng(seed))
            assert certify(fit.point(), convex=False, tolerance=bound.tolerance).satisfied
            values.append(fit.value)
    gained = np.mean(start) - np.mean(exact)
    assert np.mean(start) - np.mean(rough) >= 0.6 * gained


def test_many_columns_with_a_concave_penalty_are_priced_roughly():
    X = np.random.default_rng(0).standard_normal((300, 51))
    few, many = (Dataset.from_table(X[:, :d]) for d in (50, 51))
    order = Order(np.arange(51))
    assert isinstance(Penalized("gaussian", "mcp").bind(many).fit(order), RoughFit)
    assert not isinstance(Penalized("gaussian", "mcp").bind(few).fit(Order(range(50))), RoughFit)
    assert not isinstance(Penalized("gaussian", "l1").bind(many).fit(order), RoughFit)
