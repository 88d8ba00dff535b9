"""How much memory there is, so that what does not fit is refused before it is begun."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from toposwap.core.errors import InputError

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@lru_cache(maxsize=1)
def memory_bytes() -> float:
    """What this machine has, or a container's limit if that is less; infinite if nobody says."""
    sizes = [float("inf")]
    if hasattr(os, "sysconf") and {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= set(os.sysconf_names):
        sizes.append(float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))
    for file in _LIMITS:
        try:
            sizes.append(float(Path(file).read_text()))
        except (OSError, ValueError):
            continue
    return min(sizes)


def refuse_beyond_memory(needed: float, what: str, remedy: str) -> None:
    """Raise if ``what`` needs more than most of the memory, in bytes, and say what helps."""
    there = memory_bytes()
    if needed > 0.9 * there:
        raise InputError(
            f"{what} need about {needed / 1e9:.1f} GB of memory, and this machine has "
            f"{there / 1e9:.1f} GB: {remedy}"
        )
