"""One run of the command line in this process: a command, its options, and files to work on."""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fuzz.capture import Heard, listening
from fuzz.draws import Draw, weights_of
from fuzz.files import draw_file_table, write_graph, write_table
from fuzz.outcome import Outcome
from toposwap.acyclicity import ACYCLICITIES
from toposwap.baselines import BASELINES
from toposwap.cli.app import app
from toposwap.cli.run import run
from toposwap.core.kinds import KINDS
from toposwap.losses import LOSSES
from toposwap.penalties import PENALTIES
from toposwap.scores import SCORES
from toposwap.search import SEARCHES
from toposwap.search.start import INITS

if TYPE_CHECKING:
    from fuzz.tables import Table

#: How often each command is drawn; a new one as often as these on average.
_COMMANDS = {
    "fit": 50.0, "effect": 5.0, "check": 14.0, "refine": 14.0, "compare": 10.0, "simulate": 6.0,
    "demo": 0.5, "reproduce": 1.5, "confidence": 4.0,
}  # fmt: skip
_SCORES = dict.fromkeys(SCORES, 1.0) | {"auto": 8.0, "bic": 4.0, "least-squares": 4.0, "mlp": 0.02}


@dataclass(eq=False)
class CommandRun:
    """A command and what became of it.

    Attributes
    ----------
    arguments, folder, table
        What was run, where, and the table behind its first file if there is one.
    inputs
        The files that it was given, with their contents.
    outputs
        The files that it was asked to write.
    code, trace
        Its exit code, or where an exception left it.
    heard
        What it wrote to the terminal.
    left
        All files there are afterwards.
    """

    arguments: list[str]
    folder: Path
    table: Table
    inputs: dict[Path, bytes] = field(default_factory=dict)
    outputs: list[Path] = field(default_factory=list)
    code: int | None = None
    trace: str = ""
    heard: Heard = field(default_factory=Heard)
    left: set[Path] = field(default_factory=set)


def run_command(seed: int, index: int) -> Outcome:
    """Run the case in a folder of its own."""
    from fuzz.invariants.commands import broken

    draw = Draw("files", seed, index)
    folder = Path(tempfile.mkdtemp(prefix="toposwap-fuzz-"))
    here = Path.cwd()
    try:
        os.chdir(folder)
        made = draw_command(draw, folder)
        _run(made)
        found = broken(made)
    finally:
        os.chdir(here)
        shutil.rmtree(folder, ignore_errors=True)
    ended = {0: "done", 1: "not satisfied", 2: "refused"}.get(made.code or 0, "odd exit code")
    text = f"toposwap {made.arguments!r}, on {made.table}"
    told = "\n".join((made.trace, made.heard.err[-2000:])).strip()
    return Outcome("files", seed, index, ended, found, text, made.heard.seconds, told)


def draw_command(draw: Draw, folder: Path) -> CommandRun:
    """Draw a command, write its files, and choose its options."""
    table = draw_file_table(draw)
    name = draw.weighed(weights_of(app.commands, _COMMANDS))
    made = CommandRun([name], folder, table)
    for parameter in app.commands[name].params:
        given = _arguments(draw, made, parameter)
        made.arguments += given
    made.inputs = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    return made


def _arguments(draw: Draw, made: CommandRun, parameter: click.Parameter) -> list[str]:
    """What stands on the command line for ``parameter``."""
    generator, probability = OPTIONS.get(str(parameter.name), (None, 0.0))
    if isinstance(parameter, click.Argument):
        return [] if generator is None else [str(generator(draw, made))]
    if not (parameter.required or draw.chance(probability)):
        return []
    option = max(parameter.opts, key=len)
    if getattr(parameter, "is_flag", False):
        return [option]
    if draw.chance(0.01):
        return [
            option,
            draw.among(["", "-1", "nan", "inf", "1e999", "x", "\x1b[31m", "a\nb", "9" * 50]),
        ]
    return [] if generator is None else [option, str(generator(draw, made))]


def _run(made: CommandRun) -> None:
    with listening() as made.heard:
        try:
            made.code = run(made.arguments)
        except SystemExit as stop:
            made.code = stop.code if isinstance(stop.code, int) else 1
        except BaseException:
            made.trace = traceback.format_exc()
    made.left = set(made.folder.rglob("*"))


def _table(draw: Draw, made: CommandRun) -> Path:
    return write_table(draw, made.folder, made.table)


def _graph(draw: Draw, made: CommandRun) -> Path:
    return write_graph(draw, made.folder, made.table.names)


