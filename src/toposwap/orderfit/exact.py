r"""The best of all orders, and the best of all sets of parents, by dynamic programming over sets.

A set :math:`S \subseteq \{0, \dots, d-1\}` is the number whose binary digits say who is in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.order import Order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit


def members(subset: int, d: int) -> NDArray[np.bool_]:
    """Which variables are in ``subset``, (d,) of bool."""
    return (subset >> np.arange(d)) & 1 == 1


def best_order(
    d: int,
    cost: Callable[[int, NDArray[np.bool_]], float],
    admissible: Admissible = EVERYTHING,
) -> Order:
    """B(S) = min_{v in S} B(S - v) + cost(v, S - v): exact for a sum over nodes.

    Parameters
    ----------
    d
        Number of variables; ``cost`` is asked for up to ``2^(d-1) d`` pairs.
    cost
        The least value of the term of v with candidate parents (d,) of bool.
    admissible
        Who may be whose parent, and who must precede whom.
    """
    best = np.full(1 << d, np.inf)
    last = np.zeros(1 << d, dtype=np.int8)
    best[0] = 0.0
    for subset in range((1 << d) - 1):
        inside = members(subset, d)
        if best[subset] == np.inf:
            continue
        for v in np.flatnonzero(~inside).tolist():
            if admissible.before is not None and (admissible.before[:, v] & ~inside).any():
                continue
            allowed = inside if admissible.parents is None else inside & admissible.parents[:, v]
            total = best[subset] + cost(v, allowed)
            if total < best[subset | 1 << v]:
                best[subset | 1 << v] = total
                last[subset | 1 << v] = v
    order = []
    subset = (1 << d) - 1
    while subset:
        order.append(int(last[subset]))
        subset ^= 1 << order[-1]
    return Order(order[::-1])


def go_to(fit: OrderFit, order: Order) -> None:
    """Bring ``fit`` to ``order``, unless it stands there."""
    if order != fit.order:
        fit.reorder(order)


def best_parents(
    d: int, node: int, weight: float, loss: Callable[[int], float], required: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each set of candidates the least ``loss(P) + weight |P|`` over its subsets P, and that P.

    Both are (2^d,); sets with ``node`` in them mean nothing, and those without all of the set
    ``required`` are infinite. ``loss`` is asked for each other set once, after all its subsets.
    """
    value = np.full(1 << d, np.inf)
    choice = np.zeros(1 << d, dtype=np.int64)
    for subset in range(1 << d):
        if subset >> node & 1 or required & ~subset:
            continue
        value[subset] = loss(subset) + weight * subset.bit_count()
        choice[subset] = subset
        for u in np.flatnonzero(members(subset, d)).tolist():
            fewer = subset ^ 1 << u
            if value[fewer] <= value[subset]:
                value[subset], choice[subset] = value[fewer], choice[fewer]
    return value, choice
