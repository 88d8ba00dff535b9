"""The compiled recursion against the matrix that it stands for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.linalg.two_loop import directions


def slow_direction(steep, free, unit, pairs):
    """-H steep, with the BFGS matrix H updated pair by pair, oldest first, on the free entries."""
    p = len(steep)
    pairs = [(np.where(free, s, 0.0), np.where(free, y, 0.0)) for s, y in pairs]
    pairs = [(s, y) for s, y in pairs if s @ y > 0.0]
    stretch = 1.0
    if pairs:
        s, y = pairs[-1]
        stretch = s @ y / np.sum((y * unit) ** 2)
    H = np.diag(np.where(free, stretch * unit**2, 0.0))
    for s, y in pairs:
        V = np.eye(p) - np.outer(y, s) / (s @ y)
        H = V.T @ H @ V + np.outer(s, s) / (s @ y)
    return -H @ np.where(free, steep, 0.0), not pairs


@given(st.integers(0, 10_000))
def test_recursion_is_the_matrix(seed):
    rng = np.random.default_rng(seed)
    problems, memory, p = 4, 3, 5
    moves = rng.standard_normal((problems, memory, p))
    bends = moves @ np.diag(rng.uniform(0.5, 3.0, p)) + 0.3 * rng.standard_normal(moves.shape)
    count = rng.integers(0, memory + 1, problems)
    newest = rng.integers(0, memory, problems)
    active = np.flatnonzero(rng.random(problems) < 0.7)
    steep = rng.standard_normal((len(active), p))
    free = rng.random((len(active), p)) < 0.7
    unit = rng.uniform(0.5, 2.0, (len(active), p))
    found, guess = directions(active, steep, free, unit, moves, bends, count, newest)
    for row, b in enumerate(active):
        ring = [(newest[b] - back) % memory for back in range(count[b])][::-1]
        pairs = [(moves[b, at], bends[b, at]) for at in ring]
        expected, nothing = slow_direction(steep[row], free[row], unit[row], pairs)
        np.testing.assert_allclose(found[row], expected, rtol=1e-8, atol=1e-9)
        assert guess[row] == nothing
