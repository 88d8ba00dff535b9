"""Signals at random moments of a command, and what is there after it and after a second run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.draws import Draw
from fuzz.outcome import Outcome

#: Says so when the command line is loaded and listens to signals: what comes before is the start of
#: Python itself, which a signal ends as it ends any process.
_START = (
    "import os; from toposwap.cli import main; from toposwap.core.runtime import signals; "
    "signals.listen(); os.write(int(os.environ['READY']), b'.'); main()"
)
_EXPERIMENT = """
caption = "To be killed"
seeds = 4
score = "least-squares"

[[data]]
kind = "linear"
d = [5, 6]
n = 100
graph = "ER1"

[methods.first]
kind = "topo"

[methods.second]
kind = "topo"
start = "first"

[[tables]]
rows = ["d", "method"]
columns = ["metric"]
metrics = ["score"]
"""
_SIGNALS = {"SIGINT": 4.0, "SIGTERM": 4.0, "SIGKILL": 2.0}
#: What a command that was killed leaves with, or that was done before the signal came.
CODES = {"SIGINT": (0, 1, 130), "SIGTERM": (0, 1, 143), "SIGKILL": (0, -signal.SIGKILL)}
#: Seconds after which a command that was told to stop must have stopped, and one that runs be done.
PATIENCE, DONE = 20.0, 90.0


@dataclass(eq=False)
class KillRun:
    """A command, a signal, and what was there before and after.

    Attributes
    ----------
    arguments, folder
        What was run, and where.
    signal, after
        What was sent, and how many seconds after the command line was loaded.
    outputs, before
        The files to be written, and what was in those that were there already.
    code, err
        Exit code and standard error of the run that was killed; None where it did not stop.
    survivors
        Whether processes of the run were still there after it.
    found
        The contents of ``outputs`` after the kill, of those that exist.
    left
        Temporary files after the kill.
    cells, cells_again
        The finished cells in the store after the kill, and after the second run.
    again, again_err
        Exit code and standard error of the second run.
    """

    arguments: list[str]
    folder: Path
    signal: str
    after: float
    outputs: list[Path] = field(default_factory=list)
    before: dict[Path, bytes] = field(default_factory=dict)
    code: int | None = None
    err: str = ""
    survivors: bool = False
    found: dict[Path, bytes] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    cells_again: list[str] = field(default_factory=list)
    again: int | None = None
    again_err: str = ""


def run_kill(seed: int, index: int) -> Outcome:
    """Kill a command in a folder of its own, and run it again."""
    from fuzz.invariants.kills import broken

    folder = Path(tempfile.mkdtemp(prefix="toposwap-fuzz-"))
    began = time.monotonic()
    try:
        run = _draw_kill(Draw("kills", seed, index), folder)
        _kill(run)
        run.again, run.again_err, _ = _start(run.arguments, folder, None, 0.0)
        run.cells_again = _cells(folder)
        found = broken(run)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    ended = "done before" if run.code == 0 else "killed"
    text = f"toposwap {run.arguments!r}, {run.signal} after {run.after:.2f} s"
    told = f"first: {run.err[-1500:]}\nthen: {run.again_err[-1500:]}"
    return Outcome("kills", seed, index, ended, found, text, time.monotonic() - began, told)


def _draw_kill(draw: Draw, folder: Path) -> KillRun:
    command = draw.weighed({"fit": 5, "simulate": 1, "reproduce": 4})
    sent = draw.weighed(_SIGNALS)
    if command == "reproduce":
        (folder / "killed.toml").write_text(_EXPERIMENT)
        jobs = draw.among(["1", "1", "2"])
        arguments = ["reproduce", "killed.toml", "--jobs", jobs, "-o", "out"]
        return KillRun(arguments, folder, sent, draw.rng.uniform(0.0, 6.0))
    if command == "simulate":
        outputs = [folder / "data.csv", folder / "truth.csv"]
        arguments = ["simulate", "--nodes", "40", "--rows", "20000", "--seed", "1"]
        arguments += ["-o", "data.csv", "--truth", "truth.csv"]
        after = draw.rng.uniform(0.0, 2.5)
    else:
        rows = draw.rng.standard_normal((300, 12)).cumsum(axis=1)
        lines = [
            ",".join(f"x{k}" for k in range(12)),
            *(",".join(map(repr, r)) for r in rows.tolist()),
        ]
        (folder / "table.csv").write_text("\n".join(lines) + "\n")
        endings = ["csv", "json", "gml", "dot", "weights.csv"]
        outputs = [folder / f"out.{ending}" for ending in endings]
        arguments = ["fit", "table.csv", "--score", "bic", "--restarts", draw.among(["50", "3000"])]
        for path in outputs:
            arguments += ["-o", path.name]
        if draw.chance(0.4):
            outputs.append(folder / "out.svg")
            arguments += ["--plot", "out.svg"]
        after = draw.rng.uniform(0.0, 3.0)
    run = KillRun(arguments, folder, sent, after, outputs)
    for path in draw.some(outputs, 0.3):
        run.before[path] = b"what was there before\n"
        path.write_bytes(run.before[path])
    return run


def _kill(run: KillRun) -> None:
    run.code, run.err, run.survivors = _start(run.arguments, run.folder, run.signal, run.after)
    run.found = {path: path.read_bytes() for path in run.outputs if path.exists()}
    run.left = [p.name for p in run.folder.rglob("*") if p.name.startswith(".toposwap")]
    run.cells = _cells(run.folder)


def _start(
    arguments: list[str], folder: Path, sent: str | None, after: float
) -> tuple[int | None, str, bool]:
    """Exit code (None where it did not stop), standard error, and whether processes survived it."""
    reading, writing = os.pipe()
    source = str(Path(__file__).parent.parent / "src")
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, "-c", _START, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, "READY": str(writing)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=err,
            pass_fds=(writing,),
            start_new_session=True,
        )
        os.close(writing)
        try:
            os.read(reading, 1)
            if sent is not None:
                time.sleep(after)
                process.send_signal(signal.Signals[sent])
            code = process.wait(DONE if sent is None else PATIENCE)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            os.close(reading)
        survivors = _end_group(process.pid, at_once=code is None)
        process.wait()
        err.seek(0)
        return code, err.read().decode(errors="backslashreplace"), survivors


def _end_group(group: int, *, at_once: bool) -> bool:
    """Whether processes of the session ``group`` are still there; then they are ended."""
    for _ in range(0 if at_once else 50):
        if not _alive(group):
            return False
        time.sleep(0.1)
    if not _alive(group):
        return False
    os.killpg(group, signal.SIGKILL)
    return True


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _cells(folder: Path) -> list[str]:
    """The whole lines of the store, in their order."""
    store = folder / "out" / "cells.jsonl"
    if not store.exists():
        return []
    whole = store.read_bytes().rpartition(b"\n")[0]
    return [line for line in whole.decode().splitlines() if json.loads(line)]
