"""DoWhy: ``CausalModel`` and the structural models of ``gcm``, names as given."""

from __future__ import annotations

from typing import Any

from toposwap.core.errors import InputError
from toposwap.interop import of_networkx
from toposwap.interop.base import ForeignGraph, required_module

PACKAGE = "dowhy"


def _graph(graph: ForeignGraph) -> Any:
    if (graph.edges & graph.edges.T).any():
        raise InputError(
            "DoWhy takes DAGs only, and this graph has open directions: give one of its DAGs "
            "(a fitted model is one), and read toposwap's effect for all of them"
        )
    return of_networkx.write(graph)


def write_causal_model(graph: ForeignGraph, data: Any, cause: str, effect: str) -> Any:
    """``dowhy.CausalModel`` of the frame ``data``, whose columns are called like the nodes.

    Of a copy: its estimators add columns of their own to the frame that they are given.
    """
    return required_module("dowhy", PACKAGE).CausalModel(
        data=data.copy(), treatment=cause, outcome=effect, graph=_graph(graph)
    )


def write_gcm(graph: ForeignGraph, data: Any = None) -> Any:
    """``gcm.InvertibleStructuralCausalModel`` on the graph.

    Each column with parents is a linear function of these with additive noise; ``data`` fits it.
    """
    gcm = required_module("dowhy.gcm", PACKAGE)
    made = gcm.InvertibleStructuralCausalModel(_graph(graph))
    edges = graph.edges
    for j, name in enumerate(graph.labels):
        mechanism = (
            gcm.AdditiveNoiseModel(gcm.ml.create_linear_regressor())
            if edges[:, j].any()
            else gcm.EmpiricalDistribution()
        )
        made.set_causal_mechanism(name, mechanism)
    if data is not None:
        gcm.fit(made, data)
    return made
