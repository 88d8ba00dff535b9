"""Options about where results go, and the writing of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.cli.terminal import spoken
from toposwap.core.errors import InputError, ToposwapWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toposwap.certainty import Confidence
    from toposwap.estimators import Topo

#: How a formula begins in a cell of a spreadsheet.
_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True)
class Outputs:
    """The files to write, and how much to print."""

    graphs: tuple[Path, ...]
    plot: Path | None
    json: bool = False
    quiet: bool = False
    report: Path | None = None
    #: How many edges the picture has at most, the column whose surroundings or cluster it shows,
    #: and whether it shows clusters instead of columns.
    plot_edges: int | None = None
    plot_around: str | None = None
    plot_cluster: str | None = None
    plot_clusters: bool = False

    def check(self, inputs: Iterable[Path]) -> None:
        """Refuse before the work what could not be written after it."""
        from toposwap.io import check_writable
        from toposwap.io.write_graph import graph_suffix

        for path in self.graphs:
            graph_suffix(path)
        if self.plot is not None:
            from toposwap.report.plot.graph import picture_suffix, require_matplotlib

            picture_suffix(self.plot)
            if self.plot_around is not None and self.plot_cluster is not None:
                raise InputError("--plot-around and --plot-cluster: a picture shows one of them")
            require_matplotlib("--plot")
        if self.report is not None:
            from toposwap.report.page.page import page_suffix

            page_suffix(self.report)
        for path in self.paths:
            check_writable(path)
            for source in inputs:
                if path.exists() and source.exists() and path.samefile(source):
                    raise InputError(
                        f"{str(path)!r} is read and would be overwritten: choose another output"
                    )

    def write(self, model: Topo, rows: int, confidence: Confidence | None = None) -> None:
        """Write the learned graph, its picture and its report, or nothing at all.

        ``rows`` is n, and ``confidence`` what resamples say of the edges.
        """
        from toposwap.io import together
        from toposwap.report.record import write_result

        if any(path.suffix.lower() == ".csv" for path in self.graphs):
            _warn_of_formulas(model.names_)
        doubt = None if confidence is None else confidence.doubt()
        with together():
            for path in self.graphs:
                write_result(path, model, rows, doubt)
            if self.plot is not None:
                from toposwap.report.plot.graph import draw_graph

                draw_graph(
                    model,
                    self.plot,
                    most=self.plot_edges,
                    around=self.plot_around,
                    cluster=self.plot_cluster,
                    clusters=self.plot_clusters,
                    confidence=confidence,
                    doubt=doubt,
                )
            self.write_page(model, confidence)

    def write_page(self, model: Topo, confidence: Confidence | None = None) -> None:
        """Write the report, if one is wanted."""
        if self.report is not None:
            model.report(
                self.report,
                command=spoken.command(),
                notes=spoken.notes(),
                confidence=confidence,
            )

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file that will be written: the graphs, the picture, the report."""
        return (*self.graphs, *(path for path in (self.plot, self.report) if path is not None))


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
    @click.option(
        "--plot-edges",
        type=click.IntRange(min=1),
        metavar="N",
        help="Draw the N strongest edges, with --confidence the surest; by default as many as can "
        "be followed by eye.",
    )
    @click.option(
        "--plot-around",
        metavar="COLUMN",
        help="Draw only this column with its causes and effects.",
    )
    @click.option(
        "--plot-cluster",
        metavar="COLUMN",
        help="Draw only the columns that have many edges with this one and with each other.",
    )
    @click.option(
        "--plot-clusters",
        is_flag=True,
        help="Draw groups of columns with many edges among them as boxes, and what links them.",
    )
    @click.option(
        "--report",
        type=click.Path(path_type=Path),
        help="Write a page for a browser: the graph to explore, the audit of the table, checks of "
        "the model; one .html file that needs no network.",
    )
    @click.option("--json", is_flag=True, help="Print the whole result as JSON and nothing else.")
    @click.option("-q", "--quiet", is_flag=True, help="Print nothing but notes and errors.")
    @wraps(command)
    def with_outputs(
        *args: Any,
        output: tuple[Path, ...],
        plot: Path | None,
        plot_edges: int | None,
        plot_around: str | None,
        plot_cluster: str | None,
        plot_clusters: bool,
        report: Path | None,
        json: bool,
        quiet: bool,
        **others: Any,
    ) -> Any:
        outputs = Outputs(
            output,
            plot,
            json,
            quiet,
            report,
            plot_edges,
            plot_around,
            plot_cluster,
            plot_clusters,
        )
        return command(*args, outputs=outputs, **others)

    return with_outputs
