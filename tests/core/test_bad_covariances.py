"""Covariance matrices that cannot be used are refused."""

import numpy as np
import pytest
from small import D, N, table

import toposwap as ts
from toposwap.core.errors import InputError

C = np.cov(table().T, bias=True)


def symmetric(i, j, value):
    changed = C.copy()
    changed[i, j] = changed[j, i] = value
    return changed


BAD_COVARIANCES = {
    "not square": (C[:3], N, r"covariance: must be square, got shape \(3, 4\)"),
    "one dimension": (C[0], N, "two dimensions"),
    "not symmetric": (
        C + 0.1 * (np.arange(D * D).reshape(D, D) == 7),
        N,
        r"covariance: not symmetric at \('x1', 'x3'\): .*; give a covariance matrix",
    ),
    "negative variance": (
        symmetric(2, 2, -1.0),
        N,
        "covariance: negative variance of column 'x2': the diagonal must hold",
    ),
    "no variance": (symmetric(2, 2, 0.0), N, "column 'x2' is constant.* drop it"),
    "correlation above one": (
        symmetric(0, 3, 1.5 * np.sqrt(C[0, 0] * C[3, 3])),
        N,
        "covariance: not positive definite; column '.*: drop it, or add a small multiple",
    ),
    "NaN": (symmetric(0, 3, np.nan), N, "NaN .* in columns 'x0', 'x3'"),
    "complex": (C + 0j, N, "Complex data not supported"),
    "text": (C.astype(str), N, "columns 'x0', .* hold text"),
    "too large": (C * 1e305, N, "above 1e.304 in column"),
    "too small": (C * 1e-307, N, "below 1e-152 in column"),
    "n of one": (C, 1, "n: the number of rows behind the covariance must be >= 2, got 1"),
    "n not whole": (C, 50.0, "n: the number of rows behind the covariance"),
    "n missing": (C, None, "n: the number of rows behind the covariance"),
    "n too small": (C, D, "4 rows are too few .* 4 columns"),
    "one column": (C[:1, :1], N, "1 feature.* give at least 2"),
}


@pytest.mark.parametrize("case", BAD_COVARIANCES)
def test_bad_covariance_is_refused(case):
    covariance, n, words = BAD_COVARIANCES[case]
    before = covariance.copy()
    with pytest.raises(InputError, match=words):
        ts.Topo("least-squares").fit_covariance(covariance, n)
    np.testing.assert_array_equal(covariance, before)


@pytest.mark.parametrize("d", [4, 10, 30])
@pytest.mark.parametrize("seed", range(4))
def test_dependent_columns_are_found_in_a_covariance_too(d, seed):
    """Squares are rounded there, so some such matrices pass for positive definite."""
    X = np.random.default_rng(seed).standard_normal((200, d))
    X[:, 0] = X[:, 1:].sum(axis=1)
    with pytest.raises(InputError, match=r"not positive definite|depend linearly"):
        ts.Topo("least-squares").fit_covariance(np.cov(X.T, bias=True), 200)