def _output(draw: Draw, made: CommandRun) -> Path:
    if made.arguments[0] in ("demo", "reproduce"):
        return Path("folder")
    endings = [".csv", ".json", ".gml", ".dot", ".weights.csv"]
    if made.arguments[0] == "simulate":
        endings = [".csv", ".tsv", ".csv.gz", ".parquet"]
    return _to_be_written(draw, made, endings)


def _to_be_written(draw: Draw, made: CommandRun, endings: list[str]) -> Path:
    if draw.chance(0.03):
        return Path(
            draw.among(["/no/such/folder/x.csv", str(made.folder), "x.odd", "/dev/full.csv"])
        )
    path = made.folder / f"out{len(made.outputs)}{draw.among(endings)}"
    made.outputs.append(path)
    return path


def _score(draw: Draw, _made: CommandRun) -> str:
    if draw.chance(0.3):
        return f"{draw.among(list(LOSSES))}-{draw.among(list(PENALTIES))}"
    return draw.weighed(_SCORES)


def _init(draw: Draw, made: CommandRun) -> str:
    if draw.chance(0.4):
        return str(_graph(draw, made))
    return draw.among([*INITS, *INITS, *INITS, *list(BASELINES)[:1]])


def _some_names(draw: Draw, made: CommandRun) -> str:
    chosen = draw.some(made.table.names, 0.7) or ["x0"]
    return ",".join(f'"{name}"' for name in chosen)


def _kind(draw: Draw, made: CommandRun) -> str:
    return f"{draw.among([*made.table.names, 'x*', '*'])}={draw.among([*KINDS, 'odd'])}"


def _one_name(draw: Draw, made: CommandRun) -> str:
    return f'"{draw.among(made.table.names)}"'


def _edge(draw: Draw, made: CommandRun) -> str:
    return f"{_one_name(draw, made)} -> {_one_name(draw, made)}"


def _tiers(draw: Draw, made: CommandRun) -> str:
    return f"{_one_name(draw, made)} < {draw.among(['*', _one_name(draw, made), ''])}"


def _knowledge_file(draw: Draw, made: CommandRun) -> Path:
    kind = draw.among(["txt", "json", "csv", "none"])
    path = made.folder / f"knowledge.{kind}"
    names = [str(name) for name in made.table.names]
    first, second = draw.among(names), draw.among(names)
    if kind == "txt":
        end = draw.among(["\n", "\r\n"])
        tiers = f'1* "{first}"{end}2 {second}{end}3 '
        text = f"/knowledge{end}addtemporal{end}{tiers}{end}forbiddirect{end}"
        path.write_text(text, "utf-8", "surrogatepass")
    elif kind == "json":
        path.write_text(json.dumps({"required": [[first, second]]}), "utf-8")
    elif kind == "csv":
        rows = [["cause", "effect", "kind"], [first, second, draw.among(["allowed", "required"])]]
        with path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            csv.writer(file).writerows(rows)
    return path


def _indicator(draw: Draw, made: CommandRun) -> str:
    return draw.among(["{}={}", "{}={};{}", "{}", "={}"]).format(
        *(_one_name(draw, made) for _ in range(3))
    )


def _number(draw: Draw, _made: CommandRun) -> Any:
    return draw.among([0, 0.1, 1, 2.5, 1e-9, 1e9])


def _whole(draw: Draw, _made: CommandRun) -> int:
    return draw.among([0, 1, 2, 5, 50])


def _chosen(*options: Any) -> Callable[[Draw, CommandRun], Any]:
    return lambda draw, _made: draw.among(list(options))


def _nothing(_draw: Draw, _made: CommandRun) -> str:
    return ""


