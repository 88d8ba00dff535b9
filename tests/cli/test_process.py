"""The command line as a process: exit codes, Ctrl-C, pipes, and what ``--help`` costs."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import time

import numpy as np
import pandas as pd
import pytest

from toposwap import Topo
from toposwap.cli.terminal.progress import ProgressLine
from toposwap.core.errors import is_interrupt
from toposwap.core.runtime.signals import SIGNALS
from toposwap.io import read_table
from toposwap.search import InsertionSearch, Step

HEAVY = ("numpy", "scipy", "pandas", "numba", "sklearn", "networkx", "matplotlib", "rich")

# The search sleeps after its third step, so that a signal from outside meets it there.
SLOW_SEARCH = """
import sys, time
from toposwap.cli import main
from toposwap import Topo
from toposwap.cli.terminal.progress import ProgressLine

def wait(self, step):
    if step.iteration == 3:
        print("ready", file=sys.stderr, flush=True)
        time.sleep(60)

ProgressLine.__call__ = wait
main()
"""
MANY_RESTARTS = """
import sys
from toposwap.cli import main
from toposwap.search import chains

run_chain = chains._run_chain

def say(*given):
    if given[-2] == 20:
        print("ready", file=sys.stderr, flush=True)
    return run_chain(*given)

chains._run_chain = say
main()
"""
SLOW_READING = """
import sys, time
import toposwap.io
from toposwap.cli import main

def wait(*_, **__):
    print("ready", file=sys.stderr, flush=True)
    time.sleep(60)

toposwap.io.read_numbers = wait
main()
"""
STRUCK_IMPORT = """
import signal, sys

class Strike:
    def find_spec(self, name, path=None, target=None):
        if name == "{package}":
            signal.raise_signal({number})

sys.meta_path.insert(0, Strike())
from toposwap.__main__ import main
main()
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
SEARCH = (
    "--score",
    "least-squares",
    "--search",
    "paper",
    "--greedy",
    "--init",
    "random",
    "--seed",
    "0",
)


@pytest.mark.parametrize("command", [[], ["fit"], ["demo"], ["compare"]])
def test_help_is_quick_because_nothing_heavy_is_imported(process, command):
    code = (
        "import sys; from toposwap.cli import run\n"
        f"code = run({[*command, '--help']!r})\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)"
    )
    began = time.perf_counter()
    job = process("-c", code)
    out, err = job.communicate()
    assert time.perf_counter() - began < 2.0
    assert (job.returncode, err) == (0, "[]\n")
    assert out.startswith("Usage: toposwap")


def test_exit_codes(process, sample, truth, tmp_path):
    jobs = {
        1: process("-m", "toposwap", "check", sample, truth),
        2: process("-m", "toposwap", "fit", "nope.csv"),
    }
    answers = {code: job.communicate() for code, job in jobs.items()}
    assert {code: job.returncode for code, job in jobs.items()} == {1: 1, 2: 2}
    assert "NOT satisfied" in answers[1][0]
    assert answers[2] == (
        "",
        "toposwap: error: 'nope.csv' does not exist: check the name and the directory\n",
    )


@posix
def test_a_signal_waits_for_the_end_of_a_call_of_the_compiler(process):
    """In its midst it would free twice what the library frees."""
    inside = os.path.join("llvmlite", "binding", "ffi.py")
    code = (
        "import os, signal, sys, time\n"
        "from toposwap.core.runtime import signals\n"
        "signals.listen()\n"
        "source = 'signal.raise_signal(signal.SIGTERM); time.sleep(0.2); done.append(1)'\n"
        "done = []\n"
        "try:\n"
        f"    exec(compile(source, {inside!r}, 'exec'))\n"
        "    time.sleep(30)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(len(done))\n"
    )
    job = process("-c", code)
    job.communicate()
    assert job.returncode == 1


@posix
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.thorough)]
)
def test_a_signal_in_the_search_keeps_the_best_so_far(process, sample, tmp_path, number):
    outputs = ("-o", "e.csv", "-o", "r.json", "--plot", "g.png")
    job = process("-c", SLOW_SEARCH, "fit", sample, *SEARCH, *outputs)
    assert job.stderr.readline() == "ready\n"
    job.send_signal(number)
    out, err = job.communicate(timeout=60)
    assert job.returncode == 128 + number
    assert err == ("toposwap: interrupted: the best graph found until then is reported and saved\n")
    assert "3 iterations" in out
    assert "interrupted: this is the best order met" in out
    record = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert record["status"] == "interrupted"
    assert len(record["history"]) == 4
    assert record["certificate"]["satisfied"]
    assert (tmp_path / "g.png").exists()


@pytest.mark.thorough
@posix
def test_ctrl_c_ends_restarts_on_several_threads(process, sample, tmp_path):
    # A score whose few columns cannot be proved.
    score = ("--score", "equal-variance-l0")
    options = (*score, "--restarts", 10**9, "--jobs", 3, "--seed", 0, "-o", "r.json")
    job = process("-c", MANY_RESTARTS, "fit", sample, *options)
    assert job.stderr.readline() == "ready\n"
    job.send_signal(signal.SIGINT)
    _, err = job.communicate(timeout=60)
    assert job.returncode == 130, err
    assert err == ("toposwap: interrupted: the best graph found until then is reported and saved\n")
    record = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert record["status"] == "interrupted"
    assert record["certificate"]["satisfied"]
    assert record["edges"]


