"""Algorithm TOPO: its choices one by one."""

from itertools import pairwise

import numpy as np
import pytest
from toy_scores import NodewiseLasso

from toposwap import Topo, simulate
from toposwap.candidates import KKTCandidates, UniformCandidates
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError, ToposwapWarning
from toposwap.core.order import Order
from toposwap.scores import LeastSquares
from toposwap.search import AutoSearch, PaperSearch, run, suggested_sizes
from toposwap.search.moves.update_sort import swapped, with_edge
from toposwap.search.paper import SUGGESTED


def problem(score=None, d=15, seed=0, n=200):
    rng = np.random.default_rng(seed)
    X = simulate.linear_dataset(d, n, "ER2", random_state=rng).X
    bound = (score or LeastSquares()).bind(Dataset.from_table(X))
    return bound, Order(rng.permutation(d)), rng


def test_sizes_follow_the_table_and_lie_between():
    for d, *sizes in SUGGESTED.tolist():
        assert suggested_sizes(d) == tuple(sizes)
    assert suggested_sizes(35) == (75, 575, 6)
    assert suggested_sizes(200) == (300, 10_000, 30)
    assert suggested_sizes(4) == (6, 6, 1)


def test_sizes_are_clipped_with_one_word():
    with pytest.warns(ToposwapWarning, match="s_small=99 is more than the 10 pairs") as caught:
        assert PaperSearch(s_small=99).sizes(5) == (10, 10, 1)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"s_small": -1}, "s_small: must be a whole number"),
        ({"s_0": 1.5}, "s_0: must be a whole number"),
        ({"s_large": True}, "s_large: must be a whole number"),
        ({"s_small": 20, "s_large": 10}, "s_large=10 must not be smaller than s_small=20"),
    ],
)
def test_bad_sizes_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        PaperSearch(**settings).sizes(10)


def test_one_swap_at_a_time_takes_the_best_candidate():
    bound, order, rng = problem()
    fit = bound.fit(order)
    pairs = KKTCandidates().survey(fit, rng).pairs(suggested_sizes(15)[0])
    i, j = pairs[fit.swap_changes(pairs).argmin()]
    history, _ = run(PaperSearch(several=False), fit, bound.data.names, rng=rng, max_iter=1)
    assert fit.order == swapped(order, int(i), int(j))
    assert history[1].space == "small"
    assert history[1].candidates == len(pairs)
    assert history[1].move == f"swapped {bound.data.names[i]!r} and {bound.data.names[j]!r}"


def test_several_swaps_gain_what_they_gain_alone():
    bound, order, rng = problem(d=40)
    fit = bound.fit(order)
    pairs = KKTCandidates().survey(fit, rng).pairs(suggested_sizes(40)[0])
    deltas = fit.swap_changes(pairs)
    changes = {frozenset(p): c for p, c in zip(pairs.tolist(), deltas, strict=True)}
    before = fit.value
    run(PaperSearch(), fit, bound.data.names, rng=rng, max_iter=1)
    moved = [frozenset((a, b)) for a, b in zip(order, fit.order, strict=True) if a != b]
    swaps = set(moved)
    assert len(swaps) >= 2
    assert all(moved.count(pair) == 2 for pair in swaps)
    assert fit.value - before == pytest.approx(sum(changes[pair] for pair in swaps), rel=1e-9)
    spans = sorted(sorted(order.positions[list(pair)]) for pair in swaps)
    assert all(last < first for (_, last), (first, _) in pairwise(spans))


def test_greedy_takes_an_improving_candidate_not_the_best():
    bound, order, _ = problem()
    reached = set()
    for seed in range(8):
        fit = bound.fit(order)
        history, _ = run(
            PaperSearch(greedy=True),
            fit,
            bound.data.names,
            rng=np.random.default_rng(seed),
            max_iter=1,
        )
        assert history[1].score < history[0].score
        assert np.count_nonzero(fit.order.variables != order.variables) == 2
        reached.add(fit.order)
    assert len(reached) > 1


def test_the_large_space_is_searched_s_0_times_at_most():
    used = []
    for s_0 in (0, 1, 3):
        bound, order, rng = problem(d=30, n=100, seed=2)
        fit = bound.fit(order)
        search = PaperSearch(s_small=5, s_large=200, s_0=s_0)
        history, _ = run(search, fit, bound.data.names, rng=rng)
        used.append(sum(step.space == "large" for step in history))
        assert used[-1] <= s_0
    assert used == [0, 1, 3]


def test_a_search_that_needs_more_large_searches_says_so():
    bound, order, _ = problem(d=30, n=100, seed=2)
    reached = {}
    for s_0 in (1, 1000):
        fit = bound.fit(order)
        search = PaperSearch(s_small=5, s_large=200, s_0=s_0)
        rng = np.random.default_rng(0)
        history, reached[s_0] = run(search, fit, bound.data.names, rng=rng)
        left = fit.swap_changes(KKTCandidates().survey(fit, rng).pairs(200))
        assert (left.min() < -fit.resolution) == (s_0 == 1)
    assert reached == {1: "s_0 used up", 1000: "converged"}
    # As many as it takes: nothing is left, and the last search was not one too few.
    used = sum(step.space == "large" for step in history)
    search = PaperSearch(s_small=5, s_large=200, s_0=used)
    _, status = run(search, bound.fit(order), bound.data.names, rng=np.random.default_rng(0))
    assert status == "converged"


