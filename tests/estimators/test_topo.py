"""The public interface: what goes into `Topo`, what comes out, and what is promised about it."""

import itertools
import pickle
import signal
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted
from toy_scores import NodewiseLasso

import toposwap as ts
from toposwap.acyclicity import ACYCLICITIES, LogDet
from toposwap.certificate import Certificate
from toposwap.errors import InputError, ToposwapWarning
from toposwap.scores import LeastSquares
from toposwap.search import SEARCHES, InsertionSearch, Move, PaperSearch, Search, Step
from toposwap.search.start import without_weakest

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


# --- what comes out ------------------------------------------------------------------------------


@pytest.mark.parametrize("search", SEARCHES)
def test_attributes(search):
    X = table()
    model = ts.Topo(search=search, init=backwards())
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
    model = ts.Topo(prune=None).fit(table())
    np.testing.assert_array_equal(model.adjacency_matrix_, model.weights_)
    model.adjacency_matrix_[:] = 0.0
    assert model.weights_.any()


def test_nothing_is_there_before_fit():
    model = ts.Topo()
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    for name in ("weights_", "causal_order_", "score_", "causal_graph_"):
        assert not hasattr(model, name)
    check_is_fitted(model.fit(table()))


def test_a_failed_refit_leaves_the_old_result_whole():
    model = ts.Topo().fit(pd.DataFrame(table(), columns=NAMES))
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
    model = ts.Topo().fit(frame)
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
    here = ts.Topo().fit(frame).causal_graph_
    there = ts.Topo().fit(frame[sorted(NAMES)]).causal_graph_
    assert list(there.nodes) == list(here.nodes)
    assert set(there.edges) == set(here.edges)
    for i, j, weight in here.edges.data("weight"):
        assert there.edges[i, j]["weight"] == pytest.approx(weight, rel=1e-9)


def test_isolated_columns_are_nodes():
    model = ts.Topo(prune=1e6).fit(pd.DataFrame(table(), columns=NAMES))
    assert len(model.causal_graph_.nodes) == D
    assert len(model.causal_graph_.edges) == 0


def test_moves_are_told_by_name():
    frame = pd.DataFrame(table(), columns=[f"variable {c}" for c in NAMES])
    paper = PaperSearch(several=False)
    history = ts.Topo(search=paper, init=backwards()).fit(frame).history_
    assert any("'variable " in step.move for step in history[1:])


def test_refits_forget_old_names():
    X = table()
    frame = pd.DataFrame(X, columns=NAMES)
    C = np.cov(X.T, bias=True)
    model = ts.Topo().fit(frame)
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
    assert_same_fit(ts.Topo().fit(ts.Dataset.from_table(X)), ts.Topo().fit(X))
    raw = ts.Dataset.from_table(X, center=False, names=NAMES)
    model = ts.Topo().fit(raw)
    assert model.score_ == ts.Topo(center=False).fit(X).score_
    assert model.names_ == tuple(NAMES)


# --- search --------------------------------------------------------------------------------------

STATUS = dict.fromkeys(SEARCHES, "converged") | {"exact": "global minimum", "none": "given order"}


@pytest.mark.parametrize("search", SEARCHES)
def test_search_by_name_and_as_an_object(search):
    X = table()
    by_name = ts.Topo(search=search, init=backwards()).fit(X)
    as_object = ts.Topo(search=SEARCHES[search](), init=backwards()).fit(X)
    assert_same_fit(by_name, as_object)
    assert by_name.status_ == STATUS[search]
    assert (by_name.n_iter_ == 0) == (search == "none")


def test_each_search_is_the_one_it_is_called():
    """By the moves it may end without: none left for it, some left for a weaker one."""
    X = table()
    none, insertion, auto = (
        ts.Topo(search=s, init=backwards()).fit(X) for s in ("none", "insertion", "auto")
    )
    assert none.causal_order_ == backwards()
    bound = LeastSquares().bind(ts.Dataset.from_table(X))
    for model in (insertion, auto):
        fit = bound.fit(ts.Order(model.causal_order_))
        assert all(fit.insertion_profile(v).min() >= -1e-10 * fit.value for v in range(D))
    assert fit.swap_changes(fit.all_pairs()).min() >= -1e-10 * fit.value
    assert {step.space for step in insertion.history_} == {"start", "insertion"}
    paper = ts.Topo(search="paper", init=backwards()).fit(X)
    assert {step.space for step in paper.history_} <= {"start", "small", "large"}


