"""The kinds of cases: what runs one, how many a campaign is made of, and how long one may take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fuzz.outcome import Outcome


@dataclass(frozen=True)
class Kind:
    """A kind of cases.

    Attributes
    ----------
    run
        From a seed and an index to what became of the case.
    share
        How many of a whole campaign's cases are of this kind.
    limit
        Seconds after which a case counts as hanging, and its worker is killed.
    """

    run: Callable[[int, int], Outcome]
    share: int
    limit: float


def _fit(seed: int, index: int) -> Outcome:
    from fuzz.fits import run_fit
    from fuzz.invariants.fits import broken

    run = run_fit(seed, index)
    return Outcome(
        "fits",
        seed,
        index,
        "refused" if run.model is None else "fitted",
        broken(run),
        str(run.case),
        run.seconds,
        run.trace,
    )


def _confidence(seed: int, index: int) -> Outcome:
    from fuzz.confidences import run_confidence
    from fuzz.invariants.confidences import broken

    run = run_confidence(seed, index)
    ended = "refused" if run.model is None else "resampled"
    text, took = str(run.told), run.seconds
    return Outcome("confidence", seed, index, ended, broken(run), text, took, run.trace)


def _file(seed: int, index: int) -> Outcome:
    from fuzz.commands import run_command

    return run_command(seed, index)


def _kill(seed: int, index: int) -> Outcome:
    from fuzz.kills import run_kill

    return run_kill(seed, index)


KINDS: dict[str, Kind] = {
    "fits": Kind(_fit, 20_000, 75.0),
    "confidence": Kind(_confidence, 1_000, 120.0),
    "files": Kind(_file, 2_000, 45.0),
    "kills": Kind(_kill, 200, 240.0),
}
