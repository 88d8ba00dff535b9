"""Tables of several kinds from a simulator."""

import numpy as np
import pytest

from toposwap.core.errors import InputError
from toposwap.simulate import mixed_dataset, mixed_sem


def test_half_continuous_a_third_categorical_the_rest_counts():
    sample = mixed_dataset(12, 500, "ER2", random_state=0)
    assert (sample.levels == 1).sum() == 6
    assert (sample.levels >= 2).sum() == 4
    assert (sample.levels == 0).sum() == 2
    for x, k in zip(sample.X.T, sample.levels, strict=True):
        if k != 1:
            assert (x == np.floor(x)).all()
            assert x.min() >= 0.0
        if k >= 2:
            assert x.max() < k
    table = sample.table()
    assert table.shape == (500, 12)
    assert sorted(sample.kinds) == sorted(table.columns)
    same = mixed_dataset(12, 500, "ER2", random_state=0)
    np.testing.assert_array_equal(sample.X, same.X)


def test_an_effect_is_seen_and_no_edge_is_none():
    chain = np.triu(np.ones((3, 3)), 1) * np.eye(3, k=1)
    X = mixed_sem(chain, [1, 3, 0], 4000, (1.5, 1.5), 0)
    means = [X[X[:, 1] == k, 0].mean() for k in range(3)]
    assert np.ptp(means) > 0.5
    alone = mixed_sem(np.zeros((2, 2)), [1, 3], 4000, (1.5, 1.5), 0)
    means = [alone[alone[:, 1] == k, 0].mean() for k in range(3)]
    assert np.ptp(means) < 0.3


def test_levels_must_fit():
    with pytest.raises(InputError, match="levels: give 2 whole numbers"):
        mixed_sem(np.zeros((2, 2)), [1], 10)