def test_columns_of_very_different_sizes_leave_no_pair_out():
    """Relative to standard deviations of 1e9 the gradients of most pairs look like zeros."""
    X = simulate.linear_dataset(50, 1000, "full", random_state=1).X
    bound = LeastSquares().bind(Dataset.from_table(X))
    rng = np.random.default_rng(1)
    fit = bound.fit(Order(rng.permutation(50)))
    every = 50 * 49 // 2
    run(PaperSearch(every, every, 0), fit, bound.data.names, rng=rng)
    assert fit.swap_changes(fit.all_pairs()).min() >= -fit.resolution
    assert fit.value < 25.0


def test_a_start_from_which_many_large_searches_are_needed():
    X = simulate.linear_dataset(100, 1000, "ER4", random_state=6).X
    short, suggested = (
        Topo("least-squares", "paper", "random", s_0=s_0, random_state=7).fit(X)
        for s_0 in (5, None)
    )
    assert (short.status_, suggested.status_) == ("s_0 used up", "converged")
    assert short.score_ > 63.0
    assert suggested.score_ == pytest.approx(47.23, abs=0.01)


class Remembering(UniformCandidates):
    """Candidates that write down the pairs they gave."""

    def __init__(self, *, redraw):
        super().__init__(redraw=redraw)
        self.given = []

    def begin(self, fit, rng):
        inner = super().begin(fit, rng)
        return self if inner is self else Written(inner, self.given)


class Written(UniformCandidates):
    def __init__(self, inner, given):
        super().__init__()
        self.inner, self.given = inner, given

    def survey(self, fit, rng):
        survey = self.inner.survey(fit, rng)
        self.given.append((fit.order, survey.pairs(10), survey.pairs(40)))
        return survey


def test_random_candidates_may_be_drawn_once():
    bound, order, rng = problem(d=15)
    drawn = Remembering(redraw=False)
    for _ in range(2):
        fit = bound.fit(order)
        search = PaperSearch(10, 40, 3, candidates=drawn, several=False)
        run(search, fit, bound.data.names, rng=rng)
    sets = [{frozenset(p) for p in small.tolist()} for _, small, _ in drawn.given]
    # Two runs, each with one set of its own.
    assert len(sets) > 4
    assert len({frozenset(s) for s in sets}) == 2
    for at, small, large in drawn.given:
        assert len(small) == 10
        assert len(large) == 40
        assert (large[:10] == small).all()
        assert (at.positions[large[:, 0]] > at.positions[large[:, 1]]).all()
    assert repr(UniformCandidates(redraw=False)) == "UniformCandidates(redraw=False)"


def test_a_violation_is_mended_first_by_adding_its_edge():
    mended = 0
    for seed in range(10):
        bound, order, rng = problem(NodewiseLasso(0.5), d=8, seed=seed)
        fit = bound.fit(order)
        failing = KKTCandidates().survey(fit, rng).violations
        if len(failing) == 0:
            continue
        weights = fit.point().weights
        orders = [with_edge(order, weights, i, j) for i, j in failing.tolist()]
        best = min(orders, key=fit.delta)
        history, _ = run(PaperSearch(), fit, bound.data.names, rng=rng, max_iter=1)
        assert fit.order == best
        assert history[1].move.startswith("put ")
        mended += 1
    assert mended >= 3


def test_with_edge_puts_cause_before_effect_and_keeps_the_graph():
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[2, 3] = 1.0
    order = with_edge(Order([0, 1, 2, 3]), weights, 3, 0)
    assert list(order) == [2, 3, 0, 1]
    with pytest.raises(ValueError, match="closes a cycle"):
        with_edge(Order([0, 1, 2, 3]), weights, 1, 0)


def test_kkt_candidates_beat_random_ones_of_the_same_size():
    """The ablation of the paper, in small: how far each ends above the best local search."""
    excess = {KKTCandidates: [], UniformCandidates: []}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = simulate.linear_dataset(20, 1000, "ER4", random_state=rng).X
        bound = LeastSquares().bind(Dataset.from_table(X))
        start = Order(rng.permutation(20))
        best = bound.fit(start)
        run(AutoSearch(), best, bound.data.names, rng=rng)
        for kind, found in excess.items():
            fit = bound.fit(start)
            run(PaperSearch(candidates=kind()), fit, bound.data.names, rng=rng)
            found.append(fit.value / best.value - 1)
    assert np.mean(excess[KKTCandidates]) < 1e-3
    assert np.mean(excess[UniformCandidates]) > 5 * np.mean(excess[KKTCandidates])
