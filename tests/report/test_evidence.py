"""Intervals and evidence of edges, the graph given: against statsmodels and by fitting again."""

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.losses import (
    CumulativeLoss,
    GaussianLoss,
    LogisticLoss,
    MultinomialLoss,
    PoissonLoss,
)
from toposwap.report import as_text, edge_table, record_of
from toposwap.report.evidence import evidence_of, length
from toposwap.scores.blocks.information import block_estimates
from toposwap.scores.blocks.score import RIDGE

N = 600


@pytest.fixture(scope="module")
def table():
    """A number and a category, and what both of them cause: one column of each kind."""
    rng = np.random.default_rng(0)
    x = 3.0 + 2.0 * rng.standard_normal(N)
    c = rng.choice(3, size=N, p=[0.5, 0.3, 0.2])
    f = 0.4 * (x - 3.0) + np.array([-0.5, 0.2, 0.9])[c]
    utilities = (
        np.outer(x - 3.0, [0.5, 0.0, -0.4]) + np.array([[0, 0.6, 0], [1, 0, 0], [0, 0, 1]])[c]
    )
    return pd.DataFrame(
        {
            "x": x,
            "c": np.array(["p", "q", "r"])[c],
            "number": 10.0 * f + 5.0 * rng.standard_normal(N),
            "two": (f + rng.logistic(size=N) > 0).astype(int),
            "count": rng.poisson(np.exp(0.5 * f)),
            "rating": np.digitize(f + rng.logistic(size=N), [-1.0, 0.0, 1.5]),
            "kind": np.array(["u", "v", "w"])[(utilities + rng.gumbel(size=(N, 3))).argmax(axis=1)],
        }
    )


KINDS = {
    "two": "binary",
    "rating": "ordinal",
    "c": "categorical",
    "kind": "categorical",
    "count": "count",
}
LOSSES = {
    "number": GaussianLoss(),
    "two": LogisticLoss(),
    "count": PoissonLoss(),
    "rating": CumulativeLoss(),
    "kind": MultinomialLoss(),
}


def estimates(table, effect):
    data = ts.Dataset.from_table(
        table[["x", "c", effect]],
        kinds={"c": "categorical", effect: KINDS.get(effect, "continuous")},
    )
    edges = np.zeros((3, 3), dtype=bool)
    edges[:2, 2] = True
    losses = [GaussianLoss(), MultinomialLoss(), LOSSES[effect]]
    nominal = np.array([False, True, False])
    found = block_estimates(data, nominal, losses, edges, RIDGE / N)
    return [block for *_, block in found]


def reference(table, effect):
    """Coefficients of x, q and r, (3, L), their covariance, and -2 log-likelihood with and without.

    The values of a category as an effect come with sum zero.
    """
    sm = pytest.importorskip("statsmodels.api")
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    y = table[effect]
    design = pd.get_dummies(table[["x", "c"]], columns=["c"], drop_first=True, dtype=float)

    def fit(columns):
        X = design[columns]
        if effect == "rating":
            return OrderedModel(y, X, distr="logit").fit(method="bfgs", disp=0, gtol=1e-7)
        X = sm.add_constant(X)
        if effect == "kind":
            return sm.MNLogit(pd.Categorical(y).codes, X).fit(disp=0, tol=1e-10)
        if effect == "number":
            return sm.OLS(y, X).fit()
        family = sm.families.Binomial() if effect == "two" else sm.families.Poisson()
        return sm.GLM(y, X, family=family).fit(tol=1e-12)

    whole = fit(["x", "c_q", "c_r"])
    ratios = [2.0 * (whole.llf - fit(fewer).llf) for fewer in (["c_q", "c_r"], ["x"])]
    covariance = np.asarray(whole.cov_params())
    if effect == "kind":
        # Statsmodels counts from the first value; here all add up to zero.
        beta = np.column_stack([np.zeros(4), np.asarray(whole.params)])[1:]
        from_first = np.eye(3)[:, 1:] - 1.0 / 3.0
        drop = np.delete(np.arange(8), [0, 4])
        covariance = covariance[np.ix_(drop, drop)]
        maps = np.kron(from_first, np.eye(3))
        return beta - beta.mean(axis=1, keepdims=True), maps @ covariance @ maps.T, ratios
    start = 0 if effect == "rating" else 1
    part = slice(start, start + 3)
    return np.asarray(whole.params)[part, None], covariance[part, part], ratios


@pytest.mark.parametrize("effect", LOSSES)
def test_blocks_have_the_errors_and_ratios_of_statsmodels(table, effect):
    beta, covariance, ratios = reference(table, effect)
    of_x, of_c = estimates(table, effect)
    values = beta.shape[1]
    # The three values of the category about their average over the rows.
    shares = table["c"].value_counts(normalize=True).sort_index().to_numpy()
    about = np.eye(3)[:, 1:] - shares[1:]
    by_value, errors = of_c.by_value()
    assert by_value == pytest.approx(about @ beta[1:], rel=3e-3, abs=3e-3)
    maps = np.kron(np.eye(values), np.column_stack([np.zeros(3), about]))
    expected = np.sqrt(np.diag(maps @ covariance @ maps.T)).reshape(values, 3).T
    assert errors == pytest.approx(expected, rel=3e-3)
    slopes, errors = of_x.by_value()
    assert slopes[0] == pytest.approx(beta[0], rel=3e-3, abs=1e-3)
    assert errors[0] == pytest.approx(np.sqrt(np.diag(covariance)[::3]), rel=3e-3)
    assert (of_x.ratio, of_c.ratio) == pytest.approx(ratios, rel=1e-3)
    assert of_c.theta.size == 2 * (values - 1 or 1)


