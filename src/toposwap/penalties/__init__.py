"""Penalties on the coefficients: one small class each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.penalties.base import EdgePenalty, Penalty, ProximalPenalty
from toposwap.penalties.l0 import BIC, EBIC, L0
from toposwap.penalties.l1 import L1
from toposwap.penalties.mcp import MCP
from toposwap.penalties.none import NoPenalty
from toposwap.penalties.ridge import Ridge
from toposwap.penalties.scad import SCAD

if TYPE_CHECKING:
    from collections.abc import Callable

#: Penalties by name. An L0 penalty for which nobody gives a number is that of BIC.
PENALTIES: dict[str, Callable[[], Penalty]] = {
    **{penalty.name: penalty for penalty in (NoPenalty, L1, MCP, SCAD, BIC, EBIC, Ridge)},
    L0.name: BIC,
}

__all__ = [
    "Penalty",
    "ProximalPenalty",
    "EdgePenalty",
    "NoPenalty",
    "L1",
    "MCP",
    "SCAD",
    "L0",
    "BIC",
    "EBIC",
    "Ridge",
    "PENALTIES",
]
