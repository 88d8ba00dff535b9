"""DAGitty: a graph as the text that dagitty.net and its R package take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from toposwap.interop.base import ForeignGraph


def write(graph: ForeignGraph, cause: str | None = None, effect: str | None = None) -> str:
    """``dag { "a" -> "b" [beta=0.5] }``; ``pdag`` with ``--`` where directions are open.

    ``cause`` and ``effect`` are marked as exposure and outcome.
    """
    edges, names = graph.edges, graph.labels
    either = edges & edges.T
    marks = {cause: " [exposure]", effect: " [outcome]"}
    lines = [f"  {_quoted(name)}{marks.get(name, '')}" for name in names]
    for i, j in np.argwhere(edges & (~either | np.triu(either))):
        told = f" [beta={graph.matrix[i, j]:.6g}]" if graph.weighted and not either[i, j] else ""
        arrow = "--" if either[i, j] else "->"
        lines.append(f"  {_quoted(names[i])} {arrow} {_quoted(names[j])}{told}")
    kind = "pdag" if either.any() else "dag"
    return "\n".join([f"{kind} {{", *lines, "}"]) + "\n"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
