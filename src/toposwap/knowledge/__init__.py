"""What the user knows about the graph: said once, checked, and obeyed by every learner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.runtime.lazy import lazy_names

if TYPE_CHECKING:
    from toposwap.knowledge.knowledge import Knowledge

_HOMES = {"Knowledge": "toposwap.knowledge.knowledge"}
__all__ = ["Knowledge"]

__getattr__, __dir__ = lazy_names("toposwap.knowledge", _HOMES)
