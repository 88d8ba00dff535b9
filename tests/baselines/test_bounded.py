"""The bounded solvers against scikit-learn, and against each other."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso

import toposwap as ts
from toposwap.baselines.bounded import SOLVERS
from toposwap.baselines.notears_mlp import Network

EACH = pytest.mark.parametrize("solve", list(SOLVERS.values()), ids=list(SOLVERS))


@EACH
@pytest.mark.parametrize("seed", range(3))
def test_lasso(solve, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((40, 12)), rng.standard_normal(40)

    def smooth(w):
        error = X @ w - y
        return 0.5 * error @ error / 40, X.T @ error / 40

    everything = np.ones(12, dtype=bool)
    found = solve(smooth, rng.standard_normal(12), np.full(12, 0.1), everything)
    expected = Lasso(alpha=0.1, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, y).coef_
    best = smooth(expected)[0] + 0.1 * np.abs(expected).sum()
    assert found.value <= best * (1 + 1e-7)
    assert found.value == pytest.approx(smooth(found.x)[0] + 0.1 * np.abs(found.x).sum())
    np.testing.assert_allclose(found.x, expected, atol=1e-3)


@EACH
def test_what_may_not_move_stays_and_what_has_no_penalty_crosses_zero(solve):
    target = np.array([3.0, -2.0, 0.05, 4.0])

    def smooth(x):
        return 0.5 * np.sum((x - target) ** 2), x - target

    movable = np.array([True, True, True, False])
    l1 = np.array([0.0, 0.5, 0.5, 0.0])
    found = solve(smooth, np.array([-1.0, 1.0, 1.0, 0.0]), l1, movable)
    np.testing.assert_allclose(found.x, [3.0, -1.5, 0.0, 0.0], atol=1e-6)


@EACH
def test_points_outside_the_domain_are_avoided(solve):
    """-log(1 - x) exists below 1 only, and a full step would leave it."""

    def smooth(x):
        if x[0] >= 1.0:
            return np.inf, np.full(1, np.inf)
        return -50.0 * x[0] - np.log(1.0 - x[0]), -50.0 + 1.0 / (1.0 - x)

    found = solve(smooth, np.zeros(1), np.zeros(1), np.ones(1, dtype=bool))
    assert found.x[0] == pytest.approx(0.98, abs=1e-4)


def test_networks_cannot_be_improved_by_the_other_solver():
    """Neither from the end of ours; the problem is that of NOTEARS-MLP without h."""
    X = ts.simulate.linear_dataset(3, 60, "ER1", random_state=1).X
    rng = np.random.default_rng(0)
    start = Network.random(3, 2, rng)
    l1 = np.zeros(start.packed().size)
    l1[:18] = 0.05
    movable = np.ones(l1.size, dtype=bool)
    movable[:18] = np.broadcast_to(~np.eye(3, dtype=bool)[:, None, :], (3, 2, 3)).ravel()

    def smooth(x):
        value, gradient = Network.unpacked(x, 3, 2).loss(X)
        return value + 0.005 * x @ x, gradient.packed() + 0.01 * x

    ours = SOLVERS["orthant"](smooth, start.packed(), l1, movable)
    again = SOLVERS["l-bfgs-b"](smooth, ours.x, l1, movable)
    assert ours.value <= again.value * (1 + 1e-4)
