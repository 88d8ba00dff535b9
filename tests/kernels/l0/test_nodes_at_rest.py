"""What nodes at rest remember about pairs of variables, against tables built from scratch."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.l0 import partial_covariance as partial
from toposwap.kernels.l0.moves import settle_all, sweep
from toposwap.kernels.l0.node import fill, pays, price_all_exchanges, single_change
from toposwap.kernels.l0.partial_covariance import ROWS, S
from toposwap.kernels.l0.tables import GAINS, GUESSED, OWN, TRIAL, WANTS, empty_nodes, rule_for

WEIGHT = 0.02


def settled(seed, d):
    """Nodes after a sweep that is followed by another look at all of them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((6 * d, d)) @ (np.eye(d) + np.triu(rng.normal(size=(d, d)), 1))
    mask = rng.random((d, d)) < 0.8 if seed % 2 else None
    rule = rule_for(np.corrcoef(X.T), True, WEIGHT, np.ones(d), parents=mask)
    nodes = empty_nodes(d, d - 1)
    nodes.order[:] = rng.permutation(d)
    nodes.position[nodes.order] = np.arange(d)
    settle_all(nodes, rule, True)
    sweep(nodes, rule, np.arange(d), 1e-9, np.empty(d))
    settle_all(nodes, rule, False)
    return nodes, rule


@given(st.integers(0, 10_000), st.integers(4, 9))
def test_who_would_pay_is_what_the_tables_say(seed, d):
    nodes, rule = settled(seed, d)
    np.testing.assert_array_equal(nodes.marks[GAINS].T != 0, nodes.marks[WANTS] != 0)
    for z in range(d):
        fill(nodes, rule, OWN, z)
        price_all_exchanges(nodes, rule, OWN, z)
        np.testing.assert_allclose(nodes.table[OWN, S, z], nodes.variance[z], rtol=1e-9)
        for u in set(range(d)) - {z, *nodes.parents_of(z).tolist()}:
            change = single_change(rule, nodes.table, OWN, z, u)
            # Where it is next to nothing, rounding errors decide.
            if pays(rule, nodes.table, OWN, z, u) and change < -1e-6:
                assert nodes.marks[GAINS, u, z] == GUESSED
                np.testing.assert_allclose(nodes.gained[u, z], change, rtol=1e-6)
            elif not (rule.masked and not rule.allowed[z, u]):
                assert nodes.marks[WANTS, z, u] == 0 or nodes.gained[u, z] > -1e-5


@given(st.integers(0, 10_000), st.integers(4, 9))
def test_coordinates_of_parents_are_those_of_whole_rows(seed, d):
    nodes, rule = settled(seed, d)
    for z in range(d):
        fill(nodes, rule, OWN, z)
        C = rule.C[0]
        partial.coordinates_of_parents(C, nodes.table, nodes.parents, TRIAL, z, nodes.chosen[z])
        mine = nodes.parents_of(z)
        for i in range(mine.size):
            at = [*mine[i:], z]
            whole, part = nodes.table[OWN, ROWS + i, at], nodes.table[TRIAL, ROWS + i, at]
            np.testing.assert_allclose(part, whole, rtol=1e-12, atol=1e-15)


@given(st.integers(0, 10_000), st.integers(4, 9))
def test_nodes_go_on_from_their_state_to_the_last_bit(seed, d):
    nodes, rule = settled(seed, d)
    sweep(nodes, rule, np.arange(d), 1e-9, np.empty(d))
    other = empty_nodes(d, d - 1)
    other.resume(nodes.state())
    third = empty_nodes(d, d - 1)
    third.copy_from(nodes)
    for some in (nodes, other, third):
        some.pending[:] = 1
        sweep(some, rule, np.arange(d), 1e-9, np.empty(d))
    for some in (other, third):
        assert some.order.tolist() == nodes.order.tolist()
        assert some.value.tobytes() == nodes.value.tobytes()
        np.testing.assert_array_equal(some.marks, nodes.marks)
