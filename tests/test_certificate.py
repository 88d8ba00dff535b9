"""The certificate: what it says, and that it is true."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_scores import NodewiseLasso

import toposwap as ts
from toposwap.acyclicity import ACYCLICITIES
from toposwap.certificate import certify, is_connected, violations
from toposwap.core.dataset import Dataset
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.scores import LeastSquares


def table(seed, d=5):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((50, d)) @ rng.standard_normal((d, d)), rng


@given(st.integers(0, 1000), st.sampled_from(list(ACYCLICITIES)))
def test_matrix_is_that_of_the_paper(seed, name):
    """With reachability read off the gradient of any h."""
    X, rng = table(seed)
    W = rng.uniform(-0.3, 0.3, (5, 5)) * (rng.random((5, 5)) < 0.4)
    np.fill_diagonal(W, 0.0)
    point = LeastSquares().bind(Dataset.from_table(X)).evaluate(W)
    K = np.where(ACYCLICITIES[name]().gradient(W) > 0.0, np.abs(W), point.gradient)
    certificate = ts.check_kkt(W, X, score="least-squares")
    np.testing.assert_array_equal(certificate.matrix, K)
    assert not certificate.satisfied


@given(st.integers(0, 1000))
def test_no_feasible_perturbation_lowers_a_certified_score(seed):
    """Local minimality by brute force: 200 directions that keep the graph a DAG."""
    X, rng = table(seed)
    data = Dataset.from_table(X)
    for score in (LeastSquares(), NodewiseLasso(0.3)):
        bound = score.bind(data)
        fit = bound.fit(Order(rng.permutation(5)))
        ts.search.run(ts.search.AutoSearch(), fit, data.names, rng=rng)
        W = fit.parameters()
        point = bound.evaluate(W)
        assert certify(point, convex=True, tolerance=bound.tolerance).satisfied
        for _ in range(200):
            step = rng.standard_normal((5, 5)) * (rng.random((5, 5)) < rng.random())
            np.fill_diagonal(step, 0.0)
            moved = W + 1e-6 * step
            if topological_order(moved != 0.0) is not None:
                assert bound.evaluate(moved).value >= point.value * (1 - 1e-14)


@given(st.integers(0, 1000))
def test_violations_are_ways_down(seed):
    """Lemma 3: adding the edge of any pair of Y(Theta, 0, 0) lowers a separable score."""
    X, rng = table(seed, d=6)
    bound = NodewiseLasso(0.5 * np.abs(np.cov(X.T)).mean()).bind(Dataset.from_table(X))
    fit = bound.fit(Order(rng.permutation(6)))
    point = fit.point()
    found = violations(point, bound.tolerance)
    certificate = certify(point, convex=True, tolerance=bound.tolerance)
    assert certificate.satisfied == (len(found) == 0)
    from toposwap.search.moves.update_sort import with_edge

    for i, j in found.tolist():
        assert point.weights[i, j] == 0.0  # Lemma 2
        assert fit.delta(with_edge(fit.order, point.weights, i, j)) < 0.0


def test_some_sparse_fits_do_violate_the_conditions():
    """Otherwise the property above would hold for want of cases."""
    count = 0
    for seed in range(30):
        X, rng = table(seed, d=6)
        bound = NodewiseLasso(0.5 * np.abs(np.cov(X.T)).mean()).bind(Dataset.from_table(X))
        fit = bound.fit(Order(rng.permutation(6)))
        count += len(violations(fit.point(), bound.tolerance)) > 0
    assert count >= 5


def test_every_order_of_least_squares_is_a_local_minimum():
    X, rng = table(0)
    for _ in range(10):
        model = ts.Topo("least-squares", search="none", init=rng.permutation(5).tolist()).fit(X)
        assert model.certificate_.satisfied


def test_residual_does_not_depend_on_units_and_tolerance_is_stated():
    X, rng = table(3)
    W = np.triu(rng.standard_normal((5, 5)), 1)
    certificate = ts.check_kkt(W, X, score="least-squares")
    units = 10.0 ** rng.integers(-8, 8, 5)
    rescaled = ts.check_kkt(W / units[:, None] * units, X * units, score="least-squares")
    assert rescaled.max_residual == pytest.approx(certificate.max_residual, rel=1e-9)
    assert rescaled.worst == certificate.worst
    assert f"{certificate.tolerance:.1e}" in repr(certificate)
    assert not bool(certificate)
    assert ts.check_kkt(W, X, score="least-squares", tolerance=10.0).satisfied


def test_a_pruned_solution_is_no_longer_stationary():
    sample = ts.simulate.linear_dataset(8, 200, "ER1", random_state=0)
    model = ts.Topo("least-squares").fit(sample.X)
    assert ts.check_kkt(model.weights_, sample.X, score="least-squares").satisfied
    assert not ts.check_kkt(model.adjacency_matrix_, sample.X, score="least-squares").satisfied


def test_cycles_are_never_certified():
    X, _ = table(1)
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = 1e-3
    certificate = ts.check_kkt(W, X, score="least-squares")
    assert not certificate.satisfied
    assert certificate.matrix[0, 1] == 1e-3
    assert certificate.matrix[1, 0] == 1e-3


def test_connected_means_a_path_between_any_two():
    """Against the definition: for i before j there is a directed path, by powers of the matrix."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(200):
        W = np.triu(rng.random((4, 4)) < 0.7, 1) * 1.0
        paths = np.linalg.matrix_power(np.eye(4) + W, 4) > 0.0
        expected = bool(paths[np.triu_indices(4)].all())
        shuffle = rng.permutation(4)
        assert is_connected(W[np.ix_(shuffle, shuffle)]) == expected
        seen.add(expected)
    assert seen == {True, False}


def test_the_certificate_tells_what_the_theorem_rests_on():
    X, _ = table(2)
    point = LeastSquares().bind(Dataset.from_table(X)).evaluate(np.zeros((5, 5)))
    full = LeastSquares().bind(Dataset.from_table(X)).fit(Order(range(5))).point()
    told = [
        certify(at, convex=True, tolerance=1e-8, separable=separable).condition
        for at, separable in ((point, True), (point, False), (full, False))
    ]
    assert told == ["separable", "not connected", "connected"]


@pytest.mark.parametrize("rest", [np.float64(0.0), np.float32(1.0), 0.0, 1])
def test_the_verdict_is_a_plain_truth_value(rest):
    """Whatever numbers a score hands over: ``if certificate`` must not be an error."""
    X, _ = table(0)
    bound = LeastSquares().bind(Dataset.from_table(X))
    point = bound.evaluate(bound.fit(Order(range(5))).parameters())
    point = dataclasses.replace(point, rest=rest)
    certificate = certify(point, convex=True, tolerance=np.float64(1e-8))
    assert certificate.satisfied is bool(certificate) is bool(rest == 0)
    assert type(certificate.max_residual) is float
