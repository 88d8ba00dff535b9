"""Linear NOTEARS and NOTEARS-MLP against programs written independently of them."""

from functools import lru_cache

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import approx_fprime, minimize
from tables import binary_table

import toposwap as ts
from toposwap.acyclicity import ACYCLICITIES
from toposwap.baselines import Notears, NotearsMLP
from toposwap.baselines.notears import least_squares, least_squares_problem, logistic, with_cycles
from toposwap.baselines.notears_mlp import Network

LAMBDA = 0.1


def squares(X, W):
    return 0.5 * np.sum((X - X @ W) ** 2) / len(X)


def bernoulli(X, W):
    return np.mean(np.sum(np.logaddexp(0.0, X @ W) - X * (X @ W), axis=1))


def reference(X, loss):
    """The published problem on all rows, with numeric gradients: W."""
    d = X.shape[1]
    off = ~np.eye(d, dtype=bool)

    def matrix(z):
        W = np.zeros((d, d))
        W[off] = z[: off.sum()] - z[off.sum() :]
        return W

    def cycles(W):
        return np.trace(expm(W * W)) - d

    z, h, rho, alpha = np.zeros(2 * off.sum()), np.inf, 1.0, 0.0
    while h > 1e-8 and rho < 1e16:

        def objective(z, rho=rho, alpha=alpha):
            W = matrix(z)
            c = cycles(W)
            return loss(X, W) + LAMBDA * z.sum() + 0.5 * rho * c * c + alpha * c

        new = minimize(
            objective, z, method="L-BFGS-B", jac="3-point", bounds=[(0, None)] * z.size
        ).x
        if cycles(matrix(new)) > 0.25 * h:
            rho *= 10
        else:
            z, h = new, cycles(matrix(new))
            alpha += rho * h
    return matrix(z)


def objective(X, W, loss):
    return loss(X, W) + LAMBDA * np.abs(W).sum()


@lru_cache
def shared(kind):
    """Data, loss and the independent objective, computed once for both solvers."""
    if kind == "logistic":
        X, loss = binary_table(3, d=3, n=100), bernoulli
    else:
        X, loss = ts.simulate.linear_dataset(3, 100, "ER1", random_state=1).X, squares
        X = X - X.mean(axis=0)
    return X, loss, objective(X, reference(X, loss), loss)


@pytest.mark.parametrize("kind", ["least-squares", "logistic"])
@pytest.mark.parametrize("solver", ["orthant", "l-bfgs-b"])
@pytest.mark.thorough
def test_reaches_the_independent_objective(kind, solver):
    X, loss, best = shared(kind)
    model = Notears(LAMBDA, loss=kind, solver=solver).fit(X)
    assert objective(X, model.raw_weights_, loss) <= best * (1 + 1e-4)
    assert ts.acyclicity.Exponential().value(model.raw_weights_**2) <= 2e-8
    assert model.certificate_.kind == "local minimum"


@pytest.mark.parametrize("kind", ["least-squares", "logistic"])
def test_losses_and_gradients_are_their_formulas(kind):
    X = (
        binary_table(0, d=4, n=50)
        if kind == "logistic"
        else np.random.default_rng(0).random((50, 4))
    )
    data = ts.Dataset.from_table(X)
    smooth, loss = (
        (logistic(data), bernoulli) if kind == "logistic" else (least_squares(data), squares)
    )
    rows = X if kind == "logistic" else X - X.mean(axis=0)
    W = np.random.default_rng(1).standard_normal((4, 4))
    value, gradient = smooth(W)
    assert value == pytest.approx(loss(rows, W), rel=1e-12)
    numeric = approx_fprime(W.ravel(), lambda w: loss(rows, w.reshape(4, 4)), 1e-7)
    np.testing.assert_allclose(gradient.ravel(), numeric, atol=1e-5)


