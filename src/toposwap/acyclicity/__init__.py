"""h(|W|): three ways to say that a graph has no cycle."""

from toposwap.acyclicity.base import Acyclicity
from toposwap.acyclicity.exponential import Exponential
from toposwap.acyclicity.logdet import LogDet
from toposwap.acyclicity.polynomial import Polynomial

#: Acyclicity functions by name.
ACYCLICITIES: dict[str, type[Acyclicity]] = {
    function.name: function for function in (LogDet, Exponential, Polynomial)
}

__all__ = ["Exponential", "Polynomial", "LogDet", "Acyclicity", "ACYCLICITIES"]
