"""The border to other packages: their objects come in here, and graphs go out to them.

Objects of lingam, causal-learn, dagma, gCastle, pgmpy and networkx, and fitted models of this
package, are taken wherever a weight matrix or a graph is; one file for each package says how it
writes edges down. Everything else here sends a graph to another package.
"""

from __future__ import annotations

from toposwap.interop.base import ForeignGraph
from toposwap.interop.of_causal_learn import from_marks, refuse_marks
from toposwap.interop.reading import foreign_graph
from toposwap.interop.writing import (
    any_graph,
    to_causal_learn,
    to_dagitty,
    to_dowhy,
    to_gcm,
    to_linear_gaussian,
    to_lingam,
    to_marks,
    to_networkx,
    to_pgmpy,
)

__all__ = [
    "ForeignGraph",
    "any_graph",
    "foreign_graph",
    "from_marks",
    "refuse_marks",
    "to_causal_learn",
    "to_dagitty",
    "to_dowhy",
    "to_gcm",
    "to_linear_gaussian",
    "to_lingam",
    "to_marks",
    "to_networkx",
    "to_pgmpy",
]
