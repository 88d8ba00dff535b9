"""Newton steps on the blocks in use, against what sweeps come to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.additive.group_descent import solve_node
from toposwap.scores.additive.group_newton import newton_steps


def correlated(seed, d=5, m=3, n=60):
    """Blocks with orthonormal columns each, which resemble each other."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, m))
    blocks = [np.linalg.qr(shared + 0.3 * rng.normal(size=(n, m)))[0] for _ in range(d)]
    U = np.hstack(blocks)
    y = U @ rng.normal(size=d * m) + 0.1 * rng.normal(size=n)
    return U.T @ U, U.T @ y, U, y


@pytest.mark.parametrize("concavity", [0.0, 0.3])
@given(seed=st.integers(0, 1000))
def test_they_lower_the_value_and_end_where_sweeps_stay(concavity, seed):
    gram, target, U, y = correlated(seed)
    kinks, allowed = np.full(5, 0.02), np.ones(5, dtype=bool)
    present = np.ones((5, 3), dtype=bool)

    def value(theta):
        t = np.linalg.norm(theta, axis=1)
        reach = np.minimum(t, kinks / concavity) if concavity else t
        penalty = np.sum(kinks * reach - 0.5 * concavity * reach**2)
        return 0.5 * np.sum((y - U @ theta.ravel()) ** 2) + penalty

    theta, slack = np.zeros((5, 3)), np.empty((5, 3))
    solve_node(gram, target, allowed, kinks, concavity, theta, slack, 1e-11, 3)
    before = theta.copy()
    newton_steps(gram, target, kinks, concavity, theta, present)
    assert value(theta) <= value(before)
    np.testing.assert_array_equal((theta != 0.0).any(axis=1), (before != 0.0).any(axis=1))
    if concavity == 0.0:
        long = np.zeros((5, 3))
        solve_node(gram, target, allowed, kinks, concavity, long, slack, 1e-12, 100_000)
        for _ in range(5):
            solve_node(gram, target, allowed, kinks, concavity, theta, slack, 1e-12, 50)
            newton_steps(gram, target, kinks, concavity, theta, present)
        np.testing.assert_allclose(theta, long, atol=1e-6)


def test_nothing_in_use_stays_so():
    gram, target, *_ = correlated(0)
    theta = np.zeros((5, 3))
    newton_steps(gram, target, np.ones(5), 0.0, theta, np.ones((5, 3), dtype=bool))
    assert not theta.any()
