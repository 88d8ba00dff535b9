"""Small random tables of the kind that a score is made for."""

import numpy as np


def weights(rng, d, low=0.0, high=1.5, density=0.6):
    """Random weights (d, d) in the order of the columns."""
    sizes = rng.uniform(low, high, (d, d)) * rng.choice([-1, 1], (d, d))
    return np.triu(sizes * (rng.random((d, d)) < density), 1)


def real_table(seed, d=5, n=60):
    """Linear Gaussian columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ np.linalg.inv(np.eye(d) - weights(rng, d))
    return X[:, rng.permutation(d)]


def binary_table(seed, d=5, n=300):
    """Columns of zeros and ones, each with at least ten of both."""
    rng = np.random.default_rng(seed)
    W = weights(rng, d, 0.3, 1.5)
    X = np.zeros((n, d))
    for j in range(d):
        f = X @ W[:, j]
        X[:, j] = rng.random(n) < 1.0 / (1.0 + np.exp(f.mean() - f))
        X[:20, j] = rng.permutation(np.repeat([0.0, 1.0], 10))
    return X[:, rng.permutation(d)]


def count_table(seed, d=5, n=200):
    """Columns of small counts."""
    rng = np.random.default_rng(seed)
    W = weights(rng, d, 0.05, 0.25)
    X = np.zeros((n, d))
    for j in range(d):
        f = X @ W[:, j]
        X[:, j] = rng.poisson(np.exp(np.clip(0.5 + f - f.mean(), -3.0, 2.0)))
    return X[:, rng.permutation(d)]


def mixed_table(seed, d=5):
    """One column of zeros and ones, one of counts, the rest real."""
    X = real_table(seed, d, 200)
    X[:, 0] = binary_table(seed, d, 200)[:, 0]
    X[:, 1] = count_table(seed, d, 200)[:, 1]
    return X


def category_table(seed, d=5, n=250):
    """Columns of two to four levels, each with at least one row, that depend on earlier ones."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, d)
    X = np.zeros((n, d))
    for j in range(d):
        parents = np.flatnonzero(rng.random(j) < 0.5)[:2]
        chances = rng.dirichlet(np.full(sizes[j], 0.7), size=(4,) * len(parents))
        drawn = chances[tuple(X[:, parents].T.astype(int))] if len(parents) else chances
        X[:, j] = (
            (rng.random((n, 1)) > np.cumsum(drawn, axis=-1)).sum(axis=-1).clip(0, sizes[j] - 1)
        )
        X[: sizes[j], j] = rng.permutation(sizes[j])
    return X[:, rng.permutation(d)]


KINDS = {"logistic": binary_table, "poisson": count_table, "auto": mixed_table}


def suited_to(score, seed, d=5):
    """A table for ``score``, (n, d)."""
    if not score.continuous:
        return category_table(seed, d)
    loss = getattr(score, "loss", None)
    return KINDS.get(getattr(loss, "name", None), real_table)(seed, d)
