r"""From what is known to tables of edges and orders, in which nothing is lost.

A DAG obeys the knowledge exactly if some order that obeys ``before`` has it among its candidates,
with the required edges and with paths as asked. Three things become precedences although they speak
of edges, because a DAG that obeys them always has such an order:

- a root may stand first and a leaf last, if nothing is told to precede it, or to follow it;
- an ancestor precedes its descendant;
- if a must not be an ancestor of b, b may stand before a. Several such demands may only together
  ask for too much: :math:`b_k` before :math:`a_k` for all k excludes a DAG with paths
  :math:`a_1 \to b_2, a_2 \to b_3, \dots, a_m \to b_1`. Those that could take part in such a ring
  stay what they are, pairs without a path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.graph import topological_order
from toposwap.kernels.graphs.reachability import reachability

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from toposwap.knowledge.resolved import Edge, Resolved

    Table = NDArray[np.bool_]


def admissible(known: Resolved) -> Admissible:
    """The tables of what is left; ``known`` does not contradict itself."""
    required = table_of(known.d, known.required)
    before = closed(precedences(known))
    led_to = reachability(table_of(known.d, known.required | known.ancestors))
    possible = ~ruled_out(known) & ~closes_a_path(led_to, known.not_ancestors) & ~before.T
    no_paths: list[Edge] = []
    if known.not_ancestors:
        before, no_paths = _without_paths(known, before, possible)
    if known.roots or known.leaves:
        before = _at_the_ends(known, before, no_paths)
    possible &= ~before.T
    there = reachability(required)
    left = Admissible(
        parents=possible,
        before=before if before.any() else None,
        required=required if required.any() else None,
        paths=tuple(sorted((a, b) for a, b in known.ancestors if not there[a, b])),
        no_paths=tuple(sorted(no_paths)),
    )
    if not left.only_orders:
        return left
    # What the order alone sees to need not be asked for edge by edge.
    if left.before is None and not left.asks_for_paths:
        return EVERYTHING
    return Admissible(None, left.before, left.required, left.paths, left.no_paths)


def table_of(d: int, edges: Iterable[Edge]) -> Table:
    """``[i, j]`` (d, d) for each of ``edges``."""
    table = np.zeros((d, d), dtype=bool)
    for i, j in edges:
        table[i, j] = True
    return table


def closed(relation: Table) -> Table:
    """The transitive closure (d, d) of a relation without cycles."""
    reached = reachability(relation)
    np.fill_diagonal(reached, val=False)
    return reached


def ruled_out(known: Resolved) -> Table:
    """Edges (d, d) that some sentence excludes by itself, the diagonal included."""
    out = np.eye(known.d, dtype=bool)
    out |= table_of(known.d, known.forbidden | known.not_ancestors)
    if known.allowed is not None:
        out |= ~table_of(known.d, known.allowed | known.required)
    out[:, sorted(known.roots)] = True
    out[sorted(known.leaves)] = True
    for k in known.closed_tiers:
        out[np.ix_(known.tiers[k], known.tiers[k])] = True
    return out


def precedences(known: Resolved) -> Table:
    """Who is told to stand before whom, (d, d): by tiers, as a required cause, as an ancestor."""
    before = table_of(known.d, known.required | known.ancestors)
    level = np.full(known.d, -1)
    for k, tier in enumerate(known.tiers):
        level[list(tier)] = k
    named = level >= 0
    return np.asarray(before | ((level[:, None] < level) & named[:, None] & named))


def closes_a_path(led_to: Table, no_paths: Iterable[Edge]) -> Table:
    """Edges (d, d) that would complete a path which must not be, where ``led_to`` is for sure."""
    out = np.zeros_like(led_to)
    for a, b in no_paths:
        out |= np.outer(led_to[a], led_to[:, b])
    return out


def _at_the_ends(known: Resolved, before: Table, no_paths: list[Edge]) -> Table:
    """Roots that nothing precedes stand first, leaves that nothing follows last.

    Unless one could be wanted elsewhere, for the sake of a path that must not be.
    """
    free_roots = known.roots - {a for a, _ in no_paths}
    free_leaves = known.leaves - {b for _, b in no_paths}
    first = [r for r in free_roots if not before[:, r].any()]
    others = np.ones(known.d, dtype=bool)
    others[sorted(known.roots)] = False
    before = before.copy()
    for r in first:
        before[r] |= others
    before = closed(before)
    last = [v for v in free_leaves if not before[v].any()]
    others = np.ones(known.d, dtype=bool)
    others[sorted(known.leaves)] = False
    for v in last:
        before[:, v] |= others
    return closed(before)


def _without_paths(known: Resolved, before: Table, possible: Table) -> tuple[Table, list[Edge]]:
    """``before`` with what excludes paths and loses no DAG, and the pairs that are left."""
    left = [(a, b) for a, b in sorted(known.not_ancestors) if not before[b, a]]
    chosen: list[Edge] = []
    for pair in left:
        if _no_ring([*chosen, pair], set(known.not_ancestors), before, possible):
            chosen.append(pair)
    before = closed(before | table_of(known.d, [(b, a) for a, b in chosen]))
    return before, [(a, b) for a, b in left if not before[b, a]]


def _no_ring(pairs: list[Edge], never: set[Edge], before: Table, possible: Table) -> bool:
    """Whether no DAG with all that is possible leads from each first end to the next second one.

    A way may use edges and what must precede what; edges alone never lead where ``never`` says.
    """
    reached = reachability(possible | before)
    through = reached @ before @ reached
    follows = np.zeros((len(pairs), len(pairs)), dtype=bool)
    for k, (a, _) in enumerate(pairs):
        for m, (_, b) in enumerate(pairs):
            follows[k, m] = through[a, b] or (reached[a, b] and (a, b) not in never)
    return topological_order(follows) is not None
