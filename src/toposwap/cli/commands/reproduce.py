"""``toposwap reproduce``: run an experiment's cells, and draw its figure and table."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.cli.terminal.show import say, show, tell
from toposwap.core.errors import InputError
from toposwap.core.printable import printable
from toposwap.core.runtime.signals import exit_code

if TYPE_CHECKING:
    from toposwap.experiments.config import Experiment
    from toposwap.experiments.execution.run import Progress, Workers
    from toposwap.experiments.store import Store

_EPILOG = """\b
Examples:
  toposwap reproduce --list
  toposwap reproduce linear-ev --quick
  toposwap reproduce linear-ev --jobs 2          all seeds; Ctrl-C and run again to go on
  toposwap reproduce figures-er --dask tcp://host:8786
  toposwap reproduce --results RESULTS.md        the tables of everything that is finished
  toposwap reproduce path/to/mine.toml           an experiment of your own

docs/experiments.md says what such a file holds: data, methods and scores of the package, of your
own modules, and tables in CSV files.
"""


@click.command(epilog=_EPILOG, short_help="Run an experiment of the paper.")
@click.argument("name", required=False)
@click.option("--list", "listing", is_flag=True, help="List all experiments.")
@click.option("--quick", is_flag=True, help="About a minute: fewer seeds, sizes and methods.")
@click.option("--seeds", type=click.IntRange(min=1), metavar="N", help="Seeds 0 to N - 1.")
@click.option(
    "--methods", metavar="A,B,...", help="Only these methods, by the names of the experiment."
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Cells side by side, each in a process with one thread.",
)
@click.option("--dask", metavar="ADDRESS", help="Run cells on the cluster of this scheduler.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reproduce-output"),
    show_default=True,
    help="Directory for results; finished cells in it are not run again.",
)
@click.option(
    "--fresh", is_flag=True, help="Run cells again that another version of the code finished."
)
# The default; scripts that say so keep working.
@click.option("--any-version", is_flag=True, hidden=True, expose_value=False)
@click.option("--retry", is_flag=True, help="Run cells again that failed.")
@click.option(
    "--results",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the tables of all experiments in --output to this file, and run nothing; rows of "
    "methods without cells there, or that --methods does not name, stay as they are.",
)
def reproduce(
    name: str | None,
    listing: bool,
    quick: bool,
    seeds: int | None,
    methods: str | None,
    jobs: int,
    dask: str | None,
    output: Path,
    fresh: bool,
    retry: bool,
    results: Path | None,
) -> int:
    """Run the experiment NAME of the paper, or one in a .toml file, or go on with it.

    Writes NAME.csv (every cell), NAME.md (mean and standard error beside the paper's figure) and
    plots. Cells that are finished survive whatever happens and are not run again.
    """
    if listing:
        return _list()
    if results is not None:
        from toposwap.experiments.output.results import write_results

        chosen = None if methods is None else [label.strip() for label in methods.split(",")]
        count = write_results(results, output, chosen)
        say(f"wrote {results}: {count} experiments")
        return 0
    if name is None:
        raise InputError("NAME: which experiment? toposwap reproduce --list names them")
    from toposwap.experiments import load_experiment
    from toposwap.experiments.store import Store

    experiment = load_experiment(name)
    if quick:
        experiment = experiment.quick()
    if seeds is not None:
        experiment = replace(experiment, seeds=seeds)
    if methods is not None:
        experiment = _only(experiment, [label.strip() for label in methods.split(",")])
    with Store(output) as store:
        state = _run(experiment, store, jobs, dask, fresh=fresh, retry=retry)
        return _deliver(experiment, store, state, fresh=fresh)


def _list() -> int:
    from rich import box
    from rich.table import Table

    from toposwap.experiments import experiment_names, load_experiment

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("what")
    table.add_column("cells", justify="right")
    table.add_column("2 cores", justify="right", no_wrap=True)
    for name in experiment_names():
        experiment = load_experiment(name)
        count = experiment.seeds * len(experiment.data) * len(experiment.methods)
        table.add_row(name, experiment.caption, str(count), _duration(60.0 * experiment.minutes))
    show(table)
    say("\nWith --quick each takes about a minute.")
    return 0


def _only(experiment: Experiment, labels: list[str]) -> Experiment:
    known = list(dict.fromkeys(method.label for method in experiment.methods))
    for label in labels:
        if label not in known:
            raise InputError(f"--methods: {label!r} is not one of {', '.join(known)}")
    kept = tuple(method for method in experiment.methods if method.label in labels)
    return replace(experiment, methods=kept)


def _run(
    experiment: Experiment,
    store: Store,
    jobs: int,
    dask: str | None,
    *,
    fresh: bool,
    retry: bool,
) -> Progress:
    from toposwap.experiments.execution.run import run

    def workers() -> Workers:
        if dask is not None:
            from toposwap.experiments.execution.cluster import Cluster

            return Cluster(dask)
        from toposwap.experiments.execution.pool import Pool

        return Pool(jobs, experiment.limit)

    with Bar(experiment.name) as bar:
        return run(experiment, store, workers, fresh=fresh, retry=retry, progress=bar)


def _deliver(experiment: Experiment, store: Store, state: Progress, *, fresh: bool) -> int:
    from toposwap.experiments.cell import code_version
    from toposwap.experiments.output.files import write_outputs

    def note(text: str) -> None:
        tell(f"note: {text}")

    for method, why in state.skipped.items():
        note(f"{method} is skipped: {why}")
    if state.older:
        count, versions = sum(state.older.values()), ", ".join(state.older)
        note(f"{count} of the cells are of other versions ({versions}); --fresh runs them again")
    version = code_version() if fresh else None
    paths = write_outputs(experiment, store, version, note) if state.done else []
    if paths:
        text = next(path for path in paths if path.suffix == ".md").read_text(encoding="utf-8")
        say(text)
    for path in paths:
        say(f"wrote {path}")
    failed = f", {state.failed} of them failed" if state.failed else ""
    say(f"{state.done} of {state.total} cells are finished{failed}")
    if state.interrupted:
        tell("interrupted: finished cells are kept; the same command goes on")
        return exit_code()
    return 0


class Bar:
    """A progress bar with the time left, on a terminal only."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Bar:
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
            from rich.progress import Progress as RichProgress

            self._bar = RichProgress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[note]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(printable(self._name), total=None, note="")
            self._bar.start()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, state: Progress) -> None:
        """Show how far the run is."""
        if self._bar is not None:
            self._bar.update(
                self._task, total=state.total, completed=state.done, note=note_of(state)
            )


def note_of(state: Progress) -> str:
    """Time left and failures, in words."""
    left = "" if state.seconds_left is None else f"about {_duration(state.seconds_left)} left"
    failed = f", {state.failed} failed" if state.failed else ""
    return left + failed


def _duration(seconds: float) -> str:
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    if seconds < 6000.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds / 3600.0:.1f} h"