def test_exact_search_is_the_minimum_over_all_orders():
    X = table(3, d=5)
    model = ts.Topo(search="exact").fit(X)
    values = [solved(X, order)[1] for order in itertools.permutations(range(5))]
    assert model.score_ == pytest.approx(min(values), rel=1e-12)
    assert model.score_ < np.median(values)


def test_exact_search_says_when_there_are_too_many_columns():
    with pytest.raises(InputError, match=r"search='exact'.*23 columns are too many.*use search="):
        ts.Topo(search="exact").fit(np.random.default_rng(0).standard_normal((30, 23)))


def test_parameters_of_the_paper_reach_its_search():
    X = table(1, d=12, n=60)
    start = backwards(1, d=12)
    kept = {"search": "paper", "init": start}
    spaces = [s.space for s in ts.Topo(**kept, s_small=1, s_large=40, s_0=5).fit(X).history_]
    assert 1 <= spaces.count("large") <= 5
    spaces = [s.space for s in ts.Topo(**kept, s_small=1, s_large=40, s_0=0).fit(X).history_]
    assert "large" not in spaces
    by_object = PaperSearch(4, 30, 2)
    assert_same_fit(
        ts.Topo(**kept, s_small=4, s_large=30, s_0=2).fit(X),
        ts.Topo(search=by_object, init=start).fit(X),
    )
    seeds = [
        ts.Topo(**kept, greedy=True, s_small=20, random_state=seed).fit(X).history_[1].move
        for seed in range(6)
    ]
    assert len(set(seeds)) > 1


class CountingLogDet(LogDet):
    calls = 0

    def gradient(self, weights, order=None):
        type(self).calls += 1
        return super().gradient(weights, order)


def test_acyclicity_guides_the_search_of_the_paper():
    X = table()
    for name, function in ACYCLICITIES.items():
        by_name = ts.Topo(search="paper", acyclicity=name, init=backwards()).fit(X)
        as_object = ts.Topo(search="paper", acyclicity=function(), init=backwards()).fit(X)
        assert_same_fit(by_name, as_object)
        assert by_name.certificate_.satisfied
    assert CountingLogDet.calls == 0
    counted = ts.Topo(search="paper", acyclicity=CountingLogDet(), init=backwards()).fit(X)
    assert CountingLogDet.calls > counted.n_iter_
    before = CountingLogDet.calls
    ts.Topo(acyclicity=CountingLogDet()).fit(X)
    assert CountingLogDet.calls == before


# --- init ----------------------------------------------------------------------------------------


def start_of(init, X, **parameters):
    return ts.Topo(init=init, search="none", **parameters).fit(X).causal_order_


def test_the_first_is_always_the_smallest_conditional_variance():
    X = table()
    Z, order = X - X.mean(axis=0), []
    while len(order) < D:
        left = {}
        for v in set(range(D)) - set(order):
            coefficients = np.linalg.lstsq(Z[:, order], Z[:, v], rcond=None)[0]
            left[v] = np.var(Z[:, v] - Z[:, order] @ coefficients)
        order.append(min(left, key=left.get))
    assert start_of("auto", X) == start_of("variance", X) == order


def test_random_starts():
    X = table()
    orders = {tuple(start_of("random", X, random_state=seed)) for seed in range(20)}
    assert len(orders) >= 19
    firsts = [start_of("random", X, random_state=seed)[0] for seed in range(200)]
    assert set(firsts) == set(range(D))


