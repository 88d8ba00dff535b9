"""Searches as `Topo` offers them."""

import itertools

import numpy as np
import pytest
from fits import D, assert_same_fit, backwards, solved, table

import toposwap as ts
from toposwap.acyclicity import ACYCLICITIES, LogDet
from toposwap.core.errors import InputError
from toposwap.scores import LeastSquares
from toposwap.search import SEARCHES, AutoSearch, PaperSearch

STATUS = dict.fromkeys(SEARCHES, "converged") | {"exact": "global minimum", "none": "given order"}


@pytest.mark.parametrize("search", SEARCHES)
def test_search_by_name_and_as_an_object(search):
    X = table()
    by_name = ts.Topo("least-squares", search=search, init=backwards()).fit(X)
    as_object = ts.Topo("least-squares", search=SEARCHES[search](), init=backwards()).fit(X)
    assert_same_fit(by_name, as_object)
    assert by_name.status_ == STATUS[search]
    assert (by_name.n_iter_ == 0) == (search == "none")


def test_each_search_is_the_one_it_is_called():
    """By the moves it may end without: none left for it, some left for a weaker one."""
    X = table()
    none, insertion, auto = (
        ts.Topo("least-squares", search=s, init=backwards()).fit(X)
        for s in ("none", "insertion", "auto")
    )
    assert none.causal_order_ == backwards()
    bound = LeastSquares().bind(ts.Dataset.from_table(X))
    for model in (insertion, auto):
        fit = bound.fit(ts.Order(model.causal_order_))
        assert all(fit.insertion_profile(v).min() >= -1e-10 * fit.value for v in range(D))
    assert fit.swap_changes(fit.all_pairs()).min() >= -1e-10 * fit.value
    assert {step.space for step in insertion.history_} == {"start", "insertion"}
    paper = ts.Topo("least-squares", search="paper", init=backwards()).fit(X)
    assert {step.space for step in paper.history_} <= {"start", "small", "large"}


def test_exact_search_is_the_minimum_over_all_orders():
    X = table(3, d=5)
    model = ts.Topo("least-squares", search="exact").fit(X)
    values = [solved(X, order)[1] for order in itertools.permutations(range(5))]
    assert model.score_ == pytest.approx(min(values), rel=1e-12)
    assert model.score_ < np.median(values)


def test_exact_search_says_when_there_are_too_many_columns():
    with pytest.raises(InputError, match=r"search='exact'.*23 columns are too many.*use search="):
        ts.Topo("least-squares", search="exact").fit(
            np.random.default_rng(0).standard_normal((30, 23))
        )


def test_parameters_of_the_paper_reach_its_search():
    X = table(1, d=12, n=60)
    start = backwards(1, d=12)
    kept = {"score": "least-squares", "search": "paper", "init": start}
    spaces = [s.space for s in ts.Topo(**kept, s_small=1, s_large=40, s_0=5).fit(X).history_]
    assert 1 <= spaces.count("large") <= 5
    spaces = [s.space for s in ts.Topo(**kept, s_small=1, s_large=40, s_0=0).fit(X).history_]
    assert "large" not in spaces
    by_object = PaperSearch(4, 30, 2)
    assert_same_fit(
        ts.Topo(**kept, s_small=4, s_large=30, s_0=2).fit(X),
        ts.Topo("least-squares", search=by_object, init=start).fit(X),
    )
    seeds = [
        ts.Topo(**kept, greedy=True, s_small=20, random_state=seed).fit(X).history_[1].move
        for seed in range(6)
    ]
    assert len(set(seeds)) > 1


@pytest.mark.parametrize(
    ("search", "settings"),
    [
        (PaperSearch(), {"greedy": True}),
        (PaperSearch(), {"s_0": 0}),
        (PaperSearch(), {"s_small": 3}),
        (PaperSearch(), {"s_large": 30}),
        (PaperSearch(), {"acyclicity": "polynomial"}),
        (PaperSearch(), {"acyclicity": LogDet()}),
        (AutoSearch(), {"n_restarts": 3}),
        (AutoSearch(), {"n_jobs": 1}),
    ],
)
def test_settings_beside_a_search_that_has_its_own_are_refused(search, settings):
    (name,) = settings
    with pytest.raises(InputError, match=rf"{name}=.*{type(search).__name__}\(\.\.\.\)"):
        ts.Topo("least-squares", search=search, **settings).fit(table())


def test_what_holds_for_every_search_goes_with_an_object():
    kept = {"init": backwards(), "time_budget": 60.0, "max_iter": 1}
    assert ts.Topo("least-squares", search=PaperSearch(), **kept).fit(table()).n_iter_ == 1


class CountingLogDet(LogDet):
    calls = 0

    def gradient(self, weights, order=None):
        type(self).calls += 1
        return super().gradient(weights, order)


def test_acyclicity_guides_the_search_of_the_paper():
    X = table()
    for name, function in ACYCLICITIES.items():
        by_name = ts.Topo("least-squares", search="paper", acyclicity=name, init=backwards()).fit(X)
        as_object = ts.Topo(
            "least-squares", search="paper", acyclicity=function(), init=backwards()
        ).fit(X)
        assert_same_fit(by_name, as_object)
        assert by_name.certificate_.satisfied
    assert CountingLogDet.calls == 0
    counted = ts.Topo(
        "least-squares", search="paper", acyclicity=CountingLogDet(), init=backwards()
    ).fit(X)
    assert CountingLogDet.calls > counted.n_iter_
    before = CountingLogDet.calls
    ts.Topo("least-squares", acyclicity=CountingLogDet()).fit(X)
    assert CountingLogDet.calls == before
