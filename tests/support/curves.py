"""Additive tables: columns that are sums of curves of others."""

import numpy as np

SHAPES = (np.sin, np.cos, np.tanh, np.square, lambda x: x)


def additive_table(seed, d=6, n=400, parents=2):
    """Data (n, d) and graph (d, d), columns permuted, noise of unit variance."""
    rng = np.random.default_rng(seed)
    X, A = rng.standard_normal((n, d)), np.zeros((d, d), dtype=bool)
    for j in range(1, d):
        for i in rng.choice(j, min(j, parents), replace=False):
            shape = SHAPES[rng.integers(len(SHAPES))]
            z = (X[:, i] - X[:, i].mean()) / X[:, i].std()
            f = shape(1.5 * z)
            X[:, j] += 2.0 * (f - f.mean()) / f.std()
            A[i, j] = True
    order = rng.permutation(d)
    return X[:, order], A[np.ix_(order, order)]
