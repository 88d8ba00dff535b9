"""Experiments as files: data sets x methods x seeds, and how to show them.

``configs/tables/NAME.toml`` and ``configs/figures/NAME.toml`` hold the experiments of the paper,
``paper/NAME.csv`` beside a config what the paper reports. In the settings of data and methods a
list stands for each of its values, so a whole grid is a few lines.
"""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.core.printable import printable
from toposwap.core.runtime.settings import parameters_of, refuse_unknown
from toposwap.experiments.cell import Cell, Settings, shown
from toposwap.experiments.output.layouts import Table, figure_of, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toposwap.experiments.scores import Spec

CONFIGS = Path(__file__).parent / "configs"
#: What ``[quick]`` may say besides which data sets are kept.
_QUICK = ("seeds", "limit", "methods", "settings")


@dataclass(frozen=True)
class Method:
    """A row of a table: its label and the settings of one learner."""

    label: str
    settings: Settings


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper.

    Attributes
    ----------
    name, caption, source
        What it is called here, what it shows, and where it is in the paper.
    score, threshold
        Those of :class:`~toposwap.experiments.cell.Cell`.
    seeds
        How many, from 0.
    minutes
        How long the whole takes on two cores, roughly, as measured.
    limit
        Seconds after which a cell is given up; None waits.
    data, methods
        All data sets and all methods.
    tables, figures
        How to show them; see :mod:`toposwap.experiments.output.layouts`.
    paper
        The paper's figures: fields to match, ``metric``, ``mean``, ``error``.
    quick_settings
        What :meth:`quick` changes.
    folder
        That of the config, where files and modules that it names are looked for.
    """

    name: str
    caption: str
    source: str
    score: Spec
    threshold: float
    seeds: int
    minutes: float
    limit: float | None
    data: tuple[Settings, ...]
    methods: tuple[Method, ...]
    tables: tuple[Table, ...]
    figures: tuple[Any, ...]
    paper: tuple[dict[str, str], ...] = ()
    quick_settings: Settings = field(default_factory=dict)
    folder: str = "."

    def cells(self) -> Iterator[tuple[Method, Cell]]:
        """All cells, seed by seed, so that a run that is cut short has a bit of everything."""
        for seed in range(self.seeds):
            for data in self.data:
                for method in self.methods:
                    cell = Cell(
                        data, method.settings, self.score, self.threshold, seed, self.folder
                    )
                    yield method, cell

    def field_names(self) -> list[str]:
        """What rows and columns of tables may be: settings of the data, then of the methods."""
        everything = [*self.data, *(method.settings for method in self.methods)]
        return list(dict.fromkeys(key for settings in everything for key in shown(settings)))

    def quick(self) -> Experiment:
        """A version that takes about a minute, as the config says."""
        rule = dict(self.quick_settings)
        labels = rule.pop("methods", None)
        changes: Settings = rule.pop("settings", {})
        seeds, limit = rule.pop("seeds", 2), rule.pop("limit", 20.0)
        data = [d for d in self.data if all(_kept(d.get(key), rule[key]) for key in rule)]
        if not data:
            raise InputError(f"{self.name}: [quick] leaves no data set")
        everything = {m.label: m.settings for m in self.methods}
        methods = [
            Method(m.label, _changed(m.settings, everything, changes, m.label))
            for m in self.methods
            if labels is None or m.label in labels
        ]
        return replace(
            self,
            seeds=seeds,
            limit=limit,
            data=tuple(data),
            methods=tuple(methods),
        )


def experiment_names() -> list[str]:
    """Every experiment, in the order of the paper."""
    return (CONFIGS / "ORDER").read_text(encoding="utf-8").split()


def load_experiment(name: str) -> Experiment:
    """Read an experiment of the paper by name, or any file of that form by its path.

    What the file says of itself is checked here; whether its data, methods and scores take their
    settings, which needs these to be imported, by
    :func:`~toposwap.experiments.check.check_experiment`, before anything is run.
    """
    inside = {path.stem: path for path in CONFIGS.glob("*/*.toml")}
    path = Path(name) if name.endswith(".toml") else inside.get(name)
    if path is None or not path.is_file():
        raise InputError(
            f"no experiment is called {name!r}: use one of {', '.join(experiment_names())}, or the "
            "path of a .toml file"
        )
    try:
        with path.open("rb") as stream:
            content = tomllib.load(stream)
        _refuse_unprintable(content)
        known = parameters_of(_experiment)
        del known["path"]
        refuse_unknown("top level", content, known)
        for key, parameter in known.items():
            if parameter.default is parameter.empty and key not in content:
                raise InputError(f"{key!r} is missing")
        return _experiment(path, **content)
    except RecursionError:
        raise InputError(f"{str(path)!r} is no experiment: it is nested too deeply") from None
    except (tomllib.TOMLDecodeError, InputError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{str(path)!r} is no experiment: {error}") from error


def _refuse_unprintable(content: Any) -> None:
    """Words of a config are drawn and printed: pictures and tables have no way to show these."""
    if isinstance(content, str):
        if printable(content, keep="\n") != content:
            raise InputError(f"{content!r} has characters that cannot be shown: remove them")
    elif isinstance(content, dict | list):
        for part in (*content, *content.values()) if isinstance(content, dict) else content:
            _refuse_unprintable(part)


def _experiment(
    path: Path,
    *,
    data: Settings | list[Settings],
    methods: dict[str, Settings],
    caption: str | None = None,
    source: str = "",
    score: Spec = "least-squares",
    threshold: float = 0.3,
    seeds: int = 10,
    minutes: float = 0.0,
    limit: float | None = None,
    tables: Sequence[Settings] = (),
    figures: Sequence[Settings] = (),
    quick: Settings | None = None,
) -> Experiment:
    """The experiment in ``path``; the other parameters are the top level of a config."""
    blocks = data if isinstance(data, list) else [data]
    drawn = tuple(settings for block in blocks for settings in _grid(block))
    learners = [
        Method(label, settings)
        for label, block in methods.items()
        for settings in _grid({k: v for k, v in block.items() if k != "start"})
        for settings in _with_start(methods, block, settings)
    ]
    _check_quick(quick or {}, drawn, methods)
    return Experiment(
        name=path.stem,
        caption=path.stem if caption is None else caption,
        source=source,
        score=score,
        threshold=float(threshold),
        seeds=int(seeds),
        minutes=float(minutes),
        limit=None if limit is None else float(limit),
        data=drawn,
        methods=tuple(learners),
        tables=tuple(map(table_of, tables)) or (_plain_table(drawn),),
        figures=tuple(map(figure_of, figures)),
        paper=tuple(_paper(path.parent / "paper" / f"{path.stem}.csv")),
        quick_settings=quick or {},
        folder=str(path.parent),
    )


def _check_quick(quick: Settings, data: Sequence[Settings], labels: Iterable[str]) -> None:
    """Refuse what ``[quick]`` says of fields and methods that there are not."""
    in_data = [key for settings in data for key in settings]
    refuse_unknown("quick", quick, [*_QUICK, *in_data])
    refuse_unknown("quick, methods", quick.get("methods", ()), labels, "method")
    refuse_unknown("quick, settings", quick.get("settings", ()), labels, "method")


def _plain_table(data: Sequence[Settings]) -> Table:
    """Every method on every data set, for a config that asks for no table."""
    keys = dict.fromkeys(
        key for settings in data for key in settings if key not in ("kind", "truth")
    )
    differ = [key for key in keys if len({str(settings.get(key)) for settings in data}) > 1]
    return Table([*differ, "method"], ["metric"], ["score", "kkt", "shd", "edges", "seconds"])


def _grid(block: Mapping[str, Any]) -> list[Settings]:
    """Every combination of the values of lists."""
    choices = [value if isinstance(value, list) else [value] for value in block.values()]
    return [dict(zip(block, values, strict=True)) for values in product(*choices)]


def _with_start(
    methods: Mapping[str, Any], block: Mapping[str, Any], settings: Settings
) -> Iterator[Settings]:
    """The method this one starts from, written out: the key of a cell holds all of it."""
    label = block.get("start")
    if label is None:
        yield settings
        return
    if label not in methods:
        raise InputError(f"start = {label!r} is none of its methods ({', '.join(methods)})")
    for start in _grid({k: v for k, v in methods[label].items() if k != "start"}):
        for whole in _with_start(methods, methods[label], start):
            yield {**settings, "start": whole}


def _changed(
    settings: Settings, everything: Mapping[str, Settings], changes: Settings, label: str
) -> Settings:
    """``settings`` with the changes for its label, and the same in what it starts from."""
    changed = {**settings, **changes.get(label, {})}
    if "start" in settings:
        for other, whole in everything.items():
            if whole == settings["start"]:
                changed["start"] = _changed(whole, everything, changes, other)
    return changed


def _kept(value: Any, wanted: Any) -> bool:
    return value in wanted if isinstance(wanted, list) else value == wanted


def _paper(path: Path) -> Sequence[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(line for line in stream if not line.startswith("#")))