def test_the_kernel_is_the_general_path():
    data = ts.Dataset.from_table(np.random.default_rng(0).standard_normal((40, 6)))
    h = ts.acyclicity.Exponential()
    fast, slow = least_squares_problem(data, h), with_cycles(least_squares(data), h, 6)
    x = np.random.default_rng(1).standard_normal(36)
    for a, b in zip(fast(x), slow(x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    # Weights whose exponential no double can hold.
    assert fast(1e3 * x)[2] == np.inf


@pytest.mark.parametrize("h", ACYCLICITIES)
@pytest.mark.parametrize(
    "solver", ["orthant", pytest.param("l-bfgs-b", marks=pytest.mark.thorough)]
)
def test_every_acyclicity_leads_to_a_dag_as_good(h, solver):
    X = ts.simulate.linear_dataset(5, 300, "ER1", random_state=2).X
    found = Notears(acyclicity=h, solver=solver).fit(X)
    published = Notears().fit(X)
    assert found.status_ == "method converged"
    assert found.score_ <= 1.05 * published.score_


def test_cost_does_not_depend_on_rows():
    """The same covariance, the same result, bit for bit, without any rows."""
    X = ts.simulate.linear_dataset(5, 300, "ER1", random_state=2).X
    data = ts.Dataset.from_table(X)
    from_table = Notears().fit(data)
    bare = ts.Dataset(data.names, data.n, data.mean, data.scale, data.factor, None)
    np.testing.assert_array_equal(Notears().fit(bare).weights_, from_table.weights_)


def test_three_nodes_end_at_no_kkt_point():
    """Published defaults on the paper's example: the result is not stationary, refine's is."""
    W = np.zeros((3, 3))
    W[0, 1], W[1, 2] = 1.0, -0.55
    data = ts.Dataset.from_covariance(ts.simulate.population_covariance(W), n=1000)
    for solver in ("orthant", "l-bfgs-b"):
        model = Notears(solver=solver).fit(data)
        assert not model.certificate_.satisfied
        assert ts.acyclicity.Exponential().value(model.raw_weights_) > 0.0
        refined = ts.refine(model.weights_, data, score="least-squares")
        assert refined.score_ < model.score_
        assert refined.certificate_.satisfied


@pytest.mark.filterwarnings("ignore::toposwap.core.errors.UnitsWarning")
def test_units_that_differ_wildly_are_no_accident():
    X = ts.simulate.linear_dataset(4, 100, "ER1", random_state=0).X * [1.0, 1e3, 1e-3, 50.0]
    model = Notears().fit(X)
    assert np.isfinite(model.score_)


def test_nearly_dependent_columns_keep_their_digits():
    """A fully connected graph: huge variances, residual variances of one."""
    sample = ts.simulate.linear_dataset(50, 200, "full", random_state=0)
    data = ts.Dataset.from_table(sample.X)
    best = ts.Topo("least-squares", search="none", init=sample.weights).fit(data)
    # More digits than the covariance has.
    assert data.covariance().max() > 1e16
    value, _ = least_squares(data)(best.weights_)
    assert value == pytest.approx(best.score_, rel=1e-3)
    problem = least_squares_problem(data, ts.acyclicity.Exponential())
    assert problem(best.weights_.ravel())[0] == pytest.approx(best.score_, rel=1e-3)


# --- networks ------------------------------------------------------------------------------------


def slow_loss(network, X):
    total = 0.0
    for j in range(X.shape[1]):
        hidden = 1.0 / (1.0 + np.exp(-(X @ network.A[j].T + network.b[j])))
        total += np.sum((X[:, j] - hidden @ network.v[j] - network.c[j]) ** 2)
    return 0.5 * total / len(X)


def test_network_loss_and_gradient():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3))
    network = Network.random(3, 4, rng)
    value, gradient = network.loss(X)
    assert value == pytest.approx(slow_loss(network, X), rel=1e-12)
    numeric = approx_fprime(
        network.packed(), lambda x: slow_loss(Network.unpacked(x, 3, 4), X), 1e-7
    )
    np.testing.assert_allclose(gradient.packed(), numeric, atol=1e-6)


def test_networks_find_what_no_line_can():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2.0, 2.0, 400)
    X = np.column_stack((x, 3.0 * np.cos(2.0 * x) + 0.1 * rng.standard_normal(400)))
    model = NotearsMLP(random_state=0).fit(X)
    assert model.adjacency_matrix_[0, 1] > 0.0 == model.adjacency_matrix_[1, 0]
    assert model.score_ < 0.5 * ts.Topo("least-squares").fit(X).score_
    assert model.certificate_.kind == "KKT point"
