"""The judge and the methods: figures come from the weights, whatever a learner says."""

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.experiments.datasets import Sample, draw
from toposwap.experiments.evaluate import evaluate
from toposwap.experiments.methods import Answer, Task, learn
from toposwap.experiments.methods.topo import answer_of
from toposwap.metrics import shd

LINEAR = {"kind": "linear", "d": 8, "n": 200, "graph": "ER2", "noise": "gauss-NV"}

LOGISTIC = {"kind": "logistic", "d": 8, "n": 200, "graph": "ER2"}


@pytest.fixture(scope="module")
def sample():
    return draw(LINEAR, 3)


def learned(sample, kind="topo", score="least-squares", start=None, **settings):
    return learn({"kind": kind, **settings}, sample, Task(score, 0.3, 0, start))


def test_score_and_certificate_are_those_of_the_library(sample):
    weights = learned(sample).weights
    figures = evaluate(sample, Answer(weights), "least-squares", 0.3)
    residuals = sample.X - sample.X.mean(axis=0)
    residuals = residuals - residuals @ weights
    assert figures["score"] == pytest.approx((residuals**2).sum() / 2 / 200)
    assert (
        figures["kkt"] is ts.check_kkt(weights, sample.X, score="least-squares").satisfied is True
    )
    assert figures["shd"] == shd(sample.weights, np.where(abs(weights) >= 0.3, weights, 0))
    assert figures["acyclic"] is True


def test_weights_with_cycles_fail_and_are_scored_without_them(sample):
    weights = learned(sample).weights
    cyclic = weights + 1e-3 * (weights.T != 0)
    figures = evaluate(sample, Answer(cyclic), "least-squares", 0.3)
    assert (figures["kkt"], figures["acyclic"]) == (False, False)
    assert figures["score"] >= figures["order_score"] - 1e-12


def test_the_score_of_an_order_does_not_see_shrinkage(sample):
    weights = learned(sample).weights
    exact = evaluate(sample, Answer(weights), "least-squares", 0.3)
    shrunk = evaluate(sample, Answer(0.9 * weights), "least-squares", 0.3)
    assert shrunk["score"] > exact["score"]
    assert shrunk["order_score"] == pytest.approx(exact["order_score"])
    assert not shrunk["kkt"]


def test_gaussian_scores_have_variances_in_the_logarithm(sample):
    weights = learned(sample).weights
    figures = evaluate(sample, Answer(weights), "gaussian-mcp", 0.3)
    centred = sample.X - sample.X.mean(axis=0)
    variances = ((centred - centred @ weights) ** 2).mean(axis=0)
    # The penalty is at most beta lambda^2 / 2 an edge.
    assert 0.0 <= figures["score"] - 0.5 * np.log(variances).sum() <= 28 * 0.000125


def test_the_loss_of_the_pruned_graph_is_that_of_what_predicts(sample):
    model = ts.Topo("basis", search="none").fit(sample.X)
    figures = evaluate(sample, answer_of(model, []), "basis", 0.3)
    residuals = sample.X - model.predict(sample.X)
    assert figures["graph_loss"] == pytest.approx((residuals**2).sum() / 2 / 200)
    assert figures["graph_loss"] != pytest.approx(figures["loss"])
    assert "graph_loss" not in evaluate(sample, Answer(model.weights_), "least-squares", 0.3)


def test_an_undirected_edge_fits_either_direction(sample):
    truth = sample.weights != 0
    figures = evaluate(sample, Answer(sample.weights, graph=truth | truth.T), "least-squares", 0.3)
    assert figures["shd"] == 0


def test_weights_that_are_not_finite_are_an_error(sample):
    with pytest.raises(InputError, match="not finite"):
        evaluate(sample, Answer(np.full((8, 8), np.nan)), "least-squares", 0.3)


# --- methods -------------------------------------------------------------------------------------


def test_the_true_order_has_the_true_graph(sample):
    weights = learned(sample, "true-order").weights
    assert topological_order((weights != 0) | (sample.weights != 0)) is not None


def test_a_start_is_where_a_method_starts(sample):
    start = learned(sample, search="none", order="8 7 6 5 4 3 2 1").weights
    assert np.triu(start).sum() == 0
    stay = learned(sample, start=start, search="none").weights
    np.testing.assert_allclose(stay, start, atol=1e-12)


def test_a_trace_ends_at_the_answer(sample):
    answer = learned(sample, search="paper", init="random", several=False, trace=True)
    spaces, scores, distances = zip(*answer.trace, strict=True)
    assert spaces[0] == "start"
    assert set(spaces[1:]) <= {"small", "large"}
    assert list(scores) == sorted(scores, reverse=True)
    figures = evaluate(sample, answer, "least-squares", 0.3)
    assert scores[-1] == pytest.approx(figures["score"])
    assert distances[-1] == figures["shd"]
    assert figures["trace"] == answer.trace


def test_each_acyclicity_function_by_name(sample):
    for name in ("logdet", "exponential", "polynomial"):
        weights = learned(sample, search="paper", init="random", acyclicity=name).weights
        assert evaluate(sample, Answer(weights), "least-squares", 0.3)["kkt"]
    with pytest.raises(InputError, match="acyclicity = 'x' is not one of logdet"):
        learned(sample, search="paper", acyclicity="x")


