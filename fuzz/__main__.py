"""``python -m fuzz run`` runs a campaign, ``python -m fuzz replay KIND SEED:INDEX`` one case."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.campaign import mixture, run
from fuzz.kinds import KINDS

if TYPE_CHECKING:
    from fuzz.outcome import Outcome

#: Failures of one cause that are shown; the rest are counted.
_SHOWN = 3


def main() -> int:
    """Exit code 0 if no invariant was broken."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    campaign = commands.add_parser("run", help="run a campaign")
    campaign.add_argument("--minutes", type=float, help="begin nothing after so many minutes")
    campaign.add_argument("--cases", type=int, help="run so many cases")
    campaign.add_argument("--seed", type=int, default=0)
    campaign.add_argument("--first", type=int, default=0, help="the index of the first cases")
    campaign.add_argument("--kinds", default=",".join(KINDS), help="of " + ", ".join(KINDS))
    campaign.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    campaign.add_argument("--failures", type=Path, help="write failures to this file, JSON a line")
    replay = commands.add_parser("replay", help="run one case")
    replay.add_argument("kind", choices=list(KINDS))
    replay.add_argument("case", metavar="SEED:INDEX")
    given = parser.parse_args()
    return _replay(given) if given.command == "replay" else _campaign(given)


def _campaign(given: argparse.Namespace) -> int:
    if given.minutes is None and given.cases is None:
        given.minutes = 10.0
    cases = mixture(given.seed, given.kinds.split(","), given.first)
    tally = run(
        islice(cases, given.cases),
        jobs=given.jobs,
        seconds=None if given.minutes is None else 60.0 * given.minutes,
        report=lambda outcome: _note(outcome, given.failures),
    )
    print(tally)
    shown: dict[tuple[str, str], int] = {}
    for failure in tally.failures:
        name, told = failure.broken[0]
        cause = (name, told[:40])
        shown[cause] = shown.get(cause, 0) + 1
        if shown[cause] <= _SHOWN:
            print(f"\n{name}: {told[:300]}\n  {failure.text[:300]}\n  {failure.replay}")
    return 1 if tally.failures else 0


def _note(outcome: Outcome, file: Path | None) -> None:
    if outcome.broken and file is not None:
        with file.open("a") as sink:
            print(json.dumps(asdict(outcome)), file=sink)


def _replay(given: argparse.Namespace) -> int:
    seed, index = map(int, given.case.split(":"))
    outcome = KINDS[given.kind].run(seed, index)
    print(outcome.text)
    print(f"{outcome.ended} in {outcome.seconds:.3f} s")
    if outcome.trace:
        print(outcome.trace)
    for name, told in outcome.broken:
        print(f"BROKEN {name}: {told}")
    return 1 if outcome.broken else 0


if __name__ == "__main__":
    sys.exit(main())
