"""What comes in: the graph that an object of any known package holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.interop import (
    of_castle,
    of_causal_learn,
    of_dagma,
    of_lingam,
    of_networkx,
    of_toposwap,
)

if TYPE_CHECKING:
    from toposwap.interop.base import ForeignGraph

#: One for each package, asked in turn; ours comes first, since its models look like lingam's.
READERS = (of_toposwap, of_lingam, of_causal_learn, of_dagma, of_castle, of_networkx)


def foreign_graph(given: Any) -> ForeignGraph | None:
    """What ``given`` holds, None if it is no object of a package that is known.

    Arrays and data frames are none: what they mean is for the caller to say. No package is
    imported to find out.
    """
    for reader in READERS:
        found = reader.read(given)
        if found is not None:
            return found
    return None
