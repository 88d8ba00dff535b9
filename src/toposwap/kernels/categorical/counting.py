r"""The cost of a node's parents, from counts of the cells of their contingency table.

With :math:`N_c` the number of rows in cell c of the table of a set A of columns, and
:math:`|A|` the number of its cells, both scores are differences of a function of sets,

.. math:: -\text{cost}(z \mid P) = F(P \cup z) - F(P), \qquad
          F(A) = \sum_{c : N_c > 0} t_A(N_c) - \text{price} \cdot |A| ,

.. math:: t_A(N) = N \log N \;\text{(BIC)}, \qquad
          t_A(N) = \log\Gamma(\alpha_A + N) - \log\Gamma(\alpha_A), \quad
          \alpha_A = \text{prior} / |A| \;\text{(BDeu)} ,

so graphs of one equivalence class have the same score. Only cells that occur are ever looked at:
rows are sorted by the cells of P, and each group is counted by the levels of z and of one candidate
more. Terms are rounded to multiples of :data:`UNIT` and added as whole numbers, so that neither the
sequence of rows nor the names of levels nor the way to a set changes a bit of its cost.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.categorical.tables import LOOKED_UP, UNIT, Rule, Work
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NONE = -1
#: Rows of ``Work.rows``: sorted row numbers, workspace, and the node's codes.
_SORTED, _SPARE, _NODE = 0, 1, 2
#: Sets of more cells than numbers can tell count as having so many.
_MOST_CELLS = 1e150


@kernel(inner=True)
def _stirling(x: float) -> float:
    """Log Gamma(x) for x >= LOOKED_UP but for a constant, to within rounding error."""
    inverse = 1.0 / x
    series = inverse * (1.0 / 12.0 - inverse * inverse * (1.0 / 360.0))
    return (x - 0.5) * math.log(x) - x + series


@kernel(inner=True)
def prepare_terms(rule: Rule, work: Work, part: int, cells: float) -> None:
    """Set up :func:`_term` for a set of so many ``cells``."""
    sums = work.sums[part]
    if rule.prior == 0.0:
        # The same for all sets, and made once.
        work.large[part, 0] = 0.0
        if sums[2] == 0:
            for count in range(2, LOOKED_UP):
                sums[count] = round(count * math.log(count) / UNIT)
        return
    alpha = rule.prior / min(cells, _MOST_CELLS)
    total = 0.0
    for count in range(LOOKED_UP):
        sums[count] = round(total / UNIT)
        total += math.log(alpha + count)
    work.large[part, 0] = alpha
    work.large[part, 1] = total - _stirling(alpha + LOOKED_UP)


@kernel(inner=True)
def large_term(alpha: float, constant: float, count: int) -> int:
    """t_A(count) in multiples of UNIT, of a count that is not looked up; BIC has no ``alpha``."""
    if alpha == 0.0:
        return round(count * math.log(count) / UNIT)
    return round((_stirling(alpha + count) + constant) / UNIT)


@kernel(inlined=True)
def term(work: Work, part: int, count: int) -> int:
    """t_A(count) in multiples of UNIT."""
    if count < LOOKED_UP:
        return work.sums[part, count]
    return large_term(work.large[part, 0], work.large[part, 1], count)


@kernel(inner=True)
def _sort_by_numbers(
    rule: Rule, work: Work, parents: NDArray[np.int64], k: int, configured: int
) -> int:
    """Sort the rows by the number of their configuration, of which there are few; how many cells.

    One pass over the rows for each parent, and one more to put them in their places.
    """
    m = rule.codes.shape[1]
    rows = work.rows[_SORTED]
    numbers = work.rows[_NODE]
    places = work.places
    for i in range(m):
        numbers[i] = 0
    for t in range(k):
        code = rule.codes[parents[t]]
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


@kernel(inner=True)
def _sort_by_levels(rule: Rule, work: Work, parents: NDArray[np.int64], k: int) -> int:
    """Sort the rows by one parent after the other; how many cells there are."""
    m = rule.codes.shape[1]
    rows = work.rows[_SORTED]
    spare = work.rows[_SPARE]
    places = work.places
    for i in range(m):
        rows[i] = i
    for t in range(k):
        code = rule.codes[parents[t]]
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
        code = rule.codes[parents[t]]
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


@kernel(inner=True)
def _leave_out(rule: Rule, work: Work, z: int, cells: int) -> int:
    """Copy what is counted into sequence, without cells to whose terms no candidate matters.

    Returns how many cells are left; the number of single rows left out is ``begin``'s last entry's
    complement, which the caller gets from the length.
    """
    code = rule.codes[z]
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
            superfluous = end - first == 1 and rule.times[rows[first]] == 1
        if superfluous:
            continue
        work.begin[kept] = at
        for i in range(first, end):
            row = rows[i]
            rows[at] = row
            node[at] = code[row]
            work.times[at] = rule.times[row]
            at += 1
        kept += 1
    work.begin[kept] = at
    return kept


@kernel(inner=True)
def _count(rule: Rule, work: Work, z: int, cells: int, u: int) -> int:
    """The sum of terms over the ``cells`` that were not left out, with u beside P.

    A group of few rows is gone through by its rows, another by all cells that it may have. Counts
    of the latter go into two tables in turn, as to add to one number twice takes longer than to add
    to two.
    """
    levels = rule.sizes[z]
    size = rule.sizes[u]
    code = rule.codes[u]
    rows = work.rows[_SORTED]
    node = work.rows[_NODE]
    times = work.times
    begin = work.begin
    table = work.table
    margin = work.margin
    both = work.sums[0]
    alone = work.sums[1]
    alpha, constant = work.large[0, 0], work.large[0, 1]
    alpha_alone, constant_alone = work.large[1, 0], work.large[1, 1]
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


@kernel(inner=True)
def _count_alone(work: Work, cells: int) -> int:
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


@kernel(inner=True)
def _cost(
    rule: Rule, work: Work, z: int, cells: int, single: int, u: int, configured: float
) -> float:
    """Of P and u, of which there are ``configured`` configurations."""
    total = _count_alone(work, cells) if u < 0 else _count(rule, work, z, cells, u)
    if rule.prior == 0.0:
        return rule.price * (rule.sizes[z] - 1.0) * configured - total * UNIT
    total += single * (work.sums[0, 1] - work.sums[1, 1])
    return -total * UNIT


@kernel(inner=True)
def _begin_count(
    rule: Rule, work: Work, z: int, parents: NDArray[np.int64], k: int
) -> tuple[int, int, float]:
    """Cells to count, single rows left out, and how many configurations the parents have."""
    configured = 1.0
    for t in range(k):
        configured *= rule.sizes[parents[t]]
    if configured <= rule.codes.shape[1]:
        cells = _sort_by_numbers(rule, work, parents, k, int(configured))
    else:
        cells = _sort_by_levels(rule, work, parents, k)
    kept = _leave_out(rule, work, z, cells)
    return kept, rule.codes.shape[1] - work.begin[kept], configured


@kernel
def cost_of(rule: Rule, work: Work, z: int, parents: NDArray[np.int64], k: int) -> float:
    """The cost of ``z`` with ``parents[:k]``."""
    cells, single, configured = _begin_count(rule, work, z, parents, k)
    prepare_terms(rule, work, 0, configured * rule.sizes[z])
    prepare_terms(rule, work, 1, configured)
    return _cost(rule, work, z, cells, single, _NONE, configured)


@kernel
def costs_with_one_more(
    rule: Rule,
    work: Work,
    z: int,
    parents: NDArray[np.int64],
    k: int,
    here: float,
    position: NDArray[np.int64],
    limit: int,
    extra: int,
    costs: NDArray[np.float64],
) -> None:
    """``costs[u]`` of ``z`` with ``parents[:k]`` and u, where it is NaN and u is wanted.

    Wanted are those whose ``position`` is before ``limit``, and ``extra``. Who may be no further
    parent has infinite costs, and so has u where the price of its parameters alone exceeds the cost
    ``here`` with ``parents[:k]``.
    """
    cells, single, configured = _begin_count(rule, work, z, parents, k)
    prepared = 0
    for i in range(rule.sizes.size):
        u = rule.by_size[i]
        if not math.isnan(costs[u]) or (position[u] >= limit and u != extra):
            continue
        costs[u] = np.inf
        if u == z or (rule.masked and not rule.allowed[z, u]):
            continue
        known = False
        for t in range(k):
            known = known or parents[t] == u
        if known:
            continue
        more = configured * rule.sizes[u]
        if rule.price * (rule.sizes[z] - 1.0) * more > here:
            continue
        if rule.sizes[u] != prepared:
            prepared = rule.sizes[u]
            prepare_terms(rule, work, 0, more * rule.sizes[z])
            prepare_terms(rule, work, 1, more)
        costs[u] = _cost(rule, work, z, cells, single, u, more)
