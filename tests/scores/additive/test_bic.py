"""Additive models with a penalty per coefficient."""

import numpy as np
import pytest
from curves import additive_table

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.metrics import compare
from toposwap.scores import BasisBIC


def test_bic_is_its_definition_and_does_not_depend_on_units():
    X, A = additive_table(0, d=6, n=500)
    bound = BasisBIC().bind(Dataset.from_table(X))
    model = ts.Topo("basis-bic").fit(X)
    left = X - model.predict(X)
    edges = model.weights_ != 0.0
    coefficients = 8 * edges.sum()
    expected = 0.5 * np.log((left**2).sum(axis=0)).sum() + coefficients * np.log(500) / 1000
    assert model.score_ == pytest.approx(expected, rel=1e-9)
    assert model.score_ == pytest.approx(bound.evaluate(model.result_.parameters).value, rel=1e-12)
    assert compare(A, edges).shd <= 1
    units = 10.0 ** np.array([-3, 5, 0, 2, -8, 1])
    scaled = ts.Topo("basis-bic", init=model.causal_order_).fit(X * units)
    np.testing.assert_array_equal(scaled.weights_ != 0.0, edges)
    np.testing.assert_allclose(scaled.weights_, model.weights_ * units, rtol=1e-6)
    assert scaled.score_ == pytest.approx(model.score_ + np.log(units).sum(), rel=1e-9)


def test_bic_finds_directions_that_units_hide():
    """With every column standardised, least squares loses what it goes by."""
    shds = {}
    for score in ("basis", "basis-bic"):
        shds[score] = 0
        for seed in range(3):
            X, A = additive_table(seed, d=8, n=800)
            model = ts.Topo(score, random_state=0).fit(X / X.std(axis=0))
            shds[score] += compare(A, model.adjacency_matrix_).shd
    assert shds["basis-bic"] <= 4
    assert shds["basis-bic"] < shds["basis"]


def test_bic_refuses_what_it_cannot_do():
    X, _ = additive_table(0, d=3, n=60)
    with pytest.raises(InputError, match=r"search='exact'.*step by step"):
        ts.Topo("basis-bic", search="exact").fit(X)
    with pytest.raises(InputError, match="factor: must be a number >= 0"):
        ts.Topo(BasisBIC(factor=-1.0)).fit(X)
