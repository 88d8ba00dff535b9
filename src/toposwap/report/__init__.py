"""What people look at: tables in a terminal, pictures, and results as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.runtime.lazy import lazy_names

if TYPE_CHECKING:
    from toposwap.report.plot.edges import draw_edge_function
    from toposwap.report.plot.graph import draw_graph
    from toposwap.report.record import graph_of, record_of, solution_of, write_result
    from toposwap.report.text import as_text, edge_table, report, summary

#: Where the public names live: a report in words needs nothing of what pictures need.
_HOMES = {
    "report": "toposwap.report.text",
    "edge_table": "toposwap.report.text",
    "summary": "toposwap.report.text",
    "as_text": "toposwap.report.text",
    "draw_graph": "toposwap.report.plot.graph",
    "draw_edge_function": "toposwap.report.plot.edges",
    "write_result": "toposwap.report.record",
    "record_of": "toposwap.report.record",
    "graph_of": "toposwap.report.record",
    "solution_of": "toposwap.report.record",
}
__all__ = [
    # text
    "report",
    "edge_table",
    "summary",
    "as_text",
    # pictures
    "draw_graph",
    "draw_edge_function",
    # files
    "write_result",
    "record_of",
    "graph_of",
    "solution_of",
]

__getattr__, __dir__ = lazy_names("toposwap.report", _HOMES)