@posix
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_elsewhere_is_one_line(process, sample, tmp_path, number):
    job = process("-c", SLOW_READING, "fit", sample, "-o", "e.csv")
    assert job.stderr.readline() == "ready\n"
    job.send_signal(number)
    out, err = job.communicate(timeout=60)
    assert (job.returncode, out) == (128 + number, "")
    assert err == ("toposwap: error: interrupted; no file was left half-written\n")
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("package", ["click", "numpy"])
def test_a_signal_while_packages_are_loaded_is_one_line(process, sample, number, package):
    job = process("-c", STRUCK_IMPORT.format(package=package, number=int(number)), "fit", sample)
    out, err = job.communicate(timeout=60)
    assert (job.returncode, out) == (128 + number, "")
    assert err == "toposwap: error: interrupted; no file was left half-written\n"


def test_a_signal_while_arguments_are_read_is_one_line(call, monkeypatch):
    def strike(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("click.Group.make_context", strike)
    done = call("fit", "table.csv")
    assert (done.code, done.out) == (130, "")
    assert done.err == "toposwap: error: interrupted; no file was left half-written\n"


def test_an_interruption_between_outputs_leaves_none(call, sample, tmp_path, monkeypatch):
    def strike(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("toposwap.report.plot.graph.draw_graph", strike)
    (tmp_path / "old.json").write_text("old")
    done = call("fit", sample, "-o", "e.csv", "-o", "old.json", "--plot", "g.png")
    assert (done.code, done.out) == (130, "")
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]
    assert (tmp_path / "old.json").read_text() == "old"


@pytest.mark.thorough
def test_a_closed_pipe_is_no_error(process, sample, tmp_path):
    job = process("-m", "toposwap", "fit", sample, "-o", "e.csv")
    job.stdout.close()
    err = job.stderr.read()
    job.stderr.close()
    assert (job.wait(), err) == (0, "")
    assert (tmp_path / "e.csv").exists()


# --- pieces --------------------------------------------------------------------------------------


def test_ctrl_c_inside_a_kernel_is_recognised():
    wrapped = SystemError("a kernel returned a result with an exception set")
    wrapped.__cause__ = SystemError("once more")
    wrapped.__cause__.__cause__ = KeyboardInterrupt()
    assert is_interrupt(wrapped)
    assert is_interrupt(KeyboardInterrupt())
    assert not is_interrupt(SystemError("something else"))
    assert not is_interrupt(None)


class StruckInAKernel(InsertionSearch):
    """Makes its first move, and then Ctrl-C arrives while a kernel hands over its result."""

    def __init__(self, cause):
        self.cause = cause

    def moves(self, fit, context):
        yield next(super().moves(fit, context))
        raise SystemError("returned a result with an exception set") from self.cause


def test_ctrl_c_inside_a_kernel_keeps_the_best_so_far(sample):
    frame = read_table(sample)
    order = Topo("least-squares").fit(frame).causal_order_[::-1]
    model = Topo("least-squares", search=StruckInAKernel(KeyboardInterrupt()), init=order).fit(
        frame
    )
    assert model.status_ == "interrupted"
    assert model.n_iter_ == 1
    assert model.certificate_.satisfied
    with pytest.raises(SystemError):
        Topo("least-squares", search=StruckInAKernel(ValueError()), init=order).fit(frame)


@posix
def test_ctrl_c_that_became_another_error_keeps_the_best_so_far(sample):
    class Swallowed(InsertionSearch):
        def moves(self, fit, context):
            yield next(super().moves(fit, context))
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raise RuntimeError("a library's own words") from None

    frame = read_table(sample)
    order = Topo("least-squares").fit(frame).causal_order_[::-1]
    model = Topo("least-squares", search=Swallowed(), init=order).fit(frame)
    assert (model.status_, model.n_iter_) == ("interrupted", 1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Terminal:
    """A standard error that says it is a terminal, and remembers."""

    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


STEP = Step(7, 12.5, "swap", 66, "swapped 'a' and 'b'", 0.1)


def test_progress_appears_on_a_terminal_after_a_while(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr("toposwap.cli.terminal.progress._PATIENCE", 0.0)
    with ProgressLine("reading [b]t.csv[/b]") as progress:
        deadline = time.monotonic() + 10
        while "reading" not in terminal.text and time.monotonic() < deadline:
            time.sleep(0.01)
        progress(STEP)
    assert "reading [b]t.csv[/b]" in terminal.text
    assert "iteration 7, score 12.5, swap (66 candidates)" in terminal.text
    # The line is taken away again.
    assert terminal.text.endswith("\x1b[2K")


def test_short_work_shows_no_progress(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with ProgressLine("reading") as progress:
        progress(STEP)
    assert terminal.text == ""


def test_no_progress_without_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("toposwap.cli.terminal.progress._PATIENCE", 0.0)
    with ProgressLine("reading") as progress:
        progress(STEP)
        time.sleep(0.1)
    assert capsys.readouterr() == ("", "")


def test_output_in_an_encoding_without_the_letters(call, monkeypatch, tmp_path):
    rows = np.random.default_rng(0).normal(size=(9, 2))
    pd.DataFrame(rows, columns=["naïve", "雪"]).to_csv(tmp_path / "t.csv", index=False)
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1"))
    assert call("fit", "t.csv", "--score", "least-squares", "--prune", "none").code == 0
    text = raw.getvalue().decode("latin-1")
    assert "--------" in text
    assert "naïve" in text
    assert "\\u96ea" in text
    raw.seek(0)
    raw.truncate()
    assert call("fit", "t.csv", "--json").code == 0
    assert json.loads(raw.getvalue())["names"] == ["naïve", "雪"]
