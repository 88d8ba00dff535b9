"""Learning from tables in which values are missing; docs/missing.md has the mathematics."""

from __future__ import annotations

from toposwap.missing.treatments import EM, MISSING, Drop, Impute, Refuse, Suited, Treatment

__all__ = ["MISSING", "Treatment", "Refuse", "Drop", "EM", "Impute", "Suited"]
