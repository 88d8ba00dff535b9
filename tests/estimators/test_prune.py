"""Which edges `Topo` keeps."""

import numpy as np
import pytest
from fits import table
from toy_scores import NodewiseLasso

import toposwap as ts
from toposwap.errors import InputError


@pytest.mark.parametrize(
    ("prune", "at_least"),
    [(None, None), ("auto", 0.3), (0, 0.0), (0.05, 0.05), (1, 1.0), (np.float32(0.5), 0.5)],
)
def test_pruning_keeps_what_is_large_enough(prune, at_least):
    model = ts.Topo(prune=prune).fit(table())
    W = model.weights_
    kept = W if at_least is None else np.where(np.abs(W) >= at_least, W, 0.0)
    np.testing.assert_array_equal(model.adjacency_matrix_, kept)
    assert model.threshold_ == at_least
    np.testing.assert_array_equal(W, ts.Topo().fit(table()).weights_)
    if prune == "auto":
        assert 0 < np.count_nonzero(kept) < np.count_nonzero(W)


def test_the_threshold_itself_is_kept():
    W = ts.Topo().fit(table()).weights_
    size = np.sort(np.abs(W[W != 0]))[3]
    model = ts.Topo(prune=size).fit(table())
    assert np.count_nonzero(model.adjacency_matrix_) == np.count_nonzero(W) - 3


def test_a_score_that_selects_edges_is_not_pruned():
    model = ts.Topo(score=NodewiseLasso(0.1)).fit(table())
    assert model.threshold_ is None
    np.testing.assert_array_equal(model.adjacency_matrix_, model.weights_)
    assert ts.Topo(score=NodewiseLasso(0.1), prune=0.3).fit(table()).threshold_ == 0.3


@pytest.mark.parametrize("prune", ["yes", "0.3", -0.1, np.nan, np.inf, True, [0.3], 1j, {}])
def test_other_values_of_prune_are_refused(prune):
    with pytest.raises(InputError, match="prune: must be 'auto', None or a number >= 0, got"):
        ts.Topo(prune=prune).fit(table())
