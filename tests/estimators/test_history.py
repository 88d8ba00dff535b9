"""History, limits and interruptions of a fit."""

import signal

import numpy as np
import pytest
from fits import backwards, solved, table, without_seconds

import toposwap as ts
from toposwap.search import InsertionSearch, Move, PaperSearch, Search


@pytest.mark.parametrize("search", ["auto", "paper", "insertion", "exact"])
@pytest.mark.parametrize("seed", range(3))
def test_history_goes_down_step_by_step(search, seed):
    X = table(seed, d=10)
    start = backwards(seed, d=10)
    model = ts.Topo("least-squares", search=search, init=start).fit(X)
    history = model.history_
    assert [step.iteration for step in history] == list(range(len(history)))
    scores = [step.score for step in history]
    assert (np.diff(scores) < 0.0).all()
    assert len(history) > 1
    first = history[0]
    assert first.space == "start"
    assert first.score == pytest.approx(solved(X, start)[1], rel=1e-12)
    assert scores[-1] == pytest.approx(model.score_, rel=1e-12)
    assert all(step.candidates > 0 and step.move for step in history[1:])
    seconds = [step.seconds for step in history]
    assert seconds == sorted(seconds)
    # A copy: the record itself cannot be edited.
    history.clear()
    assert model.history_


def test_progress_hears_every_step_once():
    heard = []
    model = ts.Topo("least-squares", search="paper", init=backwards(), progress=heard.append).fit(
        table()
    )
    assert heard == model.history_[1:]
    assert len(heard) == model.n_iter_ > 1


def long_search():
    """A search of at least five steps."""
    settings = {"search": PaperSearch(several=False), "init": backwards(2, d=10)}
    return {"score": "least-squares", **settings}, table(2, d=10)


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_max_iter(limit):
    settings, X = long_search()
    whole = ts.Topo(**settings).fit(X)
    assert whole.n_iter_ >= 5
    model = ts.Topo(**settings, max_iter=limit).fit(X)
    assert model.n_iter_ == limit
    assert model.status_ == "iteration limit"
    assert without_seconds(model.history_) == without_seconds(whole.history_)[: limit + 1]
    assert model.score_ == pytest.approx(whole.history_[limit].score, rel=1e-12)
    assert ts.Topo(**settings, max_iter=10_000).fit(X).status_ == "converged"


def by_exception():
    raise KeyboardInterrupt


def by_key():
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("interrupt", [by_exception, by_key])
@pytest.mark.parametrize("at", [1, 3])
def test_an_interruption_keeps_the_best_so_far(at, interrupt):
    settings, X = long_search()

    def stop(step):
        if step.iteration == at:
            interrupt()

    model = ts.Topo(**settings, progress=stop).fit(X)
    assert model.status_ == "interrupted"
    assert model.n_iter_ == at
    W, score = solved(X, model.causal_order_)
    assert model.score_ == pytest.approx(score, rel=1e-12)
    assert model.score_ == pytest.approx(model.history_[-1].score, rel=1e-12)
    np.testing.assert_allclose(model.weights_, W, atol=1e-10)
    assert model.certificate_.satisfied
    assert ts.check_kkt(model.weights_, X, score="least-squares").satisfied
    limited = ts.Topo(**settings, max_iter=at).fit(X)
    assert model.causal_order_ == limited.causal_order_


class StopsHalfway(PaperSearch):
    """Is interrupted after a move was made and before it was reported: a worse order stands."""

    def moves(self, fit, context):
        for count, move in enumerate(super().moves(fit, context)):
            yield move
            if count == 2:
                fit.reorder(ts.Order(fit.order.variables[::-1]))
                raise KeyboardInterrupt


def test_an_interruption_in_the_middle_of_a_move():
    settings, X = long_search()
    model = ts.Topo("least-squares", search=StopsHalfway(several=False), init=settings["init"]).fit(
        X
    )
    assert model.status_ == "interrupted"
    assert model.n_iter_ == 3
    assert model.causal_order_ == ts.Topo(**settings, max_iter=3).fit(X).causal_order_
    assert model.score_ == pytest.approx(solved(X, model.causal_order_)[1], rel=1e-12)
    assert model.certificate_.satisfied


class Stumbles(Search):
    """Improves once, then takes worse and worse orders for better ones."""

    name = "stumbles"

    def moves(self, fit, context):
        before = fit.order
        yield next(InsertionSearch().moves(fit, context))
        for _ in range(3):
            fit.reorder(before)
            yield Move("stumble", 1, "went back")


def test_a_step_that_does_not_improve_is_undone_and_ends_the_search():
    X = table()
    model = ts.Topo("least-squares", search=Stumbles(), init=backwards()).fit(X)
    reference = ts.Topo("least-squares", search="insertion", init=backwards(), max_iter=1).fit(X)
    assert model.causal_order_ == reference.causal_order_
    assert model.score_ == pytest.approx(reference.score_, rel=1e-12)
    assert [step.space for step in model.history_] == ["start", "insertion"]
    assert model.certificate_.satisfied


def test_other_exceptions_of_the_callback_are_the_callers():
    settings, X = long_search()

    def fail(step):
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        ts.Topo(**settings, progress=fail).fit(X)
