"""What is refused and told, rows left out, reports, and rows with gaps in predictions."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.cli import run
from toposwap.core.kinds import KINDS
from toposwap.core.tables.gap_tests import gap_dependences
from toposwap.core.tables.gaps import Incomplete
from toposwap.report.text import as_text, report

pytestmark = pytest.mark.filterwarnings("ignore::toposwap.ToposwapWarning")


def chain(n=300, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(n)
    b = a + rng.standard_normal(n)
    c = b + rng.standard_normal(n)
    return pd.DataFrame({"a": a, "b": b, "c": c, "e": rng.standard_normal(n)})


def with_gaps(frame, share=0.1, seed=0):
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


def test_gaps_are_refused_with_number_place_and_ways_out():
    table = chain(20)
    table.loc[[1, 2], "b"] = np.nan
    table.loc[2, "e"] = np.nan
    with pytest.raises(ts.InputError) as error:
        ts.Topo().fit(table)
    told = str(error.value)
    assert "NaN (missing values): 3 in 2 of 20 rows, in columns 'b' (2), 'e' (1)" in told
    for way in ("missing='em'", "missing='impute'", "missing='drop'"):
        assert way in told


@pytest.mark.parametrize("missing", ["mean", None, 1])
def test_what_missing_may_be(missing):
    with pytest.raises(ts.InputError, match=r"missing: .* is not one of 'error', 'drop', 'em'"):
        ts.Topo(missing=missing).fit(chain(20))


@pytest.mark.parametrize(
    ("change", "missing", "told"),
    [
        (lambda t: t.assign(b=np.nan), "em", "no value at all in column 'b'"),
        (lambda t: t.assign(b=np.nan), "auto", "no value at all in column 'b'"),
        (lambda t: t.assign(b=np.nan), "drop", "every row has a missing value"),
        (lambda t: t.assign(b=np.where(t.index < 3, np.nan, 2.0)), "em", "'b' is constant"),
        (lambda t: t.assign(b=np.where(t.index < 3, np.nan, np.inf)), "em", "infinity"),
        (lambda t: t.assign(b=np.where(t.index < 3, np.nan, t.b > 0)), "em", "binary: 'b'"),
    ],
)
def test_what_cannot_be_used(change, missing, told):
    with pytest.raises(ts.InputError, match=told):
        ts.Topo(missing=missing).fit(change(chain(40)))


def test_em_is_for_scores_on_moments():
    table = with_gaps(chain(60))
    with pytest.raises(ts.InputError, match="'basis' is none: missing='impute'"):
        ts.Topo("basis", missing="em").fit(table)
    with pytest.raises(ts.InputError, match=r"draws|drawn"):
        ts.check_kkt(np.zeros((4, 4)), table, missing="impute")


def test_dropping_is_dropna():
    table = with_gaps(chain())
    weights = np.random.default_rng(0).integers(1, 4, len(table))
    dropped = ts.Topo(missing="drop").fit(table, sample_weight=weights)
    whole = ~table.isna().any(axis=1)
    by_hand = ts.Topo().fit(table[whole], sample_weight=weights[whole])
    assert (dropped.weights_ == by_hand.weights_).all()
    gaps = dropped.result_.gaps
    assert (gaps.rows, gaps.rows_used) == (300, int(whole.sum()))
    assert f"{300 - whole.sum()} of 300 rows" in dropped.remarks_[0]
    certified = ts.check_kkt(dropped.weights_, table, sample_weight=weights, missing="drop")
    assert certified.satisfied


def test_shares_and_dependences():
    table = chain(1000)
    table.loc[table["a"] > 0.8, "c"] = np.nan
    table.loc[::7, "e"] = np.nan
    model = ts.Topo("bic", missing="em").fit(table)
    gaps = model.result_.gaps
    assert gaps.shares["c"] == pytest.approx(table["c"].isna().mean())
    assert gaps.shares["a"] == 0.0
    assert {one.column for one in gaps.dependences} == {"c"}
    assert gaps.dependences[0].other == "a"
    text = as_text(report(model))
    assert "gaps of 'c' depend on 'a'" in text
    assert "not missing completely at random" in text


def test_gaps_that_depend_on_a_code():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 4, 600).astype(float)
    # A code in the middle, which no comparison of ranks can see.
    x = np.where((code == 1) | (code == 2), np.nan, 0.0) + rng.standard_normal(600)
    x = np.where(rng.random(600) < 0.3, rng.standard_normal(600), x)
    frame = pd.DataFrame({"code": code, "x": x, "y": rng.standard_normal(600)})
    read = Incomplete.from_table(frame).read
    table = Incomplete(replace(read, given={"code": KINDS["categorical"]}))
    assert [(one.column, one.other) for one in gap_dependences(table)] == [("x", "code")]


def test_false_alarms_are_rare():
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((200, 6)) @ rng.standard_normal((6, 6))
        X[rng.random(X.shape) < 0.2] = np.nan
        alarms += bool(gap_dependences(Incomplete.from_table(X)))
    assert alarms <= 4


# --- predictions ---------------------------------------------------------------------------------


def test_predictions_where_parents_are_missing():
    table = chain(400)
    known = {"tiers": [["a"], ["b"], ["c", "e"]]}
    model = ts.Topo("bic", missing="em", knowledge=known).fit(with_gaps(table))
    complete = model.predict(table)
    W, b = model.weights_, model.result_.predictor.intercepts
    rows = table.copy()
    rows["b"] = np.nan
    predicted = model.predict(rows)
    # Without b, c is what a tells of it: two edges in a row.
    expected = b[2] + W[1, 2] * (b[1] + W[0, 1] * table["a"])
    np.testing.assert_allclose(predicted[:, 2], expected, atol=1e-9)
    np.testing.assert_allclose(predicted[:, 1], complete[:, 1], atol=1e-12)
    nothing = model.predict(rows.assign(a=np.nan, c=np.nan, e=np.nan))
    assert np.ptp(nothing, axis=0).max() < 1e-12


def test_log_likelihood_of_what_is_there():
    from scipy.stats import multivariate_normal

    table = with_gaps(chain(200), 0.2)
    model = ts.Topo("bic", missing="em").fit(table)
    used = table[~table.isna().all(axis=1)]
    total = model.log_likelihood(used) * len(used)
    assert total == pytest.approx(model.result_.gaps.log_likelihood, rel=1e-8)
    row = used.iloc[[0]].assign(b=np.nan, e=np.nan)
    normal = model._rows_with_gaps
    there = [0, 2]
    covariance = normal.correlation * np.outer(normal.unit, normal.unit)
    by_hand = multivariate_normal(normal.mean[there], covariance[np.ix_(there, there)])
    if not row.isna().iloc[0, there].any():
        expected = by_hand.logpdf(row.to_numpy()[0, there])
        assert model.log_likelihood(row) == pytest.approx(expected)


def test_predictions_that_are_refused():
    table = with_gaps(chain(100))
    plain = ts.Topo("bic").fit(chain(100))
    with pytest.raises(ts.InputError, match="NaN"):
        plain.predict(table)
    curves = ts.Topo("basis", missing="impute").fit(chain(100))
    with pytest.raises(ts.InputError, match="linear models of measurements only"):
        curves.predict(table)
    squares = ts.Topo("least-squares", missing="em").fit(chain(100))
    assert np.isfinite(squares.predict(table)).all()
    with pytest.raises(ts.InputError, match="no likelihood"):
        squares.log_likelihood(table)


# --- the command line ----------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "t.csv"
    with_gaps(chain()).to_csv(path, index=False)
    return path


def test_the_command_line_from_end_to_end(file, tmp_path, capsys):
    assert run(["fit", str(file)]) == 2
    told = capsys.readouterr().err
    for part in ("rows have missing values", "--missing drop", "--missing em", "--missing impute"):
        assert part in told
    for missing in ("drop", "em", "impute"):
        out = tmp_path / f"{missing}.json"
        assert run(["fit", str(file), "--missing", missing, "-o", str(out)]) == 0
        text = capsys.readouterr().out
        assert "rows have gaps: " in text
        record = json.loads(out.read_text())["missing"]
        assert record["treatment"] == missing
        assert record["rows"] == 300
        assert 0.0 < record["shares"]["a"] < 0.3
    weights = tmp_path / "w.weights.csv"
    assert run(["fit", str(file), "--missing", "em", "-o", str(weights), "-q"]) == 0
    assert run(["check", str(file), str(weights), "--missing", "em"]) == 0
    assert run(["check", str(file), str(weights), "--missing", "impute"]) == 2
    for missing in ("em", "impute"):
        assert run(["refine", str(file), str(weights), "--missing", missing, "-q"]) == 0


def test_options_that_contradict_or_are_unknown(file, capsys):
    assert run(["fit", str(file), "--missing", "mean"]) == 2
    assert "--missing: 'mean' is not one of error, drop, em, impute" in capsys.readouterr().err
    assert run(["fit", str(file), "--missing", "em", "--drop-missing"]) == 2
    assert "contradicts" in capsys.readouterr().err
    assert run(["fit", str(file), "--drop-missing", "-q"]) == 0


def test_auto_takes_em_where_it_can_and_draws_elsewhere():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(200, 3)) @ np.triu(np.ones((3, 3)))
    mixed = np.column_stack([numbers, numbers[:, 0] + rng.normal(size=200) > 0.0])
    for X, score, chosen in (
        (numbers, "auto", "em"),
        (mixed, "auto", "impute"),
        (mixed, "bic", "em"),
        (numbers, "huber-bic", "impute"),
    ):
        holes = X.copy()
        holes[rng.random(200) < 0.1, 0] = np.nan
        model = ts.Topo(score, missing="auto", random_state=0).fit(holes)
        assert model.result_.gaps.treatment == chosen
        assert (model.missing, model.certificate_.satisfied) == ("auto", True)
    with pytest.raises(ts.InputError, match=r"binary: 'x3'.*'auto' does so where it must"):
        ts.Topo(missing="em").fit(np.where(rng.random(mixed.shape) < 0.02, np.nan, mixed))
