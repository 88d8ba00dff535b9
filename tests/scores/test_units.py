"""Columns in any units: each score is solved in units of its own."""

import warnings

import numpy as np
import pytest
from examples import THOROUGH
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.penalties import L1, MCP, SCAD, Ridge
from toposwap.scores.names import LOSSES, PENALTIES

SCALES = {
    "powers of ten": [1e-4, 1.0, 1e4, 1.0],
    "squares that are numbers": [1e-77, 1.0, 1e77, 1.0],
    "to the ends": [1e-150, 1.0, 1e150, 1.0],
    "the other way": [1e150, 1.0, 1e-150, 1.0],
    "all small": [1e-150] * 4,
    "all large": [1e150] * 4,
}
if not THOROUGH:
    SCALES = {name: SCALES[name] for name in ("powers of ten", "to the ends", "all small")}
GAUSSIAN = [
    f"{loss}-{penalty}"
    for loss in ("least-squares", "gaussian", "equal-variance", "huber")
    for penalty in ("l1", "mcp", "scad", "bic", "none")
    if loss in LOSSES and penalty in PENALTIES
]


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    X[:, 1] += X[:, 0]
    X[:, 2] += 0.5 * X[:, 1] ** 2 + X[:, 0]
    X[:, 3] -= X[:, 2]
    return X


def fitted(score, X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ts.ToposwapWarning)
        return ts.Topo(score, random_state=0).fit(X)


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("score", ["least-squares", *GAUSSIAN, "basis-bic"])
def test_any_units_are_solved_and_certified(score, scale):
    model = fitted(score, table() * scale)
    assert model.status_ in ("converged", "global minimum"), model.certificate_
    assert np.isfinite(model.score_)
    assert np.isfinite(model.weights_).all()


@pytest.mark.parametrize("score", ["logistic-bic", "logistic-l1", "logistic-mcp"])
@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_two_values_in_any_units(score, scale):
    assert fitted(score, (table() > 0.0) * np.array(scale)).certificate_.satisfied


@pytest.mark.parametrize("score", ["bic", "ebic"])
def test_scores_without_units_give_the_same_graph(score):
    X = table()
    edges = [fitted(score, X * scale).weights_ != 0.0 for scale in SCALES.values()]
    for other in edges:
        np.testing.assert_array_equal(other, fitted(score, X).weights_ != 0.0)


@pytest.mark.parametrize("penalty", [L1(0.3), MCP(0.3, 2.0), SCAD(0.3), Ridge(0.3)], ids=repr)
@given(
    unit=st.integers(-150, 150), size=st.integers(-20, 20), w=st.floats(-3.0, 3.0, allow_nan=False)
)
def test_penalties_are_the_same_in_any_units(penalty, unit, size, w):
    """v rho(s w) = weight / size^2 rho(units w) wherever that is a number that matters."""
    units, own = np.array([2.0**unit]), 2.0**size
    s, v = penalty.in_units(units, 0.7, own)
    direct = 0.7 / own / own * penalty.value(units * w)
    assert v[0] * penalty.value(s * w) == pytest.approx(direct, rel=1e-9, abs=1e-80)


@pytest.mark.parametrize("value", [0.1, 1.0 / 3.0, -1e9 / 7.0, 1e-12 / 3.0, 1e100 / 3.0])
@pytest.mark.parametrize("n", [2, 100, 300, 10_000])
def test_constant_columns_are_found_for_any_number_of_rows(value, n):
    X = np.full((n, 3), value)
    X[:, :2] = np.random.default_rng(0).normal(size=(n, 2))
    with pytest.raises(ts.InputError, match="column 'x2' is constant"):
        Dataset.from_table(X)


def test_small_deviations_about_a_large_mean_are_no_constant():
    X = np.random.default_rng(0).normal(size=(500, 2))
    X[:, 1] = 1e8 + 1e-2 * X[:, 1]
    assert Dataset.from_table(X).deviations[1] > 0.0