def test_candidates_from_a_hat(sample):
    weights = learned(sample, search="paper", init="random", candidates="random").weights
    assert evaluate(sample, Answer(weights), "least-squares", 0.3)["kkt"]
    with pytest.raises(InputError, match="candidates"):
        learned(sample, search="paper", candidates="x")
    with pytest.raises(InputError, match="trace"):
        learned(sample, trace=True)


# What a learner says about itself is not used, nor is it here.
@pytest.mark.filterwarnings("ignore::toposwap.core.errors.ToposwapWarning")
def test_baselines_by_name(sample):
    answer = learned(sample, "baseline", name="notears")
    figures = evaluate(sample, answer, "least-squares", 0.3)
    assert not figures["kkt"]
    refined = evaluate(sample, learned(sample, start=answer.weights), "least-squares", 0.3)
    assert refined["kkt"]
    assert refined["score"] < figures["score"]
    kkts = learned(sample, "baseline", name="kkts", start=answer.weights)
    assert evaluate(sample, kkts, "least-squares", 0.3)["kkt"]
    with pytest.raises(InputError, match="no baseline is called 'x'"):
        learned(sample, "baseline", name="x")


def test_a_score_may_have_settings(sample):
    score = {"name": "basis", "n_functions": 3, "smoothness": 0.02}
    answer = learned(sample, score=score, search="none")
    figures = evaluate(sample, answer, score, 0.3)
    bound = ts.scores.Basis(n_functions=3, smoothness=0.02).bind(ts.Dataset.from_table(sample.X))
    assert figures["score"] == pytest.approx(bound.evaluate(answer.parameters).value)
    # Another score of the method's own has another penalty and the same loss.
    other = evaluate(sample, answer, {**score, "smoothness": 0.01}, 0.3, score)
    assert (other["kkt"], other["loss"]) == (figures["kkt"], pytest.approx(figures["loss"]))
    assert other["score"] < figures["score"]
    for wrong, told in (
        ({"name": "x"}, "score: 'x' is not one of"),
        ({"n_functions": 4}, "score: '' is not one of"),
        ({"name": "basis", "functions": 4}, "'basis': no setting is called 'functions'"),
    ):
        with pytest.raises(InputError, match=told):
            evaluate(sample, answer, wrong, 0.3)


@pytest.mark.parametrize("penalty", [0.05, 0.2])
def test_the_weight_of_a_penalty_is_a_setting(sample, penalty):
    score = {"name": "least-squares-l1", "penalty": penalty}
    answer = learned(sample, score=score, search="none")
    figures = evaluate(sample, answer, score, 0.3)
    paid = penalty * abs(answer.weights).sum()
    assert figures["score"] - figures["loss"] == pytest.approx(paid)
    assert figures["score"] == pytest.approx(figures["order_score"])


@pytest.mark.thorough
def test_networks_of_a_baseline_are_judged_by_scores_with_more_units(sample):
    pytest.importorskip("torch")
    score = {"name": "mlp", "hidden": 13}
    answer = learned(sample, "baseline", score=score, name="notears-mlp", max_iter=1)
    assert answer.parameters.first.shape == (8, 13, 8)
    assert not answer.parameters.output[10:].any()
    assert evaluate(sample, answer, score, 0.3)["loss"] > 0.0


# --- data ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [LINEAR, LOGISTIC])
def test_data_depend_on_the_seed_alone(settings):
    first, same, other = (draw(settings, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.X, same.X)
    assert not np.array_equal(first.X, other.X)
    assert first.X.shape == (200, 8)


def test_logistic_data_follow_the_model():
    settings = {"kind": "logistic", "d": 3, "n": 200_000, "graph": "ER1"}
    sample = next(s for s in (draw(settings, k) for k in range(20)) if np.any(s.weights))
    assert set(np.unique(sample.X)) == {0.0, 1.0}
    for j in range(3):
        chance = 1 / (1 + np.exp(-sample.X @ sample.weights[:, j]))
        for value in np.unique(chance):
            part = sample.X[chance == value, j]
            assert part.mean() == pytest.approx(value, abs=5 * 0.5 / np.sqrt(len(part)))


def test_three_nodes_are_the_population():
    sample = draw({"kind": "three-nodes", "a": 1.0, "b": -0.55}, 0)
    assert isinstance(sample, Sample)
    np.testing.assert_allclose(sample.X.mean(axis=0), 0.0, atol=1e-12)
    expected = ts.simulate.population_covariance(sample.weights)
    np.testing.assert_allclose(sample.X.T @ sample.X / len(sample.X), expected, atol=1e-12)


def test_a_score_of_the_methods_own_is_what_it_is_certified_for(sample):
    own = {"name": "least-squares", "ridge": 5.0}
    answer = learned(sample, score=own)
    by_table = evaluate(sample, answer, "least-squares", 0.3)
    by_own = evaluate(sample, answer, "least-squares", 0.3, own)
    assert not by_table["kkt"]
    assert by_own["kkt"]
    assert by_own["score"] == by_table["score"]
