"""Every loss: its slope, what it accepts, and the choice by column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson
from tables import KINDS, binary_table, count_table, mixed_table, real_table

from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.losses import (
    LOSSES,
    AutoLoss,
    ColumnLoss,
    EqualVarianceLoss,
    GaussianLoss,
    HuberLoss,
    LeastSquaresLoss,
    LogisticLoss,
    Mixed,
    MomentLoss,
    PoissonLoss,
    RowLoss,
)
from toposwap.losses.base import ColumnFacts

OF_COLUMNS = [loss for loss in (make() for make in LOSSES.values()) if isinstance(loss, ColumnLoss)]
ALL = pytest.mark.parametrize("loss", OF_COLUMNS, ids=repr)
OF_ROWS = pytest.mark.parametrize(
    "loss", [loss for loss in OF_COLUMNS if isinstance(loss, RowLoss)], ids=repr
)
OF_MOMENTS = pytest.mark.parametrize(
    "loss", [loss for loss in OF_COLUMNS if isinstance(loss, MomentLoss)], ids=repr
)


def column_for(loss, seed, n=30):
    """A column that ``loss`` is made for, (n,)."""
    return KINDS.get(loss.name, real_table)(seed, 3, n)[:, 0]


@ALL
@given(seed=st.integers(0, 1000))
def test_slope_is_the_derivative_of_the_value(loss, seed):
    x = column_for(loss, seed)
    rng = np.random.default_rng(seed)
    f, step = rng.standard_normal((2, 30))
    numeric = (loss.value(x, f + 1e-6 * step) - loss.value(x, f - 1e-6 * step)) / 2e-6
    assert loss.slope(x, f) @ step == pytest.approx(numeric, rel=1e-5, abs=1e-8)


@ALL
@given(seed=st.integers(0, 1000))
def test_convex_means_convex(loss, seed):
    x = column_for(loss, seed)
    a, b = 3.0 * np.random.default_rng(seed).standard_normal((2, 30))
    if loss.convex:
        assert loss.value(x, (a + b) / 2) <= (loss.value(x, a) + loss.value(x, b)) / 2 + 1e-12


@OF_ROWS
@given(seed=st.integers(0, 1000))
def test_curvature_is_the_derivative_of_the_slope(loss, seed):
    x = column_for(loss, seed)
    f, step = np.random.default_rng(seed).standard_normal((2, x.size))
    near, far = (loss.slope(x, f + sign * 1e-6 * step) for sign in (-1.0, 1.0))
    curvature = loss.curvature(x, f)
    assert (curvature >= 0.0).all()
    # A curvature may jump between the two, in a row or so.
    wrong = np.abs((far - near) / 2e-6 - curvature * step) > 1e-5 * (1.0 / x.size)
    assert wrong.mean() < 0.1


@OF_ROWS
@given(seed=st.integers(0, 1000))
def test_a_fit_begins_near_the_best_constant(loss, seed):
    """The slope at the start is at most a fifth of the size of the terms that cancel in it."""
    y, *_ = loss.target(column_for(loss, seed, 200))
    omega = np.full(y.size, 1.0 / y.size)
    slope, curvature = np.empty(y.size), np.empty(y.size)
    eta = np.full(y.size, loss.start(y, omega))
    _, size = loss.terms(eta, y, omega, np.array(loss.parameters), slope, curvature)
    assert abs(slope.sum()) < 0.2 * size
    assert curvature.sum() > 0.0


@OF_ROWS
def test_rows_that_occur_twice_have_twice_the_weight(loss):
    y, *_ = loss.target(column_for(loss, 0))
    rng = np.random.default_rng(0)
    eta, omega = rng.standard_normal(y.size), rng.random(y.size)
    empty = [np.empty(y.size) for _ in range(2)]
    double = [np.empty(2 * y.size) for _ in range(2)]
    once = loss.terms(eta, y, omega, np.array(loss.parameters), *empty)
    twice = loss.terms(
        np.tile(eta, 2), np.tile(y, 2), np.tile(omega / 2, 2), np.array(loss.parameters), *double
    )
    np.testing.assert_allclose(once, twice, rtol=1e-12)
    for one, two in zip(empty, double, strict=True):
        np.testing.assert_allclose(one, two[: y.size] + two[y.size :], rtol=1e-12)


@OF_ROWS
@given(seed=st.integers(0, 1000))
def test_the_mean_of_a_canonical_loss_is_where_its_slope_vanishes(loss, seed):
    f = np.random.default_rng(seed).standard_normal(20)
    mean = loss.mean(f)
    if not loss.canonical:
        np.testing.assert_array_equal(mean, f)
        return
    slope, curvature = np.empty(20), np.empty(20)
    loss.terms(f, mean, np.ones(20), np.array(loss.parameters), slope, curvature)
    np.testing.assert_allclose(slope, 0.0, atol=1e-12)


@OF_MOMENTS
@given(s=st.floats(0.01, 100.0), scale=st.sampled_from([0.25, 1.0, 8.0]))
def test_the_formula_of_the_variance(loss, s, scale):
    """Its slope is that of value / unit, it is concave, and scales only move it."""
    value, slope, bend = loss.of_variance(s, 50, scale)
    step = 1e-6 * s
    values = [loss.of_variance(s + sign * step, 50, scale)[0] for sign in (-1.0, 1.0)]
    numeric = (values[1] - values[0]) / (2.0 * step) / loss.unit(scale)
    assert slope == pytest.approx(numeric, rel=1e-6)
    slopes = [loss.of_variance(s + sign * step, 50, scale)[1] for sign in (-1.0, 1.0)]
    assert bend == pytest.approx((slopes[1] - slopes[0]) / (2.0 * step), rel=1e-6)
    assert sum(values) <= 2.0 * value + 1e-12 * abs(value)
    assert value == pytest.approx(loss.of_variance(s * scale**2, 50)[0], rel=1e-12, abs=1e-12)


@given(seed=st.integers(0, 1000))
def test_scaling_a_column_adds_a_constant_unless_the_loss_has_units(seed):
    for loss in OF_COLUMNS:
        if loss.discrete:
            continue
        x = column_for(loss, seed)
        f, g = np.random.default_rng(seed).standard_normal((2, x.size))
        gap = loss.value(x, f) - loss.value(x, g)
        scaled = loss.value(8.0 * x, 8.0 * f) - loss.value(8.0 * x, 8.0 * g)
        assert scaled == pytest.approx(64.0 * gap if loss.has_units else gap, rel=1e-9, abs=1e-12)


def test_huber_is_written_out():
    x = np.array([-1.0, 0.0, 1.0, 2.0, 40.0])
    f = np.array([0.0, 0.0, 1.5, 8.0, 1.0])
    scale = 1.482602218505602  # the median is 1, and so is the median deviation
    r = np.abs(x - f) / scale
    expected = np.where(r <= 2.0, r**2 / 2.0, 2.0 * r - 2.0).mean()
    assert HuberLoss(2.0).value(x, f) == pytest.approx(expected)
    # With a delta that nothing reaches it is least squares in units of the scale.
    squares = LeastSquaresLoss().value(x, f) / scale**2
    assert HuberLoss(1e6).value(x, f) == pytest.approx(squares)


def test_one_row_does_not_move_hubers_scale():
    x = np.random.default_rng(0).standard_normal(101)
    calm = HuberLoss().target(x)
    x[x.argmax()] = 1e6
    wild = HuberLoss().target(x)
    assert wild.unit == pytest.approx(calm.unit, rel=0.05)
    mostly = np.r_[np.zeros(60), np.ones(40)]
    assert HuberLoss().target(mostly).unit == pytest.approx(0.4 * 1.2533141373155003)


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


def test_counts_of_large_means_are_drawn_in_no_time():
    """On both sides of the normal limit as scipy has them, and beyond what it ends for."""
    uniform, facts = np.array([0.01, 0.3, 0.5, 0.99]), ColumnFacts(1.0, 0.0, 1.0)
    for mean in (3.0, 9e5, 2e6):
        drawn = LOSSES["poisson"]().draw(uniform, np.full(4, mean), facts)
        assert np.abs(drawn - poisson.ppf(uniform, mean)).max() <= 1e-3 * np.sqrt(mean)
    assert np.isfinite(LOSSES["poisson"]().draw(uniform, np.full(4, 1e123), facts)).all()
