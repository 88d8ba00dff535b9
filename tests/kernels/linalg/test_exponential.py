"""e^B - I for B >= 0, against scipy and against series with exact digits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from toposwap.kernels.linalg.exponential import exponential_minus_identity


@given(seed=st.integers(0, 2**32), d=st.integers(1, 12), size=st.floats(1e-3, 8.0))
def test_it_is_the_exponential(seed, d, size):
    B = np.random.default_rng(seed).random((d, d)) * size
    found = exponential_minus_identity(B) + np.eye(d)
    np.testing.assert_allclose(found, expm(B), rtol=1e-11)


def test_small_matrices_keep_their_digits():
    """tr(e^B) - d of a weak cycle: subtracting d would leave nothing."""
    B = np.array([[0.0, 1e-9], [1e-9, 0.0]])
    assert np.trace(exponential_minus_identity(B)) == pytest.approx(1e-18, rel=1e-12)


def test_the_argument_stays_and_overflow_is_not_an_error():
    B = np.full((3, 3), 1e4)
    before = B.copy()
    assert not np.isfinite(exponential_minus_identity(B)).any()
    np.testing.assert_array_equal(B, before)
