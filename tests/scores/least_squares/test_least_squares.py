"""Least squares against independent solvers, and what is special about it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge
from toy_scores import NodewiseLeastSquares

from toposwap import Topo, simulate
from toposwap.certificate import certify
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.core.runtime.deadline import NEVER
from toposwap.scores import LeastSquares
from toposwap.search import AutoSearch, ExactSearch, run


@given(st.integers(0, 1000))
def test_solution_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n, d = 40, 5
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.uniform(-5, 5, d)
    order = Order(rng.permutation(d))
    for ridge in (0.0, 0.7):
        fit = LeastSquares(ridge).bind(Dataset.from_table(X)).fit(order)
        W = fit.point().weights
        total = 0.0
        for k, v in enumerate(order):
            before = list(order)[:k]
            if k == 0:
                total += np.sum((X[:, v] - X[:, v].mean()) ** 2) / (2 * n)
                continue
            # scikit-learn minimises ||y - Xw||^2 + alpha ||w||^2.
            model = Ridge(alpha=ridge * n, solver="svd") if ridge else LinearRegression()
            model.fit(X[:, before], X[:, v])
            np.testing.assert_allclose(W[before, v], model.coef_, rtol=1e-6, atol=1e-8)
            left = X[:, v] - model.predict(X[:, before])
            total += left @ left / (2 * n) + ridge / 2 * model.coef_ @ model.coef_
        assert fit.value == pytest.approx(total, rel=1e-9)


def test_score_is_the_formula_of_the_paper():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 4))
    X -= X.mean(axis=0)
    W = rng.standard_normal((4, 4)) * (1 - np.eye(4))
    value = LeastSquares().bind(Dataset.from_table(X)).evaluate(W).value
    assert value == pytest.approx(np.linalg.norm(X - X @ W) ** 2 / (2 * len(X)), rel=1e-12)


def test_fewer_rows_than_columns_needs_a_ridge_and_works_with_one():
    X = np.random.default_rng(0).standard_normal((8, 20))
    with pytest.raises(InputError, match=r"8 rows are too few .* 20 columns.*ridge"):
        LeastSquares().bind(Dataset.from_table(X))
    bound = LeastSquares(ridge=0.1).bind(Dataset.from_table(X))
    fit = bound.fit(Order(range(20)))
    run(AutoSearch(), fit, bound.data.names, rng=np.random.default_rng(0))
    certificate = certify(bound.evaluate(fit.parameters()), convex=True, tolerance=1e-8)
    assert certificate.satisfied
    assert np.isfinite(fit.point().weights).all()


@pytest.mark.parametrize("ridge", [-1.0, np.nan, np.inf, "a", None, True])
def test_a_bad_ridge_is_refused(ridge):
    data = Dataset.from_table(np.random.default_rng(0).standard_normal((9, 3)))
    with pytest.raises(InputError, match="ridge: must be a number >= 0"):
        LeastSquares(ridge).bind(data)


def test_ridge_also_mends_dependent_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 1]])
    data = Dataset.from_table(X, names=["a", "b", "c", "e"])
    with pytest.raises(InputError, match="'a', 'b', 'e' depend linearly"):
        LeastSquares().bind(data)
    fit = LeastSquares(ridge=1e-3).bind(data).fit(Order(range(4)))
    assert np.isfinite(fit.value)


@pytest.mark.parametrize("d", [20, 50])
def test_fully_connected_graphs_reach_the_true_order(d):
    """Data of size 1e10 with unit noise: the Gram matrix has condition 1e20 there."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        sample = simulate.linear_dataset(d, 1000, "full", random_state=rng)
        bound = LeastSquares().bind(Dataset.from_table(sample.X))
        true = bound.fit(Order(np.argsort((sample.weights != 0).sum(axis=0)))).value
        fit = bound.fit(Order(rng.permutation(d)))
        run(AutoSearch(), fit, bound.data.names, rng=rng)
        assert fit.value <= true * (1 + 1e-6)
        point = bound.evaluate(fit.parameters())
        assert certify(point, convex=True, tolerance=bound.tolerance).satisfied


def test_local_search_is_close_to_the_global_minimum():
    gaps = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        sample = simulate.linear_dataset(12, 100, "ER2", random_state=rng)
        bound = LeastSquares().bind(Dataset.from_table(sample.X))
        start = Order(rng.permutation(12))
        values = []
        for search in (AutoSearch(), ExactSearch()):
            fit = bound.fit(start)
            run(search, fit, bound.data.names, rng=rng)
            values.append(fit.value)
        gaps.append(values[0] / values[1] - 1)
    assert min(gaps) >= -1e-9
    assert max(gaps) < 1e-3
    assert np.median(gaps) < 1e-9


def test_exact_search_equals_the_generic_dynamic_programme():
    X = simulate.linear_dataset(7, 40, "ER2", random_state=3).X
    data = Dataset.from_table(X)
    fast, slow = (score.bind(data) for score in (LeastSquares(), NodewiseLeastSquares()))
    fits = [bound.fit(Order(range(7))) for bound in (fast, slow)]
    assert all(fit.bound.solve_exactly(fit) for fit in fits)
    assert fits[0].value == pytest.approx(fits[1].value, rel=1e-10)


def test_the_order_does_not_change_the_gradient_unit():
    """It is det(C)^(1/d), the noise variance of an equal-variance model."""
    W = simulate.edge_weights(simulate.dag(30, "ER2", random_state=0), random_state=0)
    C = simulate.population_covariance(W, noise_variance=2.5)
    bound = LeastSquares().bind(Dataset.from_covariance(C, 1000))
    assert bound.gradient_unit == pytest.approx(2.5, rel=1e-9)


@pytest.mark.parametrize("forbidden", [[], ["x0 -> x5", "x3 -> x7"]])
def test_sweeps_of_many_columns_visit_those_that_gain(monkeypatch, forbidden):
    """They end where sweeps of all do: no insertion helps any more, and digits can be checked."""
    monkeypatch.setattr("toposwap.scores.least_squares.fit._WIDE", 2)
    X = simulate.linear_dataset(12, 300, "ER4", random_state=1).X
    bound = LeastSquares().bind(Dataset.from_table(X))
    model = Topo("least-squares", knowledge={"forbidden": forbidden}, init="random").fit(X)
    assert model.certificate_.satisfied
    bound.admissible = model.result_.admissible
    fit = bound.fit(Order(np.arange(12)))
    while moved := fit.insertion_sweep(fit.order.variables):
        assert moved <= 12
    assert min(fit.insertion_profile(v).min() for v in range(12)) >= -fit.resolution


def test_factors_of_many_columns_are_computed_afresh_where_digits_were_lost(monkeypatch):
    monkeypatch.setattr("toposwap.scores.least_squares.fit._WIDE", 2)
    X = simulate.linear_dataset(12, 300, "ER4", random_state=0).X
    bound = LeastSquares().bind(Dataset.from_table(X))
    fit = bound.fit(Order(np.random.default_rng(0).permutation(12)))
    fit.insert(fit.order[3], 9)
    assert fit._rotated
    fit.refresh()
    assert fit._rotated
    for k, v in ((3, fit.order[8]), (8, fit.order[3])):
        worn = fit.copy()
        # One entry of the factor, and one of its inverse.
        worn._pair[k, v] += 1e-5
        worn.refresh()
        assert not worn._rotated
    fit.polish(NEVER)
    assert fit._rotated
