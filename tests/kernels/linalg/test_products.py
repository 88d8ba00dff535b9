"""Products against NumPy, for every remainder of the blocks."""

import numpy as np
import pytest

from toposwap.kernels.linalg.products import combinations, inner_products


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 7, 1024, 2500])
@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 1), (3, 2), (4, 5), (5, 4), (9, 3), (21, 10)])
def test_equal_to_numpy(p, q, n, dtype):
    rng = np.random.default_rng(0)
    P, Q = rng.standard_normal((p, n)).astype(dtype), rng.standard_normal((q, n)).astype(dtype)
    out = np.full((p, q), np.nan)
    inner_products(P, Q, False, out)
    exact = P.astype(float) @ Q.astype(float).T
    np.testing.assert_allclose(out, exact, atol=n * np.finfo(dtype).eps)
    square = np.full((p, p), np.nan)
    inner_products(P, P, True, square)
    np.testing.assert_allclose(square, P.astype(float) @ P.astype(float).T, rtol=1e-5, atol=1e-3)
    np.testing.assert_array_equal(square, square.T)


def test_single_precision_does_not_drift_with_the_number_of_columns():
    """A running sum of so many ones would stop at 2^24."""
    ones = np.ones((1, 2**25), dtype=np.float32)
    out = np.empty((1, 1))
    inner_products(ones, ones, True, out)
    assert out[0, 0] == 2**25


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 7, 1024, 2500])
@pytest.mark.parametrize(("h", "k"), [(1, 1), (2, 3), (3, 2), (4, 4), (5, 6), (7, 9), (8, 12)])
def test_combinations_are_matrix_products(h, k, n, dtype):
    rng = np.random.default_rng(0)
    A, X = rng.standard_normal((h, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    out = np.full((h, n), np.nan, dtype=dtype)
    combinations(A, X, out)
    exact = A.astype(float) @ X.astype(float)
    np.testing.assert_allclose(out, exact, atol=10 * k * np.finfo(dtype).eps)