#: For each option and argument of any command how a value is drawn, and how often an option is.
OPTIONS: dict[str, tuple[Callable[[Draw, CommandRun], Any] | None, float]] = {
    "table": (_table, 1.0), "weights": (_graph, 1.0), "true": (_graph, 1.0),
    "tables": (_table, 1.0),
    "stream": (None, 0.05),
    "sample": (lambda draw, _made: draw.among([2, 10, 50, 10**6]), 0.05),
    "estimate": (_graph, 1.0), "name": (_chosen("nothing", "no.toml", "\x1b[31m"), 1.0),
    "output": (_output, 0.5),
    "plot": (lambda d, m: _to_be_written(d, m, [".svg", ".png", ".pdf"]), 0.06),
    "plot_edges": (_whole, 0.02), "plot_around": (_one_name, 0.02),
    "plot_cluster": (_one_name, 0.02), "plot_clusters": (_nothing, 0.02),
    "report": (lambda d, m: _to_be_written(d, m, [".html"]), 0.05),
    "truth": (lambda d, m: _to_be_written(d, m, [".csv", ".json", ".gml", ".dot"]), 0.5),
    "json": (_nothing, 0.25), "as_json": (_nothing, 0.25), "quiet": (_nothing, 0.1),
    "score": (_score, 0.6), "penalty": (_number, 0.08), "ridge": (_number, 0.02),
    "no_center": (_nothing, 0.05), "search": (lambda d, _m: d.among(list(SEARCHES)), 0.3),
    "acyclicity": (lambda d, _m: d.among(list(ACYCLICITIES)), 0.03), "s_small": (_whole, 0.01),
    "s_large": (_whole, 0.01), "s_0": (_whole, 0.01), "greedy": (_nothing, 0.01),
    "restarts": (_whole, 0.08), "time_budget": (_chosen(0, 0.1, 1), 0.08),
    "jobs": (_chosen(1, 2, -1), 0.03), "prune": (_chosen("auto", "bic", "none", 0, 0.2), 0.2),
    "seed": (_whole, 0.1), "max_iter": (_chosen(1, 3, 100), 0.05), "init": (_init, 0.15),
    "knowledge_file": (_knowledge_file, 0.08), "tiers": (_tiers, 0.06),
    "forbid": (_edge, 0.08), "require": (_edge, 0.08), "root": (_some_names, 0.02),
    "leaf": (_one_name, 0.04), "ancestor": (_edge, 0.04), "not_ancestor": (_edge, 0.04),
    "compare_without": (_nothing, 0.03),
    "columns": (_some_names, 0.08), "exclude": (_some_names, 0.04),
    "drop_missing": (_nothing, 0.05),
    "missing": (_chosen("drop", "em", "impute", "auto", "error"), 0.3),
    "cause": (lambda d, m: d.among(list(m.table.names)), 1.0),
    "effect": (lambda d, m: d.among(list(m.table.names)), 1.0), "graph_file": (_graph, 0.4),
    "low": (_number, 0.1), "high": (_number, 0.1), "per": (_chosen("unit", "sd", "x"), 0.1),
    "sep": (_chosen(",", ",", ";", "\t", "tab", "|", "", ",,"), 0.04),
    "decimal": (_chosen(",", "."), 0.04), "na": (_chosen("-999", "?", "1.5", ""), 0.04),
    "drop_unusable": (_nothing, 0.1), "row_weights": (_one_name, 0.03),
    "interventions": (_one_name, 0.03), "indicators": (_indicator, 0.04),
    "intervention_kind": (_chosen("perfect", "shift", "x"), 0.05),
    "targets": (_chosen(0, 1, 2, 99), 0.2), "rows_each": (_chosen(1, 20), 0.1),
    "kind": (_kind, 0.06), "categorical": (_some_names, 0.03),
    "tolerance": (_number, 0.2), "threshold": (_number, 0.2), "nodes": (_chosen(2, 3, 6), 0.9),
    "rows": (_chosen(2, 20, 100), 0.9),
    "graph": (_chosen("ER1", "ER2", "SF2", "full", "ER0", "ERx", "SF99"), 0.5),
    "noise": (_chosen("gauss-EV", "gauss-NV", "exponential", "gumbel", "uniform", "x"), 0.3),
    "mechanism": (_chosen("linear", "mlp", "mim", "gp", "gp-add", "logistic", "poisson", "x"), 0.5),
    "listing": (_nothing, 0.2), "quick": (_nothing, 0.1), "seeds": (_chosen(1, 2), 0.1),
    "methods": (_chosen("x", ""), 0.1), "dask": (None, 0.0), "fresh": (_nothing, 0.1),
    "retry": (_nothing, 0.1), "results": (lambda d, m: _to_be_written(d, m, [".md"]), 0.2),
    "any_version": (_nothing, 0.1),
    "resamples": (_chosen(1, 2, 5), 0.04), "method": (_chosen("half", "bayesian", "x"), 0.3),
    "groups": (_one_name, 0.1), "blocks": (_chosen(1, 3, 1000), 0.1),
    "store": (lambda d, m: _to_be_written(d, m, [".jsonl"]), 0.1),
    "save": (lambda d, m: _to_be_written(d, m, [".npz"]), 0.1),
    "data": (_table, 0.2),
    "checkpoint": (lambda draw, made: made.folder / draw.among(["kept", "no/kept"]), 0.03),
}  # fmt: skip
