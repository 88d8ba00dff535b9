"""Block coordinate descent against proximal gradient steps and against its conditions."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.additive import group_descent


@st.composite
def problems(draw):
    d, m = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    U = rng.standard_normal((d * m + 20, d * m)) + rng.standard_normal((d * m + 20, 1))
    for i in range(d):
        part = slice(i * m, (i + 1) * m)
        U[:, part] = np.linalg.qr(U[:, part])[0]
    y = U @ rng.standard_normal(d * m) + rng.standard_normal(len(U))
    return U, y, m, rng.uniform(0.1, 1.0, d), rng.random(d) < 0.8


def proximal_gradient(U, y, m, kinks, allowed, steps=2000):
    """The copy for the group lasso."""
    theta = np.zeros((len(kinks), m))
    size = 1.0 / np.linalg.norm(U, 2) ** 2
    for _ in range(steps):
        theta = theta + size * (U.T @ (y - U @ theta.ravel())).reshape(theta.shape)
        lengths = np.maximum(np.linalg.norm(theta, axis=1), 1e-300)
        theta *= (allowed * np.maximum(1.0 - size * kinks / lengths, 0.0))[:, None]
    return theta


def solved(U, y, m, kinks, allowed, concavity):
    theta, slack = np.zeros((len(kinks), m)), np.empty((len(kinks), m))
    group_descent.solve_node(
        U.T @ U, U.T @ y, allowed, kinks, concavity, theta, slack, 1e-12, 100_000
    )
    np.testing.assert_allclose(slack.ravel(), U.T @ (y - U @ theta.ravel()), atol=1e-8)
    return theta, slack


@examples(25)
@given(problems())
def test_the_group_lasso_is_that_of_proximal_gradient(problem):
    U, y, m, kinks, allowed = problem
    theta, _ = solved(U, y, m, kinks, allowed, 0.0)
    copy = proximal_gradient(U, y, m, kinks, allowed)

    def value(theta):
        left = y - U @ theta.ravel()
        return 0.5 * left @ left + kinks @ np.linalg.norm(theta, axis=1)

    assert value(theta) <= value(copy) + 1e-9 * value(copy)
    assert value(theta) == pytest.approx(value(copy), rel=1e-4)


@given(problems(), st.sampled_from([0.0, 0.1, 0.5]))
def test_every_block_is_stationary(problem, concavity):
    U, y, m, kinks, allowed = problem
    theta, slack = solved(U, y, m, kinks, allowed, concavity)
    lengths = np.linalg.norm(theta, axis=1)
    assert not theta[~allowed].any()
    for i in np.flatnonzero(allowed):
        if lengths[i] == 0.0:
            assert np.linalg.norm(slack[i]) <= kinks[i] + 1e-9
        else:
            slope = max(kinks[i] - concavity * lengths[i], 0.0)
            np.testing.assert_allclose(slack[i], slope * theta[i] / lengths[i], atol=1e-8)


@pytest.mark.parametrize("concavity", [0.0, 0.3, 0.9])
def test_the_scalar_problem_by_looking_at_all_points(concavity):
    t = np.linspace(0.0, 5.0, 50_001)
    for length in (0.1, 0.5, 0.8, 1.5, 4.0):
        reach = np.minimum(t, 0.6 / concavity) if concavity else t
        price = 0.6 * reach - 0.5 * concavity * reach**2
        best = t[np.argmin(0.5 * (t - length) ** 2 + price)]
        assert group_descent.shrunk(length, 0.6, concavity) == pytest.approx(best, abs=2e-4)
