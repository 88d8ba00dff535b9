"""Rounds out of a poor order: lower, permitted, and where the search goes on exactly."""

import numpy as np
import pytest

from toposwap import simulate
from toposwap.core.admissible import Admissible
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.kernels.graphs.precedence import precedence_table
from toposwap.orderfit.starts import smallest_variance_order
from toposwap.scores import LeastSquares
from toposwap.scores.least_squares.rounds import Rounds, is_poor


@pytest.fixture
def problem():
    X = simulate.linear_dataset(60, 500, "ER4", random_state=3).X
    bound = LeastSquares().bind(Dataset.from_table(X))
    return bound, np.random.default_rng(0).permutation(60)


def descended(fit):
    while fit.insertion_sweep(fit.order.variables):
        pass
    return fit


def test_an_order_is_poor_if_many_belong_before_its_head(problem):
    bound, order = problem
    assert is_poor(bound, order)
    good = smallest_variance_order(bound.data).variables
    assert not is_poor(bound, good)
    assert is_poor(bound, good[::-1])


def test_rounds_lead_close_to_a_local_minimum(problem, monkeypatch):
    bound, order = problem
    reference = descended(bound.fit(Order(order)))
    monkeypatch.setattr("toposwap.scores.least_squares.fit._WIDE", 2)
    fit = bound.fit(Order(order))
    start = fit.value
    assert fit.insertion_sweep(order) > 50
    assert fit.value < 1.03 * reference.value < start
    # From there on everything is exact.
    assert fit.value == pytest.approx(bound.fit(fit.order).value, rel=1e-12)
    assert descended(fit).value == pytest.approx(reference.value, rel=1e-3)
    assert min(fit.insertion_profile(v).min() for v in range(60)) >= -fit.resolution


def test_a_fit_stands_where_it_was_put_until_it_is_swept(problem, monkeypatch):
    bound, order = problem
    known = bound.fit(Order(order))
    monkeypatch.setattr("toposwap.scores.least_squares.fit._WIDE", 2)
    fit = bound.fit(Order(order))
    assert fit.value == pytest.approx(known.value, rel=1e-9)
    np.testing.assert_array_equal(fit.order.variables, order)
    copy = type(fit).resumed(bound, fit.copy().state())
    np.testing.assert_allclose(fit.insertion_profile(7), known.insertion_profile(7), rtol=1e-8)
    assert fit.value == known.value
    assert copy.insertion_sweep(order) > 50


def test_rounds_obey_who_must_stand_before_whom(problem):
    bound, order = problem
    position = np.argsort(order)
    rng = np.random.default_rng(1)
    before = (position[:, None] < position) & (rng.random((60, 60)) < 0.1)
    rounds = Rounds(bound, order)
    assert rounds.run(precedence_table(before), NEVER)
    assert Admissible(before=before).obeys(Order(rounds.order))


def test_no_round_begins_after_the_deadline(problem):
    bound, order = problem
    rounds = Rounds(bound, order)
    assert rounds.run(precedence_table(None), Deadline(0.0)) == 0
    np.testing.assert_array_equal(rounds.order, order)
