r"""The best of all graphs: F of every set of columns, then dynamic programming over sets.

A set is the number whose binary digits say who is in it. With :math:`F` of
:mod:`~toposwap.kernels.categorical.counting` for all :math:`2^d` sets, the cost of any parents is a
difference, :math:`b_z(S) = \min_{P \subseteq S} \text{cost}(z \mid P)` follows from the sets with
one variable less, and so does :math:`B(S) = \min_{z \in S} B(S - z) + b_z(S - z)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.categorical.tables import UNIT, Rule, Work
from toposwap.kernels.categorical.terms import prepare_terms, term
from toposwap.kernels.graphs.precedence import bit_sets
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(borrowing=True)
def _refine(
    rule: Rule,
    work: Work,
    u: int,
    first_row: int,
    coarse: NDArray[np.int32],
    begin: NDArray[np.int64],
    fine: NDArray[np.int32],
    begins: NDArray[np.int64],
    further: bool,
) -> int:
    """Divide the groups of rows ``coarse`` by the levels of ``u``; the sum of terms of the parts.

    ``begin[0]`` is the number of groups, ``begin[1 + g]`` where group g begins; so ``begins``. Rows
    are numbered from ``first_row`` on. Unless the parts are to be divided ``further``, nothing is
    written but their sum.
    """
    code = rule.codes[u, first_row:]
    times = rule.times[first_row:]
    size = rule.sizes[u]
    counts = work.places
    weights = work.margin
    total = 0
    parts = 0
    at = 0
    for group in range(begin[0]):
        first = begin[1 + group]
        end = begin[2 + group]
        for level in range(size + 1):
            counts[level] = 0
        for i in range(first, end):
            row = coarse[i]
            counts[code[row] + 1] += 1
            weights[code[row]] += times[row]
        for level in range(size):
            if weights[level] > 0:
                total += term(work, 0, weights[level])
                weights[level] = 0
        if not further:
            continue
        for level in range(size):
            if counts[level + 1] > 0:
                begins[1 + parts] = at + counts[level]
                parts += 1
            counts[level + 1] += counts[level]
        for i in range(first, end):
            row = coarse[i]
            fine[at + counts[code[row]]] = row
            counts[code[row]] += 1
        at += end - first
    begins[0] = parts
    begins[1 + parts] = at
    return total


@kernel
def sums_of_sets(
    rule: Rule,
    work: Work,
    own: int,
    prefix: int,
    width: int,
    rows: NDArray[np.int32],
    begins: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> None:
    """``sums[A]`` for every A whose members among the first ``width`` variables are ``prefix``.

    In multiples of UNIT, of the rows that count for the nodes of the group ``own``; ``rows``
    (d + 1, m) and ``begins`` (d + 1, m + 2) are workspace.
    """
    d = rule.sizes.size
    first_row = rule.begins[own]
    m = rule.begins[own + 1] - first_row
    chosen = np.empty(d + 1, dtype=np.int64)
    cells = np.ones(d + 1)
    for i in range(m):
        rows[0, i] = i
    begins[0, 0] = 1
    begins[0, 1] = 0
    begins[0, 2] = m
    depth = 0
    total = 0
    prepare_terms(rule, work, 0, 1.0)
    whole = 0
    for i in range(m):
        whole += rule.times[first_row + i]
    total = term(work, 0, whole)
    for u in range(width):
        if prefix >> u & 1:
            cells[depth + 1] = cells[depth] * rule.sizes[u]
            prepare_terms(rule, work, 0, cells[depth + 1])
            total = _refine(
                rule,
                work,
                u,
                first_row,
                rows[depth],
                begins[depth],
                rows[depth + 1],
                begins[depth + 1],
                True,
            )
            depth += 1
    sums[prefix] = total
    base = depth
    here = prefix
    u = width
    while True:
        if u < d:
            cells[depth + 1] = cells[depth] * rule.sizes[u]
            prepare_terms(rule, work, 0, cells[depth + 1])
            total = _refine(
                rule,
                work,
                u,
                first_row,
                rows[depth],
                begins[depth],
                rows[depth + 1],
                begins[depth + 1],
                u + 1 < d,
            )
            depth += 1
            chosen[depth] = u
            here |= 1 << u
            sums[here] = total
            u += 1
            continue
        if depth == base:
            return
        u = chosen[depth]
        here ^= 1 << u
        depth -= 1
        u += 1


@kernel(borrowing=True)
def _without_bit(subset: int, z: int) -> int:
    """The number of a set without z among such sets: the digits above z move down."""
    low = (1 << z) - 1
    return (subset & low) | ((subset >> 1) & ~low)


@kernel
def best_of_all(
    rule: Rule,
    sums: NDArray[np.int64],
    most: int,
    order: NDArray[np.int64],
    edges: NDArray[np.bool_],
) -> float:
    """The least cost; ``order`` (d,) and ``edges[i, j]`` (d, d) receive where it is.

    ``sums`` (g, 2^d) of every group of nodes.
    """
    d = rule.sizes.size
    every = 1 << d
    may = bit_sets(rule.allowed, d, rule.masked, every - 1)
    must = bit_sets(rule.required, d, rule.demanding, 0)
    cells = np.ones(every)
    for subset in range(1, every):
        for u in range(d):
            if subset >> u & 1:
                cells[subset] = cells[subset ^ (1 << u)] * rule.sizes[u]
                break
    best = np.empty((d, every >> 1))
    choice = np.zeros((d, every >> 1), dtype=np.int32)
    for z in range(d):
        own = sums[rule.group[z]]
        for subset in range(every):
            if subset >> z & 1:
                continue
            at = _without_bit(subset, z)
            cost = np.inf
            size = 0
            for u in range(d):
                size += subset >> u & 1
            if subset & ~may[z] == 0 and must[z] & ~subset == 0 and size <= most:
                cost = (own[subset] - own[subset | 1 << z]) * UNIT
                cost += rule.price * (rule.sizes[z] - 1.0) * cells[subset]
            best[z, at] = cost
            choice[z, at] = subset
            for u in range(d):
                if subset >> u & 1:
                    fewer = _without_bit(subset ^ (1 << u), z)
                    if best[z, fewer] <= best[z, at]:
                        best[z, at] = best[z, fewer]
                        choice[z, at] = choice[z, fewer]
    total = np.full(every, np.inf)
    last = np.zeros(every, dtype=np.int8)
    total[0] = 0.0
    for subset in range(every - 1):
        if total[subset] == np.inf:
            continue
        for z in range(d):
            if subset >> z & 1:
                continue
            if rule.ordered:
                ready = True
                for u in range(d):
                    if rule.before[u, z] and u != z and not subset >> u & 1:
                        ready = False
                        break
                if not ready:
                    continue
            cost = total[subset] + best[z, _without_bit(subset, z)]
            if cost < total[subset | 1 << z]:
                total[subset | 1 << z] = cost
                last[subset | 1 << z] = z
    subset = every - 1
    for k in range(d - 1, -1, -1):
        z = int(last[subset])
        order[k] = z
        subset ^= 1 << z
        parents = choice[z, _without_bit(subset, z)]
        for u in range(d):
            edges[u, z] = (parents >> u) & 1 == 1
    return total[every - 1]
