"""What must hold after a kill, and after the command was run once more."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from fuzz.invariants.commands import parse
from fuzz.kills import CODES, PATIENCE

if TYPE_CHECKING:
    from fuzz.kills import KillRun

    Invariant = Callable[[KillRun], Iterator[str]]

INVARIANTS: dict[str, Invariant] = {}


def invariant(check: Invariant) -> Invariant:
    """Register what must hold."""
    INVARIANTS[check.__name__.replace("_", " ")] = check
    return check


def broken(run: KillRun) -> list[tuple[str, str]]:
    """The invariants that ``run`` breaks, each with what is wrong."""
    return [(name, told) for name, check in INVARIANTS.items() for told in check(run)]


@invariant
def stops(run: KillRun) -> Iterator[str]:
    """A signal ends the command and all processes that it started."""
    if run.code is None:
        yield f"still running {PATIENCE:.0f} s after {run.signal}"
    elif run.survivors:
        yield f"{run.signal} left processes behind"
    elif run.code not in CODES[run.signal] and not _over(run):
        yield f"{run.signal} made it leave with {run.code}"


def _over(run: KillRun) -> bool:
    """Whether all was written, and the signal ended what is left of a process then."""
    written = bool(run.outputs) and all(path in run.found for path in run.outputs)
    return written and run.code == -signal.Signals[run.signal]


@invariant
def no_traceback(run: KillRun) -> Iterator[str]:
    """Nobody who stops a command wants to see where it was."""
    if "Traceback" in run.err:
        yield run.err.strip().splitlines()[-1][:200]


@invariant
def whole_or_absent(run: KillRun) -> Iterator[str]:
    """An output is what it was before, or whole; new ones may be absent."""
    for path, content in run.found.items():
        if content == run.before.get(path):
            continue
        path.write_bytes(content)
        try:
            parse(path)
        except Exception as error:
            yield f"{path.name} is broken: {type(error).__name__}: {error}"
    for path in run.before:
        if path not in run.found:
            yield f"{path.name} was there before and is lost"


@invariant
def nothing_left_over(run: KillRun) -> Iterator[str]:
    """Temporary files are gone, unless nothing could be done about them."""
    if run.left and run.signal != "SIGKILL":
        yield f"left behind: {run.left}"


@invariant
def runs_again(run: KillRun) -> Iterator[str]:
    """The same command succeeds the next time, and finishes what was begun."""
    if run.again != 0:
        yield f"the second run left with {run.again}: {run.again_err[-300:]}"
        return
    for path in run.outputs:
        try:
            parse(path)
        except Exception as error:
            yield f"{path.name} after the second run: {type(error).__name__}: {error}"


@invariant
def nothing_finished_is_lost(run: KillRun) -> Iterator[str]:
    """Cells that were finished are not run again, and in the end there is each of them once."""
    if run.arguments[0] != "reproduce" or run.again != 0:
        return
    if run.cells_again[: len(run.cells)] != run.cells:
        yield "finished cells were lost or changed"
    keys = [json.loads(line)["key"] for line in run.cells_again]
    if len(set(keys)) != len(keys):
        yield f"{len(keys)} records of {len(set(keys))} cells"
    failed = [line for line in run.cells_again if json.loads(line).get("error")]
    if failed:
        yield f"{len(failed)} cells failed: {failed[0][:300]}"
