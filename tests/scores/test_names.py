"""Names of scores: those that are listed, and every pair of a loss and a penalty."""

from itertools import product

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.losses import LOSSES
from toposwap.penalties import BIC, EBIC, L1, MCP, PENALTIES, Ridge
from toposwap.scores import SCORES, EqualVariance, LeastSquares, Penalized


@pytest.mark.parametrize(("loss", "penalty"), list(product(LOSSES, PENALTIES)))
def test_every_pair_has_a_name(loss, penalty):
    score = SCORES[f"{loss}-{penalty}"]()
    assert isinstance(score, Penalized)
    assert score.loss.name == loss
    assert isinstance(score.penalty, PENALTIES[penalty])


def test_names_that_are_listed():
    assert isinstance(SCORES["least-squares"](), LeastSquares)
    for name in ("bic", "ebic", "equal-variance-l0", "gaussian-mcp", "logistic-l1", "poisson-l1"):
        assert name in list(SCORES)
    assert len(SCORES) == len(list(SCORES)) == len(SCORES.values())
    assert "gaussian-ridge" in SCORES
    assert "gaussian-ridge" not in list(SCORES)


@pytest.mark.parametrize(
    ("name", "penalty"),
    [
        ("least-squares-l1", L1(0.1)),
        ("logistic-l1", L1(0.01)),
        ("poisson-l1", L1(0.01)),
        ("gaussian-mcp", MCP(0.005, 10.0)),
        ("equal-variance-l0", BIC(2.0)),
        ("poisson-bic", BIC(2.0)),
        ("logistic-ebic", EBIC(2.0, 0.5)),
        ("gaussian-ridge", Ridge(0.1)),
    ],
)
def test_weights(name, penalty):
    assert repr(SCORES[name]().penalty) == repr(penalty)


@pytest.mark.parametrize(
    "name",
    ["", "-", "aic", "gaussian", "gaussian-", "-l1", "cauchy-l1", "gaussian-l3"],
)
def test_unknown_names_are_told_what_there_is(name):
    assert name not in SCORES
    with pytest.raises(InputError, match=r"score: .* is not one of 'auto'") as refused:
        ts.Topo(score=name).fit(np.eye(4))
    for part in (*SCORES, *LOSSES, *PENALTIES, "<loss>-<penalty>"):
        assert part in str(refused.value)


def test_equal_variance_is_a_loss():
    X = ts.simulate.linear_dataset(6, 200, "ER1", noise="gauss-EV", random_state=0).X
    by_name = ts.Topo(score="equal-variance-l1", random_state=0).fit(X)
    by_pair = ts.Topo(score=Penalized("equal-variance", "l1"), random_state=0).fit(X)
    by_class = ts.Topo(score=EqualVariance("l1"), random_state=0).fit(X)
    np.testing.assert_array_equal(by_name.weights_, by_pair.weights_)
    np.testing.assert_array_equal(by_name.weights_, by_class.weights_)
    assert EqualVariance("l1").scale_dependent
    assert not EqualVariance("l1").equivalent
    assert not EqualVariance("l1").separable
