"""Each invariant of the campaign can fail: it is shown something broken of its own kind."""

import json
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import toposwap as ts
from fuzz.capture import Heard
from fuzz.commands import CommandRun
from fuzz.confidences import ConfidenceCase, ConfidenceRun
from fuzz.fits import FitCase, FitRun
from fuzz.invariants import commands, kills
from fuzz.invariants.confidences import OF_CONFIDENCES
from fuzz.invariants.confidences import broken as of_confidence
from fuzz.invariants.fits import broken
from fuzz.invariants.models import OF_MODELS
from fuzz.invariants.runs import OF_RUNS
from fuzz.kills import KillRun
from fuzz.scores import Recipe
from fuzz.tables import Table

NAMES = ["x0", "x1", "x2"]


def table():
    X = np.random.default_rng(0).standard_normal((60, 3)) @ np.triu(np.ones((3, 3)))
    return Table(X, list(NAMES), "continuous")


def a_case(score="least-squares", **settings):
    drawn = table()
    recipe = Recipe(repr(score), lambda _table: score)
    held = drawn.values.copy()
    return FitCase(drawn, "array", held, drawn.values, recipe, settings, asked=True)


def a_run(score="least-squares", **settings):
    """A fit that breaks nothing."""
    case = a_case(score, **settings)
    run = FitRun(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run.model = ts.Topo(score, **settings).fit(case.held)
    return run


def in_result(run, **changes):
    """The same run with another result, which nobody could have made by fitting."""
    result = run.model.result_
    fields = {name: getattr(result, name) for name in result.__dataclass_fields__}
    run.model.result_ = SimpleNamespace(**{**fields, **changes})


def refused(run, error):
    run.model, run.error = None, error


def unlike(run, **changes):
    for name, value in changes.items():
        setattr(run, name, value)


def turn_an_edge(run):
    run.model.weights_ = run.model.weights_.T + run.model.weights_


def no_certificate(run):
    certificate = SimpleNamespace(
        satisfied=False, max_residual=1.0, tolerance=1e-8, relative=np.zeros(1), unmet=()
    )
    in_result(run, certificate=certificate, status="converged")


def worse_again(run):
    run.again = a_run()
    run.again.model.weights_ = run.again.model.weights_ * 1.0001


def worse_than_its_start(run):
    history = run.model.result_.history
    lower = SimpleNamespace(score=run.model.score_ - 1.0)
    in_result(run, history=(*history, lower))


def wild_predictions(run):
    run.model.predict = lambda X: np.full(X.shape, np.nan)


def leaked():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
    return found


#: For each invariant of fits what breaks it.
BREAKS = {
    "clear refusal": lambda run: refused(run, np.linalg.LinAlgError("Singular matrix")),
    "rightly refused": lambda run: refused(run, ts.InputError("these columns are not wanted here")),
    "rightly accepted": lambda run: run.case.seen.__setitem__((slice(None), 0), 0.1),
    "only own warnings": lambda run: unlike(run, warned=leaked()),
    "silence": lambda run: unlike(run, printed="debug\n"),
    "input unchanged": lambda run: unlike(run, unchanged=False),
    "in time": lambda run: unlike(run, seconds=100.0),
    "same again": worse_again,
    "finite": lambda run: run.model.weights_.__setitem__((0, 1), np.nan),
    "acyclic": turn_an_edge,
    "consistent": lambda run: in_result(run, status="fine"),
    "score confirmed": lambda run: in_result(run, score=run.model.score_ * 1.01),
    "certified": no_certificate,
    "obeyed": lambda run: run.case.settings.update(knowledge=ts.Knowledge(required=["x2 -> x0"])),
    "no worse than its start": worse_than_its_start,
    "predictions": wild_predictions,
    "effects": lambda run: unlike(
        run.model, effect=lambda *_a, **_k: SimpleNamespace(value=2.0, interval=(0.0, 1.0))
    ),
    "samples": lambda run: unlike(
        run.model, sample=lambda n, **_k: np.arange(3.0 * n).reshape(n, 3)
    ),
}


def test_a_fit_that_breaks_nothing():
    assert broken(a_run()) == []


@pytest.mark.parametrize("name", [*OF_RUNS, *OF_MODELS])
def test_invariants_of_fits_can_fail(name):
    run = a_run()
    BREAKS[name](run)
    assert name in [found for found, _ in broken(run)]


@pytest.mark.parametrize("score", ["least-squares", "bic", "huber-l1", "gaussian-scad"])
def test_scores_are_confirmed_by_their_formulas(score):
    assert broken(a_run(score)) == []
    run = a_run(score)
    in_result(run, score=run.model.score_ + 1e-4)
    assert "score confirmed" in [found for found, _ in broken(run)]


def test_a_wrong_value_may_be_refused():
    run = a_run()
    refused(run, ts.InputError("random_state: must be a whole number >= 0, got -3"))
    run.case.settings["random_state"], run.case.wrong = -3, "random_state"
    assert broken(run) == []
    run.case.wrong = None
    assert [found for found, _ in broken(run)] == ["rightly refused"]


def test_a_floor_of_the_score_must_be_told():
    x = np.random.default_rng(0).standard_normal((60, 2))
    drawn = table()
    drawn.values[:, 1] = drawn.values[:, 0] + 1e-7 * x[:, 1]
    case = FitCase(
        drawn, "array", drawn.values, drawn.values, Recipe("'bic'", lambda _t: "bic"), {}
    )
    run = FitRun(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run.model = ts.Topo("bic").fit(case.held)
    assert broken(run) == []
    in_result(run, remarks=())
    assert "score confirmed" in [found for found, _ in broken(run)]


def test_whole_weights_are_confirmed_as_rows():
    run = a_run()
    run.case.beside["sample_weight"] = np.arange(60) % 4
    run.model = ts.Topo("least-squares").fit(run.case.held, **run.case.beside)
    assert broken(run) == []
    run.case.beside["sample_weight"] = np.ones(60)
    assert "score confirmed" in [found for found, _ in broken(run)]


def a_confidence(**settings):
    case = a_case("bic", **settings)
    told = ConfidenceCase(case, {"n_resamples": 4})
    found = ts.confidence(case.held, ts.Topo("bic", **settings), n_resamples=4, n_jobs=1)
    return ConfidenceRun(case, found, told=told)


def another_answer():
    run = a_confidence()
    run.model.probabilities[0, 2] += 0.25
    return run


def lost_in_the_file(run):
    run.model = replace(run.model)
    object.__setattr__(run.model, "save", replace(run.model, names=("a", "b", "c")).save)


CONFIDENCE_BREAKS = {
    **{name: BREAKS[name] for name in OF_CONFIDENCES if name in BREAKS},
    "shares of resamples": lambda run: run.model.probabilities.__setitem__((0, 1), 1.5),
    "consensus": lambda run: run.case.settings.update(
        knowledge=ts.Knowledge(required=["x2 -> x0"])
    ),
    "table of edges": lambda run: run.model.probabilities.__setitem__((1, 0), -1.0),
    "same for any threads": lambda run: unlike(run, again=another_answer()),
    "comes back from its file": lost_in_the_file,
}


@pytest.mark.parametrize("name", OF_CONFIDENCES)
def test_invariants_of_confidences_can_fail(name):
    run = a_confidence()
    assert of_confidence(run) == []
    CONFIDENCE_BREAKS[name](run)
    assert name in [found for found, _ in of_confidence(run)]


def a_command(tmp_path, *arguments):
    """A command that did what it should."""
    path = tmp_path / "in.csv"
    path.write_text("x0,x1\n1,2\n")
    output = tmp_path / "out.json"
    output.write_text(json.dumps({"names": NAMES}))
    run = CommandRun(["fit", str(path), *arguments], tmp_path, table(), {path: path.read_bytes()})
    run.outputs, run.code, run.left = [output], 0, {path, output}
    return run


def heard(run, out="", err=""):
    run.heard = Heard(out, err)


COMMAND_BREAKS = {
    "no traceback": lambda run: unlike(run, trace="Traceback ...\nKeyError: 'a'"),
    "exit code": lambda run: unlike(run, code=3),
    "one line each": lambda run: heard(run, err="RuntimeWarning: overflow\n"),
    "no control characters": lambda run: heard(run, out="name \x1b[31m\n"),
    "inputs unchanged": lambda run: next(iter(run.inputs)).write_text("gone"),
    "nothing left over": lambda run: (
        (run.folder / ".toposwap-1.tmp").touch() or run.left.add(run.folder / ".toposwap-1.tmp")
    ),
    "outputs whole or absent": lambda run: run.outputs[0].write_text('{"names": ["x0"'),
    "json whole": lambda run: run.arguments.append("--json") or heard(run, out="{"),
    "in time": lambda run: unlike(run, heard=Heard(seconds=100.0)),
}


@pytest.mark.parametrize("name", commands.INVARIANTS)
def test_invariants_of_commands_can_fail(tmp_path, name):
    run = a_command(tmp_path)
    assert commands.broken(run) == []
    COMMAND_BREAKS[name](run)
    assert name in [found for found, _ in commands.broken(run)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "source,target\nx0\n"),
        ("a.weights.csv", ",x0,x1\nx0,0\nx1,0,0\n"),
        ("a.json", '{"names": [NaN]}'),
        ("a.gml", "graph ["),
        ("a.dot", 'digraph {\n "x0" -> "x1;\n}'),
        ("a.svg", "<svg><text></svg>"),
        ("a.svg", "<svg><script>1</script></svg>"),
        ("a.png", "\x89PNG"),
        ("a.pdf", "%PDF-1.4"),
    ],
)
def test_outputs_that_are_not_whole_are_seen(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="latin-1")
    with pytest.raises(Exception, match=r".*"):
        commands.parse(path)