@pytest.mark.parametrize(
    "kind", ["list", "tuple", "array", "unsigned", "Order", "names", "Index", "array of names"]
)
def test_an_order_in_any_form(kind):
    order = [4, 2, 6, 0, 1, 5, 3]
    names = [NAMES[v] for v in order]
    forms = {
        "list": order,
        "tuple": tuple(order),
        "array": np.array(order),
        "unsigned": np.array(order, dtype=np.uint8),
        "Order": ts.Order(order),
        "names": names,
        "Index": pd.Index(names),
        "array of names": np.array(names),
    }
    assert start_of(forms[kind], pd.DataFrame(table(), columns=NAMES)) == order


@given(st.integers(0, 2**32))
def test_a_weight_matrix_gives_an_order_of_its_graph(seed):
    rng = np.random.default_rng(seed)
    X = table()
    W = random_dag(rng)
    order = start_of(W, X)
    position = np.argsort(order)
    causes, effects = np.nonzero(W)
    assert (position[causes] < position[effects]).all()


def test_an_empty_weight_matrix_leaves_the_choice_to_the_data():
    X = table()
    assert start_of(np.zeros((D, D)), X) == start_of("auto", X)


def test_weights_are_matched_by_name():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(table(), columns=NAMES)
    W = random_dag(rng, density=0.9)
    expected = start_of(W, X)
    framed = pd.DataFrame(W, index=NAMES, columns=NAMES)
    shuffled = framed.loc[rng.permutation(NAMES), rng.permutation(NAMES)]
    assert start_of(shuffled, X) == expected
    columns_only = pd.DataFrame(W, columns=NAMES)
    assert start_of(columns_only, X) == expected
    assert start_of(pd.DataFrame(W), X) == expected
    assert start_of(pd.DataFrame(W).loc[rng.permutation(D)], X) == expected
    assert start_of(W.tolist(), X) == expected
    assert start_of(pd.DataFrame(W), X.to_numpy()) == expected


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


@given(st.integers(0, 2**32), st.integers(2, 8), st.floats(0.05, 1.0), st.booleans(), st.booleans())
def test_cycles_are_broken_at_the_weakest_edges(seed, d, density, ties, loops):
    rng = np.random.default_rng(seed)
    W = rng.uniform(-2, 2, (d, d)) * (rng.random((d, d)) < density)
    W = np.round(W) if ties else W
    if not loops:
        np.fill_diagonal(W, 0.0)
    before = W.copy()
    rest, count = without_weakest(W)
    expected, expected_count = dropped_literally(W)
    np.testing.assert_array_equal(rest, expected)
    assert count == expected_count
    np.testing.assert_array_equal(W, before)


@pytest.mark.parametrize("weak", [1, 3])
def test_dropped_edges_are_said(weak):
    X = table()
    W = np.triu(np.full((D, D), 1.0), 1)
    for k in range(weak):
        W[D - 1 - k, k] = 0.1 * (k + 1)
    noun = "edge was" if weak == 1 else "edges were"
    with pytest.warns(ToposwapWarning, match=f"has cycles: its {weak} weakest {noun} dropped"):
        model = ts.Topo(init=W, search="none").fit(X)
    assert model.causal_order_ == list(range(D))
    assert len(model.remarks_) == 1
    assert f"its {weak} weakest" in model.remarks_[0]
    assert W[D - 1, 0] == 0.1


def test_a_dag_is_taken_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ts.Topo(init=sample().weights).fit(table()).remarks_ == ()


# --- prune ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prune", "at_least"),
    [(None, None), ("auto", 0.3), (0, 0.0), (0.05, 0.05), (1, 1.0), (np.float32(0.5), 0.5)],
)
def test_pruning_keeps_what_is_large_enough(prune, at_least):
    model = ts.Topo(prune=prune).fit(table())
    W = model.weights_
    kept = W if at_least is None else np.where(np.abs(W) >= at_least, W, 0.0)
    np.testing.assert_array_equal(model.adjacency_matrix_, kept)
    assert model.threshold_ == at_least
    np.testing.assert_array_equal(W, ts.Topo().fit(table()).weights_)
    if prune == "auto":
        assert 0 < np.count_nonzero(kept) < np.count_nonzero(W)


