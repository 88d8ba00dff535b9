"""Markov equivalence classes, spelled out."""

from __future__ import annotations

from itertools import product

import networkx as nx
import numpy as np

from toposwap.metrics import cpdag


def members(completed):
    """Every DAG of a class, by trying all directions of its undirected edges."""
    undirected = [(i, j) for i, j in np.argwhere(completed & completed.T) if i < j]
    for turned in product((False, True), repeat=len(undirected)):
        member = completed.copy()
        for (i, j), turn in zip(undirected, turned, strict=True):
            member[(i, j) if turn else (j, i)] = False
        acyclic = nx.is_directed_acyclic_graph(nx.DiGraph(member))
        if acyclic and (cpdag(member) == completed).all():
            yield member
