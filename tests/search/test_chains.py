"""Chains of local optima: proofs where there are few columns, agreement where there are many."""

import warnings
from itertools import combinations, permutations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from toposwap import Topo, simulate
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.graph import acyclic_order
from toposwap.core.order import Order
from toposwap.metrics.equivalence import cpdag
from toposwap.metrics.rivals import disputed_pairs
from toposwap.report import as_text, report
from toposwap.report.record import record_of
from toposwap.scores import SCORES
from toposwap.scores.names import named_score
from toposwap.search.crossing import _candidates
from toposwap.search.optima import End, Optima


@pytest.fixture(scope="module")
def cells():
    """569 x 20: measurements of cells, strongly correlated; every third is left out."""
    X = load_breast_cancer().data
    return np.delete(X, np.arange(0, 30, 3), axis=1)


def node_scores(X):
    """2 n Q_j of a node and its parents, up to a constant: one regression, remembered."""
    n, known = len(X), {}
    X = X - X.mean(axis=0)

    def score(j, parents):
        if (j, parents) not in known:
            residual = X[:, j]
            if parents:
                beta = np.linalg.lstsq(X[:, parents], residual, rcond=None)[0]
                residual = residual - X[:, parents] @ beta
            known[j, parents] = n * np.log(residual @ residual) + 2.0 * np.log(n) * len(parents)
        return known[j, parents]

    return score


def bic(score, graph):
    """2 n Q up to a constant."""
    return sum(score(j, tuple(np.flatnonzero(parents))) for j, parents in enumerate(graph.T))


def neighbours(graph):
    """All DAGs that differ by an edge added, removed, turned, or exchanged for one to its end."""
    d = len(graph)
    for i, j in permutations(range(d), 2):
        if graph[i, j]:
            yield with_edges(graph, [(i, j)], [])
            yield with_edges(graph, [(i, j)], [(j, i)])
            for other in set(range(d)) - {i, j}:
                if not graph[other, j] and not graph[j, other]:
                    yield with_edges(graph, [(i, j)], [(other, j)])
        elif not graph[j, i]:
            yield with_edges(graph, [], [(i, j)])


def with_edges(graph, gone, new):
    graph = graph.copy()
    for i, j in gone:
        graph[i, j] = False
    for i, j in new:
        graph[i, j] = True
    return graph


def acyclic(graph):
    try:
        acyclic_order(graph, "graph")
    except InputError:
        return False
    return True


def test_few_columns_end_with_the_proof():
    X = load_wine().data
    found = Topo("bic", random_state=3).fit(X)
    proved = Topo("bic", search="exact").fit(X)
    assert found.status_ == proved.status_ == "global minimum"
    assert found.score_ == pytest.approx(proved.score_, rel=1e-12)
    assert found.result_.starts is None


def test_no_change_of_a_single_edge_lowers_the_score():
    X = simulate.linear_dataset(19, 60, "ER4", noise="gauss-NV", random_state=5).X
    model = Topo("bic", random_state=1).fit(X)
    assert model.status_ == "converged"
    graph = model.adjacency_matrix_ != 0.0
    score = node_scores(X)
    here = bic(score, graph)
    better = [bic(score, other) - here for other in neighbours(graph) if acyclic(other)]
    assert len(better) > 300
    assert min(better) > -1e-6


def test_seeds_agree():
    X = simulate.linear_dataset(20, 150, "ER4", noise="gauss-NV", random_state=8).X
    models = [Topo("bic", random_state=seed).fit(X) for seed in range(3)]
    assert np.ptp([model.score_ for model in models]) * 2 * len(X) < 2.0
    reached, tried = models[0].result_.starts
    assert 1 <= reached <= tried
    told = as_text(report(models[0]), width=300)
    assert f"best score reached from {reached} of {tried} start" in told
    assert record_of(models[0])["starts"]["tried"] == tried


def test_more_restarts_never_end_worse(cells):
    scores = [Topo("bic", n_restarts=k, random_state=2).fit(cells).score_ for k in (0, 5, 40, 120)]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("restarts", [None, 70])