def test_the_threshold_itself_is_kept():
    W = ts.Topo().fit(table()).weights_
    size = np.sort(np.abs(W[W != 0]))[3]
    model = ts.Topo(prune=size).fit(table())
    assert np.count_nonzero(model.adjacency_matrix_) == np.count_nonzero(W) - 3


def test_a_score_that_selects_edges_is_not_pruned():
    model = ts.Topo(score=NodewiseLasso(0.1)).fit(table())
    assert model.threshold_ is None
    np.testing.assert_array_equal(model.adjacency_matrix_, model.weights_)
    assert ts.Topo(score=NodewiseLasso(0.1), prune=0.3).fit(table()).threshold_ == 0.3


@pytest.mark.parametrize("prune", ["yes", "0.3", -0.1, np.nan, np.inf, True, [0.3], 1j, {}])
def test_other_values_of_prune_are_refused(prune):
    with pytest.raises(InputError, match="prune: must be 'auto', None or a number >= 0, got"):
        ts.Topo(prune=prune).fit(table())


# --- randomness ----------------------------------------------------------------------------------

RANDOM = {"search": "paper", "init": "random", "greedy": True, "s_small": 10, "s_large": 20}


@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_same_seed_same_result(seed):
    X = table()
    model = ts.Topo(**RANDOM, random_state=seed)
    first = clone(model).fit(X)
    assert_same_fit(model.fit(X), first)
    assert_same_fit(model.fit(X), first)
    assert_same_fit(ts.Topo(**RANDOM, random_state=np.random.default_rng(seed)).fit(X), first)
    assert_same_fit(ts.Topo(**RANDOM, random_state=np.int64(seed)).fit(X), first)


def test_seeds_differ_and_a_generator_moves_on():
    X = table()
    histories = [
        without_seconds(ts.Topo(**RANDOM, random_state=seed).fit(X).history_) for seed in (0, 1)
    ]
    assert histories[0] != histories[1]
    model = ts.Topo(**RANDOM, random_state=np.random.default_rng(0))
    histories = [without_seconds(model.fit(X).history_) for _ in range(2)]
    assert histories[0] != histories[1]


def test_global_randomness_is_neither_read_nor_written():
    X = table()
    first = ts.Topo(**RANDOM, random_state=0).fit(X)
    np.random.seed(123)  # noqa: NPY002 - the global state is what is tested
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert_same_fit(ts.Topo(**RANDOM, random_state=0).fit(X), first)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_without_a_seed_deterministic_searches_repeat_themselves():
    X = table()
    for search in ("auto", "paper", "insertion", "exact"):
        assert_same_fit(ts.Topo(search=search).fit(X), ts.Topo(search=search).fit(X))


# --- scikit-learn's habits -----------------------------------------------------------------------


def test_parameters_are_stored_as_given():
    W = sample().weights
    given_ = {"search": PaperSearch(), "init": W, "prune": 0.1, "random_state": 3, "greedy": True}
    model = ts.Topo(**given_)
    parameters = model.get_params()
    for name, value in given_.items():
        assert parameters[name] is value
        assert getattr(model, name) is value
    before = dict(parameters)
    model.fit(table())
    assert all(model.get_params()[name] is value for name, value in before.items())
    assert model.set_params(prune=None, max_iter=2) is model
    assert (model.prune, model.max_iter) == (None, 2)
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(lambda_=1)


def test_clone_is_unfitted_and_fits_the_same():
    model = ts.Topo(search=PaperSearch(5, 10), init=sample().weights, prune=0.2).fit(table())
    copy = clone(model)
    assert not hasattr(copy, "weights_")
    assert copy.prune == 0.2
    np.testing.assert_array_equal(copy.init, model.init)
    assert_same_fit(copy.fit(table()), model)


