"""Scores written the way a user would write one, to hold the abstractions to their word.

Each is small and slow: a separable convex one, a separable one that is sparse (its gradient has
kinks), and one that does not separate at all.
"""

import numpy as np

from toposwap.scores import JointScore, NodeFit, Point, Score, SeparableScore


class NodewiseLeastSquares(Score):
    """1/(2n) ||X - XW||_F^2 through ``fit_node`` and NumPy alone."""

    name = "toy-nodewise"
    convex = True
    separable = True
    selects_edges = False

    def bind(self, data):
        return _Nodewise(self, data, 0.0)


class NodewiseLasso(Score):
    """1/(2n) ||X - XW||_F^2 + l1 ||W||_1, by coordinate descent to the last digit."""

    name = "toy-lasso"
    convex = True
    separable = True
    selects_edges = True

    def __init__(self, l1=0.1):
        self.l1 = l1

    def bind(self, data):
        return _Nodewise(self, data, self.l1)


class PooledVariance(Score):
    """d/2 log(1/n ||X - XW||_F^2): one term for all nodes, so nothing separates; not convex."""

    name = "toy-pooled"
    convex = False
    separable = False
    selects_edges = False

    def bind(self, data):
        return _Pooled(self, data)


class _Nodewise(SeparableScore):
    def __init__(self, score, data, l1):
        self.score, self.data, self.l1 = score, data, l1
        self.C = data.covariance()

    def fit_node(self, node, allowed, warm):
        parents = np.flatnonzero(allowed)
        C, w = self.C, np.zeros(self.data.d)
        if self.l1 == 0.0:
            w[parents] = np.linalg.solve(C[np.ix_(parents, parents)], C[parents, node])
        else:
            w[parents] = _coordinate_descent(C[np.ix_(parents, parents)], C[parents, node], self.l1)
        value = 0.5 * (C[node, node] - 2 * C[node] @ w + w @ C @ w) + self.l1 * np.abs(w).sum()
        return NodeFit(float(value), w)

    def assemble(self, nodes):
        return np.column_stack([node.parameters for node in nodes])

    def evaluate(self, parameters):
        W, C = parameters, self.C
        left = np.eye(len(C)) - W
        smooth = -C @ left
        gradient = np.where(
            W != 0.0,
            np.abs(smooth + self.l1 * np.sign(W)),
            np.maximum(np.abs(smooth) - self.l1, 0.0),
        )
        np.fill_diagonal(gradient, 0.0)
        value = 0.5 * np.trace(left.T @ C @ left) + self.l1 * np.abs(W).sum()
        deviation = np.sqrt(np.diag(C))
        return Point(
            W, float(value), gradient, deviation, deviation + deviation @ np.abs(W) + self.l1
        )


class _Pooled(JointScore):
    def __init__(self, score, data):
        self.score, self.data = score, data
        self.C = data.covariance()

    def solve(self, allowed, warm):
        C, d = self.C, self.data.d
        W = np.zeros((d, d))
        for j in range(d):
            parents = np.flatnonzero(allowed[:, j])
            W[parents, j] = np.linalg.solve(C[np.ix_(parents, parents)], C[parents, j])
        return W, self.evaluate(W).value

    def evaluate(self, parameters):
        W, C = parameters, self.C
        d = len(C)
        left = np.eye(d) - W
        total = np.trace(left.T @ C @ left)
        gradient = np.abs(C @ left) * d / total
        np.fill_diagonal(gradient, 0.0)
        deviation = np.sqrt(np.diag(C))
        return Point(
            W,
            float(0.5 * d * np.log(total)),
            gradient,
            deviation * d / total,
            deviation + deviation @ np.abs(W),
        )


def _coordinate_descent(C, c, l1):
    w = np.zeros(len(c))
    for _ in range(10_000):
        before = w.copy()
        for i in range(len(c)):
            target = c[i] - C[i] @ w + C[i, i] * w[i]
            w[i] = np.sign(target) * max(abs(target) - l1, 0.0) / C[i, i]
        if np.abs(w - before).max(initial=0.0) < 1e-14:
            break
    return w


ALL_TOYS = (NodewiseLeastSquares, NodewiseLasso, PooledVariance)
