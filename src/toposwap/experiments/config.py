"""Experiments as files: data sets x methods x seeds, and how to show them.

``configs/NAME.toml`` holds an experiment, ``configs/NAME.paper.csv`` what the paper reports. In the
settings of data and methods a list stands for each of its values, so a whole grid is a few lines.
"""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.experiments.cell import Cell, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toposwap.experiments.scores import Spec

CONFIGS = Path(__file__).parent / "configs"


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
        How to show them; see :mod:`toposwap.experiments.output.table` and
        :mod:`toposwap.experiments.output.figure`.
    paper
        The paper's figures: fields to match, ``metric``, ``mean``, ``error``.
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
    tables: tuple[Settings, ...]
    figures: tuple[Settings, ...]
    paper: tuple[dict[str, str], ...] = ()
    quick_settings: Settings = field(default_factory=dict)

    def cells(self) -> Iterator[tuple[Method, Cell]]:
        """All cells, seed by seed, so that a run that is cut short has a bit of everything."""
        for seed in range(self.seeds):
            for data in self.data:
                for method in self.methods:
                    yield (
                        method,
                        Cell(data, method.settings, self.score, self.threshold, seed),
                    )

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
    return [line for line in (CONFIGS / "ORDER").read_text(encoding="utf-8").split() if line]


def load_experiment(name: str, folder: Path = CONFIGS) -> Experiment:
    """Read an experiment by name, or any file of that form by its path."""
    path = Path(name) if name.endswith(".toml") else folder / f"{name}.toml"
    if not path.is_file():
        raise InputError(
            f"no experiment is called {name!r}: use one of {', '.join(experiment_names())}, or the "
            "path of a .toml file"
        )
    try:
        with path.open("rb") as stream:
            content = tomllib.load(stream)
        return _experiment(path, content)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{str(path)!r} is no experiment: {reason}") from error


def _experiment(path: Path, content: Mapping[str, Any]) -> Experiment:
    data = content["data"]
    blocks = data if isinstance(data, list) else [data]
    methods = [
        Method(label, settings)
        for label, block in content["methods"].items()
        for settings in _grid({k: v for k, v in block.items() if k != "start"})
        for settings in _with_start(path, content["methods"], block, settings)
    ]
    limit = content.get("limit")
    return Experiment(
        name=path.stem,
        caption=content["caption"],
        source=content["source"],
        score=content.get("score", "least-squares"),
        threshold=float(content.get("threshold", 0.3)),
        seeds=int(content.get("seeds", 10)),
        minutes=float(content["minutes"]),
        limit=None if limit is None else float(limit),
        data=tuple(settings for block in blocks for settings in _grid(block)),
        methods=tuple(methods),
        tables=tuple(content.get("tables", [])),
        figures=tuple(content.get("figures", [])),
        paper=tuple(_paper(path.with_suffix(".paper.csv"))),
        quick_settings=content.get("quick", {}),
    )


def _grid(block: Mapping[str, Any]) -> list[Settings]:
    """Every combination of the values of lists."""
    choices = [value if isinstance(value, list) else [value] for value in block.values()]
    return [dict(zip(block, values, strict=True)) for values in product(*choices)]


def _with_start(
    path: Path, methods: Mapping[str, Any], block: Mapping[str, Any], settings: Settings
) -> Iterator[Settings]:
    """The method this one starts from, written out: the key of a cell holds all of it."""
    label = block.get("start")
    if label is None:
        yield settings
        return
    if label not in methods:
        raise InputError(f"{str(path)!r}: start = {label!r} is none of its methods")
    for start in _grid({k: v for k, v in methods[label].items() if k != "start"}):
        for whole in _with_start(path, methods, methods[label], start):
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
