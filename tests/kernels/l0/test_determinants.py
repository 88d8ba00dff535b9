"""Parent sets from the table of determinants, against NumPy and against the tree of sets."""

import numpy as np
import pytest
from examples import seeds

from toposwap import simulate
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.kernels.l0 import determinants
from toposwap.kernels.l0.determinants import Determinants, log_determinants
from toposwap.kernels.l0.parent_sets import wanted_parent_sets
from toposwap.scores import SCORES
from toposwap.scores.l0 import parent_lists as lists


def fitted(d, seed, n=60):
    X = simulate.linear_dataset(d, n, "ER3", noise="gauss-NV", random_state=seed).X
    return SCORES["bic"]().bind(Dataset.from_table(X)).fit(Order(range(d)))


@pytest.mark.parametrize("m", [4, 5, 7])
def test_the_table_has_the_determinants_of_all_sets(m):
    C = fitted(7, m)._rule.C[0]
    table = np.empty((1 << (7 - m), 1 << m), dtype=np.int32)
    log_determinants(C, m, 1e6, 0, len(table), table)
    for s in range(1 << 7):
        inside = np.flatnonzero(s >> np.arange(7) & 1)
        expected = np.linalg.slogdet(C[np.ix_(inside, inside)])[1]
        assert table.flat[s] == pytest.approx(1e6 * expected, abs=0.6)


@pytest.mark.parametrize("seed", seeds(4))
def test_no_wanted_set_is_missed_and_scores_are_exact(monkeypatch, seed):
    monkeypatch.setattr(determinants, "_LOW", 6)
    fit = fitted(10, seed)
    rule = fit._rule
    table = Determinants(rule.C[0], 2.0 * rule.weight)
    assert table.fill(NEVER)
    rng = np.random.default_rng(seed)
    for z in range(10):
        allowed = rng.random(10) < 0.8
        for limit in (np.inf, -0.1):
            tree = wanted_parent_sets(rule, z, allowed, 4, limit, NEVER)
            scan = table.wanted(rule, z, allowed, 4, limit, NEVER)
            by_tree = dict(zip(tree[0].tolist(), tree[1].tolist(), strict=True))
            by_scan = dict(zip(scan[0].tolist(), scan[1].tolist(), strict=True))
            for parents, score in by_tree.items():
                if parents in by_scan:
                    assert by_scan[parents] == pytest.approx(score, abs=1e-12)
                else:
                    # The tree lists some for which a subset is as good.
                    smaller = [x for s, x in by_scan.items() if s & ~parents == 0]
                    assert min(smaller) <= score + 1e-6


def test_time_that_is_up_ends_both_steps():
    rule = fitted(8, 0)._rule
    table = Determinants(rule.C[0], 2.0 * rule.weight)
    assert not table.fill(Deadline(0.0))
    assert table.fill(NEVER)
    every = np.ones(8, dtype=bool)
    assert table.wanted(rule, 0, every, 8, np.inf, Deadline(0.0)) is None


def test_columns_that_are_nearly_dependent_or_too_many_have_no_table():
    C = np.eye(6)
    assert Determinants.possible(C)
    C[0, 1] = C[1, 0] = 1.0 - 1e-12
    assert not Determinants.possible(C)
    assert not Determinants.possible(np.eye(45))


def test_nodes_whose_tree_is_large_are_looked_up_in_the_table(monkeypatch):
    fit = fitted(9, 2)
    by_tree = fit.parent_sets()
    # No branch may be taken, so that every node is left to the table.
    monkeypatch.setattr(lists, "_SETS_A_BRANCH", 1 << 20)
    by_table = fit.parent_sets()
    for v, ((sets, values), (their_sets, their_values)) in enumerate(
        zip(by_tree, by_table, strict=True)
    ):
        for within in range(0, 1 << 9, 7):
            inside = np.uint64(within & ~(1 << v))
            best = values[sets & ~inside == 0].min()
            assert their_values[their_sets & ~inside == 0].min() == pytest.approx(best, abs=1e-9)
