"""Products with weights of which few are there: some nodes and their parents at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

#: Nodes that are looked at together.
_NODES = 16


def parents_at_once(
    present: NDArray[np.bool_], nodes: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Some of the ``nodes`` (m,), and these with all their parents in ``present`` (d, d): i -> j.

    X (I - W) of the first needs the second of the columns of X alone; where edges are few, these
    are few.
    """
    for first in range(0, nodes.size, _NODES):
        some = nodes[first : first + _NODES]
        asked = np.zeros(len(present), dtype=np.bool_)
        asked[some] = True
        asked |= present[:, some].any(axis=1)
        yield some, np.flatnonzero(asked)
