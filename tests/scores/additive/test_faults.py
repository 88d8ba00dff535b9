"""Additive models: columns that are not like others, and settings that make no sense."""

import numpy as np
import pytest
from curves import additive_table

import toposwap as ts
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError, ToposwapWarning
from toposwap.core.order import Order
from toposwap.scores import Basis, GroupBasis


def awkward(n=300):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(n)
    return {
        "binary": (x > 0).astype(float),
        "three values": np.round(np.clip(x, -1, 1)),
        "half zeros": np.maximum(x, 0.0),
        "heavy tails": rng.standard_cauchy(n),
        "nearly constant": np.concatenate([np.zeros(n - 3), [1.0, 2.0, 3.0]]),
        "one outlier": np.concatenate([x[:-1], [1e6]]),
    }


@pytest.mark.filterwarnings("ignore::toposwap.core.errors.UnitsWarning")
@pytest.mark.parametrize("score", ["basis", "basis-mcp"])
def test_awkward_columns_are_fitted(score):
    X = np.column_stack(list(awkward().values()))
    X = np.column_stack([X, np.random.default_rng(1).standard_normal((300, 2))])
    model = ts.Topo(score).fit(X)
    assert model.certificate_.satisfied
    assert np.isfinite(model.predict(10.0 * X)).all()
    sizes = [e.size for e in model.result_.predictor.expansions]
    assert sizes[0] == 1
    assert sizes[1] == 2
    assert sizes[-1] == 8


def test_what_cannot_be_fitted_is_refused_by_name():
    X, _ = additive_table(0, d=3, n=50)
    copy = np.column_stack([X, X[:, 1]])
    with pytest.raises(InputError, match=r"'b', 'd'.*drop one of them, or use a ridge"):
        Basis().bind(Dataset.from_table(copy, names=list("abcd")))
    assert np.isfinite(Basis(ridge=0.1).bind(Dataset.from_table(copy)).fit(Order(range(4))).value)
    with pytest.raises(InputError, match=r"50 rows are too few for the 60 coefficients.*ridge"):
        Basis(n_functions=20, smoothness=0.0).bind(Dataset.from_table(X))
    with pytest.raises(InputError, match="needs the rows of the table"):
        ts.Topo("basis").fit_covariance(np.eye(3), 100)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"basis": "wavelets"}, "basis: 'wavelets' is not one of"),
        ({"n_functions": 0}, "n_functions: must be a whole number >= 1"),
        ({"n_functions": 2.5}, "n_functions: must be a whole number >= 1"),
        ({"smoothness": -1.0}, "smoothness: must be a number >= 0"),
        ({"ridge": np.nan}, "ridge: must be a number >= 0"),
    ],
)
def test_bad_settings_are_refused(arguments, message):
    X, _ = additive_table(0, d=3, n=50)
    with pytest.raises(InputError, match=message):
        ts.Topo(Basis(**arguments)).fit(X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"penalty": "l0"}, "penalty: must be 'mcp' or 'lasso'"),
        ({"beta": 1.0}, "beta: must be a number > 1"),
        ({"weight": -1.0}, "weight: must be a number >= 0"),
    ],
)
def test_bad_group_settings_are_refused(arguments, message):
    X, _ = additive_table(0, d=3, n=50)
    with pytest.raises(InputError, match=message):
        ts.Topo(GroupBasis(**arguments)).fit(X)


def test_few_rows_mean_fewer_functions_or_a_warning():
    X, _ = additive_table(0, d=6, n=40)
    model = ts.Topo("basis").fit(X)
    assert model.result_.choices == ("5 functions a variable, for 40 rows and 6 columns",)
    with pytest.warns(ToposwapWarning, match="40 rows are few for up to 48 coefficients a node"):
        ts.Topo(Basis(n_functions=8)).fit(X)
    assert ts.Topo(Basis(n_functions=4)).fit(X).result_.choices == ()