def test_a_fitted_model_survives_pickling():
    frame = pd.DataFrame(table(), columns=NAMES)
    model = ts.Topo(search="paper", init=backwards(), random_state=1).fit(frame)
    copy = pickle.loads(pickle.dumps(model))
    assert_same_fit(copy, model)
    assert copy.history_ == model.history_
    assert copy.feature_names_in_.tolist() == NAMES
    assert copy.names_ == model.names_
    assert copy.certificate_.worst == model.certificate_.worst
    assert list(copy.causal_graph_.edges) == list(model.causal_graph_.edges)
    order = copy.result_.order
    assert order == model.result_.order
    assert not order.variables.flags.writeable
    assert_same_fit(copy.fit(frame), model)


def test_repr_names_what_differs_from_the_default():
    assert repr(ts.Topo()) == "Topo()"
    assert "prune=0.1" in repr(ts.Topo(prune=0.1, init=np.zeros((3, 3))))


# --- history, limits, interruptions --------------------------------------------------------------


@pytest.mark.parametrize("search", ["auto", "paper", "insertion", "exact"])
@pytest.mark.parametrize("seed", range(3))
def test_history_goes_down_step_by_step(search, seed):
    X = table(seed, d=10)
    start = backwards(seed, d=10)
    model = ts.Topo(search=search, init=start).fit(X)
    history = model.history_
    assert [step.iteration for step in history] == list(range(len(history)))
    scores = [step.score for step in history]
    assert (np.diff(scores) < 0.0).all()
    assert len(history) > 1
    first = history[0]
    assert first.space == "start"
    assert first.score == pytest.approx(solved(X, start)[1], rel=1e-12)
    assert scores[-1] == pytest.approx(model.score_, rel=1e-12)
    assert all(step.candidates > 0 and step.move for step in history[1:])
    seconds = [step.seconds for step in history]
    assert seconds == sorted(seconds)
    # A copy: the record itself cannot be edited.
    history.clear()
    assert model.history_


def test_progress_hears_every_step_once():
    heard = []
    model = ts.Topo(search="paper", init=backwards(), progress=heard.append).fit(table())
    assert heard == model.history_[1:]
    assert len(heard) == model.n_iter_ > 1


def long_search():
    """A search of at least five steps."""
    return {"search": PaperSearch(several=False), "init": backwards(2, d=10)}, table(2, d=10)


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_max_iter(limit):
    settings, X = long_search()
    whole = ts.Topo(**settings).fit(X)
    assert whole.n_iter_ >= 5
    model = ts.Topo(**settings, max_iter=limit).fit(X)
    assert model.n_iter_ == limit
    assert model.status_ == "iteration limit"
    assert without_seconds(model.history_) == without_seconds(whole.history_)[: limit + 1]
    assert model.score_ == pytest.approx(whole.history_[limit].score, rel=1e-12)
    assert ts.Topo(**settings, max_iter=10_000).fit(X).status_ == "converged"


def by_exception():
    raise KeyboardInterrupt


def by_key():
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("interrupt", [by_exception, by_key])
@pytest.mark.parametrize("at", [1, 3])
def test_an_interruption_keeps_the_best_so_far(at, interrupt):
    settings, X = long_search()

    def stop(step):
        if step.iteration == at:
            interrupt()

    model = ts.Topo(**settings, progress=stop).fit(X)
    assert model.status_ == "interrupted"
    assert model.n_iter_ == at
    W, score = solved(X, model.causal_order_)
    assert model.score_ == pytest.approx(score, rel=1e-12)
    assert model.score_ == pytest.approx(model.history_[-1].score, rel=1e-12)
    np.testing.assert_allclose(model.weights_, W, atol=1e-10)
    assert model.certificate_.satisfied
    assert ts.check_kkt(model.weights_, X).satisfied
    limited = ts.Topo(**settings, max_iter=at).fit(X)
    assert model.causal_order_ == limited.causal_order_


class StopsHalfway(PaperSearch):
    """Is interrupted after a move was made and before it was reported: a worse order stands."""

    def moves(self, fit, names, rng):
        for count, move in enumerate(super().moves(fit, names, rng)):
            yield move
            if count == 2:
                fit.reorder(ts.Order(fit.order.variables[::-1]))
                raise KeyboardInterrupt


