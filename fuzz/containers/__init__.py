"""What holds a table; see :mod:`fuzz.containers.registry`."""

from fuzz.containers import arrays, frames, no_tables  # noqa: F401 - they register themselves
from fuzz.containers.registry import CONTAINERS, draw_container, fingerprint

__all__ = ["CONTAINERS", "draw_container", "fingerprint"]
