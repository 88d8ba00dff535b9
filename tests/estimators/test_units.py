"""A warning where units rather than causes may have made the order, and only there."""

import warnings

import numpy as np
import pandas as pd
import pytest
from examples import seeds

import toposwap as ts
from toposwap.cli import run
from toposwap.core.dataset import Dataset
from toposwap.diagnostics import in_unlike_units, units_in_words


def sample(seed, d=8):
    return ts.simulate.linear_dataset(d, 300, "ER2", random_state=seed)


def in_other_units(seed=0):
    """The same causes, each column in units of its own."""
    return sample(seed).X * 10.0 ** np.array([0, 3, -2, 1, 4, -1, 2, -3])


@pytest.mark.parametrize("score", ["least-squares", "least-squares-ridge", "equal-variance-l0"])
def test_least_squares_warns_of_columns_in_unlike_units(score):
    with pytest.warns(ts.UnitsWarning, match=r"depends on the units .* 'bic', which knows no"):
        model = ts.Topo(score, prune=None).fit(in_other_units())
    assert model.varsortability_ >= 0.9


def test_curves_and_baselines_warn_too():
    X = in_other_units()[:, :4]
    with pytest.warns(ts.UnitsWarning, match="'basis-bic', which knows no units"):
        ts.Topo("basis", n_restarts=0).fit(X)
    with pytest.warns(ts.UnitsWarning, match="'bic', which knows no units"):
        ts.baselines.Notears(max_iter=2).fit(X)


@pytest.mark.parametrize("seed", seeds(8))
@pytest.mark.parametrize("kind", ["ER2", "SF3", "full"])
def test_simulated_columns_of_one_unit_do_not_warn(seed, kind):
    """Their variances rise along the order too, because the model says so: the noise is equal."""
    X = ts.simulate.linear_dataset(8, 300, kind, random_state=seed).X
    model = ts.Topo("least-squares").fit(X)
    assert np.isfinite(model.varsortability_)


def test_scores_without_units_and_orders_of_the_user_do_not_warn():
    X = in_other_units()
    ts.Topo("bic").fit(X)
    ts.Topo(init=list(range(8)), search="none").fit(X)
    # Standardised there are no units left.
    ts.Topo("least-squares").fit((X - X.mean(axis=0)) / X.std(axis=0))


def test_a_large_mean_of_data_that_are_not_centred_is_no_unit():
    X = sample(0).X + 1e3
    ts.Topo("least-squares", center=False).fit(X)


def test_the_rule():
    even, uneven = np.array([1.0, 4.0, 81.0]), np.array([1.0, 4.0, 101.0])
    assert in_unlike_units(0.9, uneven)
    assert not in_unlike_units(0.89, uneven)
    assert not in_unlike_units(1.0, even)
    assert not in_unlike_units(float("nan"), uneven)
    assert units_in_words(float("nan"), "mlp") == "this score depends on the units of the columns"
    assert "compare" not in units_in_words(0.89, "mlp")
    assert "'basis-bic'" in units_in_words(0.9, "basis-mcp")


def test_residual_variances_are_those_of_the_rows():
    X = sample(1).X + 5.0
    W = np.triu(np.random.default_rng(0).standard_normal((8, 8)), k=1)
    expected = np.var(X - X @ W, axis=0)
    np.testing.assert_allclose(Dataset.from_table(X).residual_variances(W), expected, rtol=1e-10)


def test_the_warning_points_at_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ts.Topo("least-squares").fit(in_other_units())
    assert [w.filename for w in caught] == [__file__]


def test_the_command_line_says_it_once_in_its_report(tmp_path, capsys):
    frame = pd.DataFrame(in_other_units(), columns=list("abcdefgh"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert run(["fit", str(tmp_path / "t.csv"), "--score", "least-squares"]) == 0
    out, err = capsys.readouterr()
    assert out.count("depends on the units") == 1
    assert err == ""
