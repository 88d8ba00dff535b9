"""Tables and graphs, from files and to files.

Whatever is written is written completely or not at all; whatever cannot be read is refused with an
error that names the file and the remedy.
"""

from toposwap.io.atomic import check_writable, replacing, together
from toposwap.io.edges import Edge, LearnedEdge, edge_list
from toposwap.io.graphs import FileGraph, read_graph, read_weights
from toposwap.io.orders import read_order
from toposwap.io.tables import read_numbers, read_table, write_table
from toposwap.io.write_graph import write_graph

__all__ = [
    # tables
    "read_table",
    "read_numbers",
    "write_table",
    # graphs
    "read_weights",
    "write_graph",
    "read_graph",
    "read_order",
    "FileGraph",
    "edge_list",
    "Edge",
    "LearnedEdge",
    # any file
    "replacing",
    "together",
    "check_writable",
]
