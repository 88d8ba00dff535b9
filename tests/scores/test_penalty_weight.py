"""One number for the weight of a penalty, whatever the score calls it."""

from __future__ import annotations

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.scores import SCORES, Penalized
from toposwap.scores.penalty_weight import with_penalty

WITHOUT = {"least-squares", "logistic", "basis"}


@pytest.mark.parametrize("name", SCORES)
def test_every_named_score_has_another_weight_or_says_that_it_has_none(name):
    score = SCORES[name]()
    if name in WITHOUT:
        with pytest.raises(InputError, match=f"{score.name} has no penalty to weigh"):
            with_penalty(score, 0.5)
        return
    other = with_penalty(score, 0.375)
    assert type(other) is type(score)
    assert other.name == score.name
    # Only that number differs, and the score that was given is as it was.
    assert repr(other) != repr(score) == repr(SCORES[name]())
    assert repr(other).count("0.375") == 1


def test_other_settings_are_kept():
    score = Penalized("gaussian", ts.penalties.EBIC(factor=2.0, gamma=1.0), max_parents=3)
    other = with_penalty(score, 1.0)
    assert vars(other.penalty) == {"factor": 1.0, "gamma": 1.0}
    assert other.max_parents == 3
    concave = with_penalty(Penalized("logistic", ts.penalties.MCP(0.1, beta=4.0)), 0.2)
    assert vars(concave.penalty) == {"weight": 0.2, "beta": 4.0}


def test_the_factor_of_auto_is_that_of_what_it_chooses():
    X = ts.simulate.linear_dataset(6, 200, "ER2", noise="gauss-NV", random_state=0).X
    chosen = ts.Topo(with_penalty(SCORES["auto"](), 1.0), random_state=0).fit(X)
    schwarz = ts.Topo(Penalized("gaussian", ts.penalties.BIC(1.0)), random_state=0).fit(X)
    assert chosen.score_ == schwarz.score_
    np.testing.assert_array_equal(chosen.weights_, schwarz.weights_)
    few = ts.Topo(ts.scores.Auto(factor=1.0), random_state=0).fit(X[:20])
    assert few.result_.score_name == "ebic"
    extended = ts.Topo(Penalized("gaussian", ts.penalties.EBIC(1.0)), random_state=0).fit(X[:20])
    assert few.score_ == extended.score_


@pytest.mark.parametrize("number", [-1.0, np.nan, np.inf])
def test_numbers_that_are_no_weights(number):
    for name in ("auto", "bic", "gaussian-l1"):
        with pytest.raises(InputError, match="must be a number >= 0"):
            with_penalty(SCORES[name](), number)
