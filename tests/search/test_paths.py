"""Paths that must be and paths that must not: cheapest paths, least cuts, what comes of them."""

from itertools import pairwise, product

import numpy as np
import pytest
from examples import seeds
from knowledge_brute_force import best_bic

import toposwap as ts
from fuzz.knowledge import disobeyed
from toposwap.kernels.graphs.reachability import reachability
from toposwap.scores.names import SCORES
from toposwap.search.chains import ChainSearch
from toposwap.search.cuts import least_cut, shortest_path, shortest_ways
from toposwap.search.paths import edge_worth

NAMES = [f"x{k}" for k in range(5)]


@pytest.mark.parametrize("seed", seeds(10))
def test_the_shortest_path_and_the_least_cut_are_brute_force(seed):
    rng = np.random.default_rng(seed)
    d = 6
    edges = np.triu(rng.random((d, d)) < 0.6, 1)
    worth = rng.random((d, d))
    cost = np.where(edges, worth, np.inf)
    way = shortest_path(cost, 0, d - 1)
    lengths = [
        sum(cost[i, j] for i, j in pairwise(nodes))
        for bits in product((0, 1), repeat=d - 2)
        for nodes in [[0, *(1 + np.flatnonzero(bits)).tolist(), d - 1]]
    ]
    if way is None:
        assert np.isinf(min(lengths))
        return
    assert sum(cost[i, j] for i, j in pairwise(way)) == pytest.approx(min(lengths))
    nothing = np.zeros((d, d), dtype=bool)
    inside = least_cut(np.where(edges, worth, 0.0), edges, nothing, 0, d - 1)
    assert inside[0]
    assert not inside[-1]
    leaving = [
        (worth * edges)[np.ix_(part, ~part)].sum()
        for bits in product((False, True), repeat=d - 2)
        for part in [np.array([True, *bits, False])]
    ]
    assert (worth * edges)[np.ix_(inside, ~inside)].sum() == pytest.approx(min(leaving))


def test_ways_to_all_nodes_are_those_to_each():
    rng = np.random.default_rng(1)
    cost = np.where(rng.random((7, 7)) < 0.4, rng.random((7, 7)), np.inf)
    ways = shortest_ways(cost, 2)
    assert ways.to(2) == [2]
    for b in range(7):
        way = ways.to(b)
        assert way == shortest_path(cost, 2, b)
        assert (way is None) == np.isinf(ways.cost[b])
        if way is not None:
            assert sum(cost[i, j] for i, j in pairwise(way)) == pytest.approx(ways.cost[b])


def test_the_worth_of_an_edge_is_what_its_regression_gains():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 5))
    edges = np.triu(rng.random((5, 5)) < 0.6, 1)
    bound = SCORES["bic"]().bind(ts.Dataset.from_table(X))
    worth = edge_worth(bound, edges)
    X = X - X.mean(axis=0)

    def left(j, parents):
        return np.square(X[:, j] - X[:, parents] @ np.linalg.pinv(X[:, parents]) @ X[:, j]).sum()

    for i, j in product(range(5), repeat=2):
        given = [k for k in np.flatnonzero(edges[:, j]) if k != i]
        gain = 0.0 if i == j else 0.5 * np.log(left(j, given) / left(j, [*given, i]))
        assert worth[i, j] == pytest.approx(gain, abs=1e-6)


def test_a_cut_keeps_required_edges_together():
    possible = np.triu(np.ones((4, 4), dtype=bool), 1)
    required = np.zeros((4, 4), dtype=bool)
    required[0, 1] = required[2, 3] = True
    inside = least_cut(np.full((4, 4), 1.0), possible, required, 0, 3)
    assert inside.tolist() == [True, True, False, False]


def chain(seed, n=400, weight=1.0):
    """Columns of which each is the cause of the next."""
    X = np.random.default_rng(seed).standard_normal((n, 5))
    for j in range(1, 5):
        X[:, j] += weight * X[:, j - 1]
    return X


def test_a_missing_path_is_made_at_the_least_cost():
    X = np.random.default_rng(0).standard_normal((300, 5))
    for forbidden, edges in (([], 1), (["x0 -> x4"], 2)):
        known = ts.Knowledge(ancestors=["x0 -> x4"], forbidden=forbidden)
        model = ts.Topo("bic", knowledge=known).fit(X)
        assert np.count_nonzero(model.adjacency_matrix_) == edges
        assert not list(disobeyed(model.adjacency_matrix_, known, NAMES))
        exact = ts.Topo("bic", "exact", knowledge=known).fit(X)
        assert model.score_ == pytest.approx(exact.score_, abs=1e-9)


