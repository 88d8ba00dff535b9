"""What must hold of every fit.

It is refused in a clear sentence, or gives a result that is finite, acyclic, consistent, confirmed
by an independent evaluation and certified (or says why not), in time, in silence, without changing
its input, and the same when it is run again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import fuzz.invariants.questions  # noqa: F401 - registers what it asks
from fuzz.invariants.models import OF_MODELS
from fuzz.invariants.runs import OF_RUNS

if TYPE_CHECKING:
    from fuzz.fits import FitRun


def broken(run: FitRun) -> list[tuple[str, str]]:
    """The invariants that ``run`` breaks, each with what is wrong."""
    checks = dict(OF_RUNS)
    if run.model is not None:
        checks |= OF_MODELS
    found = []
    for name, check in checks.items():
        try:
            found += [(name, told) for told in check(run)]
        except Exception as error:
            found.append((name, f"{type(error).__name__}: {error}"))
    return found