def a_kill(tmp_path):
    """A command that was killed, and then done."""
    output = tmp_path / "out.json"
    output.write_text(json.dumps({"names": NAMES}))
    run = KillRun(["reproduce"], tmp_path, "SIGTERM", 0.1, [output], code=143, again=0)
    run.found = {output: output.read_bytes()}
    run.cells = [json.dumps({"key": "a"})]
    run.cells_again = [*run.cells, json.dumps({"key": "b"})]
    return run


KILL_BREAKS = {
    "stops": lambda run: unlike(run, code=-11),
    "no traceback": lambda run: unlike(run, err="Traceback ...\nKeyboardInterrupt\n"),
    "whole or absent": lambda run: run.found.update({run.outputs[0]: b"{"}),
    "nothing left over": lambda run: unlike(run, left=[".toposwap-1.tmp"]),
    "runs again": lambda run: unlike(run, again=1),
    "nothing finished is lost": lambda run: unlike(run, cells_again=['{"key": "b"}']),
}


@pytest.mark.parametrize("name", kills.INVARIANTS)
def test_invariants_of_kills_can_fail(tmp_path, name):
    run = a_kill(tmp_path)
    assert kills.broken(run) == []
    KILL_BREAKS[name](run)
    assert name in [found for found, _ in kills.broken(run)]


def test_a_signal_after_the_last_output_ends_a_process_as_it_ends_any(tmp_path):
    run = a_kill(tmp_path)
    run.code = -15
    assert kills.broken(run) == []
    run.found.clear()
    assert [name for name, _ in kills.broken(run)] == ["stops"]
