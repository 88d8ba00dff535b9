"""One page with the tables of all experiments that have been run.

Whatever stands between ``<!-- notes NAME -->`` and ``<!-- end -->`` was written by a person, and is
kept when the page is made again. So are sections of experiments and rows of methods that have no
cells in the store, because they were run elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from toposwap.core.errors import InputError
from toposwap.experiments.config import experiment_names, load_experiment
from toposwap.experiments.output.frame import cell_frame
from toposwap.experiments.output.kept_rows import kept_counts, kept_versions, with_kept_rows
from toposwap.experiments.output.table import markdown
from toposwap.experiments.store import Store
from toposwap.io.atomic import write_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from toposwap.experiments.config import Experiment

_NOTES = re.compile(r"<!-- notes (\S+) -->\n(.*?)<!-- end -->", re.DOTALL)
_SECTIONS = re.compile(r"^## (\S+): .*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_HEAD = """# Results

Made by `toposwap reproduce --results` from the cells of `toposwap reproduce NAME`. Mean ± standard
error over the seeds, the paper's figure in brackets. Score, SHD, certificate and times are measured
from the weights each method returned: *score* is Q at these weights (without their weakest edges,
should they have cycles), *score of its order* is Q at the best parameters for their order, SHD is
counted after the threshold, or after a rule of pruning where a method has one, KKT is the share of
runs whose weights, before pruning, satisfy the conditions, and seconds are those of one core, with
the method that was started from. *Loss* is the part of the score that is not penalty; *loss of the
graph* the same after pruning by a rule that fits what it keeps again.
"""


def write_results(path: Path, folder: Path, methods: Sequence[str] | None = None) -> int:
    """Write the page from the store in ``folder``; the number of experiments from there.

    The latest cell counts, whichever version of the code made it; the versions are listed. With
    ``methods`` only their rows are made from the store.
    """
    store = Store(folder).read()
    if not len(store):
        raise InputError(f"{str(folder)!r} holds no finished cells: run toposwap reproduce NAME")
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    kept = dict(_NOTES.findall(page))
    sections = {found[1]: found[0] for found in _SECTIONS.finditer(page)}
    parts = [_HEAD, _notes("all", kept)]
    count = 0
    for name in experiment_names():
        experiment = load_experiment(name)
        cells = cell_frame(experiment, store, None)
        if methods is not None and len(cells):
            cells = cells[cells["method"].isin(methods)]
        if len(cells):
            parts.append(_section(experiment, cells, kept, sections.get(name, "")))
            count += 1
        elif name in sections:
            parts.append(sections[name].rstrip("\n") + "\n")
    write_text(path, "\n".join(parts))
    return count


def _section(experiment: Experiment, cells: pd.DataFrame, kept: dict[str, str], before: str) -> str:
    """The section as its cells have it, with rows of ``before`` for methods that have none."""
    labels, fresh = [method.label for method in experiment.methods], set(cells["method"])
    labels = list(dict.fromkeys(labels))
    before = before.partition("<!-- notes")[0]
    seeds = cells.groupby("method", sort=False)["seed"].nunique()
    fewer = [f"{method} {n}" for method, n in seeds.items() if n < experiment.seeds]
    fewer += kept_counts(before, labels, fresh)
    about = f"{experiment.source}. `toposwap reproduce {experiment.name}`, {experiment.seeds} seeds"
    if fewer:
        about += f" (fewer: {', '.join(fewer)})"
    earlier = [] if fresh == set(labels) else kept_versions(before)
    versions = ", ".join(dict.fromkeys([*earlier, *cells["version"]]))
    # Only what was run: a method without cells would be rows of dashes.
    run = tuple(method for method in experiment.methods if method.label in fresh)
    table = markdown(replace(experiment, methods=run), cells)
    table = with_kept_rows(table, before, experiment.tables, labels, fresh)
    return (
        f"## {experiment.name}: {experiment.caption}\n\n{about}; code {versions}.\n\n{table}\n"
        + _notes(experiment.name, kept)
    )


def _notes(name: str, kept: dict[str, str]) -> str:
    return f"<!-- notes {name} -->\n{kept.get(name, '')}<!-- end -->\n"
