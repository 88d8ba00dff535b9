"""Searches under an L0 penalty with edges that may not be and variables that must stand first."""

from itertools import permutations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from toposwap.kernels.l0.exact import exact_subsets
from toposwap.kernels.l0.insertion_deltas import insertion_profile
from toposwap.kernels.l0.moves import insert, restore, settle_all, sweep
from toposwap.kernels.l0.tables import empty_nodes, rule_for

WEIGHT = 0.02


def problem(seed, d):
    """A correlation matrix, a mask of edges, a precedence, and an order that obeys it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((6 * d, d)) @ (np.eye(d) + np.triu(rng.normal(size=(d, d)), 1))
    mask = rng.random((d, d)) < 0.7
    order = rng.permutation(d)
    before = np.zeros((d, d), dtype=bool)
    before[np.ix_(order, order)] = np.triu(rng.random((d, d)) < 0.25, 1)
    return np.corrcoef(X.T), mask, before, order, rng


def fitted(rule, order):
    d = order.size
    nodes = empty_nodes(d, d - 1)
    nodes.order[:] = order
    nodes.position[order] = np.arange(d)
    settle_all(nodes, rule, True)
    return nodes


def obeys(nodes, mask, before):
    """Whether all edges are allowed, go forward, and the order obeys the precedence."""
    position = nodes.position
    edges = [(u, z) for z in range(position.size) for u in nodes.parents_of(z)]
    return all(mask[u, z] and position[u] < position[z] for u, z in edges) and all(
        position[u] < position[v] for u, v in np.argwhere(before)
    )


def best_subset(C, z, candidates):
    """The least 1/2 log var(z | P) + WEIGHT |P| over all sets P of candidates."""
    least = np.inf
    for bits in range(1 << len(candidates)):
        P = [u for i, u in enumerate(candidates) if bits >> i & 1]
        rest = C[z, z] - C[z, P] @ np.linalg.solve(C[np.ix_(P, P)], C[P, z]) if P else 1.0
        least = min(least, 0.5 * np.log(rest) + WEIGHT * len(P))
    return least


@given(st.integers(0, 10_000), st.integers(4, 8))
def test_profiles_are_finite_where_the_precedence_allows_and_come_about(seed, d):
    C, mask, before, order, rng = problem(seed, d)
    rule = rule_for(C, True, WEIGHT, np.ones(d), parents=mask, before=before)
    v = int(rng.integers(d))
    profile = np.empty(d)
    nodes = fitted(rule, order)
    now = nodes.value.sum()
    insertion_profile(nodes, rule, v, True, True, np.inf, profile)
    rest = [u for u in order if u != v]
    for k in range(d):
        moved = [*rest[:k], v, *rest[k:]]
        place = {u: t for t, u in enumerate(moved)}
        possible = all(place[a] < place[b] for a, b in np.argwhere(before))
        assert np.isfinite(profile[k]) == possible
        if possible:
            nodes = fitted(rule, order)
            insert(nodes, rule, v, k)
            assert nodes.order.tolist() == moved
            assert obeys(nodes, mask, before)
            assert nodes.value.sum() - now == pytest.approx(profile[k], abs=1e-9)


@given(st.integers(0, 10_000), st.integers(4, 9), st.booleans(), st.booleans())
def test_sweeps_go_down_and_obey(seed, d, masked, ordered):
    C, mask, before, order, _ = problem(seed, d)
    mask = mask if masked else np.ones_like(mask)
    before = before if ordered else np.zeros_like(before)
    rule = rule_for(C, True, WEIGHT, np.ones(d), parents=mask, before=before)
    nodes = fitted(rule, order)
    value = nodes.value.sum()
    profile = np.empty(d)
    while sweep(nodes, rule, np.arange(d), 1e-9, profile):
        assert nodes.value.sum() < value
        value = nodes.value.sum()
        assert obeys(nodes, mask, before)


@given(st.integers(0, 10_000))
def test_masks_that_allow_everything_change_nothing(seed):
    d = 7
    C, _, _, order, _ = problem(seed, d)
    free = rule_for(C, True, WEIGHT, np.ones(d))
    everything = rule_for(
        C, True, WEIGHT, np.ones(d), np.ones((d, d), dtype=bool), np.zeros((d, d), dtype=bool)
    )
    ends = []
    for rule in (free, everything):
        nodes = fitted(rule, order)
        while sweep(nodes, rule, np.arange(d), 1e-9, np.empty(d)):
            pass
        ends.append((nodes.order.tolist(), nodes.value.tolist()))
    assert ends[0] == ends[1]


@examples(15)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_the_exact_solution_is_the_best_of_all_that_obey(seed, masked, ordered):
    d = 5
    C, mask, before, _, _ = problem(seed, d)
    mask = mask if masked else np.ones_like(mask)
    before = before if ordered else np.zeros_like(before)
    rule = rule_for(
        C, True, WEIGHT, np.ones(d), mask if masked else None, before if ordered else None
    )
    nodes = fitted(rule, np.arange(d))
    restore(nodes, rule, *exact_subsets(rule, d - 1))
    assert obeys(nodes, mask, before)

    def value(order):
        place = {u: t for t, u in enumerate(order)}
        if any(place[a] > place[b] for a, b in np.argwhere(before)):
            return np.inf
        return sum(
            best_subset(C, z, [u for u in order[:t] if mask[u, z]]) for t, z in enumerate(order)
        )

    best = min(value(order) for order in permutations(range(d)))
    assert nodes.value.sum() == pytest.approx(best, abs=1e-9)
