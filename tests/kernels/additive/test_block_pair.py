"""Blocks of columns against factorising and regressing from scratch."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from precedences import obeys, random_precedence

from toposwap.kernels.additive import block_pair, block_swap_deltas, exact


def columns_of(order, m):
    return (np.asarray(order)[:, None] * m + np.arange(m)).ravel()


def pair_from_scratch(U, order, m):
    """The copy: R and R^{-T} by NumPy, laid out as the kernel keeps them."""
    d = len(order)
    R = np.linalg.qr(U[:, columns_of(order, m)], mode="r")
    V = np.linalg.inv(R).T
    both = np.triu(R) + np.tril(V, -1)
    pair = np.zeros((d * m, d * m))
    pair[:, columns_of(order, m)] = both
    blocks = range(d)
    own = np.array([R[k * m : (k + 1) * m, k * m : (k + 1) * m] for k in blocks])
    inverse = np.array([V[k * m : (k + 1) * m, k * m : (k + 1) * m] for k in blocks])
    position = np.empty(d, dtype=np.int64)
    position[order] = np.arange(d)
    return pair, own, inverse, np.array(order, dtype=np.int64), position


def total_cost(U, order, m, cost):
    """sum_v cost_v var(first column of v | blocks before), each by regression."""
    total = 0.0
    for k, v in enumerate(order):
        y = U[:, v * m]
        before = U[:, columns_of(order[:k], m)] if k else np.zeros((len(U), 1))
        left = y - before @ np.linalg.lstsq(before, y, rcond=None)[0]
        total += cost[v] * left @ left
    return total


@st.composite
def problems(draw, largest=6):
    d, m = draw(st.integers(2, largest)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    mixing = np.eye(d * m) + 0.5 * rng.standard_normal((d * m, d * m))
    U = rng.standard_normal((d * m + 10, d * m)) @ mixing
    # Profiles and swaps add up Gram matrices: rounding errors grow with the squared condition.
    assume(np.linalg.cond(U) < 1e5)
    return U, m, rng.permutation(d), rng.uniform(0.1, 3.0, d), rng


@given(problems())
def test_insertion_profile_equals_regressing_in_every_order(problem):
    U, m, order, cost, rng = problem
    d = len(order)
    before = random_precedence(rng, order)
    state = pair_from_scratch(U, order, m)
    now = total_cost(U, order, m, cost)
    profile = np.empty(d)
    for v in range(d):
        best = block_pair.insertion_profile(*state, cost, before, v, profile)
        assert best == profile.argmin()
        rest = [w for w in order if w != v]
        for k in range(d):
            moved = [*rest[:k], v, *rest[k:]]
            if not obeys(moved, before):
                assert profile[k] == np.inf
                continue
            then = total_cost(U, moved, m, cost)
            assert profile[k] == pytest.approx(then - now, rel=1e-6, abs=1e-8 * now)


@given(problems())
def test_swap_deltas_equal_regressing_in_every_order(problem):
    U, m, order, cost, rng = problem
    d = len(order)
    now = total_cost(U, order, m, cost)
    reach = rng.integers(-1, d, d)
    deltas = block_swap_deltas.swap_deltas(*pair_from_scratch(U, order, m)[:4], cost, reach)
    for p in range(d):
        for q in range(d):
            if not p < q <= reach[p]:
                assert deltas[p, q] == np.inf
                continue
            swapped = order.copy()
            swapped[[p, q]] = swapped[[q, p]]
            change = total_cost(U, swapped, m, cost) - now
            assert deltas[p, q] == pytest.approx(change, rel=1e-6, abs=1e-8 * now)


@given(problems())
def test_insert_equals_factorising_in_the_new_order(problem):
    """Up to the signs of the rows."""
    U, m, order, _, rng = problem
    d = len(order)
    state = pair_from_scratch(U, order, m)
    expected = list(order)
    for _ in range(3):
        variable, target = rng.integers(d, size=2)
        block_pair.insert(*state, variable, target)
        expected.remove(variable)
        expected.insert(target, variable)
    fresh = pair_from_scratch(U, np.array(expected), m)
    np.testing.assert_array_equal(state[3], fresh[3])
    np.testing.assert_array_equal(state[4], fresh[4])
    for mine, theirs in zip(state[1:3], fresh[1:3], strict=True):
        np.testing.assert_allclose(np.abs(mine), np.abs(theirs), rtol=1e-6, atol=1e-7)
    for k, v in enumerate(expected):
        for pair in (state[0], fresh[0]):
            pair[k * m : (k + 1) * m, v * m : (v + 1) * m] = 0.0
    np.testing.assert_allclose(np.abs(state[0]), np.abs(fresh[0]), rtol=1e-5, atol=1e-6)


@given(problems())
def test_a_sweep_moves_each_variable_to_its_best_place(problem):
    U, m, order, cost, rng = problem
    d = len(order)
    visits = rng.permutation(d)
    swept, stepped = pair_from_scratch(U, order, m), pair_from_scratch(U, order, m)
    before = random_precedence(rng, order)
    moved = block_pair.insertion_sweep(*swept, cost, before, visits, 1e-9)
    assert obeys(swept[3], before)
    count, profile = 0, np.empty(d)
    for v in visits:
        block_pair.insertion_profile(*stepped, cost, before, v, profile)
        if profile.min() < -1e-9:
            block_pair.insert(*stepped, v, int(profile.argmin()))
            count += 1
    assert moved == count
    np.testing.assert_array_equal(swept[3], stepped[3])


@given(problems(largest=4))
def test_the_exact_order_is_the_best_of_all_that_obey(problem):
    U, m, order, cost, rng = problem
    d = len(order)
    before = random_precedence(rng, order)
    blocks = np.ascontiguousarray(np.linalg.qr(U, mode="r").T).reshape(d, m, d * m)
    found = exact.exact_order(blocks, cost, before)
    assert obeys(found, before)
    best = min(
        total_cost(U, other, m, cost) for other in permutations(range(d)) if obeys(other, before)
    )
    assert total_cost(U, found, m, cost) == pytest.approx(best, rel=1e-9)
