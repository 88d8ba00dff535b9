"""Directions that follow from others, against all DAGs of a class."""

from __future__ import annotations

import numpy as np
from classes import members
from hypothesis import given
from hypothesis import strategies as st

from toposwap.metrics import cpdag
from toposwap.metrics.meek import orient
from toposwap.simulate import dag


@given(st.integers(2, 6), st.integers(0, 2**32), st.integers(0, 2**15))
def test_the_union_of_the_members_that_have_the_edges(d, seed, chosen):
    rng = np.random.default_rng(seed)
    truth = dag(d, "ER", rng.uniform(0.5, (d - 1) / 2), rng)
    completed = cpdag(truth)
    fixed = truth & ((chosen >> np.arange(d * d).reshape(d, d) % 15) & 1).astype(bool)
    kept = [member for member in members(completed) if (member | ~fixed).all()]
    np.testing.assert_array_equal(orient(completed, fixed), np.logical_or.reduce(kept))


def test_nothing_given_nothing_follows():
    completed = cpdag(dag(12, "ER2", random_state=0))
    np.testing.assert_array_equal(orient(completed, np.zeros_like(completed)), completed)


def test_one_direction_of_a_chain_gives_the_rest():
    chain = np.eye(4, k=1, dtype=bool)
    first = np.zeros_like(chain)
    first[0, 1] = True
    np.testing.assert_array_equal(orient(cpdag(chain), first), chain)