def test_threads_change_nothing(cells, restarts):
    one, two = (
        Topo("bic", n_restarts=restarts, random_state=4, n_jobs=jobs).fit(cells) for jobs in (1, 3)
    )
    np.testing.assert_array_equal(one.weights_, two.weights_)
    assert one.result_.starts == two.result_.starts
    assert [s.score for s in one.history_] == [s.score for s in two.history_]


def test_tables_have_the_best_parents_of_all_sets():
    X = simulate.linear_dataset(7, 80, "ER2", noise="gauss-NV", random_state=1).X
    fit = SCORES["bic"]().bind(Dataset.from_table(X)).fit(Order(range(7)))
    score = node_scores(X)
    order, value = fit.tables(~np.eye(7, dtype=bool)).walk(Order(range(7)), 30, 5)
    parents = fit.tables(~np.eye(7, dtype=bool)).parents(order)
    least = 0.0
    for z in range(7):
        before = [int(u) for u in order.variables[: order.positions[z]]]
        sets = [tuple(sorted(s)) for k in range(len(before) + 1) for s in combinations(before, k)]
        best = min(sets, key=lambda s, z=z: score(z, s))
        assert best == tuple(np.flatnonzero(parents[:, z]))
        least += score(z, best)
    fit.take_parents(order, parents)
    assert value == pytest.approx(fit.nodes_value, rel=1e-12)
    assert 2 * len(X) * fit.value == pytest.approx(least, rel=1e-12)
    proved = Topo("bic", search="exact").fit(X)
    assert fit.value == pytest.approx(proved.score_, rel=1e-12)


def test_a_chain_of_more_steps_meets_nothing_worse():
    X = simulate.linear_dataset(22, 80, "ER4", noise="gauss-NV", random_state=1).X
    fit = SCORES["bic"]().bind(Dataset.from_table(X)).fit(Order(range(22)))
    near = np.abs(np.subtract.outer(np.arange(22), np.arange(22)))
    tables = fit.tables((near > 0) & (near < 5))
    values = [tables.walk(Order(range(22)), steps, 3)[1] for steps in (0, 5, 40)]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


def test_disputed_pairs():
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    collider = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]], dtype=bool)
    assert disputed_pairs([]) == disputed_pairs([chain, chain.T]) == ()
    assert cpdag(chain).sum() == 4
    assert disputed_pairs([chain, collider]) == ((0, 1), (1, 2))


def test_optima_near_the_best_are_counted_by_graph():
    def end(value, edge, *, afresh=True):
        adjacency = np.zeros((3, 3), dtype=bool)
        adjacency[edge] = True
        return End(None, Order([0, 1, 2]), value, value, adjacency, 1, afresh)

    optima = Optima()
    for one in (
        end(1.0, (0, 1)),
        end(1.0, (0, 1)),
        end(1.0, (0, 2)),
        end(1.5, (1, 2)),
        end(3.0, (1, 0)),
        end(1.0, (0, 1), afresh=False),
    ):
        optima.add(one, 1e-9)
    optima.keep_below(2.0)
    assert (optima.met, optima.tried) == (6, 5)
    assert len(optima.graphs) == 3
    assert optima.reached(1.001) == 3


def test_parents_of_an_effect_in_common_are_candidates_where_orders_are_narrow():
    """17 columns of which the last is the effect of two: each has the other as a candidate."""
    edges = np.zeros((17, 17), dtype=bool)
    edges[[0, 1], 16] = True
    end = End(None, Order(range(17)), 0.0, 0.0, edges, 0)
    met = {True: 0, False: 0}
    for seed in range(20):
        for beside in met:
            found = _candidates([end], np.random.default_rng(seed), beside=beside)
            assert found[16, [0, 1]].all()
            assert not found.diagonal().any()
            met[beside] += found[0, 1] and found[1, 0]
    assert met[True] == 20 > met[False]


def test_edges_that_cost_nothing():
    """Without a price all orders tie, and nothing but rounding error tells them apart."""
    X = np.random.default_rng(0).standard_normal((50, 19))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Topo(named_score("equal-variance-l0", {"weight": 0.0}), n_restarts=40).fit(X)
    assert model.status_ == "converged"
