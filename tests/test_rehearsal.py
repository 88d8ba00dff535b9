"""Kernels compiled ahead by two processes: a gain where it works, and nothing where it does not."""

import pickle
import signal
import sys

import numpy as np
import pytest

from toposwap import rehearsal
from toposwap.core.dataset import Dataset
from toposwap.kernels import cache
from toposwap.scores.names import named_score
from toposwap.search.auto import AutoSearch


@pytest.fixture
def bound():
    rng = np.random.default_rng(0)
    data = Dataset.from_table(rng.integers(0, 2, size=(80, 5)).astype(float))
    return named_score("logistic-bic", {}).bind(data)


@pytest.fixture
def marks(monkeypatch):
    """What was rehearsed, in place of the disk."""
    kept = {}
    monkeypatch.setattr(cache, "read", kept.get)
    monkeypatch.setattr(cache, "write", lambda name, text: kept.update({name: pickle.loads(text)}))
    return kept


class Child:
    """A process that does nothing."""

    def __init__(self):
        self.waited = 0

    def wait(self):
        self.waited += 1

    def kill(self):
        pass


def test_a_score_is_rehearsed_once(bound, marks, monkeypatch):
    monkeypatch.setattr(rehearsal, "_may_start_processes", lambda: True)
    monkeypatch.setattr(rehearsal, "rehearse", lambda *_: None)
    begun = []
    monkeypatch.setattr(rehearsal, "_started", lambda *given: begun.append(given) or Child())
    rehearsal.compile_ahead(bound)
    rehearsal.compile_ahead(bound)
    assert len(begun) == len(marks) == 1
    start, scores, rows = begun[0]
    assert start == bound.strategy.start
    assert scores == [surrogate.score for surrogate in bound.strategy.surrogates]
    assert rows.shape == (80, 5)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_ends_more_than_the_rehearsal(bound, marks, monkeypatch):
    """Its search keeps the best order so far, which nobody asked for."""
    monkeypatch.setattr(rehearsal, "_may_start_processes", lambda: True)
    monkeypatch.setattr(rehearsal, "_started", lambda *_: Child())
    monkeypatch.setattr(rehearsal, "assess", lambda *_: None)

    class Struck(AutoSearch):
        def moves(self, fit, context):
            signal.raise_signal(signal.SIGINT)
            yield

    monkeypatch.setattr(rehearsal, "AutoSearch", Struck)
    with pytest.raises(KeyboardInterrupt):
        rehearsal.compile_ahead(bound)
    assert not [name for name in marks if name.startswith("rehearsed")]


def test_no_mark_is_left_where_no_process_could_be_started(bound, marks, monkeypatch):
    monkeypatch.setattr(rehearsal, "_may_start_processes", lambda: True)
    monkeypatch.setattr(rehearsal.subprocess, "Popen", _no_process)
    rehearsal.compile_ahead(bound)
    assert not marks


def _no_process(*_args, **_settings):
    raise PermissionError


def test_scores_that_begin_by_themselves_start_no_process(marks, monkeypatch):
    monkeypatch.setattr(rehearsal, "_started", _no_process)
    table = np.random.default_rng(0).normal(size=(40, 3))
    rehearsal.compile_ahead(named_score("bic", {}).bind(Dataset.from_table(table)))
    assert not marks


def test_workers_start_no_process(monkeypatch):
    monkeypatch.setattr(rehearsal.multiprocessing, "parent_process", object)
    assert not rehearsal._may_start_processes()


def test_the_second_process_fits_what_comes_before_the_score(bound):
    piece = rehearsal._piece_of(bound.data)
    scores = [surrogate.score for surrogate in bound.strategy.surrogates]
    child = rehearsal._started(bound.strategy.start, scores, piece)
    assert child is not None
    assert child.wait(timeout=120) == 0


@pytest.mark.thorough
def test_a_piece_that_cannot_be_fitted_is_no_error():
    rehearsal.rehearse(named_score("bic", {}), np.ones((10, 3)))
