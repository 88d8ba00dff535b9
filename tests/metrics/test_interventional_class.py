"""The interventional essential graph, against its definition over all DAGs of a class."""

from __future__ import annotations

import numpy as np
import pytest
from classes import members
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.errors import InputError
from toposwap.metrics import compare_classes, cpdag
from toposwap.simulate import dag


def without_edges_into(graph, targets):
    """What is left of a graph where ``targets`` were set: nothing points at them."""
    left = graph.copy()
    left[:, targets] = False
    return left


@given(st.integers(2, 6), st.integers(0, 2**32))
def test_the_union_of_all_graphs_that_no_intervention_tells_apart(d, seed):
    rng = np.random.default_rng(seed)
    truth = dag(d, "ER", rng.uniform(0.5, (d - 1) / 2), rng)
    sets = [np.flatnonzero(rng.random(d) < 0.3).tolist() for _ in range(rng.integers(0, 4))]

    def classes(graph):
        return [cpdag(without_edges_into(graph, targets)).tobytes() for targets in sets]

    alike = [one for one in members(cpdag(truth)) if classes(one) == classes(truth)]
    np.testing.assert_array_equal(cpdag(truth, sets), np.logical_or.reduce(alike))


def test_forms_of_targets():
    chain = np.eye(4, k=1, dtype=bool)
    table = np.zeros((2, 4), dtype=bool)
    table[0, 0] = table[1, 2] = True
    np.testing.assert_array_equal(cpdag(chain, [[0], [2]]), cpdag(chain, table))
    np.testing.assert_array_equal(cpdag(chain, [[0]]), chain)
    np.testing.assert_array_equal(cpdag(chain, []), cpdag(chain))
    assert compare_classes(chain, chain.T, []).shd == 0
    assert compare_classes(chain, chain.T, [[0]]).shd == 3
    with pytest.raises(InputError, match="position of one of 4 nodes"):
        cpdag(chain, [[4]])
