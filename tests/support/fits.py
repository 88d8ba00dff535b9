"""Fits of small simulated tables, and what they are compared with."""

import networkx as nx
import numpy as np

import toposwap as ts

D = 7
NAMES = list("gfedcba")


def sample(seed=0, n=100, d=D):
    return ts.simulate.linear_dataset(d, n, "ER2", random_state=seed)


def table(seed=0, n=100, d=D):
    return sample(seed, n, d).X + np.arange(d)


def backwards(seed=0, d=D):
    """An order that leaves a search much to do."""
    return topological(sample(seed, d=d).weights)[::-1]


def topological(W):
    return list(nx.topological_sort(nx.DiGraph(np.asarray(W) != 0)))


def is_dag(W):
    return nx.is_directed_acyclic_graph(nx.DiGraph(np.asarray(W) != 0))


def score_of(W, X):
    Z = X - X.mean(axis=0)
    return np.sum((Z - Z @ W) ** 2) / (2 * len(X))


def solved(X, order):
    """Weights and score of an order, column by column."""
    W, Z = np.zeros((X.shape[1],) * 2), X - X.mean(axis=0)
    for k, v in enumerate(order):
        before = list(order[:k])
        W[before, v] = np.linalg.lstsq(Z[:, before], Z[:, v], rcond=None)[0]
    return W, score_of(W, X)


def without_seconds(history):
    return [(s.iteration, s.score, s.space, s.candidates, s.move) for s in history]


def assert_same_fit(one, two):
    """Bit for bit."""
    assert one.causal_order_ == two.causal_order_
    assert one.score_ == two.score_
    assert one.status_ == two.status_
    np.testing.assert_array_equal(one.weights_, two.weights_)
    np.testing.assert_array_equal(one.adjacency_matrix_, two.adjacency_matrix_)
    np.testing.assert_array_equal(one.certificate_.matrix, two.certificate_.matrix)
    assert without_seconds(one.history_) == without_seconds(two.history_)


def random_dag(rng, density=None):
    density = rng.random() if density is None else density
    W = np.triu(rng.uniform(-2, 2, (D, D)) * (rng.random((D, D)) < density), 1)
    hidden = rng.permutation(D)
    return W[np.ix_(hidden, hidden)]


def dropped_literally(W):
    """Take the weakest edge away, one after the other, until there is no cycle."""
    W = W.copy()
    count = np.count_nonzero(np.diag(W))
    np.fill_diagonal(W, 0.0)
    while not is_dag(W):
        edges = np.argwhere(W)
        i, j = edges[np.abs(W[tuple(edges.T)]).argmin()]
        W[i, j] = 0.0
        count += 1
    return W, count
