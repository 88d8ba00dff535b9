"""Functions as users write them, with NumPy gradients."""

import numpy as np


def squares(W, X):
    """1/(2n) ||X - XW||_F^2."""
    R = X - X @ W
    return 0.5 * np.sum(R * R) / len(X), -X.T @ R / len(X)


def squares_of_a_node(w, X, j):
    """1/(2n) ||x_j - X w||^2."""
    r = X[:, j] - X @ w
    return 0.5 * np.sum(r * r) / len(X), -X.T @ r / len(X)


def pooled(W, X):
    """d/2 log ||X - XW||_F^2 - log |det(I - W)|: GOLEM with equal variances."""
    d = X.shape[1]
    R = X - X @ W
    total = np.sum(R * R)
    left = np.eye(d) - W
    value = 0.5 * d * np.log(total) - np.linalg.slogdet(left)[1]
    return value, -d * X.T @ R / total + np.linalg.inv(left).T


def cubic_of_a_node(theta, X, j):
    """1/(2n) ||x_j - c - X B_0 - X^3 B_1||^2: two numbers an edge, one besides."""
    n, basis = len(X), np.stack([X, X**3 / 5.0])
    r = X[:, j] - theta["c"] - np.einsum("rni,ir->n", basis, theta["B"])
    gradient = {"B": -np.einsum("rni,n->ir", basis, r) / n, "c": -r.mean()}
    return 0.5 * np.mean(r * r), gradient


def cubic_start(X):
    d = X.shape[1]
    return {"B": np.zeros((d, d, 2)), "c": np.zeros(d)}


def network_of_a_node(theta, X, j, l2=0.001):
    """1/(2n) ||x_j - sigmoid(X A') v||^2 + l2/2 (||A||^2 + ||v||^2)."""
    A, v = theta["A1"], theta["v"]
    H = 1.0 / (1.0 + np.exp(-X @ A.T))
    r = (H @ v - X[:, j]) / len(X)
    value = 0.5 * len(X) * r @ r + 0.5 * l2 * (np.sum(A * A) + v @ v)
    back = np.outer(r, v) * H * (1.0 - H)
    return value, {"A1": back.T @ X + l2 * A, "v": H.T @ r + l2 * v}


def nothing(X):
    return np.zeros((X.shape[1], X.shape[1]))
