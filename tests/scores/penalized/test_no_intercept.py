"""The paper's logistic loss: f = X w, without a constant."""

import numpy as np
import pytest
from tables import binary_table

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.losses import GaussianLoss, LogisticLoss
from toposwap.penalties import BIC, L1, NoPenalty, Ridge
from toposwap.scores import Penalized
from toposwap.scores.names import named_score

PENALTIES = [NoPenalty(), L1(0.01), Ridge(0.1), BIC()]


def bare(penalty):
    return Penalized(LogisticLoss(intercept=False), penalty)


def loss_of(X, W):
    f = X @ W
    return float((np.logaddexp(0.0, f) - X * f).mean(axis=0).sum())


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_the_solution_of_an_order_is_that_of_the_formula(penalty):
    X = binary_table(1, 4)
    bound = bare(penalty).bind(ts.Dataset.from_table(X))
    parameters = bound.fit(Order([2, 0, 3, 1])).parameters()
    point = bound.evaluate(parameters)
    W = point.weights
    assert not parameters.intercepts.any()
    assert point.value - point.penalty == pytest.approx(loss_of(X, W), rel=1e-12)
    assert bound.evaluate(W).value == point.value
    # Stationary: the slope of the formula by each weight is what the penalty bears.
    slope = X.T @ (1.0 / (1.0 + np.exp(-X @ W)) - X) / len(X)
    used = np.argwhere(W)
    assert len(used)
    for i, j in used:
        assert slope[i, j] + bound.penalty.slope(W)[i, j] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_searches_end_certified_and_price_what_they_do(penalty):
    X = binary_table(2, 5)
    for search in ("auto", "paper"):
        model = ts.Topo(bare(penalty), search=search, prune=None).fit(X)
        assert model.certificate_.satisfied
        assert model.loss_ == pytest.approx(loss_of(X, model.weights_), rel=1e-10)
    bound = bare(penalty).bind(ts.Dataset.from_table(X))
    fit = bound.fit(Order(range(5)))
    pairs = fit.all_pairs()
    refitted = [bound.fit(fit.order.swap(*p)).value - fit.value for p in pairs.tolist()]
    np.testing.assert_allclose(fit.swap_changes(pairs), refitted, atol=1e-8)


def test_predictions_have_no_constant_either():
    X = binary_table(3, 4)
    model = ts.Topo(bare(L1(0.01)), prune=None).fit(X)
    expected = 1.0 / (1.0 + np.exp(-X @ model.weights_))
    np.testing.assert_allclose(model.predict(X), expected)


def test_a_column_without_causes_is_a_fair_coin():
    X = binary_table(0, 3)
    X[:, 1] = np.arange(len(X)) % 10 == 0
    bound = bare(L1(10.0)).bind(ts.Dataset.from_table(X))
    assert bound.fit(Order(range(3))).value == pytest.approx(3.0 * np.log(2.0), rel=1e-12)


def test_with_an_intercept_for_some_columns_only():
    X = binary_table(4, 3)
    losses = [LogisticLoss(intercept=False), LogisticLoss(), GaussianLoss()]
    model = ts.Topo(Penalized(losses, L1(0.01)), "none", [0, 1, 2], prune=None).fit(X)
    assert model.certificate_.satisfied
    intercepts = model.result_.parameters.intercepts
    assert intercepts[0] == 0.0
    assert intercepts[1] != 0.0


def test_by_name_and_what_is_refused():
    score = named_score("logistic-l1", {"intercept": False})
    assert repr(score.loss) == "LogisticLoss(intercept=False)"
    assert score.penalty.weight == 0.01
    X = binary_table(0, 3)
    with pytest.raises(InputError, match="intercept: must be True or False, got 'no'"):
        ts.Topo(Penalized(LogisticLoss(intercept="no"), "l1")).fit(X)
    with pytest.raises(InputError, match=r"has no intercept.*use bias=False"):
        ts.Topo(ts.scores.MLP(2, loss=LogisticLoss(intercept=False))).fit(X)
