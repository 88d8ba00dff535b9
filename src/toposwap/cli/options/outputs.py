"""Options about where results go, and the writing of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.core.errors import InputError, ToposwapWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toposwap.estimators import Topo
    from toposwap.report.graph import Doubt

#: How a formula begins in a cell of a spreadsheet.
_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True)
class Outputs:
    """The files to write, and how much to print."""

    graphs: tuple[Path, ...]
    plot: Path | None
    json: bool = False
    quiet: bool = False

    def check(self, inputs: Iterable[Path]) -> None:
        """Refuse before the work what could not be written after it."""
        from toposwap.io import check_writable
        from toposwap.io.write_graph import graph_suffix

        for path in self.graphs:
            graph_suffix(path)
        if self.plot is not None:
            from toposwap.report.plot.graph import picture_suffix, require_matplotlib

            picture_suffix(self.plot)
            require_matplotlib("--plot")
        for path in self.paths:
            check_writable(path)
            for source in inputs:
                if path.exists() and source.exists() and path.samefile(source):
                    raise InputError(
                        f"{str(path)!r} is read and would be overwritten: choose another output"
                    )

    def write(self, model: Topo, rows: int, doubt: Doubt | None = None) -> None:
        """Write the learned graph to ``graphs`` and its picture to ``plot``, or nothing at all.

        ``rows`` is n, and ``doubt`` what resamples say of the edges.
        """
        from toposwap.io import together
        from toposwap.report.record import write_result

        if any(path.suffix.lower() == ".csv" for path in self.graphs):
            _warn_of_formulas(model.names_)
        with together():
            for path in self.graphs:
                write_result(path, model, rows, doubt)
            if self.plot is not None:
                from toposwap.report.plot.graph import draw_graph

                draw_graph(model, self.plot, doubt=doubt)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file that will be written: the graphs, then the picture."""
        return self.graphs if self.plot is None else (*self.graphs, self.plot)


def _warn_of_formulas(names: Iterable[str]) -> None:
    """Names are written as they are, so that every program finds them; a spreadsheet may not."""
    from toposwap.core.validation import listed

    formulas = [name for name in names if name.startswith(_FORMULA)]
    if formulas:
        warnings.warn(
            f"a spreadsheet takes {listed(formulas, 3)} in a .csv for "
            f"{'a formula' if len(formulas) == 1 else 'formulas'}: import those columns as text",
            ToposwapWarning,
            stacklevel=2,
        )


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, and hand them to ``command`` as ``outputs``."""

    @click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        multiple=True,
        help="Write the graph; may be repeated. The ending chooses the format: .csv (edges), .json "
        "(everything), .gml, .dot, .weights.csv (the matrix before pruning).",
    )
    @click.option(
        "--plot", type=click.Path(path_type=Path), help="Draw the graph: .png, .svg or .pdf."
    )
    @click.option("--json", is_flag=True, help="Print the whole result as JSON and nothing else.")
    @click.option("-q", "--quiet", is_flag=True, help="Print nothing but notes and errors.")
    @wraps(command)
    def with_outputs(
        *args: Any,
        output: tuple[Path, ...],
        plot: Path | None,
        json: bool,
        quiet: bool,
        **others: Any,
    ) -> Any:
        return command(*args, outputs=Outputs(output, plot, json, quiet), **others)

    return with_outputs
