"""Every loss: its slope, what it accepts, and the choice by column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import binary_table, count_table, mixed_table, real_table

from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.losses import (
    AutoLoss,
    EqualVarianceLoss,
    GaussianLoss,
    LeastSquaresLoss,
    LogisticLoss,
    Mixed,
    PoissonLoss,
)

TABLES = {
    LeastSquaresLoss: real_table,
    GaussianLoss: real_table,
    LogisticLoss: binary_table,
    PoissonLoss: count_table,
}
ALL = pytest.mark.parametrize("loss", [cls() for cls in TABLES], ids=repr)


@ALL
@given(seed=st.integers(0, 1000))
def test_slope_is_the_derivative_of_the_value(loss, seed):
    x = TABLES[type(loss)](seed, 3, 30)[:, 0]
    rng = np.random.default_rng(seed)
    f, step = rng.standard_normal((2, 30))
    numeric = (loss.value(x, f + 1e-6 * step) - loss.value(x, f - 1e-6 * step)) / 2e-6
    assert loss.slope(x, f) @ step == pytest.approx(numeric, rel=1e-5, abs=1e-8)


@ALL
@given(seed=st.integers(0, 1000))
def test_convex_means_convex(loss, seed):
    x = TABLES[type(loss)](seed, 3, 30)[:, 0]
    a, b = 3.0 * np.random.default_rng(seed).standard_normal((2, 30))
    if loss.convex:
        assert loss.value(x, (a + b) / 2) <= (loss.value(x, a) + loss.value(x, b)) / 2 + 1e-12


@given(seed=st.integers(0, 1000))
def test_slope_of_a_loss_of_the_whole_table(seed):
    X = real_table(seed, 3, 30)
    F, step = np.random.default_rng(seed + 1).standard_normal((2, 30, 3))
    loss = EqualVarianceLoss()
    numeric = (loss.value(X, F + 1e-6 * step) - loss.value(X, F - 1e-6 * step)) / 2e-6
    assert (loss.slope(X, F) * step).sum() == pytest.approx(numeric, rel=1e-5, abs=1e-8)
    assert loss.value(X, F) == pytest.approx(1.5 * np.log(((X - F) ** 2).sum()))


def test_formulas():
    x, f = np.array([0.0, 1.0]), np.array([2.0, -1.0])
    assert LeastSquaresLoss().value(x, f) == pytest.approx((4 + 4) / 4)
    assert GaussianLoss().value(x, f) == pytest.approx(np.log(8) / 2)
    expected = (np.log(1 + np.exp(2.0)) + np.log(1 + np.exp(-1.0)) + 1.0) / 2
    assert LogisticLoss().value(x, f) == pytest.approx(expected)
    assert PoissonLoss().value(x, f) == pytest.approx((np.exp(2.0) + np.exp(-1.0) + 1.0) / 2)
    assert LogisticLoss().value(x, np.array([-1000.0, 1000.0])) == 0.0


@pytest.mark.parametrize(
    ("loss", "value", "message"),
    [
        (LogisticLoss(), 2.0, "column 'x1' holds 0, 1, 2, ..., and the logistic loss is for two"),
        (PoissonLoss(), -1.0, "column 'x1' holds -1, and the Poisson loss is for counts"),
        (PoissonLoss(), 0.5, r"column 'x1' holds 0\.5, and the Poisson loss is for counts"),
    ],
)
def test_columns_are_checked_by_name(loss, value, message):
    X = binary_table(0)
    X[7, 1] = value
    with pytest.raises(InputError, match=message):
        loss.columns(Dataset.from_table(X))


def test_rows_are_needed():
    data = Dataset.from_covariance(np.eye(3), 100)
    with pytest.raises(InputError, match="needs the rows of the table"):
        LogisticLoss().columns(data)
    assert [loss.name for loss in AutoLoss().columns(data)] == ["gaussian"] * 3


def test_auto_chooses_by_column_and_says_so():
    data = Dataset.from_table(mixed_table(0), names=list("abcde"))
    names = [loss.name for loss in AutoLoss().columns(data)]
    assert names == ["logistic", "poisson", "gaussian", "gaussian", "gaussian"]
    remark = AutoLoss().remark(data)
    assert remark == "loss: logistic for 'a'; poisson for 'b'; gaussian for 'c', 'd', 'e'"
    same = Dataset.from_table(real_table(0))
    assert AutoLoss().remark(same) == "loss: gaussian for every column"


def test_large_counts_are_measurements():
    X = count_table(0)
    X[:, 2] = np.random.default_rng(0).poisson(900, len(X))
    assert AutoLoss().columns(Dataset.from_table(X))[2].name == "gaussian"


@pytest.mark.parametrize(
    ("column", "loss"),
    [
        (lambda rng: rng.integers(1, 3, 500), "logistic"),
        (lambda rng: rng.choice([-1.0, 1.0], 500), "logistic"),
        (lambda rng: rng.choice([2.5, 7.25], 500), "logistic"),
        (lambda rng: rng.poisson(0.8, 500), "poisson"),
        (lambda rng: rng.poisson(4.0, 500), "poisson"),
        # Ratings and codes vary less than any counts do, whatever their causes.
        (lambda rng: rng.integers(1, 6, 500), "gaussian"),
        (lambda rng: rng.integers(0, 3, 500), "gaussian"),
        # Much more than counts do: as Poisson, edges would look certain by chance.
        (lambda rng: rng.negative_binomial(0.5, 0.1, 500), "gaussian"),
        (lambda rng: rng.poisson(4.0, 500) - 1.0, "gaussian"),
        (lambda rng: rng.poisson(4.0, 500) + 0.5, "gaussian"),
    ],
)
def test_the_kind_of_a_column(column, loss):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = np.column_stack([column(rng).astype(float), rng.normal(size=500)])
        assert AutoLoss().columns(Dataset.from_table(X))[0].name == loss


def test_what_does_not_vary_has_no_odds():
    X = np.column_stack([np.ones(20), np.arange(20.0)])
    data = Dataset.from_table(X, center=False)
    assert AutoLoss().columns(data)[0].name == "gaussian"
    with pytest.raises(InputError, match="holds 1 only"):
        LogisticLoss().check(data, 0)


def test_the_larger_of_two_values_is_the_one():
    x, f = np.array([0.0, 1.0, 1.0]), np.array([0.3, -1.0, 2.0])
    for other in (x + 1.0, 2.0 * x - 1.0, 4.75 * x + 2.5):
        assert LogisticLoss().value(other, f) == LogisticLoss().value(x, f)
        np.testing.assert_array_equal(LogisticLoss().slope(other, f), LogisticLoss().slope(x, f))


def test_mixed_matches_names():
    data = Dataset.from_table(mixed_table(0, 3), names=list("abc"))
    by_name = Mixed({"c": GaussianLoss(), "a": LogisticLoss(), "b": PoissonLoss()})
    in_order = Mixed([LogisticLoss(), PoissonLoss(), GaussianLoss()])
    assert [x.name for x in by_name.columns(data)] == [x.name for x in in_order.columns(data)]
    assert not in_order.convex
    assert Mixed([LogisticLoss(), PoissonLoss()]).convex
    with pytest.raises(InputError, match="no loss for 'c'"):
        Mixed({"a": LogisticLoss(), "b": PoissonLoss()}).columns(data)
    with pytest.raises(InputError, match="no column 'z'"):
        Mixed({name: LogisticLoss() for name in "abcz"}).columns(data)
    with pytest.raises(InputError, match="2 of them for 3 columns"):
        Mixed([LogisticLoss(), PoissonLoss()]).columns(data)
    with pytest.raises(InputError, match="not the loss of a column"):
        Mixed([AutoLoss()])
    with pytest.raises(InputError, match="not the loss of a column"):
        Mixed([EqualVarianceLoss()])