def test_pruning_leaves_a_path():
    X = chain(1, weight=0.1)
    known = ts.Knowledge(ancestors=["x0 -> x4"], forbidden=["x0 -> x4"])
    model = ts.Topo("least-squares", prune=0.5, knowledge=known).fit(X)
    assert reachability(model.adjacency_matrix_ != 0.0)[0, 4]
    assert np.count_nonzero(model.adjacency_matrix_) == 2


def test_no_path_either_way_cuts_a_chain_where_it_costs_least():
    X = chain(3)
    known = ts.Knowledge(not_ancestors=["x0 -> x4", "x4 -> x0"])
    model = ts.Topo("bic", knowledge=known).fit(X)
    exact = ts.Topo("bic", "exact", knowledge=known).fit(X)
    for found in (model, exact):
        assert not list(disobeyed(found.weights_, known, NAMES))
    assert model.score_ <= exact.score_ + 0.05
    assert exact.status_ == "global minimum"


def test_exact_with_paths_is_the_best_of_all_graphs_that_obey():
    from knowledge_brute_force import DAGS

    X = chain(4, n=80)[:, :4]
    for said in (
        {"not_ancestors": ["x0 -> x3", "x3 -> x0"]},
        {"ancestors": ["x3 -> x0"], "forbidden": ["x3 -> x0"]},
        {"ancestors": ["x3 -> x0"], "not_ancestors": ["x3 -> x1"], "forbidden": ["x3 -> x0"]},
    ):
        known = ts.Knowledge(**said)
        obeying = [A for A in DAGS if not any(disobeyed(A, known, NAMES[:4]))]
        exact = ts.Topo("bic", "exact", knowledge=known).fit(X)
        assert exact.score_ == pytest.approx(best_bic(X, obeying), abs=1e-9)


def test_the_papers_search_sees_precedences_as_walks():
    """A pair that a mixed walk of edges and precedences leads back from is no violation."""
    rng = np.random.default_rng(38)
    d, n = int(rng.integers(3, 13)), int(rng.integers(60, 300))
    X = ts.simulate.linear_dataset(d, n, "ER1", random_state=38).X
    known = {
        "forbidden": ["x3 -> x4", "x1 -> x2", "x0 -> x2", "x1 -> x3"],
        "not_ancestors": ["x3 -> x0"],
    }
    for seed in range(6):
        model = ts.Topo("gaussian-l1", "paper", "random", knowledge=known, random_state=seed)
        assert model.fit(X).certificate_.satisfied


def test_a_path_is_in_the_solution_and_not_only_in_what_pruning_makes_of_it():
    """Pruning by BIC turns edges, and may find a path that the l1 penalty had left out."""
    rng = np.random.default_rng(40)
    X = rng.standard_normal((100, 4))
    X[:, 1] += X[:, 0]
    X[:, 2] += X[:, 1]
    X[:, 3] += X[:, 2] * rng.choice([0.0, 0.3])
    known = ts.Knowledge(ancestors=["x0 -> x3"])
    model = ts.Topo("gaussian-l1", prune="bic", knowledge=known).fit(X)
    assert list(disobeyed(model.weights_, known, model.names_)) == []
    assert list(disobeyed(model.adjacency_matrix_, known, model.names_)) == []
    assert model.status_ == "converged"


@pytest.mark.parametrize("seed", seeds(4))
def test_auto_proves_paths_of_few_columns(seed):
    X = ts.simulate.linear_dataset(7, 200, "ER2", random_state=seed).X
    known = {"ancestors": ["x6 -> x0", "x3 -> x1"], "not_ancestors": ["x2 -> x5", "x4 -> x2"]}
    found = ts.Topo("bic", knowledge=known).fit(X)
    best = ts.Topo("bic", search="exact", knowledge=known).fit(X)
    assert found.status_ == best.status_ == "global minimum"
    assert found.score_ == pytest.approx(best.score_, abs=1e-9)


@pytest.mark.parametrize(
    ("seed", "d", "said"),
    [
        (13, 7, {"not_ancestors": ["x6 -> x5", "x3 -> x1"]}),
        (203, 8, {"ancestors": ["x4 -> x0"], "not_ancestors": ["x6 -> x7", "x1 -> x0"]}),
        (132, 8, {"ancestors": ["x0 -> x3", "x7 -> x2"], "forbidden": ["x0 -> x3"]}),
    ],
)
def test_the_local_search_with_paths_meets_the_proven_minimum(seed, d, said):
    X = ts.simulate.linear_dataset(d, 200, "ER2", random_state=seed).X
    found = ts.Topo("bic", ChainSearch(proved=0), knowledge=said).fit(X)
    best = ts.Topo("bic", "exact", knowledge=said).fit(X)
    assert best.status_ == "global minimum"
    assert found.score_ == pytest.approx(best.score_, abs=1e-9)
    assert not list(disobeyed(found.weights_, ts.Knowledge(**said), found.names_))
