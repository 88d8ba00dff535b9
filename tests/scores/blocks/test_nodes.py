"""Nodes of categories, ratings, counts and two values against other packages."""

import numpy as np
import pandas as pd
import pytest

from toposwap.core.dataset import Dataset
from toposwap.losses import LEVEL_LOSSES, LogisticLoss, OnePredictor, PoissonLoss
from toposwap.scores.blocks.design import Design
from toposwap.scores.blocks.nodes import RowsNode

N = 400


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    c = rng.choice(list("uvw"), N)
    x = rng.standard_normal(N) + (c == "u")
    z = rng.gamma(2.0, size=N)
    f = np.column_stack([np.zeros(N), x + (c == "v"), 0.5 * z - x])
    y = (f + rng.gumbel(size=f.shape)).argmax(axis=1)
    return pd.DataFrame({"c": c, "x": x, "z": z, "y": y, "k": rng.poisson(np.exp(0.3 * x))})


def node(table, loss, y, *, kinds=None):
    data = Dataset.from_table(table, kinds=kinds)
    nominal = np.array([known.kind.name == "categorical" for known in data.kinds])
    return RowsNode(Design(data, nominal), 3, loss, y, 0.0)


def parents():
    return np.array([True, True, True, False, False])


def dummies(table):
    return np.column_stack([pd.get_dummies(table["c"]).to_numpy(float)[:, 1:], table[["x", "z"]]])


def test_multinomial_logit_against_statsmodels(table):
    models = pytest.importorskip("statsmodels.api")
    fitted = node(table, LEVEL_LOSSES["multinomial"], table["y"].to_numpy()).fit(parents())
    reference = models.MNLogit(table["y"], models.add_constant(dummies(table))).fit(disp=0)
    assert N * fitted.value == pytest.approx(-reference.llf, rel=1e-9)


def test_multinomial_logit_against_scikit_learn(table):
    linear = pytest.importorskip("sklearn.linear_model")
    one = node(table, LEVEL_LOSSES["multinomial"], table["y"].to_numpy())
    fitted = one.fit(parents())
    model = linear.LogisticRegression(C=1e9, tol=1e-10, max_iter=2000)
    model.fit(dummies(table), table["y"])
    eta = fitted.theta.T @ one.design.Z + fitted.constants[:, None]
    chances = one.loss.chances(eta, fitted.constants)
    np.testing.assert_allclose(chances, model.predict_proba(dummies(table)), atol=1e-5)


def test_cumulative_logit_against_statsmodels(table):
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    fitted = node(table, LEVEL_LOSSES["cumulative"], table["y"].to_numpy()).fit(parents())
    model = ordinal.OrderedModel(table["y"], dummies(table), distr="logit")
    reference = model.fit(method="bfgs", disp=0, gtol=1e-9)
    assert N * fitted.value == pytest.approx(-reference.llf, rel=1e-8)


@pytest.mark.parametrize("family", ["Binomial", "Poisson"])
def test_one_predictor_against_statsmodels(table, family):
    models = pytest.importorskip("statsmodels.api")
    y = (table["y"] == 1).to_numpy(float) if family == "Binomial" else table["k"].to_numpy(float)
    loss = OnePredictor(LogisticLoss() if family == "Binomial" else PoissonLoss())
    one = node(table, loss, y)
    fitted = one.fit(parents())
    of = getattr(models.families, family)()
    reference = models.GLM(y, models.add_constant(dummies(table)), family=of).fit(tol=1e-12)
    eta = fitted.theta[:, 0] @ one.design.Z + fitted.constants[0]
    np.testing.assert_allclose(of.link.inverse(eta), reference.fittedvalues, rtol=1e-6)


@pytest.mark.parametrize("name", LEVEL_LOSSES)
def test_gains_and_costs_foretell_refits(table, name):
    """To second order, which is exact where effects are small."""
    rng = np.random.default_rng(1)
    table = table.assign(y=rng.permutation(table["y"].to_numpy()))
    one = node(table, LEVEL_LOSSES[name], table["y"].to_numpy())
    nothing = np.zeros(5, dtype=bool)
    empty = one.fit(nothing).value
    for i in (0, 1, 2, 4):
        alone = nothing.copy()
        alone[i] = True
        gain = empty - one.fit(alone).value
        assert one.gains(nothing)[i] == pytest.approx(gain, rel=0.15, abs=2e-4)
        assert one.missed(alone)[i] == pytest.approx(gain, rel=0.15, abs=2e-4)


def test_grouped_rows_are_the_rows():
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {"a": rng.choice(list("xyz"), N), "b": rng.integers(0, 2, N), "y": rng.integers(0, 3, N)}
    )
    data = Dataset.from_table(table, kinds={"y": "categorical"})
    design = Design(data, np.array([True, False, True]))
    one = RowsNode(design, 2, LEVEL_LOSSES["multinomial"], data.coded(2).codes, 0.01)
    both = np.array([True, True, False])
    assert one._rows(both, design.index(both)).omega.size <= 18
    fitted = one.fit(both)
    found = one.evaluate(fitted.theta, fitted.constants)
    assert found.value == pytest.approx(fitted.value, rel=1e-12)
    assert np.abs(found.gradient[design.index(both)]).max() < 1e-9


def test_values_told_apart_perfectly_stay_finite():
    rng = np.random.default_rng(3)
    x = rng.standard_normal(N)
    table = pd.DataFrame({"x": x, "y": np.digitize(x, [-0.5, 0.5])})
    data = Dataset.from_table(table, kinds={"y": "categorical"})
    for name in LEVEL_LOSSES:
        design = Design(data, np.array([False, True]))
        one = RowsNode(design, 1, LEVEL_LOSSES[name], data.coded(1).codes, 0.01 / N)
        fitted = one.fit(np.array([True, False]))
        assert np.isfinite(fitted.theta).all()
        assert fitted.value < 0.1
        found = one.evaluate(fitted.theta, fitted.constants)
        assert np.abs(found.gradient[0]).max() <= 1e-9
