"""Finishing an experiment: what is run, in which order, what is not run again."""

from dataclasses import replace

import numpy as np
import pytest

from toposwap.core.errors import InputError, MissingExtraError
from toposwap.experiments.cell import code_version
from toposwap.experiments.config import Method
from toposwap.experiments.execution.run import run
from toposwap.experiments.execution.work import Outcome, run_cell
from toposwap.experiments.store import Store


def finish(experiment, folder, workers, **options):
    with Store(folder) as store:
        return run(experiment, store, workers, **options)


def fake(cell, start):
    """A cell that takes no time; its weights say what it started from."""
    value = 1.0 if start is None else 1.0 + float(start[0, 0])
    return Outcome({"score": value, "seconds": 1.0}, np.full((2, 2), value))


def test_every_cell_once_and_never_again(tiny, tmp_path, inline, records):
    first = inline(fake)
    state = finish(tiny, tmp_path, first)
    assert (state.done, state.total, state.failed) == (12, 12, 0)
    assert len({cell.key for cell in first.ran}) == len(first.ran) == 12
    assert not first.open
    assert [record["score"] for record in records(tmp_path)].count(2.0) == 6
    second = inline(fake)
    assert finish(tiny, tmp_path, second).done == 12
    assert second.ran == []


def test_what_a_cell_starts_from_comes_first(tiny, tmp_path, inline):
    only = replace(tiny, methods=tiny.methods[1:], seeds=1)
    workers = inline(fake)
    state = finish(only, tmp_path, workers)
    # The start is run although the experiment does not show it.
    assert state.total == 4
    kinds = ["start" in cell.method for cell in workers.ran]
    assert kinds.count(False) == 2
    for k, cell in enumerate(workers.ran):
        if cell.start is not None:
            assert cell.start.key in {other.key for other in workers.ran[:k]}


@pytest.mark.parametrize("after", range(0, 12, 3))
def test_stopped_anywhere_it_goes_on(tiny, tmp_path, inline, after, records):
    """Whatever stops a run: finished cells are kept, and none is run twice."""
    count = 0

    def stops(cell, start):
        nonlocal count
        count += 1
        if count > after:
            raise KeyboardInterrupt
        return fake(cell, start)

    workers = inline(stops)
    state = finish(tiny, tmp_path, workers)
    assert state.interrupted
    assert state.done == after
    assert not workers.open
    assert len(records(tmp_path)) == after
    rest = inline(fake)
    finish(tiny, tmp_path, rest)
    assert len(rest.ran) == 12 - after
    keys = [record["key"] for record in records(tmp_path)]
    assert len(keys) == len(set(keys)) == 12


def test_weights_that_are_gone_are_made_again(tiny, tmp_path, inline):
    finish(tiny, tmp_path, inline(fake))
    for path in (tmp_path / "weights").iterdir():
        path.unlink()
    more = replace(tiny, methods=(*tiny.methods, _third(tiny)))
    workers = inline(fake)
    finish(more, tmp_path, workers)
    labels = [cell.method.get("start") is None for cell in workers.ran]
    assert labels.count(True) == labels.count(False) == 6


def _third(tiny):
    return Method("third", {**tiny.methods[1].settings, "search": "insertion"})


def test_failures_are_recorded_and_not_repeated(tiny, tmp_path, inline):
    def fails(cell, start):
        return Outcome({"error": "no"}) if cell.seed == 1 else fake(cell, start)

    state = finish(tiny, tmp_path, inline(fails))
    # Two cells fail, and two that would have started from them.
    assert (state.done, state.failed) == (12, 4)
    again = inline(fake)
    assert finish(tiny, tmp_path, again).failed == 4
    assert again.ran == []
    state = finish(tiny, tmp_path, again, retry=True)
    assert len(again.ran) == 4
    assert state.failed == 0


def test_trying_again_ends_also_if_it_fails_again(tiny, tmp_path, inline):
    workers = inline(lambda cell, start: Outcome({"error": "no"}))
    finish(tiny, tmp_path, workers)
    assert finish(tiny, tmp_path, workers, retry=True).failed == 12
    # Those that would start from them are never begun.
    assert len(workers.ran) == 12


def test_a_cell_that_was_cut_off_gets_more_time(tiny, tmp_path, inline):
    def late(limit):
        return lambda cell, start: Outcome({"error": "stopped", "limit": limit})

    finish(replace(tiny, limit=1.0), tmp_path, inline(late(1.0)))
    same, longer, unlimited = inline(fake), inline(late(2.0)), inline(fake)
    finish(replace(tiny, limit=1.0), tmp_path, same)
    finish(replace(tiny, limit=2.0), tmp_path, longer)
    state = finish(tiny, tmp_path, unlimited)
    # Those that start from a cell that was cut off are not begun.
    assert [len(workers.ran) for workers in (same, longer, unlimited)] == [0, 6, 12]
    assert state.failed == 0


