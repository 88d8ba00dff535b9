"""The pruned graph revised: exchanges, additions, turns."""

import numpy as np
import pytest
from examples import seeds

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.graph import topological_order
from toposwap.pruning.network_parents import criterion, relaxed
from toposwap.pruning.network_revision import Revision
from toposwap.report.text import as_text, summary


def bind(X):
    score = ts.scores.MLP(hidden=8)
    return score.bind(Dataset.from_table(X)).nodes.with_score(relaxed(score, 3))


def revision(X, parents):
    """A graph given by the parents of its nodes."""
    solver = bind(X)
    fits = [
        solver.polished(j, solver.starts.started(j, np.array(p, int), 0))
        for j, p in enumerate(parents)
    ]
    return Revision([solver] * X.shape[1], fits)


def total(revised):
    solvers = revised._solvers
    return sum(
        criterion(solver, j, fit, len(solvers) - 1)
        for j, (solver, fit) in enumerate(zip(solvers, revised.fits, strict=True))
    )


def chain(n=800, seed=0):
    """x0 -> x1, x0 -> x2; x3 stands for x0, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[:, 3] = X[:, 0] + 0.3 * X[:, 3]
    X[:, 1] += 2.0 * np.sin(2.0 * X[:, 0])
    X[:, 2] += 2.0 * np.tanh(X[:, 0])
    return X


def test_an_input_that_stands_for_another_is_exchanged_for_it():
    revised = revision(chain(), [[], [3], [0], [0]])
    revised.settle()
    np.testing.assert_array_equal(revised.edges[:, 1], [True, False, False, False])


def test_a_parent_that_is_not_there_is_added_and_one_too_many_dropped():
    revised = revision(chain(), [[], [], [0, 1], [0]])
    revised.settle()
    np.testing.assert_array_equal(np.argwhere(revised.edges), [[0, 1], [0, 2], [0, 3]])


def test_an_edge_the_wrong_way_round_is_turned():
    """y = x^2 + noise has no network for x given y."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((800, 3))
    X[:, 1] += X[:, 0] ** 2
    X[:, 2] += 2.0 * np.tanh(X[:, 1])
    # 1 -> 2 -> 0 stands in the way of 0 -> 1, and so does 1 -> 0.
    revised = revision(X, [[1, 2], [], [1]])
    revised.settle()
    np.testing.assert_array_equal(np.argwhere(revised.edges), [[0, 1], [1, 2]])


@pytest.mark.parametrize("seed", seeds(6))
def test_from_any_graph_the_criterion_falls_and_no_cycle_appears(seed):
    rng = np.random.default_rng(seed)
    sample = ts.simulate.nonlinear_dataset(6, 400, "ER2", random_state=seed)
    order = rng.permutation(6)
    parents = [
        [int(i) for i in order[: list(order).index(j)] if rng.random() < 0.4] for j in range(6)
    ]
    revised = revision(sample.X, parents)
    before = sum(revised._criteria)
    revised.settle()
    assert sum(revised._criteria) <= before
    assert topological_order(revised.edges) is not None
    # Networks are fitted on when the graph is chosen, which may only make them better.
    assert total(revised) < before + np.log(400)


def test_the_graph_has_an_order_of_its_own_and_the_report_says_so():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((600, 2))
    X[:, 1] += X[:, 0] ** 2
    model = ts.Topo(ts.scores.MLP(hidden=8), "none", [1, 0]).fit(X)
    assert list(model.result_.order) == [1, 0]
    assert model.causal_order_ == list(model.result_.pruned.order) == [0, 1]
    assert model.adjacency_matrix_[0, 1] > 0.0 == model.adjacency_matrix_[1, 0]
    assert list(model.causal_graph_.nodes) == [str(v) for v in model.names_]
    assert "1 of the 1 against the solution's order" in " ".join(as_text(summary(model)).split())
