"""Held-out log-likelihoods: the numbers of other packages, and cross-validation with them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from curves import additive_table
from own_scores import nothing, squares
from scipy import stats
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss, mean_poisson_deviance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import suited_to
from toy_scores import NodewiseLasso

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.losses import LOSSES
from toposwap.losses.base import ColumnFacts, ColumnLoss
from toposwap.losses.rows import RowLoss
from toposwap.scores import SCORES, Differentiable, Penalized

LIKELIHOODS = ("bic", "ebic", "gaussian-l1", "gaussian-mcp", "basis-bic")
SQUARES = ("least-squares", "least-squares-l1", "basis", "basis-mcp")


def halves(score, **settings):
    """A model fitted to the first half of a table, and both halves."""
    X = suited_to(SCORES[score](), 0)
    n = len(X) // 2
    return ts.Topo(score, **settings).fit(X[:n]), X[:n], X[n:]


@pytest.mark.parametrize("score", LIKELIHOODS)
def test_normal_columns_have_the_residual_variances_of_the_training_data(score):
    model, seen, new = halves(score)
    deviation = np.sqrt(np.mean((seen - model.predict(seen)) ** 2, axis=0))
    expected = stats.norm.logpdf(new, model.predict(new), deviation).sum(axis=1).mean()
    assert model.log_likelihood(new) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("score", ["equal-variance-l0", "equal-variance-l1"])
def test_equal_variances_are_one_variance(score):
    X = ts.simulate.linear_dataset(4, 200, "ER1", random_state=0).X
    model = ts.Topo(score).fit(X[:100])
    deviation = np.sqrt(np.mean((X[:100] - model.predict(X[:100])) ** 2))
    expected = stats.norm.logpdf(X[100:], model.predict(X[100:]), deviation).sum(axis=1).mean()
    assert model.log_likelihood(X[100:]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("score", SQUARES)
def test_squares_are_no_likelihood_and_give_minus_the_loss(score):
    model, seen, new = halves(score, prune=None)
    expected = -0.5 * np.sum((new - model.predict(new)) ** 2, axis=1).mean()
    assert model.log_likelihood(new) == pytest.approx(expected, rel=1e-12)
    # On the data themselves that is the loss of the solution.
    assert model.log_likelihood(seen) == pytest.approx(-model.loss_, rel=1e-8)


@pytest.mark.parametrize("score", ["logistic-bic", "logistic-l1", "logistic"])
@pytest.mark.parametrize("values", [(0.0, 1.0), (1.0, 2.0), (-3.0, 7.0)])
def test_logistic_columns_have_scikit_learn_s_log_loss(score, values):
    X = suited_to(SCORES[score](), 0)
    X = np.where(X > 0.0, values[1], values[0])
    model, new = ts.Topo(score).fit(X[:-50]), X[-50:]
    chance = model.predict(new)
    expected = -sum(
        log_loss(new[:, j] == values[1], chance[:, j], labels=[False, True])
        for j in range(X.shape[1])
    )
    assert model.log_likelihood(new) == pytest.approx(expected, rel=1e-9)
    # Rows with only one of the two values still know which one it is.
    each = [model.log_likelihood(row[None]) for row in new]
    assert np.mean(each) == pytest.approx(expected, rel=1e-9)
    new[0, 0] = 0.123
    assert model.log_likelihood(new) == -np.inf


def test_counts_have_the_likelihood_of_poisson():
    X = suited_to(SCORES["poisson-l1"](), 0)
    model, new = ts.Topo("poisson-l1").fit(X[:-50]), X[-50:]
    mean = model.predict(new)
    expected = stats.poisson.logpmf(new, mean).sum(axis=1).mean()
    assert model.log_likelihood(new) == pytest.approx(expected, rel=1e-9)
    # The deviance is twice what is missing to the best that any mean could do.
    best = stats.poisson.logpmf(new, new).sum(axis=1).mean()
    deviance = sum(mean_poisson_deviance(new[:, j], mean[:, j]) for j in range(X.shape[1]))
    assert best - model.log_likelihood(new) == pytest.approx(deviance / 2.0, rel=1e-9)
    assert model.log_likelihood(new + 0.5) == -np.inf


def test_kinds_of_columns_add_up():
    rng = np.random.default_rng(0)
    a = rng.standard_normal(400)
    X = np.column_stack([a, a > rng.standard_normal(400), rng.poisson(np.exp(0.5 * a))])
    model, new = ts.Topo("auto").fit(X[:300]), X[300:]
    mean = model.predict(new)
    deviation = np.sqrt(np.mean((X[:300, 0] - model.predict(X[:300])[:, 0]) ** 2))
    expected = (
        stats.norm.logpdf(new[:, 0], mean[:, 0], deviation)
        + stats.bernoulli.logpmf(new[:, 1], mean[:, 1])
        + stats.poisson.logpmf(new[:, 2], mean[:, 2])
    ).mean()
    assert model.log_likelihood(new) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("loss", ["least-squares", "gaussian", "logistic"])
def test_networks(loss):
    rng = np.random.default_rng(0)
    a = rng.standard_normal(160)
    X = np.column_stack([a, np.sin(2.0 * a) + 0.3 * rng.standard_normal(160)])
    X = (X > 0.0) * 2.0 - 1.0 if loss == "logistic" else X + 10.0
    seen, new = X[:100], X[100:]
    model = ts.Topo(ts.scores.MLP(hidden=3, n_starts=1, loss=loss), prune=None).fit(seen)
    mean = model.predict(new)
    if loss == "least-squares":
        expected = -0.5 * np.sum((new - mean) ** 2, axis=1).mean()
    elif loss == "gaussian":
        deviation = np.sqrt(np.mean((seen - model.predict(seen)) ** 2, axis=0))
        expected = stats.norm.logpdf(new, mean, deviation).sum(axis=1).mean()
    else:
        expected = stats.bernoulli.logpmf(new > 0.0, mean).sum(axis=1).mean()
    assert model.log_likelihood(new) == pytest.approx(expected, rel=1e-9)
    assert pickle.loads(pickle.dumps(model)).log_likelihood(new) == model.log_likelihood(new)


def test_networks_in_torch():
    pytest.importorskip("torch")
    X, _ = additive_table(0, d=2, n=60)
    model = ts.Topo(ts.scores.TorchMLP((3,), loss="gaussian"), prune=None).fit(X[:40])
    deviation = np.sqrt(np.mean((X[:40] - model.predict(X[:40])) ** 2, axis=0))
    expected = stats.norm.logpdf(X[40:], model.predict(X[40:]), deviation).sum(axis=1).mean()
    assert model.log_likelihood(X[40:]) == pytest.approx(expected, rel=1e-9)


def test_the_model_is_that_behind_predict():
    """Pruned by an L0 penalty, least squares has the likelihood of equal variances."""
    X = ts.simulate.linear_dataset(5, 300, "ER1", random_state=0).X
    model = ts.Topo("least-squares", prune="bic").fit(X[:200])
    deviation = np.sqrt(np.mean((X[:200] - model.predict(X[:200])) ** 2))
    expected = stats.norm.logpdf(X[200:], model.predict(X[200:]), deviation).sum(axis=1).mean()
    assert model.log_likelihood(X[200:]) == pytest.approx(expected, rel=1e-9)


def test_a_covariance_alone_gives_the_same():
    X = ts.simulate.linear_dataset(4, 100, "ER1", random_state=0).X
    X = X - X.mean(axis=0)
    by_rows = ts.Topo("bic").fit(X)
    by_moments = ts.Topo("bic").fit_covariance(np.cov(X.T, bias=True), len(X))
    assert by_moments.log_likelihood(X) == pytest.approx(by_rows.log_likelihood(X), rel=1e-9)


def test_frames_are_matched_by_name_and_units_shift_the_density():
    X = ts.simulate.linear_dataset(4, 100, "ER1", random_state=0).X
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = ts.Topo("bic").fit(frame)
    assert model.log_likelihood(frame[list("dbca")]) == model.log_likelihood(X)
    scaled = ts.Topo("bic").fit(2.0 * X)
    difference = model.log_likelihood(X) - scaled.log_likelihood(2.0 * X)
    assert difference == pytest.approx(4.0 * np.log(2.0), rel=1e-9)


def test_what_cannot_be_answered_is_refused():
    X = ts.simulate.linear_dataset(3, 50, "ER1", random_state=0).X
    with pytest.raises(NotFittedError):
        ts.Topo("least-squares").log_likelihood(X)
    with pytest.raises(InputError, match="makes no predictions"):
        ts.Topo(NodewiseLasso()).fit(X).log_likelihood(X)
    own = Differentiable(squares, nothing, backend="numpy", predict=lambda W, X: X @ W)
    with pytest.raises(InputError, match=r"log_likelihood: the score .* says nothing about the"):
        ts.Topo(own).fit(X).log_likelihood(X)
    with pytest.raises(InputError, match="StandardScaler has no log_likelihood"):
        ts.metrics.log_likelihood(StandardScaler().fit(X), X)


# --- scikit-learn --------------------------------------------------------------------------------


def test_cross_validation_and_pipelines():
    X = ts.simulate.linear_dataset(4, 120, "ER1", random_state=0).X
    scores = cross_val_score(ts.Topo("bic"), X, cv=3, scoring=ts.metrics.log_likelihood)
    by_hand = []
    for fold in np.split(np.arange(120), 3):
        model = ts.Topo("bic").fit(np.delete(X, fold, axis=0))
        by_hand.append(model.log_likelihood(X[fold]))
    np.testing.assert_allclose(scores, by_hand, rtol=1e-12)
    pipeline = make_pipeline(StandardScaler(), ts.Topo("bic"))
    scores = cross_val_score(pipeline, X, cv=3, scoring=ts.metrics.log_likelihood)
    assert np.isfinite(scores).all()


@pytest.mark.thorough
def test_a_grid_over_penalties_finds_the_sensible_one():
    """An L1 penalty that keeps nothing explains less than one that keeps the edges there are."""
    X = ts.simulate.linear_dataset(5, 300, "ER2", random_state=0).X
    penalties = [Penalized("gaussian", ts.penalties.L1(weight)) for weight in (1e-3, 0.03, 10.0)]
    grid = GridSearchCV(
        ts.Topo("least-squares"), {"score": penalties}, scoring=ts.metrics.log_likelihood, cv=3
    )
    grid.fit(X)
    means = grid.cv_results_["mean_test_score"]
    assert means[2] < means[:2].min()
    assert grid.best_score_ == means.max()
    assert grid.best_params_["score"].penalty.weight < 1.0


# --- every loss ----------------------------------------------------------------------------------

COLUMN_LOSSES = [name for name, loss in LOSSES.items() if issubclass(loss, ColumnLoss)]


@pytest.mark.parametrize("name", COLUMN_LOSSES)
def test_log_densities_differ_as_the_losses_do(name):
    """Between two predictors, up to what the Gaussian loss says about its own variance."""
    rng = np.random.default_rng(0)
    x, loss = rng.integers(0, 2, 30).astype(float), LOSSES[name]()
    f, g = rng.standard_normal((2, 30))
    unit = loss.target(x).unit if isinstance(loss, RowLoss) else 1.0
    facts = [ColumnFacts(float(np.mean((x - h) ** 2)), x.min(), x.max(), unit) for h in (f, g)]
    log_p = [np.mean(loss.log_density(x, h, about)) for h, about in zip((f, g), facts, strict=True)]
    assert log_p[0] - log_p[1] == pytest.approx(loss.value(x, g) - loss.value(x, f), rel=1e-9)


def test_a_loss_of_one_s_own_gives_minus_itself():
    class Absolute(ColumnLoss):
        name, convex, from_moments = "absolute", True, False

        def value(self, x, f):
            return float(np.mean(np.abs(x - f)))

        def slope(self, x, f):
            return np.sign(f - x) / x.size

    x, f = np.arange(3.0), np.ones(3)
    got = Absolute().log_density(x, f, ColumnFacts(1.0, 0.0, 2.0))
    np.testing.assert_array_equal(got, [-1.0, 0.0, -1.0])
