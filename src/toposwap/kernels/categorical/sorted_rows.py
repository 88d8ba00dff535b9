"""Counts by going through the rows, sorted by the configurations of the parents.

For tables of many cells, few of which occur; see :mod:`~toposwap.kernels.categorical.bit_sets` for
those of few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.categorical.tables import LOOKED_UP, Rule, Work
from toposwap.kernels.categorical.terms import large_term, term
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Rows of ``Work.rows``: sorted row numbers, workspace, and the node's codes.
_SORTED, _SPARE, _NODE = 0, 1, 2


@kernel(borrowing=True)
def rows_of(rule: Rule, z: int) -> tuple[int, int]:
    """Where the rows that count for ``z`` begin and end."""
    group = rule.group[z]
    return rule.begins[group], rule.begins[group + 1]


@kernel(borrowing=True)
def _by_numbers(
    rule: Rule, work: Work, z: int, parents: NDArray[np.int64], k: int, configured: int
) -> int:
    """Sort the rows by the number of their configuration, of which there are few; how many cells.

    One pass over the rows for each parent, and one more to put them in their places.
    """
    first_row, end_row = rows_of(rule, z)
    m = end_row - first_row
    rows = work.rows[_SORTED]
    numbers = work.rows[_NODE]
    places = work.places
    for i in range(m):
        numbers[i] = 0
    for t in range(k):
        code = rule.codes[parents[t], first_row:end_row]
        size = np.int32(rule.sizes[parents[t]])
        for i in range(m):
            numbers[i] = numbers[i] * size + code[i]
    for cell in range(configured):
        places[cell] = 0
    for i in range(m):
        places[numbers[i]] += 1
    at = 0
    cells = 0
    for cell in range(configured):
        count = places[cell]
        if count > 0:
            places[cell] = at
            work.begin[cells] = at
            cells += 1
            at += count
    work.begin[cells] = m
    for i in range(m):
        rows[places[numbers[i]]] = i
        places[numbers[i]] += 1
    return cells


@kernel(borrowing=True)
def _by_levels(rule: Rule, work: Work, z: int, parents: NDArray[np.int64], k: int) -> int:
    """Sort the rows by one parent after the other; how many cells there are."""
    first_row, end_row = rows_of(rule, z)
    m = end_row - first_row
    rows = work.rows[_SORTED]
    spare = work.rows[_SPARE]
    places = work.places
    for i in range(m):
        rows[i] = i
    for t in range(k):
        code = rule.codes[parents[t], first_row:end_row]
        size = rule.sizes[parents[t]]
        for level in range(size + 1):
            places[level] = 0
        for i in range(m):
            places[code[i] + 1] += 1
        for level in range(size):
            places[level + 1] += places[level]
        for i in range(m):
            row = rows[i]
            spare[places[code[row]]] = row
            places[code[row]] += 1
        for i in range(m):
            rows[i] = spare[i]
    # ``spare`` marks where a cell begins.
    for i in range(m):
        spare[i] = 0
    for t in range(k):
        code = rule.codes[parents[t], first_row:end_row]
        last = -1
        for i in range(m):
            here = code[rows[i]]
            if here != last:
                spare[i] = 1
                last = here
    work.begin[0] = 0
    cells = 1
    for i in range(1, m):
        if spare[i] != 0:
            work.begin[cells] = i
            cells += 1
    work.begin[cells] = m
    return cells


@kernel(borrowing=True)
def _leave_out(rule: Rule, work: Work, z: int, cells: int) -> int:
    """Copy what is counted into sequence, without cells to whose terms no candidate matters.

    Returns how many cells are left; the number of single rows left out is ``begin``'s last entry's
    complement, which the caller gets from the length.
    """
    first_row, end_row = rows_of(rule, z)
    code = rule.codes[z, first_row:end_row]
    times = rule.times[first_row:end_row]
    rows = work.rows[_SORTED]
    node = work.rows[_NODE]
    kept = 0
    at = 0
    for cell in range(cells):
        first = work.begin[cell]
        end = work.begin[cell + 1]
        if rule.prior == 0.0:
            superfluous = True
            for i in range(first + 1, end):
                if code[rows[i]] != code[rows[first]]:
                    superfluous = False
                    break
        else:
            superfluous = end - first == 1 and times[rows[first]] == 1
        if superfluous:
            continue
        work.begin[kept] = at
        for i in range(first, end):
            row = rows[i]
            rows[at] = row
            node[at] = code[row]
            work.times[at] = times[row]
            at += 1
        kept += 1
    work.begin[kept] = at
    return kept


@kernel(borrowing=True)
def count_rows(rule: Rule, work: Work, z: int, cells: int, u: int) -> int:
    """The sum of terms over the ``cells`` that were not left out, with u beside P.

    A group of few rows is gone through by its rows, another by all cells that it may have. Counts
    of the latter go into two tables in turn, as to add to one number twice takes longer than to add
    to two.
    """
    levels = rule.sizes[z]
    size = rule.sizes[u]
    first_row, end_row = rows_of(rule, z)
    code = rule.codes[u, first_row:end_row]
    rows = work.rows[_SORTED]
    node = work.rows[_NODE]
    times = work.times
    begin = work.begin
    table = work.table
    margin = work.margin
    first_slot, second_slot = work.slot[0], work.slot[1]
    both = work.sums[0, first_slot]
    alone = work.sums[1, second_slot]
    alpha, constant = work.large[0, first_slot, 0], work.large[0, first_slot, 1]
    alpha_alone, constant_alone = work.large[1, second_slot, 0], work.large[1, second_slot, 1]
    many = levels * size
    total = 0
    for cell in range(cells):
        first = begin[cell]
        end = begin[cell + 1]
        if end - first < many:
            for i in range(first, end):
                level = code[rows[i]]
                table[node[i] * size + level] += times[i]
                margin[level] += times[i]
            for i in range(first, end):
                level = code[rows[i]]
                place = node[i] * size + level
                count = table[place]
                if count == 0:
                    continue
                table[place] = 0
                if count < LOOKED_UP:
                    total += both[count]
                else:
                    total += large_term(alpha, constant, count)
                count = margin[level]
                if count == 0:
                    continue
                margin[level] = 0
                if count < LOOKED_UP:
                    total -= alone[count]
                else:
                    total -= large_term(alpha_alone, constant_alone, count)
            continue
        i = first
        while i + 1 < end:
            table[node[i] * size + code[rows[i]]] += times[i]
            table[many + node[i + 1] * size + code[rows[i + 1]]] += times[i + 1]
            i += 2
        if i < end:
            table[node[i] * size + code[rows[i]]] += times[i]
        for level in range(size):
            together = 0
            for place in range(level, many, size):
                count = table[place] + table[many + place]
                if count == 0:
                    continue
                together += count
                table[place] = 0
                table[many + place] = 0
                if count < LOOKED_UP:
                    total += both[count]
                else:
                    total += large_term(alpha, constant, count)
            if together == 0:
                continue
            if together < LOOKED_UP:
                total -= alone[together]
            else:
                total -= large_term(alpha_alone, constant_alone, together)
    return total


@kernel(borrowing=True)
def count_rows_alone(work: Work, cells: int) -> int:
    """The same with P alone."""
    node = work.rows[_NODE]
    table = work.table
    total = 0
    for cell in range(cells):
        first = work.begin[cell]
        end = work.begin[cell + 1]
        together = 0
        for i in range(first, end):
            table[node[i]] += work.times[i]
            together += work.times[i]
        for i in range(first, end):
            if table[node[i]] != 0:
                total += term(work, 0, table[node[i]])
                table[node[i]] = 0
        total -= term(work, 1, together)
    return total


@kernel(borrowing=True)
def sort_rows(
    rule: Rule, work: Work, z: int, parents: NDArray[np.int64], k: int, configured: float
) -> tuple[int, int]:
    """Sort by ``parents[:k]``; cells to count, and single rows left out."""
    first_row, end_row = rows_of(rule, z)
    m = end_row - first_row
    if configured <= m:
        cells = _by_numbers(rule, work, z, parents, k, int(configured))
    else:
        cells = _by_levels(rule, work, z, parents, k)
    kept = _leave_out(rule, work, z, cells)
    return kept, m - work.begin[kept]
