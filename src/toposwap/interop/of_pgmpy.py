"""pgmpy: ``DAG``, ``PDAG`` and linear Gaussian Bayesian networks; reading is networkx's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.interop.base import ForeignGraph, required_module

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "pgmpy"


def write(graph: ForeignGraph) -> Any:
    """``pgmpy.base.DAG`` with ``weight`` on its edges; ``PDAG`` where directions are open."""
    base = required_module("pgmpy.base", PACKAGE)
    names, edges = graph.labels, graph.edges
    either = edges & edges.T
    if either.any():
        made = base.PDAG(
            directed_ebunch=_pairs(names, edges & ~either),
            undirected_ebunch=_pairs(names, np.triu(either)),
        )
        made.add_nodes_from(names)
        return made
    made = base.DAG()
    made.add_nodes_from(names)
    for i, j in np.argwhere(edges):
        made.add_edge(names[i], names[j], weight=float(graph.matrix[i, j]))
    return made


def write_linear_gaussian(
    graph: ForeignGraph, intercepts: NDArray[np.float64], deviations: NDArray[np.float64]
) -> Any:
    """``LinearGaussianBayesianNetwork`` with the coefficients as its distributions.

    Parameters
    ----------
    graph
        A DAG with coefficients.
    intercepts, deviations
        Of each column given its parents, (d,) each.
    """
    edges = graph.edges
    if (edges & edges.T).any():
        raise InputError("a linear Gaussian network is a DAG: this graph has open directions")
    network = required_module("pgmpy.models", PACKAGE).LinearGaussianBayesianNetwork
    cpd = required_module("pgmpy.factors.continuous", PACKAGE).LinearGaussianCPD
    names = graph.labels
    made = network()
    made.add_nodes_from(names)
    made.add_edges_from(_pairs(names, edges))
    for j, name in enumerate(names):
        parents = np.flatnonzero(edges[:, j])
        beta = [float(intercepts[j]), *(float(graph.matrix[i, j]) for i in parents)]
        made.add_cpds(cpd(name, beta, float(deviations[j]), [names[i] for i in parents]))
    return made


def _pairs(names: tuple[str, ...], edges: NDArray[np.bool_]) -> list[tuple[str, str]]:
    return [(names[i], names[j]) for i, j in np.argwhere(edges)]