def test_an_interruption_in_the_middle_of_a_move():
    settings, X = long_search()
    model = ts.Topo(search=StopsHalfway(several=False), init=settings["init"]).fit(X)
    assert model.status_ == "interrupted"
    assert model.n_iter_ == 3
    assert model.causal_order_ == ts.Topo(**settings, max_iter=3).fit(X).causal_order_
    assert model.score_ == pytest.approx(solved(X, model.causal_order_)[1], rel=1e-12)
    assert model.certificate_.satisfied


class Stumbles(Search):
    """Improves once, then takes worse and worse orders for better ones."""

    name = "stumbles"

    def moves(self, fit, names, rng):
        before = fit.order
        yield next(InsertionSearch().moves(fit, names, rng))
        for _ in range(3):
            fit.reorder(before)
            yield Move("stumble", 1, "went back")


def test_a_step_that_does_not_improve_is_undone_and_ends_the_search():
    X = table()
    model = ts.Topo(search=Stumbles(), init=backwards()).fit(X)
    reference = ts.Topo(search="insertion", init=backwards(), max_iter=1).fit(X)
    assert model.causal_order_ == reference.causal_order_
    assert model.score_ == pytest.approx(reference.score_, rel=1e-12)
    assert [step.space for step in model.history_] == ["start", "insertion"]
    assert model.certificate_.satisfied


def test_other_exceptions_of_the_callback_are_the_callers():
    settings, X = long_search()

    def fail(step):
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        ts.Topo(**settings, progress=fail).fit(X)


# --- refine --------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.sampled_from(["none", "auto", "paper", "insertion"]))
def test_refine_never_makes_a_dag_worse(seed, search):
    rng = np.random.default_rng(seed)
    X = table(seed % 5, n=60)
    W = random_dag(rng)
    before = W.copy()
    model = ts.refine(W, X, search=search)
    assert isinstance(model, ts.Topo)
    assert model.score_ <= score_of(W, X) * (1 + 1e-12)
    np.testing.assert_array_equal(W, before)


@given(st.integers(0, 2**32))
def test_refine_never_makes_an_optimum_worse(seed):
    """The hardest case: the best weights for an order, with nothing to spare for rounding."""
    X = table(seed % 5, n=60)
    W, score = solved(X, np.random.default_rng(seed).permutation(D))
    assert ts.refine(W, X).score_ <= score * (1 + 1e-12)


@given(st.integers(0, 2**32))
def test_refine_of_a_cyclic_matrix(seed):
    rng = np.random.default_rng(seed)
    X = table(seed % 5, n=60)
    W = rng.uniform(-1, 1, (D, D))
    rest, count = dropped_literally(W)
    with pytest.warns(ToposwapWarning, match=f"its {count} weakest edges were dropped"):
        model = ts.refine(W, X)
    assert model.score_ <= score_of(rest, X) * (1 + 1e-12)
    assert is_dag(model.weights_)


def test_refine_of_the_truth_does_at_least_as_well():
    data = sample()
    X = data.X
    model = ts.refine(data.weights, X, prune=0.1, search="paper")
    assert model.score_ <= score_of(data.weights, X)
    assert (model.prune, model.search) == (0.1, "paper")


def test_refine_with_frames_and_datasets():
    X = pd.DataFrame(table(), columns=NAMES)
    W = pd.DataFrame(sample().weights, index=NAMES, columns=NAMES)
    plain = ts.refine(W.to_numpy(), X)
    shuffled = W.loc[sorted(NAMES), sorted(NAMES)]
    assert_same_fit(ts.refine(shuffled, X), plain)
    assert plain.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(ts.refine(shuffled, X).init, W.to_numpy())
    assert_same_fit(ts.refine(shuffled, ts.Dataset.from_table(X)), plain)
    raw = ts.refine(W, X, center=False)
    assert raw.score_ == ts.refine(W, ts.Dataset.from_table(X, center=False)).score_
    assert raw.score_ > plain.score_


# --- check_kkt -----------------------------------------------------------------------------------


