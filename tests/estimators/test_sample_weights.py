"""Weights of rows: whole numbers are repeated rows, and others are what they should be."""

import numpy as np
import pytest
from tables import binary_table, count_table, mixed_table, real_table

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.scores import MLP, Basis, Penalized

TABLES = {
    "auto": mixed_table,
    "bic": real_table,
    "least-squares": real_table,
    "gaussian-l1": real_table,
    "equal-variance-l0": real_table,
    "logistic-bic": binary_table,
    "logistic-l1": binary_table,
    "poisson-l1": count_table,
    "huber-bic": real_table,
    "basis-bic": real_table,
}


def weighted(name):
    X = TABLES[name](0, n=150) if TABLES[name] is not mixed_table else mixed_table(0)
    return X, np.random.default_rng(1).integers(0, 4, len(X))


@pytest.mark.parametrize("name", TABLES)
def test_whole_weights_are_repeated_rows(name):
    X, w = weighted(name)
    model = ts.Topo(name).fit(X, sample_weight=w)
    repeated = np.repeat(X, w, axis=0)
    same = ts.Topo(name).fit(repeated[np.random.default_rng(3).permutation(len(repeated))])
    assert model.score_ == pytest.approx(same.score_, rel=1e-9)
    np.testing.assert_allclose(model.weights_, same.weights_, rtol=1e-6, atol=1e-9)
    assert model.kinds_ == same.kinds_
    assert model.certificate_.satisfied == same.certificate_.satisfied
    np.testing.assert_allclose(model.predict(X), same.predict(X), rtol=1e-6, atol=1e-9)
    if hasattr(model.result_.pruned.predictor, "log_density"):
        assert model.log_likelihood(X) == pytest.approx(same.log_likelihood(X), rel=1e-6)
    if name != "basis-bic":
        again = ts.check_kkt(model.weights_, X, score=name, sample_weight=w)
        assert again.satisfied == model.certificate_.satisfied
        better = ts.refine(model.weights_, X, score=name, sample_weight=w)
        assert better.score_ <= model.score_ + 1e-9 * abs(model.score_)


@pytest.mark.parametrize("score", ["bic", "least-squares", "logistic-l1"])
def test_other_weights(score):
    X, _ = weighted(score)
    w = np.random.default_rng(2).uniform(0.1, 3.0, len(X))
    model = ts.Topo(score).fit(X, sample_weight=w)
    assert model.certificate_.satisfied
    # Ten times as finely cut, and rounded, they are whole numbers.
    fine = np.round(1000.0 * w)
    near = ts.Topo(score, search="none", init=model.result_.order).fit(X, sample_weight=fine)
    if score == "least-squares":
        np.testing.assert_allclose(near.weights_, model.weights_, atol=1e-3)
    data = ts.Dataset.from_table(X, sample_weight=w)
    np.testing.assert_allclose(data.mean, np.average(X, axis=0, weights=w), rtol=1e-10)
    np.testing.assert_allclose(
        data.covariance(), np.cov(X.T, aweights=w, bias=True), rtol=1e-8, atol=1e-12
    )


def test_weights_of_one_are_none():
    X, _ = weighted("bic")
    assert ts.Dataset.from_table(X, sample_weight=np.ones(len(X))).row_weights is None
    plain, ones = ts.Topo().fit(X), ts.Topo().fit(X, sample_weight=np.ones(len(X)))
    np.testing.assert_array_equal(plain.weights_, ones.weights_)


def test_learners_that_know_no_weights_repeat_rows():
    X, w = weighted("bic")
    model = ts.baselines.Notears().fit(X, sample_weight=w)
    same = ts.baselines.Notears().fit(np.repeat(X, w, axis=0))
    np.testing.assert_array_equal(model.weights_, same.weights_)
    for learner in (ts.Topo(Basis()), ts.Topo(MLP()), ts.baselines.Notears()):
        with pytest.raises(InputError, match="takes weights that are whole numbers only"):
            learner.fit(X, sample_weight=w + 0.5)
    started = ts.Topo(Penalized("gaussian", "bic"), init="notears").fit(X, sample_weight=w)
    assert started.certificate_.satisfied


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 2.0], "one weight for each of 60 rows, got shape"),
        (np.full(60, -1.0), "weights must be numbers >= 0"),
        (np.full(60, np.nan), "weights must be numbers >= 0"),
        (np.full(60, 1 / 60), "add up to 1.*multiply them by the number of rows"),
        (np.zeros(60), "all weights are zero"),
        (["a"] * 60, "must be numbers, one for each row"),
    ],
)
def test_wrong_weights(given, message):
    with pytest.raises(InputError, match=f"sample_weight: .*{message}"):
        ts.Topo().fit(real_table(0), sample_weight=given)
