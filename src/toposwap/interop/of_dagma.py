"""dagma: matrices as ours; models keep them under names of their own."""

from __future__ import annotations

from typing import Any

from toposwap.core.errors import InputError
from toposwap.interop.base import ForeignGraph, as_floats, is_of

PACKAGE = "dagma"


def read(given: Any) -> ForeignGraph | None:
    """A fitted ``DagmaLinear``, ``DagmaNonlinear`` or ``DagmaMLP``."""
    if not is_of(given, PACKAGE):
        return None
    network = getattr(given, "model", given)
    if hasattr(network, "fc1_to_adj"):
        return ForeignGraph(as_floats(network.fc1_to_adj(), PACKAGE), None, PACKAGE, weighted=False)
    if not hasattr(given, "W_est"):
        raise InputError(f"this {type(given).__name__} of dagma is not fitted; fit it first")
    return ForeignGraph(as_floats(given.W_est, PACKAGE), None, PACKAGE)
