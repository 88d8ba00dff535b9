"""The parents of a node at a price for each, by additions and removals.

Decreases are foretold to second order, from the gradient at the fit with the parents at hand;
whether a change pays is decided by fitting it. The end is a set of parents that neither dropping
the one that is missed least nor adding the most promising ones improves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.runtime.deadline import NEVER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.scores.blocks.nodes import RowsNode

#: A parent that is foretold to be worth more than this times its price is not tried without.
_SURELY = 2.0


def select_blocks(
    node: RowsNode,
    allowed: NDArray[np.bool_],
    start: NDArray[np.bool_],
    price: NDArray[np.float64],
    required: NDArray[np.bool_] | None = None,
    deadline: Deadline = NEVER,
    near: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The parents (d,), and which variables outside ``allowed`` (d,) would pay.

    From the parents ``start`` (d,), with the ``price`` (d,) of each; those that are ``required``
    (d,) are parents in any case. After ``deadline`` the parents stay as they are. ``near`` (d,) are
    parents that were fitted before.
    """
    parents = start & allowed
    if required is not None:
        parents |= required
    value = node.fit(parents, near).value
    refused = np.zeros(parents.size, dtype=bool)
    kept = np.zeros(parents.size, dtype=bool) if required is None else required.copy()
    while not deadline.passed:
        costs = np.where(parents & ~kept, node.missed(parents) - price, np.inf)
        weakest = int(costs.argmin())
        if costs[weakest] < (_SURELY - 1.0) * price[weakest]:
            fewer = parents.copy()
            fewer[weakest] = False
            without = node.fit(fewer, parents).value
            if without - value < price[weakest]:
                parents, value = fewer, without
                refused[:] = False
                refused[weakest] = True
                continue
            kept[weakest] = True
            continue
        gains = np.where(parents | refused, -np.inf, node.gains(parents) - price)
        best = int(np.where(allowed, gains, -np.inf).argmax())
        if not (allowed[best] and gains[best] > 0.0):
            break
        more = parents.copy()
        more[best] = True
        with_it = node.fit(more, parents).value
        if value - with_it > price[best]:
            parents, value = more, with_it
            refused[:] = False
            kept[:] = False if required is None else required
        else:
            refused[best] = True
    violating = (node.gains(parents) > price) & ~parents & ~allowed
    return parents, violating
