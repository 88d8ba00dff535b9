"""Cheaper scores on the same data, whose good orders tend to be good for the score itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposwap.scores.base import BoundScore


class BoundSurrogate(NamedTuple):
    """A surrogate tied to the data, and how often a search with it restarts; None if it says so."""

    bound: BoundScore
    restarts: int | None


def bound_surrogates(bound: BoundScore) -> Iterator[BoundSurrogate]:
    """The surrogates of ``bound``, the cheapest first, under the same edges and orders.

    One that cannot be tied to these data (columns that depend on each other, say, which only the
    surrogate minds) is left out.
    """
    for surrogate in bound.strategy.surrogates:
        try:
            cheaper = surrogate.score.bind(bound.data)
        except InputError:
            continue
        cheaper.within_limits_of(bound)
        yield BoundSurrogate(cheaper, surrogate.restarts)
