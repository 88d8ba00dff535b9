"""The global minimum by layers of sets within bounds, against tables of all sets."""

from itertools import chain, combinations

import numpy as np
import pytest
from examples import seeds

from toposwap import Topo, simulate
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.orderfit import relaxation, set_blocks
from toposwap.orderfit.proof import best_parents_at, prove
from toposwap.orderfit.relaxation import relax
from toposwap.report import as_text, report
from toposwap.scores import SCORES
from toposwap.scores.l0 import least_parents
from toposwap.search import ExactSearch
from toposwap.search import exact as exact_search


def problem(d, seed, n=60):
    X = simulate.linear_dataset(d, n, "ER3", noise="gauss-NV", random_state=seed).X
    bound = SCORES["bic"]().bind(Dataset.from_table(X))
    return X, bound, bound.fit(Order(range(d)))


def subsets(members):
    return chain.from_iterable(combinations(members, k) for k in range(len(members) + 1))


def test_listed_sets_are_those_that_no_subset_matches():
    _, bound, fit = problem(7, 2)
    for z, (sets, values) in enumerate(fit.parent_sets()):
        listed = dict(zip(sets.tolist(), values.tolist(), strict=True))
        others = [u for u in range(7) if u != z]
        score = {}
        for P in subsets(others):
            C = bound.correlation[0]
            variance = 1.0
            if P:
                variance -= C[z, P] @ np.linalg.solve(C[np.ix_(P, P)], C[P, z])
            score[frozenset(P)] = 0.5 * np.log(variance) + bound.weight * len(P)
        for P, value in score.items():
            bits = sum(1 << u for u in P)
            wanted = all(value < score[frozenset(Q)] - 1e-9 for Q in subsets(P) if len(Q) < len(P))
            if wanted:
                assert bits in listed
            if bits in listed:
                assert listed[bits] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("seed", seeds(3))
def test_layers_find_what_the_table_of_all_sets_finds(seed):
    _, bound, fit = problem(9, seed)
    found = fit.parent_sets()
    bound.solve_exactly(fit)
    best = fit.nodes_value
    proof = prove(found, best + 1.0, 1e-9, None, NEVER)
    assert proof.complete
    assert proof.bound == pytest.approx(best, abs=1e-9)
    fit.reorder(Order(range(9)))
    fit.take_parents(proof.order, best_parents_at(proof.order, found))
    assert fit.nodes_value == pytest.approx(best, abs=1e-9)
    again = prove(found, best, 1e-9, None, NEVER)
    assert again.complete
    assert again.order is None


def test_who_must_precede_does():
    _, _, fit = problem(8, 4)
    before = np.zeros((8, 8), dtype=bool)
    before[7, 0] = before[6, 1] = True
    proof = prove(fit.parent_sets(), np.inf, 1e-9, before, NEVER)
    places = proof.order.positions
    assert places[7] < places[0]
    assert places[6] < places[1]
    free = prove(fit.parent_sets(), np.inf, 1e-9, None, NEVER)
    assert free.bound <= proof.bound + 1e-12


def test_an_early_end_leaves_a_bound():
    _, bound, fit = problem(9, 1)
    found = fit.parent_sets()
    bound.solve_exactly(fit)
    proof = prove(found, fit.nodes_value + 0.5, 1e-9, None, Deadline(0.0))
    assert not proof.complete
    assert proof.order is None
    assert proof.bound <= fit.nodes_value


def test_the_search_proves_and_says_so(monkeypatch):
    X, _, _ = problem(10, 3)
    proved = Topo("bic", search="exact").fit(X)
    monkeypatch.setattr(exact_search, "_ALL_SETS", 4)
    layered = Topo("bic", search="exact", random_state=0).fit(X)
    assert layered.status_ == "global minimum"
    assert layered.score_ == pytest.approx(proved.score_, rel=1e-12)
    assert layered.result_.bound == layered.score_


