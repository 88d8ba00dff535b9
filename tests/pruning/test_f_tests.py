"""Parents by F-tests, against regressions on the rows themselves."""

import numpy as np
import pytest
from curves import additive_table
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from toposwap.basis import Splines
from toposwap.core.dataset import Dataset
from toposwap.pruning.f_tests import LEVEL, significant_parents
from toposwap.scores.additive.design import Design, refit


def rss(X, design, j, parents):
    """Residual sum of squares and free rows of column j on the functions of ``parents``."""
    columns = [np.ones((len(X), 1))] + [design.expansions[i](X[:, i]) for i in parents]
    A = np.hstack(columns)
    left = X[:, j] - A @ np.linalg.lstsq(A, X[:, j], rcond=None)[0]
    return left @ left, len(X) - A.shape[1]


def p_value(X, design, j, parents, extra):
    """Of the F-test of ``extra`` beside ``parents``."""
    small, _ = rss(X, design, j, parents)
    large, free = rss(X, design, j, [*parents, extra])
    width = design.expansions[extra].size
    return stats.f.sf((small - large) / width / (large / free), width, free)


@examples(25)
@given(st.integers(0, 1000), st.sampled_from([80, 300]))
def test_what_is_kept_is_significant_and_nothing_else_is(seed, n):
    X, _ = additive_table(seed, d=5, n=n)
    X[:, 2] = np.round(X[:, 2])  # fewer functions
    X[:, 3] = X[:, 3] > 0
    design = Design(Dataset.from_table(X), Splines(), 5, ())
    factor = design.factor(np.zeros(design.present.shape))
    sizes = design.present.sum(axis=1)
    for j in range(5):
        allowed = np.arange(5) != j
        chosen = significant_parents(factor, sizes, n, j, allowed)
        parents = np.flatnonzero(chosen).tolist()
        bar = LEVEL / 4
        for i in range(5):
            if i == j:
                continue
            p = p_value(X, design, j, [k for k in parents if k != i], i)
            # A variable that has left once does not come back, so one side only holds for it.
            assert p <= bar * 1.001 if chosen[i] else p > bar * 0.999 or len(parents) > 1
        # Refitting is the regression on these alone.
        theta = refit(factor, design.size, j, chosen) * design.deviations[j]
        left = X[:, j] - X[:, j].mean()
        for i in parents:
            left = left - design.expansions[i](X[:, i]) @ theta[i, : sizes[i]]
        assert left @ left == pytest.approx(rss(X, design, j, parents)[0], rel=1e-9)


def test_only_predecessors_are_asked():
    X, _ = additive_table(0, d=4, n=200)
    design = Design(Dataset.from_table(X), Splines(), 4, ())
    factor = design.factor(np.zeros(design.present.shape))
    sizes = design.present.sum(axis=1)
    nobody = np.zeros(4, dtype=bool)
    assert not significant_parents(factor, sizes, 200, 0, nobody).any()
    everybody = significant_parents(factor, sizes, 200, 0, np.arange(4) > 0)
    for i in np.flatnonzero(everybody):
        allowed = (np.arange(4) > 0) & (np.arange(4) != i)
        assert not significant_parents(factor, sizes, 200, 0, allowed)[i]
