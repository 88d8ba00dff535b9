r"""The cost of a node's parents, from counts of the cells of their contingency table.

With :math:`N_c` the number of rows in cell c of the table of a set A of columns, and
:math:`|A|` the number of its cells, both scores are differences of a function of sets,

.. math:: -\text{cost}(z \mid P) = F(P \cup z) - F(P), \qquad
          F(A) = \sum_{c : N_c > 0} t_A(N_c) - \text{price} \cdot |A| ,

.. math:: t_A(N) = N \log N \;\text{(BIC)}, \qquad
          t_A(N) = \log\Gamma(\alpha_A + N) - \log\Gamma(\alpha_A), \quad
          \alpha_A = \text{prior} / |A| \;\text{(BDeu)} ,

so graphs of one equivalence class have the same score. Only cells that occur are ever looked at.
Few of them are counted by bits, many by sorting the rows; see
:mod:`~toposwap.kernels.categorical.bit_sets`, :mod:`~toposwap.kernels.categorical.sorted_rows`.
Terms are rounded to multiples of :data:`UNIT` and added as whole numbers, so that neither the
sequence of rows nor the names of levels nor the way to a set changes a bit of its cost.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.categorical.bit_sets import count_bits, count_bits_alone, split, worth_it
from toposwap.kernels.categorical.sorted_rows import count_rows, count_rows_alone, sort_rows
from toposwap.kernels.categorical.tables import UNIT, Rule, Work
from toposwap.kernels.categorical.terms import prepare_terms, term
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(borrowing=True)
def _configurations(rule: Rule, parents: NDArray[np.int64], k: int) -> float:
    configured = 1.0
    for t in range(k):
        configured *= rule.sizes[parents[t]]
    return configured


@kernel(borrowing=True)
def _cost(rule: Rule, work: Work, z: int, total: int, single: int, configured: float) -> float:
    """From the sum of terms over cells of ``configured`` configurations, ``single`` rows alone."""
    if rule.prior == 0.0:
        return rule.price * (rule.sizes[z] - 1.0) * configured - total * UNIT
    total += single * (term(work, 0, 1) - term(work, 1, 1))
    return -total * UNIT


@kernel
def cost_of(rule: Rule, work: Work, z: int, parents: NDArray[np.int64], k: int) -> float:
    """The cost of ``z`` with ``parents[:k]``."""
    return counted_cost(rule, work, z, parents, k)


@kernel(borrowing=True)
def counted_cost(rule: Rule, work: Work, z: int, parents: NDArray[np.int64], k: int) -> float:
    """As :func:`cost_of`, for kernels."""
    configured = _configurations(rule, parents, k)
    prepare_terms(rule, work, 0, configured * rule.sizes[z])
    prepare_terms(rule, work, 1, configured)
    if worth_it(rule, work, z, configured, 2):
        cells, single = split(rule, work, z, parents, k)
        total = count_bits_alone(work, cells)
    else:
        cells, single = sort_rows(rule, work, z, parents, k, configured)
        total = count_rows_alone(work, cells)
    return _cost(rule, work, z, total, single, configured)


@kernel(borrowing=True)
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
    configured = _configurations(rule, parents, k)
    # What has been made ready, with how many cells and single rows: planes, or sorted rows.
    cells, single, bit_cells, bit_single = -1, 0, -1, 0
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
        if worth_it(rule, work, z, configured, rule.sizes[u]):
            if bit_cells < 0:
                bit_cells, bit_single = split(rule, work, z, parents, k)
            total = count_bits(rule, work, z, bit_cells, u)
            costs[u] = _cost(rule, work, z, total, bit_single, more)
        else:
            if cells < 0:
                cells, single = sort_rows(rule, work, z, parents, k, configured)
            total = count_rows(rule, work, z, cells, u)
            costs[u] = _cost(rule, work, z, total, single, more)
