"""Structural EM: against complete data, the likelihood and dropped rows, with every score."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import toposwap as ts
from toposwap.core.admissible import EVERYTHING
from toposwap.core.runtime.deadline import NEVER
from toposwap.core.tables.gaps import Incomplete
from toposwap.missing.single_edges import second_look
from toposwap.missing.structural import StructuralEM
from toposwap.scores.names import named_score

pytestmark = pytest.mark.filterwarnings("ignore::toposwap.ToposwapWarning")

ON_MOMENTS = [
    "auto",
    "bic",
    "ebic",
    "gaussian-l1",
    "gaussian-mcp",
    "least-squares",
    "least-squares-l1",
    "least-squares-l0",
    "equal-variance-l0",
    "equal-variance-l1",
    "gaussian-ridge",
]


def sample(seed=0, d=6, n=400, graph="ER2"):
    drawn = ts.simulate.linear_dataset(d, n, graph, random_state=seed)
    return drawn.X, drawn.weights


def with_gaps(X, share=0.15, seed=0):
    Y = X.copy()
    Y[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return Y


@pytest.mark.parametrize("missing", ["error", "drop", "em", "impute"])
@pytest.mark.parametrize("score", ["bic", "least-squares", "gaussian-l1"])
def test_without_gaps_nothing_changes(score, missing):
    X, _ = sample()
    plain = ts.Topo(score).fit(X)
    treated = ts.Topo(score, missing=missing).fit(X)
    assert (plain.weights_ == treated.weights_).all()
    assert plain.score_ == treated.score_
    assert plain.causal_order_ == treated.causal_order_
    assert treated.result_.gaps is None


@pytest.mark.parametrize("score", ON_MOMENTS)
def test_every_score_on_moments_ends_where_its_moments_stand_still(score):
    Y = with_gaps(sample(1)[0])
    model = ts.Topo(score, missing="em").fit(Y)
    assert model.status_ == "converged"
    assert model.certificate_.satisfied
    gaps = model.result_.gaps
    assert gaps.rows == gaps.rows_used == 400
    # The same weights are judged alike by somebody who was only given them.
    assert ts.check_kkt(model.weights_, Y, score=score, missing="em").satisfied


def observed_log_likelihood(W, mean, variances, Y):
    paths = np.linalg.inv(np.eye(len(W)) - W)
    covariance = paths.T @ np.diag(variances) @ paths
    there, total = ~np.isnan(Y), 0.0
    for o in np.unique(there, axis=0):
        if o.any():
            rows = Y[(there == o).all(axis=1)][:, o]
            total += multivariate_normal(mean[o], covariance[np.ix_(o, o)]).logpdf(rows).sum()
    return total


def test_the_parameters_are_the_likeliest_for_what_is_there():
    Y = with_gaps(sample(2, d=4, n=150, graph="ER1")[0], 0.25)
    model = ts.Topo("bic", missing="em").fit(Y)
    W = model.weights_
    predictor = model.result_.predictor
    variances = np.array([facts.variance for facts in predictor.densities.facts])
    mean = np.linalg.solve((np.eye(4) - W).T, predictor.intercepts)
    best = observed_log_likelihood(W, mean, variances, Y)
    assert best == pytest.approx(model.result_.gaps.log_likelihood, rel=1e-8)
    step = 1e-4
    for i, j in np.argwhere(W):
        ends = []
        for sign in (-1.0, 1.0):
            moved = W.copy()
            moved[i, j] += sign * step
            ends.append(observed_log_likelihood(moved, mean, variances, Y))
        assert max(ends) < best
        assert abs(ends[1] - ends[0]) / (2.0 * step) < 1e-2
    for j in range(4):
        for factor in (0.99, 1.01):
            other = variances.copy()
            other[j] *= factor
            assert observed_log_likelihood(W, mean, other, Y) < best


@pytest.mark.parametrize("seed", range(3))
def test_more_is_learned_than_from_rows_without_gaps(seed):
    X, truth = sample(seed, d=12, n=500)
    Y = with_gaps(X, 0.15, seed)

    def distance(missing):
        model = ts.Topo("bic", missing=missing).fit(Y)
        return ts.metrics.compare_classes(truth, model.adjacency_matrix_).shd

    full = ts.metrics.compare_classes(truth, ts.Topo("bic").fit(X).adjacency_matrix_).shd
    em = distance("em")
    assert em <= full + 3
    assert em < distance("drop")


def test_rows_and_columns_may_come_in_any_order():
    X, _ = sample(3)
    Y = with_gaps(X)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(Y)), rng.permutation(6)
    one = ts.Topo("bic", missing="em").fit(Y)
    other = ts.Topo("bic", missing="em").fit(Y[rows][:, columns])
    assert other.score_ == pytest.approx(one.score_, rel=1e-9)
    assert (other.cpdag_ == one.cpdag_[np.ix_(columns, columns)]).all()


def test_weights_are_repetitions():
    Y = with_gaps(sample(4, n=150)[0])
    weights = np.random.default_rng(0).integers(0, 4, 150)
    one = ts.Topo("bic", missing="em").fit(Y, sample_weight=weights)
    other = ts.Topo("bic", missing="em").fit(np.repeat(Y, weights, axis=0))
    assert one.score_ == pytest.approx(other.score_, rel=1e-9)
    np.testing.assert_allclose(one.weights_, other.weights_, atol=1e-6)


def test_knowledge_is_obeyed():
    Y = with_gaps(sample(5)[0])
    known = {"forbidden": [("x0", "x1"), ("x1", "x0")], "required": [("x5", "x2")]}
    model = ts.Topo("bic", missing="em", knowledge=known).fit(Y)
    A = model.adjacency_matrix_
    assert A[0, 1] == A[1, 0] == 0.0
    assert A[5, 2] != 0.0
    assert model.certificate_.satisfied


def test_single_edges_are_judged_by_what_is_there():
    """An edge of pure chance between columns of which most is missing does not stay."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((300, 3))
    X[:, 2] += X[:, 1]
    Y = X.copy()
    Y[rng.random(X.shape) < 0.4] = np.nan
    em = StructuralEM(Incomplete.from_table(Y), named_score("bic"), EVERYTHING, NEVER)
    graph = np.triu(np.ones((3, 3), dtype=bool), 1)
    trace = em._em(em.moments, em.of_edges(graph), 1e-6)
    before = em.objective(trace, graph)
    trace = second_look(em, graph, ts.Order([0, 1, 2]), trace)
    assert em.objective(trace, graph) < before
    assert graph.tolist() == [[False, False, False], [False, False, True], [False] * 3]


