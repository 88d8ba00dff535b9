"""Options about what is known of the graph, and the knowledge they describe."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toposwap.knowledge import Knowledge


@dataclass(frozen=True)
class Knowing:
    """A file and short forms; together they are what is known."""

    file: Path | None = None
    tiers: str | None = None
    forbid: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    root: tuple[str, ...] = ()
    leaf: tuple[str, ...] = ()
    ancestor: tuple[str, ...] = ()
    not_ancestor: tuple[str, ...] = ()
    compare_without: bool = False

    def knowledge(self) -> Knowledge | None:
        """All that the options say, None if they say nothing; columns are not looked at yet."""
        from toposwap.knowledge import Knowledge
        from toposwap.knowledge.short_forms import columns_in, edges_in, tiers_in

        def said(option: str, texts: Sequence[str], understand: Callable[[str], Any]) -> list[Any]:
            try:
                return [part for text in texts for part in understand(text)]
            except InputError as error:
                raise InputError(f"{option}: {error}") from None

        short = Knowledge(
            tiers=said("--tiers", [] if self.tiers is None else [self.tiers], tiers_in),
            forbidden=said("--forbid", self.forbid, edges_in),
            required=said("--require", self.require, edges_in),
            roots=said("--root", self.root, columns_in),
            leaves=said("--leaf", self.leaf, columns_in),
            ancestors=said("--ancestor", self.ancestor, edges_in),
            not_ancestors=said("--not-ancestor", self.not_ancestor, edges_in),
        )
        known = short if self.file is None else Knowledge.read(self.file).and_also(short)
        if self.compare_without and not known:
            raise InputError("--compare-without: nothing is known that could be left out")
        return known or None

    def about(self, names: Sequence[str], left_out: Sequence[str]) -> Knowledge | None:
        """The same about these columns; what it says about others that are left out is dropped."""
        known = self.knowledge()
        return known.among(names, left_out) if known is not None and left_out else known


def knowledge_options(
    command: Callable[..., Any] | None = None, *, compare: bool = True
) -> Callable[..., Any]:
    """Add the options, and hand them to ``command`` as ``knowing``."""
    if command is None:
        return lambda command: knowledge_options(command, compare=compare)

    several: dict[str, Any] = {"multiple": True, "metavar": "TEXT"}

    @click.option(
        "--knowledge",
        "knowledge_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="What is known of the graph: Tetrad's text format, .json, or .csv with the columns "
        "cause, effect and kind (allowed, required or forbidden).",
    )
    @click.option(
        "--tiers",
        metavar="TEXT",
        help='Groups from early to late, "age, sex < income, rent < *": no edge points back.',
    )
    @click.option("--forbid", **several, help='Edges that are not there: "a -> b, c* -> d".')
    @click.option("--require", **several, help='Edges that are there: "a -> b".')
    @click.option("--root", **several, help="Columns without causes.")
    @click.option("--leaf", **several, help="Columns without effects.")
    @click.option("--ancestor", **several, help='Pairs joined by a directed path: "a -> b".')
    @click.option("--not-ancestor", **several, help='Pairs that no path leads along: "a -> b".')
    @wraps(command)
    def with_knowing(
        *args: Any,
        knowledge_file: Path | None,
        tiers: str | None,
        forbid: tuple[str, ...],
        require: tuple[str, ...],
        root: tuple[str, ...],
        leaf: tuple[str, ...],
        ancestor: tuple[str, ...],
        not_ancestor: tuple[str, ...],
        compare_without: bool = False,
        **others: Any,
    ) -> Any:
        knowing = Knowing(
            knowledge_file,
            tiers,
            forbid,
            require,
            root,
            leaf,
            ancestor,
            not_ancestor,
            compare_without,
        )
        return command(*args, knowing=knowing, **others)

    if not compare:
        return with_knowing
    return click.option(
        "--compare-without",
        is_flag=True,
        help="Also fit without what is known, and say what it costs.",
    )(with_knowing)