@pytest.fixture(scope="module")
def model(table):
    known = ts.Knowledge(tiers=[["x", "c"], list(LOSSES)])
    return ts.Topo("blocks-bic", kinds=KINDS, knowledge=known).fit(table)


def test_every_edge_of_a_mixed_table_has_an_interval_and_evidence(model, table):
    found = evidence_of(model, model._data)
    edges = model.adjacency_matrix_ != 0.0
    assert edges[:2, 2:].sum() >= 8
    for part in (found.error, found.low, found.high, found.gain, found.parameters):
        assert (np.isfinite(part) == edges).all()
    assert found.weight[edges] == pytest.approx(model.adjacency_matrix_[edges], rel=1e-6)
    inside = (found.low <= found.weight) & (found.weight <= found.high)
    assert inside[edges].all()
    # What is kept is worth its price, and the rise of the score says so.
    bound_price = 2.0 * np.log(N) * found.parameters
    assert (found.gain[edges] > bound_price[edges]).all()
    frame = ts.evidence(model, table, search=False)
    rise = 2.0 * N * frame["without"]
    price = 2.0 * np.log(N) * frame["parameters"]
    assert (rise <= frame["ratio"] - price + 1e-6).all()
    assert (frame["p_value"] < 1e-3).all()


def test_tables_files_and_texts_tell_the_same(model):
    record = record_of(model)
    text = as_text(edge_table(model)).splitlines()
    assert text[0].split()[:7] == [
        "cause",
        "effect",
        "weight",
        "standardised",
        "low",
        "high",
        "evidence",
    ]
    for line, edge in zip(text[2:], record["edges"], strict=True):
        assert f"{edge['evidence']:#.3g}".removesuffix(".") in line or edge["evidence"] >= 999.5
        assert f"{edge['given_low']:.3f}" in line
    blocks = [edge for edge in record["edges"] if edge["parameters"] > 1]
    assert {"c", "x"} == {edge["source"] for edge in blocks}
    for edge in blocks:
        told = edge["by_value"]
        shape = np.shape(told["weights"])
        assert shape == (len(told["cause_values"] or "1"), len(told["effect_values"] or "1"))
        if edge["source"] == "c":
            assert told["cause_values"] == ("p", "q", "r")


def test_the_length_of_a_block_covers_what_it_should():
    """A block of noise and signal: errors across its direction make it longer on average."""
    rng = np.random.default_rng(1)
    true, errors = np.eye(10)[0], np.full(10, 0.2)
    drawn = true + errors * rng.standard_normal((2000, 10))
    found = np.array([length(theta, np.diag(errors**2)) for theta in drawn])
    whole, centre, error = found.T
    covered = (np.abs(centre - 1.0) <= 1.96 * error).mean()
    assert 0.93 < covered < 0.97
    assert (np.abs(whole - 1.0) <= 1.96 * error).mean() < covered - 0.02


def test_perfect_separation_has_evidence_and_no_interval():
    x = np.random.default_rng(0).permutation(np.linspace(-1.0, 1.0, 60))
    y = (x > 0.0).astype(int)
    known = ts.Knowledge(tiers=[["x"], ["y"]])
    model = ts.Topo("blocks-bic", knowledge=known).fit(pd.DataFrame({"x": x, "y": y}))
    found = evidence_of(model, model._data)
    assert np.isnan(found.error[0, 1])
    assert found.gain[0, 1] == pytest.approx(2 * 60 * np.log(2), rel=0.05)
    (edge,) = record_of(model)["edges"]
    assert edge["given_low"] is None


def test_penalised_logistic_models_have_both_and_curves_have_none(table):
    sm = pytest.importorskip("statsmodels.api")
    X = table[["x", "two", "number"]]
    known = ts.Knowledge(tiers=[["x"], ["number"], ["two"]], required=["x -> two"])
    model = ts.Topo("auto-bic", knowledge=known).fit(X)
    found = evidence_of(model, model._data)
    parents = X.columns[model.adjacency_matrix_[:, 1] != 0.0]
    fit = sm.Logit(X["two"], sm.add_constant(X[parents])).fit(disp=0)
    assert [found.low[0, 1], found.high[0, 1]] == pytest.approx(fit.conf_int().loc["x"], rel=1e-2)
    curves = ts.Topo("basis-bic").fit(X)
    assert evidence_of(curves, curves._data) is None


def test_what_takes_long_is_left_out(model, monkeypatch):
    monkeypatch.setattr("toposwap.report.evidence._MOST_WORK", 1.0)
    assert evidence_of(model, model._data) is None