def test_refine_begins_at_the_weights():
    X, truth = sample(6)
    Y = with_gaps(X)
    refined = ts.refine(truth, Y, score="bic", missing="em")
    fitted = ts.Topo("bic", missing="em").fit(Y)
    assert refined.score_ <= fitted.score_ + 1e-6


def test_wrong_weights_fail_the_check():
    Y = with_gaps(sample(6)[0])
    W = ts.Topo("bic", missing="em").fit(Y).weights_
    assert not ts.check_kkt(1.1 * W, Y, score="bic", missing="em").satisfied
    assert ts.check_kkt(ts.Order(range(6)), Y, score="least-squares", missing="em").satisfied
    cyclic = np.ones((6, 6)) - np.eye(6)
    assert not ts.check_kkt(cyclic, Y, score="bic", missing="em").satisfied


def test_without_centring_means_are_zero():
    Y = with_gaps(sample(7)[0])
    model = ts.Topo("bic", missing="em", center=False).fit(Y)
    assert model.certificate_.satisfied
    assert (model.result_.predictor.intercepts == 0.0).all()


def test_a_budget_ends_it():
    Y = with_gaps(sample(0, d=20, n=500)[0], 0.3)
    model = ts.Topo("bic", missing="em", time_budget=1e-6).fit(Y)
    assert model.status_ == "time limit"
    assert np.isfinite(model.score_)
    assert any("stood still" in remark for remark in model.remarks_)


@pytest.mark.filterwarnings("ignore::toposwap.ToposwapWarning")
@pytest.mark.parametrize("seed", range(4))
def test_a_path_that_must_be_is_there(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, 4))
    X[rng.random(X.shape) < 0.15] = np.nan
    known = ts.Knowledge(ancestors=[(0, 3), (3, 1)])
    model = ts.Topo("bic", missing="em", knowledge=known).fit(X)
    for weights in (model.weights_, model.adjacency_matrix_):
        reached = np.linalg.matrix_power(np.eye(4) + (weights != 0.0), 4) > 0.0
        assert reached[0, 3]
        assert reached[3, 1]