def test_a_budget_leaves_a_bound_in_the_report(monkeypatch):
    X, bound, fit = problem(10, 3)
    bound.solve_exactly(fit)
    monkeypatch.setattr(exact_search, "_ALL_SETS", 4)
    # Two groups, so that their bound alone is no proof.
    monkeypatch.setattr(set_blocks, "_LOW", 5)
    monkeypatch.setattr(exact_search, "prove", lambda *given: prove(*given[:-1], Deadline(0.0)))
    model = Topo("bic", search=ExactSearch(), random_state=0).fit(X)
    assert model.status_ == "memory limit"
    assert fit.value - 1.0 < model.result_.bound <= fit.value + 1e-9
    assert "no graph has a score below" in as_text(report(model), width=300)


def test_too_many_columns_are_refused():
    X = simulate.linear_dataset(25, 60, "ER1", random_state=0).X
    with pytest.raises(InputError, match="25 columns are too many"):
        Topo("least-squares", search="exact").fit(X)


def test_sets_that_cost_too_much_are_not_listed():
    _, _, fit = problem(8, 5)
    every = fit.parent_sets()
    limits = np.array([np.median(values) for _, values in every])
    for (sets, values), (few, their_values), limit in zip(
        every, fit.parent_sets(limits), limits, strict=True
    ):
        assert set(sets[values < limit].tolist()) == set(few.tolist())
        assert (their_values < limit).all()


def test_listing_ends_with_the_time():
    _, _, fit = problem(8, 5)
    assert fit.parent_sets(None, Deadline(0.0)) is None


@pytest.mark.parametrize("seed", seeds(3))
def test_least_parents_are_those_of_all_sets(seed):
    _, _, fit = problem(7, seed)
    least = fit.least_parents()
    for v, (sets, values) in enumerate(fit.parent_sets()):
        for excluded in range(0, 1 << 7, 5):
            fits = [x for s, x in zip(sets.tolist(), values, strict=True) if not s & excluded]
            assert least(v, excluded) == pytest.approx(min(fits), abs=1e-9)


def test_least_parents_that_cannot_be_searched_through_are_a_bound():
    _, _, fit = problem(9, 1)
    exactly = fit.least_parents()
    hasty = least_parents.LeastParents(fit._rule, 8)
    hasty._visits = 3
    for v in range(9):
        for excluded in (0, 5, 90):
            assert hasty(v, excluded) <= exactly(v, excluded) + 1e-12


@pytest.mark.parametrize("seed", seeds(4))
def test_the_relaxation_is_below_every_graph_and_above_the_sum_of_nodes(seed):
    _, bound, fit = problem(9, seed)
    bound.solve_exactly(fit)
    least = fit.least_parents()
    relaxed = relax(least, 9, NEVER)
    singles = sum(least(v, 0) for v in range(9))
    assert singles <= relaxed.bound + 1e-12
    # Nine variables are one group, within which no cycle is allowed.
    assert relaxed.bound == pytest.approx(fit.nodes_value, abs=1e-9)
    in_haste = relax(least, 9, Deadline(0.0))
    assert in_haste.bound == pytest.approx(singles)
    for v, besides in enumerate(relaxed.besides):
        assert besides <= relaxed.bound - least(v, 0) + 1e-12


def test_groups_that_do_not_hold_all_are_a_bound(monkeypatch):
    monkeypatch.setattr(relaxation, "_LARGEST_GROUPS", (2, 3))
    for seed in range(4):
        _, bound, fit = problem(9, seed)
        bound.solve_exactly(fit)
        least = fit.least_parents()
        relaxed = relax(least, 9, NEVER)
        singles = sum(least(v, 0) for v in range(9))
        assert singles - 1e-12 <= relaxed.bound <= fit.nodes_value + 1e-12


def test_many_columns_have_a_bound_within_the_time(monkeypatch):
    monkeypatch.setattr(exact_search, "_MOST_BITS", 20)
    X = simulate.linear_dataset(30, 300, "ER1", noise="gauss-NV", random_state=0).X
    model = Topo("bic", search="exact", time_budget=5.0).fit(X)
    assert model.status_ in ("time limit", "memory limit")
    assert 0.0 <= model.score_ - model.result_.bound < 0.1 * abs(model.score_)
    assert "of the global minimum" in as_text(report(model), width=300)
