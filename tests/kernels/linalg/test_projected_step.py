"""The restricted BFGS direction against its matrix, and steps that stop at zero."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.linalg.projected_step import free_direction, one_sided_slopes, projected_step


def bfgs_direction(s, y, g, softness):
    """-H g by the textbook's update of the inverse, oldest pair first."""
    good = [(a, b) for a, b in zip(s, y, strict=True) if a @ b > 1e-12 * (b * softness @ b)]
    if not good:
        return -softness * g
    a, b = good[-1]
    H = np.diag(softness) * (a @ b) / (b * softness @ b)
    for a, b in good:
        r = 1.0 / (a @ b)
        V = np.eye(g.size) - r * np.outer(a, b)
        H = V @ H @ V.T + r * np.outer(a, a)
    return -H @ g


@given(seed=st.integers(0, 2**32), n=st.integers(1, 8), count=st.integers(0, 5))
def test_direction_is_that_of_the_restricted_pairs(seed, n, count):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, n))
    steps = rng.standard_normal((5, n))
    changes = steps @ (root @ root.T + np.eye(n)) + 0.3 * rng.standard_normal((5, n))
    gradient = rng.standard_normal(n)
    free = np.flatnonzero(rng.random(n) < 0.7)
    newest, softness = int(rng.integers(5)), rng.uniform(0.1, 10.0, n)
    rows = [(newest - age) % 5 for age in range(count)][::-1]
    expected = bfgs_direction(
        steps[rows][:, free], changes[rows][:, free], gradient[free], softness[free]
    )
    found = free_direction(steps, changes, newest, count, gradient, free, softness)
    np.testing.assert_allclose(
        found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max(initial=1)
    )
    assert free.size == 0 or found @ gradient[free] < 0.0


@given(seed=st.integers(0, 2**32), n=st.integers(1, 10))
def test_slopes_and_steps_are_their_formulas(seed, n):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n) * (rng.random(n) < 0.6)
    gradient = rng.standard_normal(n)
    l1 = rng.random(n) * (rng.random(n) < 0.7)
    movable = rng.random(n) < 0.8
    slope = np.empty(n)
    largest, free = one_sided_slopes(x, gradient, l1, movable, slope)
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    expected = np.where(movable, np.where(x != 0.0, gradient + l1 * np.sign(x), at_zero), 0.0)
    np.testing.assert_allclose(slope, expected, rtol=1e-14)
    assert largest == np.abs(slope).max()
    np.testing.assert_array_equal(free, np.flatnonzero(slope))

    direction = rng.standard_normal(free.size)
    new, penalty, foretold = projected_step(x, slope, l1, free, direction, 0.5)
    moved = x.copy()
    moved[free] += 0.5 * direction
    side = np.where(x != 0.0, np.sign(x), -np.sign(slope))
    moved[(l1 > 0.0) & (slope != 0.0) & (moved * side < 0.0)] = 0.0
    np.testing.assert_allclose(new, moved, rtol=1e-14)
    np.testing.assert_allclose(penalty, l1 @ np.abs(new), rtol=1e-12)
    np.testing.assert_allclose(foretold, slope @ (new - x), rtol=1e-9, atol=1e-12)
