"""Blocks of Gaussian columns: gains and selected parents against plain linear algebra."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.blocks import moments
from toposwap.kernels.blocks.predictors import decreases


def some_moments(seed, sizes=(1, 2, 3, 1, 2)):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    X = rng.standard_normal((80, starts[-1]))
    X[:, starts[1] :] += 0.8 * X[:, :1] * rng.standard_normal(starts[-1] - 1)
    return X.T @ X / 80, starts


def columns(starts, parents):
    return np.concatenate([np.arange(starts[i], starts[i + 1]) for i in parents] or [[]]).astype(
        int
    )


def loss(gram, starts, node, parents):
    """1/2 log det of the node's columns given those of ``parents``."""
    own, of = columns(starts, [node]), columns(starts, parents)
    S = gram[np.ix_(own, own)]
    if of.size:
        cross = gram[np.ix_(of, own)]
        S = S - cross.T @ np.linalg.solve(gram[np.ix_(of, of)], cross)
    return 0.5 * np.linalg.slogdet(S)[1]


@given(seed=st.integers(0, 1000), node=st.integers(0, 4))
def test_no_single_change_improves_the_selected_parents(seed, node):
    gram, starts = some_moments(seed)
    sizes, weight = np.diff(starts), 0.02
    parents, worth = np.zeros(5, dtype=bool), np.empty(5)
    allowed = np.arange(5) != node
    none = np.zeros(5, dtype=bool)
    found = moments.select(gram, starts, node, allowed, none, weight, 40, parents, worth)
    chosen = np.flatnonzero(parents).tolist()
    here = loss(gram, starts, node, chosen)
    assert abs(found - here) < 1e-9
    for i in range(5):
        if i == node:
            continue
        price = weight * sizes[i] * sizes[node]
        other = sorted(set(chosen) ^ {i})
        change = loss(gram, starts, node, other) - here
        if parents[i]:
            assert change >= price - 1e-9
        else:
            assert abs(-change - price - worth[i]) < 1e-9
            assert worth[i] <= 1e-9


@given(seed=st.integers(0, 1000))
def test_decreases_are_those_of_the_quadratic(seed):
    """g' S^-1 g / 2 with S the curvature given the parents and the constant, for each predictor."""
    rng = np.random.default_rng(seed)
    sizes = np.array([1, 2, 3])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    X = rng.standard_normal((40, 7))
    H = X.T @ X
    g = rng.standard_normal((6, 2))
    A = np.array([[1.2, 0.3], [0.3, 0.8]])
    parents, gains = np.array([False, True, False]), np.empty(3)
    decreases(H, starts, parents, g, np.linalg.inv(np.linalg.cholesky(A)), gains)
    inside = [1, 2, 6]
    for i in (0, 2):
        of = columns(starts, [i])
        cross = H[np.ix_(inside, of)]
        S = H[np.ix_(of, of)] - cross.T @ np.linalg.solve(H[np.ix_(inside, inside)], cross)
        expected = 0.5 * np.trace(np.linalg.solve(A, g[of].T @ np.linalg.solve(S, g[of])))
        np.testing.assert_allclose(gains[i], expected, rtol=1e-9)
    assert gains[1] == 0.0
