"""What interventions do: total effects, what to adjust for, and which effects are possible."""

from __future__ import annotations

from toposwap.intervention.adjustment import Adjustment
from toposwap.intervention.effect import Effect, PossibleEffect

__all__ = ["Adjustment", "Effect", "PossibleEffect"]
