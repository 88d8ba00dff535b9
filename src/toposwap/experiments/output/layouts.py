"""How a config asks for its tables and figures; the fields of these classes are what it may say."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Figures of a cell, in the order of the columns of its CSV file.
METRICS = (
    "score",
    "loss",
    "graph_loss",
    "order_score",
    "shd",
    "kkt",
    "residual",
    "acyclic",
    "edges",
    "true_edges",
    "f1",
    "seconds",
    "cpu_seconds",
    "total_seconds",
)


@dataclass(frozen=True)
class Table:
    """Rows x columns of mean ± standard error.

    Attributes
    ----------
    rows, columns
        Fields: "method", a setting, or "metric", which runs through ``metrics``.
    metrics
        What is shown, of :data:`METRICS`; only the first if "metric" is no field.
    title
        Above the table.
    where
        Only cells whose fields have one of these values.
    """

    rows: list[str]
    columns: list[str]
    metrics: list[str]
    title: str | None = None
    where: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Lines:
    """Each of ``metrics`` against ``x``, a line for each value of ``group``; panels by the rest."""

    x: str
    metrics: list[str]
    group: str = "method"
    rows: str | None = None
    columns: str | None = None
    where: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Bars:
    """Each of ``metrics`` for the values of ``x``, which are no numbers, side by side."""

    x: str
    metrics: list[str]
    where: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trace:
    """Score and SHD against iteration, a panel for each value of ``rows``."""

    rows: str = "d"


@dataclass(frozen=True)
class BeforeAfter:
    """A learner's figure and that of "refine LEARNER", a panel for each value of ``columns``."""

    columns: str
    metrics: list[str]
    where: dict[str, Any] = field(default_factory=dict)


#: What a config calls them.
FIGURES: dict[str, type] = {
    "lines": Lines,
    "bars": Bars,
    "trace": Trace,
    "before-after": BeforeAfter,
}
T = TypeVar("T")


def table_of(block: Mapping[str, Any]) -> Table:
    """The table that a block of the config describes."""
    return _made(Table, block, "tables")


def figure_of(block: Mapping[str, Any]) -> Any:
    """The figure that a block of the config describes, by its ``kind``."""
    given = dict(block)
    kind = given.pop("kind", None)
    if kind not in FIGURES:
        raise InputError(f"figures: kind = {kind!r} is not one of {', '.join(FIGURES)}")
    return _made(FIGURES[kind], given, f"figures, kind = {kind!r}")


def fields_used(layout: Any) -> list[str]:
    """The fields of cells that a layout speaks of."""
    used = list(getattr(layout, "where", ()))
    for key in ("x", "group", "rows", "columns"):
        value = getattr(layout, key, None)
        used += [value] if isinstance(value, str) else (value or [])
    return used


def _made(kind: type[T], block: Mapping[str, Any], where: str) -> T:
    known: Any = fields(kind)  # type: ignore[arg-type]
    refuse_unknown(where, block, [one.name for one in known])
    for one in known:
        required = one.default is MISSING and one.default_factory is MISSING
        if required and one.name not in block:
            raise InputError(f"{where}: {one.name} is missing")
    refuse_unknown(f"{where}, metrics", block.get("metrics", ()), METRICS, "metric")
    return kind(**block)
