"""Open directions: what an equally likely graph has the other way round."""

from __future__ import annotations

import numpy as np
import pytest
from classes import members
from examples import THOROUGH

import toposwap as ts
from toposwap.report.graph import open_directions

MIXED = ts.scores.Penalized(["gaussian", "logistic", "gaussian", "gaussian", "gaussian"], "bic")


@pytest.mark.parametrize("seed", range(12 if THOROUGH else 3))
@pytest.mark.parametrize("score", ["bic", MIXED], ids=["gaussian", "mixed"])
def test_an_open_edge_is_one_that_an_equally_likely_graph_has_the_other_way(score, seed):
    """Among all graphs of the Markov equivalence class, whose numbers of edges agree."""
    X = ts.simulate.linear_dataset(5, 200, "ER1", random_state=seed).X
    two_values = 1 if score is MIXED else None
    if two_values is not None:
        X[:, 1] = X[:, 1] > np.random.default_rng(seed).normal(size=200)
    model = ts.Topo(score, random_state=0).fit(X)
    graph = model.adjacency_matrix_ != 0
    best = loss_of(graph, X, two_values)
    either_way = graph.copy()
    for member in members(model.cpdag_):
        if abs(loss_of(member, X, two_values) - best) < 1e-8:
            either_way |= member
    np.testing.assert_array_equal(open_directions(model), graph & either_way.T)


def loss_of(graph, X, two_values):
    """-1/n log-likelihood of a DAG, but for constants, by regression of columns on parents."""
    total = 0.0
    for j, y in enumerate(X.T):
        A = np.column_stack([np.ones(len(X)), X[:, graph[:, j]]])
        if j != two_values:
            rest = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
            total += 0.5 * np.log(rest @ rest)
            continue
        b = np.zeros(A.shape[1])
        for _ in range(30):
            p = 1 / (1 + np.exp(-A @ b))
            b += np.linalg.solve((A.T * (p * (1 - p))) @ A, A.T @ (y - p))
        total += np.mean(np.logaddexp(0.0, A @ b) - y * (A @ b))
    return total
