"""Many cases on all cores: long-lived workers that can be killed, and a table of outcomes."""

from __future__ import annotations

import faulthandler
import multiprocessing as mp
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from fuzz.kinds import KINDS
from fuzz.outcome import Outcome

#: One thread for each worker: there are as many workers as cores.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
#: A case on whose first fit kernels are compiled may take so much longer.
_COMPILING = 240.0


@dataclass
class Tally:
    """What came of a campaign so far."""

    ended: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    failures: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count one case."""
        self.ended[outcome.kind]["failed" if outcome.broken else outcome.ended] += 1
        if outcome.broken:
            self.failures.append(outcome)

    def __str__(self) -> str:
        lines = ["kind     tried  of which"]
        for kind, ended in self.ended.items():
            parts = ", ".join(f"{count} {how}" for how, count in ended.most_common())
            lines.append(f"{kind:<7}{ended.total():>7}  {parts}")
        by_invariant = Counter((f.kind, name) for f in self.failures for name, _ in f.broken[:1])
        if by_invariant:
            lines += ["", "broken, by invariant"]
            lines += [
                f"{count:>7}  {kind}: {name}" for (kind, name), count in by_invariant.most_common()
            ]
        return "\n".join(lines)


class Worker:
    """A process that runs one case after another, and is replaced where one hangs or dies."""

    def __init__(self) -> None:
        self.case: tuple[str, int, int] | None = None
        self.fresh: set[str] = set(KINDS)
        self._start()

    def _start(self) -> None:
        context = mp.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=False)
        self.process.start()
        theirs.close()

    def give(self, case: tuple[str, int, int]) -> None:
        """Begin a case."""
        self.case, self.began = case, time.monotonic()
        self.pipe.send(case)

    @property
    def late(self) -> bool:
        """Whether the case takes longer than any may."""
        if self.case is None:
            return False
        kind = self.case[0]
        extra = _COMPILING if kind in self.fresh else 0.0
        return time.monotonic() - self.began > KINDS[kind].limit + extra

    def take(self) -> Outcome:
        """The outcome that has arrived, or that of a process which died."""
        assert self.case is not None
        case, self.case = self.case, None
        self.fresh.discard(case[0])
        try:
            outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode
            self._start()
            return Outcome(
                *case, "died", [("no crash", f"the process died with {code}")], _words(case)
            )
        assert isinstance(outcome, Outcome)
        return outcome

    def abandon(self) -> Outcome:
        """Kill the process, whose case hangs."""
        assert self.case is not None
        case, self.case = self.case, None
        took = time.monotonic() - self.began
        self.stop()
        self._start()
        told = f"nothing after {took:.0f} s"
        return Outcome(*case, "hung", [("no hang", told)], _words(case), took)

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run(
    cases: Iterator[tuple[str, int, int]],
    *,
    jobs: int,
    seconds: float | None = None,
    report: Callable[[Outcome], None] | None = None,
) -> Tally:
    """Run ``cases`` on ``jobs`` processes, and begin none after ``seconds``."""
    for name in _THREADS:
        os.environ[name] = "1"
    tally, began = Tally(), time.monotonic()
    workers = [Worker() for _ in range(jobs)]
    left = True
    try:
        while True:
            for worker in workers:
                if worker.case is None and left:
                    over = seconds is not None and time.monotonic() - began > seconds
                    case = None if over else next(cases, None)
                    left = case is not None
                    if case is not None:
                        worker.give(case)
            busy = {worker.pipe: worker for worker in workers if worker.case is not None}
            if not busy:
                return tally
            ready = wait(list(busy), timeout=1.0)
            outcomes = [busy[pipe].take() for pipe in ready if isinstance(pipe, Connection)]
            outcomes += [worker.abandon() for worker in workers if worker.late]
            for outcome in outcomes:
                tally.add(outcome)
                if report is not None:
                    report(outcome)
    finally:
        for worker in workers:
            worker.stop()


def mixture(seed: int, kinds: list[str], first: int = 0) -> Iterator[tuple[str, int, int]]:
    """Cases of all ``kinds`` without end, in proportion to their shares of a whole campaign."""
    count = dict.fromkeys(kinds, first)
    while True:
        kind = min(kinds, key=lambda name: (count[name] - first) / KINDS[name].share)
        yield kind, seed, count[kind]
        count[kind] += 1


def _words(case: tuple[str, int, int]) -> str:
    """A case that never reported, in words: it is drawn once more."""
    kind, seed, index = case
    try:
        if kind == "fits":
            from fuzz.fits import draw_fit

            return str(draw_fit(seed, index))
    except Exception as error:
        return f"cannot even be drawn: {error!r}"
    return ""


def _serve(pipe: Any) -> None:
    """Run the cases that come through ``pipe`` until it is closed."""
    faulthandler.enable()
    while True:
        try:
            kind, seed, index = pipe.recv()
        except EOFError:
            return
        try:
            outcome = KINDS[kind].run(seed, index)
        except Exception as error:
            import traceback

            told = f"{type(error).__name__}: {error}"
            trace = traceback.format_exc()
            outcome = Outcome(
                kind, seed, index, "broke", [("the campaign itself", told)], trace=trace
            )
        pipe.send(outcome)
