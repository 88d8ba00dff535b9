"""Few rows, dependent columns, tiny and huge values: solved, or refused for a reason."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from small import D, exactly_dependent, table

import toposwap as ts
from toposwap.assess import assess
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.learn import _lost_digits
from toposwap.scores import LeastSquares

#: Least squares on columns of all sizes is what this is about.
pytestmark = pytest.mark.filterwarnings("ignore::toposwap.core.errors.UnitsWarning")

# --- few rows, dependent columns: the remedy works -----------------------------------------------


def test_the_ridge_that_is_offered_works():
    ridge = LeastSquares(ridge=0.1)
    for X in (table()[:3], exactly_dependent(), exactly_dependent(1e8)):
        model = ts.Topo(score=ridge).fit(X)
        assert model.certificate_.satisfied
        assert np.isfinite(model.weights_).all()


@pytest.mark.parametrize("seed", range(3))
def test_nearly_dependent_columns_pass(seed):
    """Fully connected graphs: relative residuals down to 1e-10, still far from rounding error."""
    sample = ts.simulate.linear_dataset(50, 1000, "full", random_state=seed)
    X = sample.X - sample.X.mean(axis=0)
    inverse = np.linalg.inv(np.linalg.qr(X)[1])
    relative = 1.0 / (np.linalg.norm(inverse, axis=1) * np.linalg.norm(X, axis=0))
    assert relative.min() < 1e-7
    model = ts.Topo("least-squares").fit(sample.X)
    assert model.certificate_.satisfied
    assert np.isfinite(model.weights_).all()


@pytest.mark.parametrize("residual", [1e-10, 1e-11])
def test_a_residual_that_is_small_but_real(residual):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    noise = X[:, 2].copy()
    X[:, 2] = X[:, 0] + X[:, 1] + residual * noise
    model = ts.Topo("least-squares", search="none", init=[0, 1, 2]).fit(X)
    np.testing.assert_allclose(model.weights_[:2, 2], 1.0, rtol=1e-9)


# --- magnitudes ----------------------------------------------------------------------------------


def same_up_to(model, reference, c):
    """``model`` was fitted to c times the data of ``reference``."""
    assert model.causal_order_ == reference.causal_order_
    assert model.status_ == reference.status_
    assert model.score_ / c / c == pytest.approx(reference.score_, rel=1e-9)
    # Weights near zero are differences of larger numbers.
    size = np.abs(reference.weights_).max()
    np.testing.assert_allclose(model.weights_, reference.weights_, rtol=1e-7, atol=1e-12 * size)
    assert model.certificate_.satisfied
    assert model.certificate_.max_residual < 1e-12
    assert np.isfinite(model.certificate_.matrix).all()


@pytest.mark.parametrize("search", ["auto", "insertion", "paper", "exact", "none"])
@pytest.mark.parametrize("size", [1e-150, 1e-100, 1e100, 1e150])
def test_all_columns_tiny_or_huge(search, size):
    X = table(1, n=200, d=8)
    init = np.random.default_rng(1).permutation(8).tolist()
    model = ts.Topo("least-squares", search=search, init=init).fit(X * size)
    same_up_to(model, ts.Topo("least-squares", search=search, init=init).fit(X), size)


MIXTURES = {
    "spread": np.array([1e-150, 1e150, 1.0, 1e-75, 1e75, 1e-150, 1e150, 1e10]),
    "mostly tiny": np.array([1e-150] * 6 + [1e150] * 2),
    "mostly huge": np.array([1e-150, 1e-150] + [1e150] * 6),
}


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize("search", ["auto", "insertion", "paper", "exact"])
def test_tiny_and_huge_columns_in_one_table(search, mixture):
    scale = MIXTURES[mixture]
    X = table(2, n=200, d=8)
    model = ts.Topo("least-squares", search=search).fit(X * scale)
    # The same order on the rescaled copy: weights, residuals and KKT residuals follow the units.
    reference = ts.Topo("least-squares", search="none", init=model.causal_order_).fit(X)
    ratio = scale / scale[:, None]
    np.testing.assert_allclose(model.weights_ / ratio, reference.weights_, rtol=1e-7, atol=1e-12)
    Z = X - X.mean(axis=0)
    variance = ((Z - Z @ reference.weights_) ** 2).mean(axis=0)
    assert model.score_ == pytest.approx(0.5 * (scale**2 * variance).sum(), rel=1e-9)
    certificate = model.certificate_
    assert certificate.satisfied
    assert certificate.max_residual < 1e-12
    assert np.isfinite(certificate.matrix).all()


UNITS = {**MIXTURES, "all tiny": np.full(8, 1e-150), "all huge": np.full(8, 1e150)}


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("cyclic", [False, True])
def test_certificate_of_any_point_follows_the_units(units, cyclic):
    scale = UNITS[units]
    X = table(3, n=200, d=8)
    W = np.triu(np.random.default_rng(3).uniform(0.5, 2.0, (8, 8)), 1)
    W[5, 1] = 0.7 if cyclic else 0.0
    ratio = scale / scale[:, None]
    here = ts.check_kkt(W * ratio, X * scale, score="least-squares")
    there = ts.check_kkt(W, X, score="least-squares")
    assert not here.satisfied
    assert here.worst == there.worst
    assert here.max_residual == pytest.approx(there.max_residual, rel=1e-9)
    # K holds weights where there is a walk back, and elsewhere entries of the gradient.
    walk_back = there.matrix == np.abs(W)
    expected = there.matrix * np.where(walk_back, ratio, np.outer(scale, scale))
    np.testing.assert_allclose(here.matrix, expected, rtol=1e-9)


def test_exact_search_finds_the_minimum_among_mixed_magnitudes():
    scale = np.array([1e-150, 1e150, 1.0, 1e149])
    X = table(4, n=60)
    values = {}
    for order in itertools.permutations(range(D)):
        values[order] = (
            ts.Topo("least-squares", search="none", init=list(order)).fit(X * scale).score_
        )
    best = ts.Topo("least-squares", search="exact").fit(X * scale)
    assert best.score_ == pytest.approx(min(values.values()), rel=1e-12)


@st.composite
def tables(draw):
    """Anything at all, or columns of small numbers in wild units around wild means."""
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    if draw(st.booleans()):
        return draw(hnp.arrays(np.float64, (n, d), elements=st.floats(width=64)))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.floats(-9, 9, width=16)))
    units = draw(hnp.arrays(np.int64, d, elements=st.integers(-154, 154)))
    means = draw(hnp.arrays(np.float64, d, elements=st.sampled_from([0.0, 1.0, 1e8, 1e15])))
    return (X + means) * 10.0**units


@given(tables(), st.sampled_from(["auto", "paper", "exact"]))
def test_any_table_is_either_refused_or_solved(X, search):
    """Never a NaN, a warning from the middle of a computation, or a changed array."""
    before = X.copy()
    try:
        model = ts.Topo("least-squares", search=search).fit(X)
    except InputError:
        return
    finally:
        np.testing.assert_array_equal(X, before)
    assert np.isfinite(model.score_)
    assert model.score_ >= 0.0
    assert np.isfinite(model.weights_).all()
    assert np.isfinite(model.certificate_.matrix).all()
    assert model.certificate_.satisfied


def test_a_score_that_the_search_took_for_another_is_told():
    """A millionth of the score, however many squares the columns hold."""
    X = 10.0 * np.random.default_rng(0).standard_normal((100, 4))
    bound = LeastSquares().bind(Dataset.from_table(X))
    found = assess(bound, np.zeros((4, 4)))
    assert _lost_digits(found.score * (1.0 + 3e-6), found, bound) is not None
    assert _lost_digits(found.score * (1.0 + 3e-7), found, bound) is None
    assert _lost_digits(found.score + 1e-10, found, bound) is None
    small = replace(found, point=replace(found.point, value=0.5))
    assert _lost_digits(0.5 + 3e-6, small, bound) is not None
