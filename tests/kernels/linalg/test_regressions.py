"""Regressions by reflections against those of NumPy."""

import numpy as np
import pytest

from toposwap.kernels.linalg.regressions import regressions


@pytest.mark.parametrize("m", [40, 12, 5])
def test_coefficients_are_those_of_least_squares(m):
    rng = np.random.default_rng(m)
    F = rng.standard_normal((m, 12))
    parents = np.triu(rng.random((12, 12)) < 0.5, 1)
    chosen, weights = np.arange(12), np.zeros((12, 12))
    left = regressions(np.ascontiguousarray(F.T), chosen, parents, 1e-10, weights)
    assert sorted(chosen) == list(range(12))
    assert set(chosen[:left]) == {j for j in range(12) if parents[:, j].sum() > m}
    for j in chosen[left:]:
        expected = np.linalg.lstsq(F[:, parents[:, j]], F[:, j], rcond=None)[0]
        np.testing.assert_allclose(weights[parents[:, j], j], expected, rtol=1e-9, atol=1e-12)
        assert not weights[~parents[:, j], j].any()


def test_parents_that_determine_each_other_are_left():
    F = np.random.default_rng(0).standard_normal((9, 4))
    F[:, 1] = 2.0 * F[:, 0]
    parents = np.zeros((4, 4), dtype=bool)
    parents[[0, 1], 2] = parents[0, 3] = True
    chosen, weights = np.array([3, 2]), np.zeros((4, 4))
    assert regressions(np.ascontiguousarray(F.T), chosen, parents, 1e-10, weights) == 1
    assert chosen.tolist() == [2, 3]
    assert not weights[:, 2].any()
    assert weights[0, 3] != 0.0
