"""Names of scores: those that are listed, and every pair of a loss and a penalty."""

from itertools import product

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.losses import LOSSES
from toposwap.penalties import BIC, EBIC, L0, L1, MCP, PENALTIES, Ridge
from toposwap.scores import SCORES, EqualVariance, LeastSquares, Penalized
from toposwap.scores.names import named_score, score_settings


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


# --- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "settings", "penalty"),
    [
        ("gaussian-l1", {"penalty": 0.2}, L1(0.2)),
        ("logistic-l1", {"penalty": 0.2}, L1(0.2)),
        ("logistic-l1", {"weight": 0.3}, L1(0.3)),
        ("gaussian-mcp", {"penalty": 0.2, "beta": 3}, MCP(0.2, 3.0)),
        ("gaussian-mcp", {"beta": 3}, MCP(0.005, 3.0)),
        ("least-squares-ridge", {"penalty": 2}, Ridge(2.0)),
        ("bic", {"penalty": 1}, BIC(1.0)),
        ("logistic-ebic", {"penalty": 1, "gamma": 1}, EBIC(1.0, 1.0)),
        ("equal-variance-l0", {"penalty": 3}, BIC(3.0)),
        ("equal-variance-l0", {"weight": 0.05}, L0(0.05)),
        ("equal-variance-l0", {"factor": 1}, BIC(1.0)),
    ],
)
def test_a_penalty_is_set_by_one_word(name, settings, penalty):
    assert repr(named_score(name, settings).penalty) == repr(penalty)


@pytest.mark.parametrize(("loss", "penalty"), list(product(LOSSES, PENALTIES)))
def test_every_pair_takes_the_settings_that_it_names(loss, penalty):
    """Each setting alone, so that a new loss or penalty with settings is tried here."""
    name = f"{loss}-{penalty}"
    known = score_settings(name)
    assert ("penalty" in known) == (penalty != "none")
    for key in known:
        score = named_score(name, {key: 3})
        held = {**vars(score), **vars(score.loss), **vars(score.penalty)}
        assert 3 in (held.get("weight"), held.get("factor")) if key == "penalty" else held[key] == 3


def test_settings_of_scores_that_are_no_pair():
    assert named_score("auto", {"penalty": 1}).factor == 1.0
    assert named_score("mlp", {"hidden": 7, "l1": 0.02}).hidden == 7
    assert named_score("basis-mcp", {"penalty": 0.3}).weight == 0.3
    assert named_score("basis-lasso", {"penalty": 0.3}).penalty == "lasso"
    assert named_score("basis-bic", {"penalty": 2.0}).factor == 2.0
    assert named_score("least-squares", {"ridge": 0.1}).ridge == 0.1
    assert named_score("bic", {"max_parents": 2}).max_parents == 2
    for name in SCORES:
        assert named_score(name).name == SCORES[name]().name


@pytest.mark.parametrize(
    ("name", "settings", "says"),
    [
        ("gaussian-l1", {"wieght": 1}, "'gaussian-l1': no setting is called 'wieght' .*'weight'"),
        ("basis", {"penalty": 1}, "'basis': no setting is called 'penalty'; there are basis"),
        ("logistic", {"penalty": 1}, "no setting is called 'penalty'"),
        ("auto", {"facto": 1}, "'auto': no setting is called 'facto' .*'factor'"),
        ("gaussian-l3", {}, "score: 'gaussian-l3' is not one of auto"),
        ("gaussian-l1", {"penalty": -1}, "L1 weight: must be a number >= 0"),
    ],
)
def test_settings_that_a_score_does_not_have(name, settings, says):
    with pytest.raises(InputError, match=says):
        named_score(name, settings)
