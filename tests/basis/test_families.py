"""Functions of one variable: orthonormal on the data, the line first, from smooth to rough."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline

from toposwap.basis import BASES, expand
from toposwap.kernels.additive.splines import cubic_splines

ALL = pytest.mark.parametrize("family", [cls() for cls in BASES.values()], ids=list(BASES))


def columns(rng, n=300):
    """Ordinary columns and awkward ones."""
    return {
        "normal": rng.standard_normal(n),
        "skewed": np.exp(2.0 * rng.standard_normal(n)),
        "heavy tails": rng.standard_cauchy(n),
        "one outlier": np.concatenate([rng.standard_normal(n - 1), [1e9]]),
        "half zeros": np.maximum(rng.standard_normal(n), 0.0),
        "nearly all in one place": np.concatenate([np.zeros(n - 15), rng.random(15)]),
        "far from zero": 1e6 + rng.standard_normal(n),
        "huge": 1e150 * rng.standard_normal(n),
        "tiny": 1e-150 * rng.standard_normal(n),
    }


KINDS = list(columns(np.random.default_rng(0)))


@ALL
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 1000), size=st.integers(1, 10))
def test_orthonormal_centred_line_first(family, kind, seed, size):
    x = columns(np.random.default_rng(seed))[kind]
    basis = expand(family, x, float(x.mean()), size)
    values = basis(x)
    assert values.shape == (x.size, basis.size)
    assert 1 <= basis.size <= size
    np.testing.assert_allclose(values.T @ values / x.size, np.eye(basis.size), atol=1e-6)
    np.testing.assert_allclose(values.mean(axis=0), 0.0, atol=1e-6)
    z = (x - x.mean()) / x.std() if 1e-100 < np.abs(x).max() < 1e100 else values[:, 0]
    np.testing.assert_allclose(values[:, 0], z, rtol=1e-7, atol=1e-7)
    assert basis.roughness[0] == 0.0
    assert (np.diff(basis.roughness) >= -1e-6 * basis.roughness.max()).all()


@ALL
@pytest.mark.parametrize("shift", [0.1, 1.0, 1e4])
def test_where_the_line_is_not_centred_what_bends_still_is(family, shift):
    """Else every column would bring the constant along, and they would determine each other."""
    x = np.random.default_rng(4).standard_normal(300) + shift
    values = expand(family, x, 0.0, 6)(x)
    assert values.shape == (300, 6)
    np.testing.assert_allclose(values[:, 0], x / np.sqrt(np.mean(x**2)), rtol=1e-12)
    np.testing.assert_allclose(values.T @ values / x.size, np.eye(6), atol=1e-9)
    np.testing.assert_allclose(values[:, 1:].mean(axis=0), 0.0, atol=1e-9)


@ALL
def test_a_constant_that_is_not_centred_is_a_line(family):
    basis = expand(family, np.full(50, 3.0), 0.0, 6)
    np.testing.assert_array_equal(basis(np.array([3.0, 6.0])), [[1.0], [2.0]])


@ALL
def test_ordinary_columns_get_all_the_functions(family):
    for x in columns(np.random.default_rng(0)).values():
        size = expand(family, x, float(x.mean()), 6).size
        assert size == 6


@ALL
@pytest.mark.parametrize("values", [2, 3, 4, 7])
def test_few_distinct_values_leave_few_functions(family, values):
    x = np.arange(200.0) % values
    basis = expand(family, x, float(x.mean()), 8)
    assert basis.size <= values - 1
    assert basis.size == values - 1 or values == 7
    assert np.isfinite(basis(x)).all()


@ALL
def test_roughness_is_the_integral_of_squared_second_derivatives(family):
    x = np.random.default_rng(1).standard_normal(400)
    basis = expand(family, x, float(x.mean()), 6)
    low, high = basis.center - basis.half_width, basis.center + basis.half_width
    u = np.linspace(-1.0, 1.0, 4001)
    values = basis(basis.center + basis.half_width * u)
    h = u[1] - u[0]
    bent = np.diff(values, 2, axis=0) / h**2
    gram = bent.T @ bent * h
    np.testing.assert_allclose(np.diag(gram), basis.roughness, rtol=1e-2, atol=1e-3)
    scale = np.sqrt(np.outer(basis.roughness, basis.roughness))
    np.testing.assert_array_less(np.abs(gram - np.diag(np.diag(gram))), 1e-2 * scale + 1e-3)
    # About one percent of the column lies outside.
    assert 0.98 < np.mean((x >= low) & (x <= high)) < 1.0


@ALL
def test_beyond_the_bulk_functions_are_straight(family):
    x = np.random.default_rng(2).standard_normal(400)
    basis = expand(family, x, float(x.mean()), 8)
    for end in (-1.0, 1.0):
        away = basis.center + basis.half_width * end * np.array([1.0, 2.0, 3.0, 4.0])
        steps = np.diff(basis(away), axis=0)
        np.testing.assert_allclose(steps[1:], steps[:-1], rtol=1e-9, atol=1e-9)
    # And go on without a kink.
    edge = basis.center + basis.half_width * np.array([1.0 - 1e-6, 1.0, 1.0 + 1e-6])
    steps = np.diff(basis(edge), axis=0)
    np.testing.assert_allclose(steps[0], steps[1], rtol=1e-3, atol=1e-8)


@ALL
@given(seed=st.integers(0, 1000))
def test_units_and_direction_do_not_matter(family, seed):
    """Up to the sign of a function."""
    rng = np.random.default_rng(seed)
    x = rng.gamma(2.0, size=200)
    here = expand(family, x, float(x.mean()), 6)(x)
    for factor, shift in ((-3.0, 0.0), (1e-6, 5.0), (1e7, -1.0)):
        y = factor * (x + shift)
        there = expand(family, y, float(y.mean()), 6)(y)
        signs = np.sign(np.einsum("ij,ij->j", here, there))
        np.testing.assert_allclose(there * signs, here, atol=1e-5)


def test_splines_follow_a_cubic_and_waves_a_wave():
    x = np.random.default_rng(3).uniform(-1.0, 1.0, 500)
    curves = {
        "splines": x**3 - x**2,
        "polynomials": x**5 - x,
        "fourier": np.sin(np.pi * (x - 0.001) / 0.99),
    }
    for name, y in curves.items():
        basis = expand(BASES[name](), x, float(x.mean()), 8)(x)
        design = np.column_stack([np.ones_like(x), basis])
        left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        assert left.std() < 0.01 * y.std()


@given(st.integers(0, 1000), st.integers(0, 6), st.sampled_from([0, 1, 2]))
def test_spline_kernel_equals_scipy(seed, inner, derivative):
    rng = np.random.default_rng(seed)
    ends = np.ones(4)
    knots = np.concatenate([-ends, np.sort(rng.uniform(-0.9, 0.9, inner)), ends])
    u = np.concatenate([rng.uniform(-1, 1, 30), [-1.0, 1.0]])
    expected = BSpline(knots, np.eye(inner + 4), 3)(u, nu=derivative)
    scale = max(np.abs(expected).max(), 1.0)
    np.testing.assert_allclose(cubic_splines(knots, u, derivative), expected, atol=1e-9 * scale)
