"""What people look at: tables in a terminal, pictures, and results as plain data."""

from toposwap.report.plot.edges import draw_edge_function
from toposwap.report.plot.graph import draw_graph
from toposwap.report.record import graph_of, record_of, solution_of, write_result
from toposwap.report.text import as_text, edge_table, report, summary

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
