"""One number for the weight of a penalty, whatever the score calls it."""

from __future__ import annotations

import numpy as np
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.scores import SCORES, Penalized
from toposwap.scores.names import named_score

WITHOUT = {"least-squares", "logistic", "basis"}


@pytest.mark.parametrize("name", SCORES)
def test_every_named_score_has_another_weight_or_says_that_it_has_none(name):
    score = SCORES[name]()
    if name in WITHOUT:
        with pytest.raises(InputError, match="no setting is called 'penalty'"):
            named_score(name, {"penalty": 0.5})
        return
    other = named_score(name, {"penalty": 0.375})
    assert type(other) is type(score)
    assert other.name == score.name
    assert repr(other) != repr(score)
    assert repr(other).count("0.375") == 1


def test_the_factor_of_auto_is_that_of_what_it_chooses():
    X = ts.simulate.linear_dataset(6, 200, "ER2", noise="gauss-NV", random_state=0).X
    chosen = ts.Topo(named_score("auto", {"penalty": 1.0}), random_state=0).fit(X)
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
            named_score(name, {"penalty": number})