def test_results_of_other_versions_stay_until_fresh_ones_are_asked_for(
    tiny, tmp_path, inline, monkeypatch
):
    monkeypatch.setattr("toposwap.experiments.execution.run.code_version", lambda: "0+old")
    finish(tiny, tmp_path, inline(fake))
    monkeypatch.undo()
    workers = inline(fake)
    state = finish(tiny, tmp_path, workers)
    assert workers.ran == []
    assert (state.done, state.older) == (12, {"0+old": 12})
    state = finish(tiny, tmp_path, workers, fresh=True)
    assert len(workers.ran) == 12
    assert state.older == {}
    # Interrupted or not, the same command goes on where it was.
    assert finish(tiny, tmp_path, workers, fresh=True).done == 12
    assert len(workers.ran) == 12


def test_weights_are_made_again_only_for_what_is_left(tiny, tmp_path, inline):
    """A store that came without weights is complete all the same."""
    finish(tiny, tmp_path, inline(fake))
    for path in (tmp_path / "weights").iterdir():
        path.unlink()
    workers = inline(fake)
    assert finish(tiny, tmp_path, workers).done == 12
    assert workers.ran == []


def test_what_means_nothing_is_refused_before_anything_is_run(tiny, tmp_path, inline):
    workers = inline(fake)
    wrong = replace(tiny, data=({**tiny.data[0], "hubz": 1},))
    with pytest.raises(InputError, match="did you mean 'hubs'"):
        finish(wrong, tmp_path, workers)
    assert workers.ran == []


def test_workers_with_other_code_are_refused(tiny, tmp_path, inline):
    workers = inline(lambda cell, start: Outcome({}, version="9+other"))
    with pytest.raises(InputError, match="another version"):
        finish(tiny, tmp_path, workers)


def test_a_missing_package_skips_the_method_with_a_line(tiny, tmp_path, inline, records):
    def absent(cell, start):
        missing = MissingExtraError("nothing", "peers", "this")
        return Outcome(skipped=str(missing)) if "init" in cell.method else fake(cell, start)

    state = finish(tiny, tmp_path, inline(absent))
    assert state.total == state.done == 0
    assert "pip install" in state.skipped["random-topo"]
    assert "starts from" in state.skipped["again"]
    # Not recorded: it can be installed and run.
    assert records(tmp_path) == []


def test_time_left_comes_from_finished_cells(tiny, tmp_path, inline, monkeypatch):
    monkeypatch.setattr("toposwap.experiments.execution.clock._PREDICT_EVERY", 0.0)
    seen = []
    finish(tiny, tmp_path, inline(fake), progress=lambda state: seen.append(state.seconds_left))
    assert seen[0] is None
    assert seen[-1] == 0.0
    # Every cell takes a second.
    assert 0.0 < seen[1] <= 60.0
    assert seen[-2] <= seen[1]


# --- one cell ------------------------------------------------------------------------------------


def test_a_cell_is_judged_by_its_weights(tiny):
    _, cell = next(tiny.cells())
    outcome = run_cell(cell, None)
    assert outcome.version == code_version()
    assert outcome.result["kkt"] is True
    assert outcome.result["score"] == pytest.approx(outcome.result["order_score"], rel=1e-9)
    assert outcome.weights.shape == (5, 5)
    again = run_cell(cell, None)
    np.testing.assert_array_equal(outcome.weights, again.weights)


def test_an_error_is_part_of_the_outcome(tiny):
    _, cell = next(tiny.cells())
    broken = replace(cell, method={"kind": "topo", "search": "nowhere"})
    assert "nowhere" in run_cell(broken, None).result["error"]
    assert "kind = 'x'" in run_cell(replace(cell, method={"kind": "x"}), None).result["error"]
    assert "kind = 'y'" in run_cell(replace(cell, data={"kind": "y"}), None).result["error"]


def test_a_learner_without_its_package_is_skipped(tiny, monkeypatch):
    def absent(sample, task, **settings):
        raise MissingExtraError("nothing", "peers", "this")

    monkeypatch.setattr("toposwap.experiments.methods.topo.learn", absent)
    _, cell = next(tiny.cells())
    assert (
        run_cell(cell, None).skipped
        == 'this needs the package nothing: pip install "toposwap[peers]"'
    )