@pytest.mark.parametrize("search", SEARCHES)
def test_weights_of_a_fit_are_certified_from_outside(search):
    X = table()
    model = ts.Topo(search=search).fit(X)
    certificate = ts.check_kkt(model.weights_, X)
    assert certificate.satisfied
    assert certificate.max_residual == model.certificate_.max_residual
    np.testing.assert_array_equal(certificate.matrix, model.certificate_.matrix)


@given(st.integers(0, 2**32), st.sampled_from([1e-5, 1e-3, 1.0, 100.0]))
def test_a_perturbed_weight_is_noticed(seed, size):
    rng = np.random.default_rng(seed)
    X = table(seed % 5)
    W = ts.Topo().fit(X).weights_.copy()
    i, j = rng.permutation(np.argwhere(W))[0]
    # In units of what one standard deviation of the cause means to the effect.
    W[i, j] += size * X[:, j].std() / X[:, i].std()
    certificate = ts.check_kkt(W, X)
    assert not certificate.satisfied
    assert ts.check_kkt(W, X, tolerance=certificate.max_residual).satisfied
    assert not ts.check_kkt(W, X, tolerance=0.99 * certificate.max_residual).satisfied


def test_a_pruned_or_shuffled_solution_is_not_certified():
    X = table()
    model = ts.Topo().fit(X)
    assert not ts.check_kkt(model.adjacency_matrix_, X).satisfied
    assert not ts.check_kkt(model.weights_.T, X).satisfied
    assert not ts.check_kkt(np.zeros((D, D)), X).satisfied
    assert not ts.check_kkt(model.weights_, table(1)).satisfied


@given(st.integers(0, 2**32))
def test_a_cycle_is_not_certified(seed):
    rng = np.random.default_rng(seed)
    X = table(seed % 5)
    W = ts.Topo().fit(X).weights_.copy()
    j, i = rng.permutation(np.argwhere(W))[0]
    W[i, j] = rng.choice([-1, 1]) * X[:, j].std() / X[:, i].std()
    assert not is_dag(W)
    assert not ts.check_kkt(W, X).satisfied
    loop = ts.Topo().fit(X).weights_.copy()
    loop[i, i] = 0.5
    assert not ts.check_kkt(loop, X).satisfied


def test_check_kkt_by_name_and_by_data():
    frame = pd.DataFrame(table(), columns=NAMES)
    model = ts.Topo().fit(frame)
    W = pd.DataFrame(model.weights_, index=NAMES, columns=NAMES)
    shuffled = W.loc[sorted(NAMES), sorted(NAMES)]
    assert ts.check_kkt(shuffled, frame).satisfied
    assert not ts.check_kkt(shuffled.to_numpy(), frame).satisfied
    assert ts.check_kkt(W, ts.Dataset.from_table(frame)).satisfied
    assert not ts.check_kkt(W, frame, center=False).satisfied
    ridge = LeastSquares(ridge=0.5)
    assert not ts.check_kkt(W, frame, score=ridge).satisfied
    assert ts.check_kkt(ts.Topo(score=ridge).fit(frame).weights_, frame, score=ridge).satisfied


# --- orders --------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(1, 9))
def test_moves_of_an_order(seed, d):
    rng = np.random.default_rng(seed)
    variables = rng.permutation(d).tolist()
    order = ts.Order(variables)
    v, w, k = (int(x) for x in rng.integers(d, size=3))
    assert list(order) == variables == [order[k] for k in range(d)]
    assert [order.positions[x] for x in variables] == list(range(d))
    rest = [x for x in variables if x != v]
    assert list(order.insert(v, k)) == [*rest[:k], v, *rest[k:]]
    exchange = {v: w, w: v}
    assert list(order.swap(v, w)) == [exchange.get(x, x) for x in variables]
    assert order == ts.Order(variables)
    assert hash(order) == hash(ts.Order(variables))
    assert (order.swap(v, w) == order) == (v == w)
    assert list(order) == variables
    with pytest.raises(ValueError, match="read-only"):
        order.variables[0] = 0
