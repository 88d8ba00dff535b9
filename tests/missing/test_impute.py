"""Draws from the model that is learned: their distribution, their seeds, every kind of score."""

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.core.tables.gaps import Incomplete
from toposwap.missing import Impute
from toposwap.missing.draws import Chains
from toposwap.missing.normal import Normal
from toposwap.scores.densities import Densities
from toposwap.scores.predictors import LinearModel

pytestmark = pytest.mark.filterwarnings("ignore::toposwap.ToposwapWarning")


def mixed(n=400, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(n)
    b = (rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * a))).astype(float)
    c = rng.poisson(np.exp(0.3 + 0.8 * b)).astype(float)
    e = rng.standard_normal(n)
    return pd.DataFrame({"a": a, "b": b, "c": c, "e": e + a})


def with_gaps(frame, share=0.15, seed=0):
    mask = np.random.default_rng(seed).random(frame.shape) < share
    return frame.mask(mask)


def test_draws_have_the_distribution_of_the_model():
    """Of x -> y with y there, x given y is normal: two moments against the formula."""
    rng = np.random.default_rng(0)
    n, w, noise = 4000, 1.5, 0.5
    x = rng.standard_normal(n)
    y = w * x + np.sqrt(noise) * rng.standard_normal(n)
    X = np.column_stack((x, y))
    X[: n // 2, 0] = np.nan
    chains = Chains(Incomplete.from_table(X), 1, rng)
    weights = np.array([[0.0, w], [0.0, 0.0]])
    model = LinearModel(weights, np.zeros(2), Densities.normal(np.array([1.0, noise])))
    for _ in range(25):
        chains.sweep(model)
    slope = w / (w * w + noise)
    left = chains.rows[: n // 2, 0] - slope * y[: n // 2]
    assert left.mean() == pytest.approx(0.0, abs=0.04)
    assert left.var() == pytest.approx(noise / (w * w + noise), rel=0.1)
    assert np.corrcoef(left, y[: n // 2])[0, 1] == pytest.approx(0.0, abs=0.08)


def test_what_is_there_stays_and_columns_keep_their_values():
    table = with_gaps(mixed())
    chains = Chains(Incomplete.from_table(table), 3, np.random.default_rng(0))
    values = table.to_numpy()
    for copy in chains.copies():
        there = ~np.isnan(values)
        assert (copy[there] == values[there]).all()
        assert set(copy[:, 1]) == {0.0, 1.0}
        assert set(copy[:, 2]) <= set(values[there[:, 2], 2])
    assert np.isfinite(chains.rows).all()
    first, second, _ = chains.copies()
    assert (first != second).any()


def test_a_mixed_table_with_gaps_has_the_graph_of_the_whole_table():
    frame = mixed(800)
    whole = ts.Topo().fit(frame)
    gappy = ts.Topo(missing="impute").fit(with_gaps(frame))
    skeleton = whole.adjacency_matrix_ != 0.0
    found = gappy.adjacency_matrix_ != 0.0
    assert ((skeleton | skeleton.T) == (found | found.T)).all()
    assert gappy.result_.gaps.treatment == "impute"
    assert gappy.kinds_ == {"a": "continuous", "b": "binary", "c": "count", "e": "continuous"}
    assert gappy.certificate_.satisfied


@pytest.mark.parametrize("missing", ["impute", "auto"])
def test_a_code_is_a_code_with_gaps_too(missing):
    """Numbers in no order, which the rows tell: as many of them speak as without gaps."""
    rng = np.random.default_rng(3)
    origin = rng.integers(1, 4, 300)
    frame = pd.DataFrame(
        {
            "origin": origin,
            "mpg": np.array([0.0, 3.0, 1.0])[origin - 1] + rng.standard_normal(300),
            "weight": np.array([1.0, -1.0, 0.0])[origin - 1] + rng.standard_normal(300),
        }
    )
    table = with_gaps(frame.astype(float), 0.1)
    whole, gappy = ts.Topo().fit(frame), ts.Topo(missing=missing).fit(table)
    assert whole.kinds_["origin"] == gappy.kinds_["origin"] == "categorical"
    assert gappy.result_.score_name == whole.result_.score_name
    with pytest.raises(ts.InputError, match="categorical: 'origin'"):
        ts.Topo(missing="em").fit(table)


def test_the_seed_decides():
    table = with_gaps(mixed(200))

    def scores(seed):
        return ts.Topo(missing=Impute(draws=2, rounds=2), random_state=seed).fit(table).score_

    assert scores(1) == scores(1)
    assert scores(1) != scores(2)


@pytest.mark.parametrize("score", ["bic", "logistic-bic", "basis", "least-squares"])
def test_scores_with_and_without_weights_of_rows(score):
    rng = np.random.default_rng(1)
    a = rng.standard_normal(150)
    X = np.column_stack((a, a + rng.standard_normal(150), rng.standard_normal(150)))
    X = (X > 0.0).astype(float) if "logistic" in score else X
    X[rng.random(X.shape) < 0.1] = np.nan
    model = ts.Topo(score, missing=Impute(draws=2, rounds=2)).fit(X)
    A = model.adjacency_matrix_ != 0.0
    assert A[0, 1] | A[1, 0]
    assert np.isfinite(model.score_)
    assert model.result_.gaps.rows_used == 150


@pytest.mark.parametrize("given", [{"draws": 0}, {"rounds": 1.5}, {"draws": True}])
def test_settings_are_checked(given):
    with pytest.raises(ts.InputError, match=r"Impute .*whole number"):
        ts.Topo(missing=Impute(**given)).fit(with_gaps(mixed(60)))


def test_a_row_without_any_value_is_drawn_too():
    table = with_gaps(mixed(100))
    table.iloc[3] = np.nan
    model = ts.Topo(missing=Impute(draws=2, rounds=2)).fit(table)
    assert np.isfinite(model.score_)


def test_a_covariance_without_inverse_is_drawn_from_all_the_same(monkeypatch):
    """Columns that nearly determine each other: each is drawn for itself then."""
    monkeypatch.setattr(
        "toposwap.missing.draws.any_covariance",
        lambda moments: Normal(moments.mean, -np.eye(moments.mean.size)),
    )
    table = with_gaps(mixed(60))
    chains = Chains(Incomplete.from_table(table), 2, np.random.default_rng(0))
    assert np.isfinite(chains.rows).all()


@pytest.mark.parametrize("score", ["auto", "bdeu"])
def test_tables_of_categories(score):
    """Counted table by table, as rows do not count in parts; gaps are drawn from probabilities."""
    rng = np.random.default_rng(0)
    n = 1000
    cause = rng.integers(0, 3, n)
    middle = np.where(rng.random(n) < 0.8, (2 * cause) % 3, rng.integers(0, 3, n))
    effect = np.where(rng.random(n) < 0.8, (middle + 1) % 3, rng.integers(0, 3, n))
    names = np.array(["red", "amber", "green"])
    frame = pd.DataFrame({"a": names[cause], "b": names[middle], "c": names[effect]})
    gappy = frame.mask(rng.random(frame.shape) < 0.1)
    whole = ts.Topo(score).fit(frame)
    for missing in ("impute", "auto"):
        model = ts.Topo(score, missing=missing, random_state=1).fit(gappy)
        np.testing.assert_array_equal(model.adjacency_matrix_ != 0, whole.adjacency_matrix_ != 0)
        assert "the first table" in model.result_.gaps.told
        same = ts.Topo(score, missing=missing, random_state=1).fit(gappy)
        np.testing.assert_array_equal(model.weights_, same.weights_)
