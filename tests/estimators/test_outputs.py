"""What `Topo` gives back, and under which names."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from fits import NAMES, D, assert_same_fit, backwards, solved, table
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import toposwap as ts
from toposwap.certificate import Certificate
from toposwap.core.errors import InputError
from toposwap.search import SEARCHES, PaperSearch, Step

# --- what comes out ------------------------------------------------------------------------------


@pytest.mark.parametrize("search", SEARCHES)
def test_attributes(search):
    X = table()
    model = ts.Topo("least-squares", search=search, init=backwards())
    assert model.fit(X) is model
    W, order = model.weights_, model.causal_order_
    assert W.shape == model.adjacency_matrix_.shape == (D, D)
    assert W.dtype == model.adjacency_matrix_.dtype == np.float64
    assert sorted(order) == list(range(D))
    assert all(type(v) is int for v in order)
    position = np.argsort(order)
    causes, effects = np.nonzero(W)
    assert (position[causes] < position[effects]).all()
    expected, score = solved(X, order)
    np.testing.assert_allclose(W, expected, atol=1e-10)
    assert type(model.score_) is float
    assert model.score_ == pytest.approx(score, rel=1e-12)
    assert isinstance(model.certificate_, Certificate)
    assert model.certificate_.satisfied
    assert model.certificate_.kind == "local minimum"
    assert model.certificate_.matrix.shape == (D, D)
    assert all(isinstance(step, Step) for step in model.history_)
    assert model.n_iter_ == len(model.history_) - 1
    assert model.n_features_in_ == D
    assert model.names_ == tuple(f"x{j}" for j in range(D))
    assert model.remarks_ == ()
    assert not hasattr(model, "feature_names_in_")


def test_adjacency_matrix_is_a_copy():
    model = ts.Topo("least-squares", prune=None).fit(table())
    np.testing.assert_array_equal(model.adjacency_matrix_, model.weights_)
    model.adjacency_matrix_[:] = 0.0
    assert model.weights_.any()


def test_nothing_is_there_before_fit():
    model = ts.Topo("least-squares")
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    for name in ("weights_", "causal_order_", "score_", "causal_graph_"):
        assert not hasattr(model, name)
    check_is_fitted(model.fit(table()))


def test_a_failed_refit_leaves_the_old_result_whole():
    model = ts.Topo("least-squares").fit(pd.DataFrame(table(), columns=NAMES))
    old = pickle.loads(pickle.dumps(model))
    bad = table()
    bad[0, 0] = np.nan
    with pytest.raises(InputError):
        model.fit(bad)
    with pytest.raises(InputError):
        model.set_params(search="nowhere").fit(table())
    assert_same_fit(model, old)
    assert model.feature_names_in_.tolist() == NAMES


# --- names ---------------------------------------------------------------------------------------


def test_names_end_to_end():
    frame = pd.DataFrame(table(), columns=NAMES)
    model = ts.Topo("least-squares").fit(frame)
    assert model.names_ == tuple(NAMES)
    assert model.feature_names_in_.tolist() == NAMES
    assert model.feature_names_in_.dtype == object
    graph = model.causal_graph_
    assert isinstance(graph, nx.DiGraph)
    assert list(graph.nodes) == [NAMES[v] for v in model.causal_order_]
    assert nx.is_directed_acyclic_graph(graph)
    A = model.adjacency_matrix_
    edges = {(NAMES[i], NAMES[j]): A[i, j] for i, j in np.argwhere(A)}
    assert {(i, j): w for i, j, w in graph.edges.data("weight")} == edges
    assert len(edges) > 3
    assert all(type(w) is float for _, _, w in graph.edges.data("weight"))


def test_the_same_graph_from_columns_in_another_order():
    frame = pd.DataFrame(table(), columns=NAMES)
    here = ts.Topo("least-squares").fit(frame).causal_graph_
    there = ts.Topo("least-squares").fit(frame[sorted(NAMES)]).causal_graph_
    assert list(there.nodes) == list(here.nodes)
    assert set(there.edges) == set(here.edges)
    for i, j, weight in here.edges.data("weight"):
        assert there.edges[i, j]["weight"] == pytest.approx(weight, rel=1e-9)


def test_isolated_columns_are_nodes():
    model = ts.Topo("least-squares", prune=1e6).fit(pd.DataFrame(table(), columns=NAMES))
    assert len(model.causal_graph_.nodes) == D
    assert len(model.causal_graph_.edges) == 0


def test_moves_are_told_by_name():
    frame = pd.DataFrame(table(), columns=[f"variable {c}" for c in NAMES])
    paper = PaperSearch(several=False)
    history = ts.Topo("least-squares", search=paper, init=backwards()).fit(frame).history_
    assert any("'variable " in step.move for step in history[1:])


def test_refits_forget_old_names():
    X = table()
    frame = pd.DataFrame(X, columns=NAMES)
    C = np.cov(X.T, bias=True)
    model = ts.Topo("least-squares").fit(frame)
    model.fit(X)
    assert not hasattr(model, "feature_names_in_")
    assert model.names_[0] == "x0"
    model.fit(frame).fit_covariance(C, len(X))
    assert not hasattr(model, "feature_names_in_")
    model.fit_covariance(C, len(X), names=NAMES)
    assert model.feature_names_in_.tolist() == NAMES
    model.fit(pd.DataFrame(X[:, :5]))
    assert not hasattr(model, "feature_names_in_")
    assert model.names_ == ("0", "1", "2", "3", "4")
    assert model.n_features_in_ == 5
    assert model.weights_.shape == (5, 5)


def test_a_dataset_is_as_good_as_its_table():
    X = table()
    assert_same_fit(
        ts.Topo("least-squares").fit(ts.Dataset.from_table(X)), ts.Topo("least-squares").fit(X)
    )
    raw = ts.Dataset.from_table(X, center=False, names=NAMES)
    model = ts.Topo("least-squares").fit(raw)
    assert model.score_ == ts.Topo("least-squares", center=False).fit(X).score_
    assert model.names_ == tuple(NAMES)
