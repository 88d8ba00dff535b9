"""GOLEM: gradient, Adam, and the objective of an independent optimiser."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import approx_fprime, minimize

import toposwap as ts
from toposwap.baselines import GolemEV, GolemNV
from toposwap.baselines.golem import descend, objective
from toposwap.kernels.baselines.golem import adam_steps, golem_gradient

BOTH = pytest.mark.parametrize("equal", [True, False], ids=["EV", "NV"])


def literal(X, B, l1, h, equal):
    """The objective as it was published, on all rows."""
    n, d = X.shape
    squares = np.sum((X - X @ B) ** 2, axis=0)
    fit = 0.5 * d * np.log(squares.sum()) if equal else 0.5 * np.log(squares).sum()
    fit -= np.log(abs(np.linalg.det(np.eye(d) - B)))
    return fit + l1 * np.abs(B).sum() + h * (np.trace(expm(B * B)) - d) - 0.5 * d * np.log(n)


def sample(d, seed=0, n=300):
    X = ts.simulate.linear_dataset(d, n, "ER1", random_state=seed).X
    return X - X.mean(axis=0)


@BOTH
def test_objective_and_gradient_are_the_published_ones(equal):
    X = sample(4)
    R = np.linalg.qr(X / np.sqrt(len(X)), mode="r")
    B = 0.3 * np.random.default_rng(1).standard_normal((4, 4))
    np.fill_diagonal(B, 0.0)
    assert objective(B, R, (0.02, 5.0), equal=equal) == pytest.approx(
        literal(X, B, 0.02, 5.0, equal), rel=1e-12
    )
    numeric = approx_fprime(
        B.ravel(), lambda b: literal(X, b.reshape(4, 4), 0.02, 5.0, equal), 1e-7
    ).reshape(4, 4)
    np.fill_diagonal(numeric, 0.0)
    np.testing.assert_allclose(golem_gradient(B, R, 0.02, 5.0, equal), numeric, atol=2e-5)


@BOTH
def test_adam_is_adam(equal):
    """The kernel against the update written with arrays, in two pieces to test its memory."""
    X = sample(4)
    R = np.linalg.qr(X / np.sqrt(len(X)), mode="r")
    B, m, v = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((4, 4))
    adam_steps(B, m, v, 0, 3, 1e-2, R, 0.02, 5.0, equal)
    adam_steps(B, m, v, 3, 4, 1e-2, R, 0.02, 5.0, equal)
    W, first, second = np.zeros((4, 4)), 0.0, 0.0
    for t in range(1, 8):
        g = golem_gradient(W, R, 0.02, 5.0, equal)
        first = 0.9 * first + 0.1 * g
        second = 0.999 * second + 0.001 * g**2
        W -= 1e-2 * (first / (1 - 0.9**t)) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)
    np.testing.assert_allclose(B, W, rtol=1e-10)


@BOTH
@pytest.mark.thorough
def test_reaches_the_independent_objective(equal):
    """SciPy on split variables with numeric gradients and all rows, from the same start."""
    X = sample(3, seed=1)
    l1 = 0.02 if equal else 0.002
    model = (GolemEV if equal else GolemNV)(steps=20_000).fit(X)
    off = ~np.eye(3, dtype=bool)

    def matrix(z):
        B = np.zeros((3, 3))
        B[off] = z[:6] - z[6:]
        return B

    def split(z):
        return literal(X, matrix(z), 0.0, 5.0, equal) + l1 * z.sum()

    start = np.zeros((3, 3)) if equal else GolemEV(steps=20_000).fit(X).raw_weights_
    z0 = np.concatenate((np.maximum(start[off], 0), np.maximum(-start[off], 0)))
    best = minimize(split, z0, method="L-BFGS-B", jac="3-point", bounds=[(0, None)] * 12).fun
    reached = literal(X, model.raw_weights_, l1, 5.0, equal)
    assert reached <= best + 1e-4 * max(abs(best), 1.0)


def test_stops_when_nothing_is_gained():
    X = sample(4)
    all_steps = GolemEV(steps=30_000).fit(X)
    stopped = GolemEV(steps=30_000, tolerance=1e-5, patience=1000).fit(X)
    assert all_steps.n_iter_ == 30_000
    assert all_steps.status_ == "all steps made"
    assert stopped.status_ == "method converged"
    assert stopped.n_iter_ < 15_000
    assert stopped.score_ == pytest.approx(all_steps.score_, rel=1e-2)


def test_large_weights_do_not_overflow():
    R = np.eye(3)
    start = np.array([[0.0, 40.0, 40.0], [40.0, 0.0, 40.0], [40.0, 40.0, 0.0]])
    with np.errstate(over="ignore"):
        B, _, _ = descend(
            R, start, (0.02, 5.0), equal=True, steps=100, rate=1e-3, tolerance=None, patience=1
        )
    assert np.isfinite(B).all()
    assert np.abs(B).max() < 40.0


@pytest.mark.parametrize("steps", [0, -3, 2.5, True, "many"])
def test_steps_must_be_a_count(steps):
    with pytest.raises(ts.InputError, match="steps"):
        GolemEV(steps=steps).fit(sample(3))
