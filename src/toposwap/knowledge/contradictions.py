"""Sentences that cannot hold together, found before any search and named in full."""

from __future__ import annotations

import itertools
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.kernels.graphs.reachability import reachability
from toposwap.knowledge.feasible import completed
from toposwap.knowledge.tables import (
    closed,
    closes_a_path,
    precedences,
    ruled_out,
    table_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toposwap.knowledge.resolved import Resolved

_MOST_NAMED = 4


def refuse_contradictions(known: Resolved) -> None:
    """Raise an error that names what contradicts what, if no graph satisfies all of it.

    Raises
    ------
    InputError
        With the sentences that exclude each other, in the words of who said them.
    """
    if not (known.required or known.ancestors):
        # What only rules out is obeyed by the graph without edges.
        return
    for i, j in sorted(known.required):
        reason = why_no_edge(known, i, j)
        if reason is not None:
            raise InputError(f"knowledge: {_edge(known, i, j)} is required, but {reason}")
    for a, b in sorted(known.ancestors):
        reason = _why_no_path(known, a, b)
        if reason is not None:
            raise InputError(f"knowledge: {_path(known, a, b)}, but {reason}")
    _refuse_rings(known)
    _refuse_paths_that_must_not_be(known)
    _refuse_paths_without_a_way(known)


def why_no_edge(known: Resolved, i: int, j: int) -> str | None:
    """The sentence that excludes i -> j by itself; None if none does."""
    cause, effect = known.names[i], known.names[j]
    if (i, j) in known.forbidden:
        return "it is forbidden"
    if (i, j) in known.not_ancestors:
        return f"{cause} must not be an ancestor of {effect}"
    if known.allowed is not None and (i, j) not in known.allowed | known.required:
        return "it is not among the allowed edges"
    tier = known.tier_of()
    if i in tier and tier[i] == tier.get(j) and tier[i] in known.closed_tiers:
        return f"{_tier(known, tier[i])} is closed: there are no edges within it"
    return _why_no_path(known, i, j)


def _why_no_path(known: Resolved, a: int, b: int) -> str | None:
    """The sentence that excludes any path from a to b by itself; None if none does."""
    tier = known.tier_of()
    if b in known.roots:
        return f"{known.names[b]} is a root, which has no causes"
    if a in known.leaves:
        return f"{known.names[a]} is a leaf, which has no effects"
    if (a, b) in known.not_ancestors:
        return f"{known.names[a]} must not be an ancestor of {known.names[b]}"
    if a in tier and b in tier and tier[b] < tier[a]:
        return f"{_tier(known, tier[b])} comes before {_tier(known, tier[a])}"
    return None


def _refuse_rings(known: Resolved) -> None:
    """Name the shortest ring of required edges, ancestors and tiers."""
    before = precedences(known)
    reached = reachability(before)
    said = sorted(known.required) + sorted(known.ancestors - known.required)
    rings = [
        _walk(lambda v: np.flatnonzero(before[v]).tolist(), j, i) for i, j in said if reached[j, i]
    ]
    if rings:
        ring = min((ring for ring in rings if ring is not None), key=len)
        ends = zip([*ring], [*ring[1:], ring[0]], strict=True)
        told = "; ".join(_step(known, i, j) for i, j in ends)
        raise InputError(f"knowledge: these cannot all hold, as they go round in a circle: {told}")


def _refuse_paths_that_must_not_be(known: Resolved) -> None:
    """Name the edges and ancestors that make a path which must not be."""
    there = table_of(known.d, known.required | known.ancestors)
    reached = reachability(there)
    for a, b in sorted(known.not_ancestors):
        if reached[a, b]:
            walk = _walk(lambda v: np.flatnonzero(there[v]).tolist(), a, b)
            assert walk is not None
            told = " and ".join(_step(known, i, j) for i, j in itertools.pairwise(walk))
            raise InputError(
                f"knowledge: {known.names[a]} must not be an ancestor of {known.names[b]}, but "
                f"{told}"
            )


def _refuse_paths_without_a_way(known: Resolved) -> None:
    """Name an ancestor that cannot reach its descendant, or all of them if only together."""
    if not known.ancestors:
        return
    out, before = ruled_out(known), closed(precedences(known))
    led_to = reachability(table_of(known.d, known.required | known.ancestors))
    required = table_of(known.d, known.required)
    open_ = (~out & ~closes_a_path(led_to, known.not_ancestors) & ~before.T) | required
    reached = reachability(open_)
    for a, b in sorted(known.ancestors):
        if not reached[a, b]:
            after = [v for v in np.flatnonzero(reached[a]).tolist() if v != a]
            ahead = [v for v in np.flatnonzero(reached[:, b]).tolist() if v != b]
            raise InputError(
                f"knowledge: {_path(known, a, b)}, but no path is left: edges that are not "
                f"excluded lead from {known.names[a]} to {_listed(known, after)} only, and to "
                f"{known.names[b]} from {_listed(known, ahead)} only"
            )
    pairs = sorted(known.ancestors)
    if completed(open_, before, required, pairs, sorted(known.not_ancestors)) is None:
        told = "; ".join(_path(known, a, b) for a, b in pairs)
        never = "; ".join(
            f"{known.names[a]} must not be an ancestor of {known.names[b]}"
            for a, b in sorted(known.not_ancestors)
        )
        raise InputError(
            f"knowledge: no graph was found in which all of this holds: {told}"
            + (f"; {never}" if never else "")
            + ". Each path needs edges that are excluded together with the others"
        )


# --- words ---------------------------------------------------------------------------------------


def _edge(known: Resolved, i: int, j: int) -> str:
    return f"{known.names[i]} -> {known.names[j]}"


def _path(known: Resolved, a: int, b: int) -> str:
    return f"{known.names[a]} must be an ancestor of {known.names[b]}"


def _tier(known: Resolved, k: int) -> str:
    return f"tier {k} ({_listed(known, known.tiers[k])})"


def _listed(known: Resolved, variables: Iterable[int]) -> str:
    names = [known.names[v] for v in variables]
    if not names:
        return "nothing"
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _step(known: Resolved, i: int, j: int) -> str:
    """Why i comes before j."""
    if (i, j) in known.required:
        return f"{_edge(known, i, j)} is required"
    if (i, j) in known.ancestors:
        return _path(known, i, j)
    tier = known.tier_of()
    return (
        f"{_tier(known, tier[i])} comes before {_tier(known, tier[j])}, so {known.names[i]} before "
        f"{known.names[j]}"
    )


def _walk(following: Callable[[int], list[int]], start: int, end: int) -> list[int] | None:
    """The shortest walk from ``start`` to ``end``."""
    came: dict[int, int] = {start: start}
    queue = deque([start])
    while queue:
        v = queue.popleft()
        if v == end and len(came) > 1:
            walk = [end]
            while walk[-1] != start:
                walk.append(came[walk[-1]])
            return walk[::-1]
        for w in following(v):
            if w not in came:
                came[w] = v
                queue.append(w)
    return None


__all__ = ["refuse_contradictions", "why_no_edge"]
