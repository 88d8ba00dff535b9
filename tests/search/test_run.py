"""The loop that every search shares, and the local searches."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap import simulate
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.scores import LeastSquares
from toposwap.search import AutoSearch, ExactSearch, InsertionSearch, Move, Search, run
from toposwap.search.moves.disjoint import disjoint_swaps


def problem(d=12, seed=0, n=100, kind="ER2"):
    rng = np.random.default_rng(seed)
    X = simulate.linear_dataset(d, n, kind, random_state=rng).X
    bound = LeastSquares().bind(Dataset.from_table(X))
    return bound, bound.fit(Order(rng.permutation(d))), rng


@given(st.integers(0, 1000))
def test_auto_ends_where_no_insertion_and_no_swap_helps(seed):
    bound, fit, rng = problem(d=8, seed=seed)
    run(AutoSearch(), fit, bound.data.names, rng=rng)
    slack = -1e-9 * fit.value
    assert all(fit.insertion_profile(v).min() >= slack for v in range(8))
    assert fit.swap_changes(fit.all_pairs()).min() >= slack


def test_auto_uses_swaps_where_insertions_are_stuck():
    """On some data the second neighbourhood is needed, and it is then used."""
    used = 0
    for seed in range(60):
        bound, fit, rng = problem(d=20, seed=seed, n=25)
        inserted = bound.fit(fit.order)
        history, _ = run(AutoSearch(), fit, bound.data.names, rng=rng)
        run(InsertionSearch(), inserted, bound.data.names, rng=rng)
        assert fit.value <= inserted.value * (1 + 1e-12)
        used += any(step.space == "swap" for step in history)
    assert used >= 1


def test_history_is_a_strictly_falling_record():
    bound, fit, rng = problem(d=30)
    start = fit.value
    history, status = run(AutoSearch(), fit, bound.data.names, rng=rng)
    assert status == "converged"
    assert history[0].score == start
    assert [step.iteration for step in history] == list(range(len(history)))
    assert all(b.score < a.score for a, b in pairwise(history))
    assert all(b.seconds >= a.seconds for a, b in pairwise(history))
    assert history[1].space == "insertion"
    assert "of 30 variables" in history[1].move


class Erratic(Search):
    """Makes one good move, then a bad one, or is interrupted in the middle of it."""

    name = "erratic"

    def __init__(self, interrupt):
        self.interrupt = interrupt

    def moves(self, fit, context):
        fit.insertion_sweep(fit.order.variables)
        yield Move("insertion", 1, "good")
        self.best = fit.order
        fit.reorder(Order(fit.order.variables[::-1]))
        if self.interrupt:
            raise KeyboardInterrupt
        yield Move("insertion", 1, "bad")
        raise AssertionError("a search that went up must not go on")


@pytest.mark.parametrize("interrupt", [True, False])
def test_the_best_order_survives_a_bad_move_and_an_interruption(interrupt):
    bound, fit, rng = problem()
    search = Erratic(interrupt)
    history, status = run(search, fit, bound.data.names, rng=rng)
    assert status == ("interrupted" if interrupt else "converged")
    assert len(history) == 2
    assert fit.order == search.best
    assert fit.value == pytest.approx(history[-1].score, rel=1e-12)


def test_max_iter_and_progress():
    bound, fit, rng = problem(d=30)
    seen = []
    history, status = run(
        AutoSearch(), fit, bound.data.names, rng=rng, progress=seen.append, max_iter=2
    )
    assert status == "iteration limit"
    assert seen == history[1:]
    assert len(seen) == 2


def test_exact_search_refuses_what_it_cannot_do():
    bound, fit, rng = problem(d=23, n=60)
    with pytest.raises(InputError, match="23 columns are too many"):
        run(ExactSearch(), fit, bound.data.names, rng=rng)


def test_exact_search_on_seventeen_variables():
    bound, fit, rng = problem(d=17, n=60)
    local = bound.fit(fit.order)
    _, status = run(ExactSearch(), fit, bound.data.names, rng=rng)
    run(AutoSearch(), local, bound.data.names, rng=rng)
    assert status == "global minimum"
    assert fit.value <= local.value * (1 + 1e-12)


@given(st.integers(0, 1000))
def test_disjoint_swaps_are_improving_disjoint_and_lead_with_the_best(seed):
    _, fit, _ = problem(d=15, seed=seed)
    pairs = fit.all_pairs()
    changes = fit.swap_changes(pairs)
    swaps = disjoint_swaps(fit, pairs, changes)
    price = {tuple(p): c for p, c in zip(pairs.tolist(), changes, strict=True)}
    assert price[swaps[0]] == changes.min()
    assert all(price[swap] < 0 for swap in swaps)
    taken = np.zeros(15, dtype=int)
    for i, j in swaps:
        first, last = sorted((fit.order.positions[i], fit.order.positions[j]))
        taken[first : last + 1] += 1
    assert taken.max() == 1
    # None that improves was left out without need.
    for (i, j), change in price.items():
        first, last = sorted((fit.order.positions[i], fit.order.positions[j]))
        assert change >= -fit.resolution or taken[first : last + 1].any()
    assert disjoint_swaps(fit, pairs, changes, limit=1) == swaps[:1]
