"""Restarts that follow from what they bring, and what the report may say about them."""

import re

import numpy as np
import pytest

from toposwap import Topo
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.scores import BasisBIC
from toposwap.scores.strategy import MOST_RESTARTS, patience
from toposwap.search.restarts import Restarts

PATIENCE = 6


@pytest.fixture
def curves(monkeypatch):
    """Columns that bend: orders have many local minima."""
    monkeypatch.setattr("toposwap.scores.additive.bic.patience", lambda n, d: PATIENCE)
    rng = np.random.default_rng(4)
    X = rng.standard_normal((70, 12))
    for j in range(1, 12):
        causes = rng.permutation(j)[:3]
        X[:, j] = np.sin(2.0 * X[:, causes]).sum(axis=1) + 0.4 * X[:, j]
    return X


def numbers(model):
    steps = (step.move for step in model.result_.history if step.space == "restart")
    return [int(re.match(r"restart (\d+)", move)[1]) for move in steps]


def test_a_search_ends_when_many_restarts_in_a_row_are_in_vain(curves):
    for seed in range(3):
        model = Topo("basis-bic", random_state=seed).fit(curves)
        better = [0, *numbers(model)]
        assert max(np.diff(better), default=0) <= PATIENCE
        # As many as were made anyhow are the same ones, and more never end worse.
        same = Topo("basis-bic", random_state=seed, n_restarts=better[-1] + PATIENCE).fit(curves)
        more = Topo("basis-bic", random_state=seed, n_restarts=40).fit(curves)
        assert numbers(same) == better[1:]
        assert same.result_.score == model.result_.score
        assert numbers(more)[: len(better) - 1] == better[1:]
        assert more.result_.score <= model.result_.score


def test_starts_of_their_own_are_counted(curves):
    model = Topo("basis-bic", random_state=0).fit(curves)
    reached, starts = model.result_.starts
    # The given order, and every fifth restart.
    made = [0, *numbers(model)][-1] + PATIENCE
    assert starts == 1 + len(range(0, made, 5))
    assert 1 <= reached <= starts
    assert f"best score reached from {reached} of {starts} starts" in str(model.summary())


def test_every_fifth_restart_begins_at_an_order_of_its_own(curves, monkeypatch):
    monkeypatch.setattr(Restarts, "_sweep", lambda *_: None)
    bound = BasisBIC().bind(Dataset.from_table(curves))
    begun = []
    for order in (np.arange(12), np.arange(12)[::-1]):
        with Restarts(bound.fit(Order(order)), 10, 1, seed=3) as restarts:
            assert [r for r in range(10) if restarts.afresh(r)] == [0, 5]
            begun.append([restarts.take(r).order for r in (0, 1, 5)])
    assert begun[0][0] == begun[1][0] != begun[0][2] == begun[1][2]
    assert begun[0][1] != begun[1][1]


def test_patience_is_shorter_for_large_tables_and_longer_for_many_columns():
    assert patience(100, 20) == 20
    assert patience(2000, 27) == 6
    assert patience(10_000, 20) == 4
    assert patience(10**5, 10) == 3
    assert patience(10_000, 50) == 10
    assert patience(10**6, 400) == 80 < MOST_RESTARTS
