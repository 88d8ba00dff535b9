"""The walk through all sets in blocks, against a table of all sets in plain Python."""

import numpy as np
import pytest
from examples import seeds

from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.kernels.exact import blocks as kernels
from toposwap.orderfit import set_blocks
from toposwap.orderfit.set_blocks import go_through


def lists(rng, d):
    costs = []
    for v in range(d):
        sets = rng.integers(0, 1 << d, int(rng.integers(1, 40)), dtype=np.uint64)
        sets = np.unique(np.append(sets & ~np.uint64(1 << v), np.uint64(0)))
        values = rng.integers(0, 1000, sets.size).astype(np.int32)
        values[0] = 1000
        costs.append((sets, values))
    return costs


def least(costs, v, within):
    sets, values = costs[v]
    return int(values[sets & ~np.uint64(within) == 0].min())


def best_by_all_sets(costs):
    d = len(costs)
    best = [0] + [1 << 40] * ((1 << d) - 1)
    for within in range(1 << d):
        for v in range(d):
            if not within >> v & 1:
                larger = within | 1 << v
                best[larger] = min(best[larger], best[within] + least(costs, v, within))
    return best[-1]


def cost_of(costs, sequence):
    total = ahead = 0
    for v in sequence:
        total += least(costs, v, ahead)
        ahead |= 1 << v
    return total


@pytest.mark.parametrize("seed", seeds(8))
def test_the_best_order_is_that_of_all_sets(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 11))
    monkeypatch.setattr(set_blocks, "_LOW", int(rng.integers(4, 8)))
    costs = lists(rng, d)
    best = best_by_all_sets(costs)
    found = go_through(costs, 1 << 29, NEVER)
    assert found.complete
    assert found.least == best
    assert sorted(found.sequence) == list(range(d))
    assert cost_of(costs, found.sequence) == best


@pytest.mark.parametrize("seed", seeds(8))
def test_a_limit_cuts_off_what_reaches_it_and_nothing_else(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(set_blocks, "_LOW", 5)
    costs = lists(rng, 9)
    best = best_by_all_sets(costs)
    above = go_through(costs, best + 1, NEVER)
    assert cost_of(costs, above.sequence) == best
    at = go_through(costs, best, NEVER)
    assert at.complete
    assert at.sequence is None
    assert at.least == best


@pytest.mark.parametrize("seed", seeds(5))
def test_what_is_left_when_time_is_up_is_a_bound(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(set_blocks, "_LOW", 5)
    costs = lists(rng, 9)
    cut = go_through(costs, 1 << 29, Deadline(0.0))
    assert not cut.complete
    assert cut.sequence is None
    assert sum(int(values.min()) for _, values in costs) <= cut.least <= best_by_all_sets(costs)


def test_no_room_for_blocks_leaves_a_bound(monkeypatch):
    monkeypatch.setattr(set_blocks, "_LOW", 5)
    monkeypatch.setattr(set_blocks, "memory_bytes", lambda: 300)
    costs = lists(np.random.default_rng(0), 9)
    assert not go_through(costs, 1 << 29, NEVER).complete


@pytest.mark.parametrize("m", [4, 5, 7])
def test_the_least_over_subsets(m):
    table = np.random.default_rng(m).integers(0, 10**6, 1 << m).astype(np.int32)
    expected = [min(int(table[t]) for t in range(1 << m) if t & ~s == 0) for s in range(1 << m)]
    kernels.spread(table, m)
    assert table.tolist() == expected


def test_merged_lists_have_what_the_variable_at_hand_leaves():
    rng = np.random.default_rng(3)
    costs = lists(rng, 6)
    whole = set_blocks._renamed(costs, np.arange(6))
    middle = np.empty(6, dtype=np.int64)
    bit = np.uint64(32)
    merged = set_blocks._merged(whole, bit, middle, kernels.first_with(whole, bit, middle))
    for v in range(5):
        mine = slice(merged.begin[v], merged.end[v])
        after = [(merged.sets[mine], merged.costs[mine])]
        for within in range(32):
            assert least(after, 0, within) == least(costs, v, within | 32)
