"""Counts by bits: a plane of bits for each level of each column, one bit a row.

A cell is the intersection of the planes of its levels, and the number of its rows the number of
bits that are set: 64 rows with each instruction, so that counting a cell takes a hundredth of going
through the rows. The last level of a candidate has what the others leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.categorical.tables import Rule, Work
from toposwap.kernels.categorical.terms import term
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Rows of ``Work.tallies``: rows in each part, where the parts of each cell begin, and what the
#: levels of a candidate have left of the parts of a cell.
_ROWS, _BEGIN, _LEFT = 0, 1, 2
#: Words that are gone through in the time of one row, less than where a processor counts the bits
#: of eight words at once. Parts of cells that do not occur are not gone through.
_WORDS_A_ROW = 16.0


@kernel(inlined=True, borrowing=True)
def _ones(word: np.uint64) -> int:
    """How many bits of ``word`` are set."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + (
        (pairs >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    bytes_ = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    # Signed, because sums of signed and unsigned numbers are floats in compiled code.
    return np.int64((bytes_ * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]


@kernel(inlined=True, borrowing=True)
def _common(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> int:
    """How many bits are set in both."""
    total = 0
    for i in range(a.size):
        total += _ones(a[i] & b[i])
    return total


@kernel(inlined=True, borrowing=True)
def _intersect(a: NDArray[np.uint64], b: NDArray[np.uint64], both: NDArray[np.uint64]) -> int:
    """``both`` receives the bits set in ``a`` and ``b``; how many there are."""
    total = 0
    for i in range(a.size):
        both[i] = a[i] & b[i]
        total += _ones(both[i])
    return total


@kernel(borrowing=True)
def worth_it(rule: Rule, work: Work, z: int, configured: float, levels: int) -> bool:
    """Whether planes are quicker than rows: few cells, and not too many rows that are equal.

    With ``configured`` configurations of the parents and a candidate of so many ``levels``.
    """
    group = rule.group[z]
    words = rule.words[group + 1] - rule.words[group]
    parts = configured * rule.sizes[z]
    if words == 0 or parts > work.masks.shape[1]:
        return False
    m = rule.begins[group + 1] - rule.begins[group]
    return parts * (levels - 1.0) * words < _WORDS_A_ROW * m


@kernel(borrowing=True)
def split(rule: Rule, work: Work, z: int, parents: NDArray[np.int64], k: int) -> tuple[int, int]:
    """The parts of the cells of ``parents[:k]`` by the levels of ``z``.

    Without cells to whose terms no candidate matters. How many cells are left, and how many rows
    are alone in theirs.
    """
    first = rule.words[rule.group[z]]
    end = rule.words[rule.group[z] + 1]
    words = end - first
    cells = 0
    side = 0
    for t in range(k):
        u = parents[t]
        made = 0
        for cell in range(cells if t > 0 else 1):
            for level in range(rule.level[u], rule.level[u + 1]):
                plane = rule.planes[level, first:end]
                target = work.masks[1 - side, made, :words]
                if t == 0:
                    rows = _intersect(plane, plane, target)
                else:
                    rows = _intersect(work.masks[side, cell, :words], plane, target)
                if rows > 0:
                    made += 1
        cells = made
        side = 1 - side
    # The parts go to the first half.
    if side == 0 and k > 0:
        for cell in range(cells):
            for i in range(words):
                work.masks[1, cell, i] = work.masks[0, cell, i]
    tallies = work.tallies
    kept = 0
    parts = 0
    single = 0
    for cell in range(cells if k > 0 else 1):
        before = parts
        together = 0
        for level in range(rule.level[z], rule.level[z + 1]):
            plane = rule.planes[level, first:end]
            target = work.masks[0, parts, :words]
            if k == 0:
                rows = _intersect(plane, plane, target)
            else:
                rows = _intersect(work.masks[1, cell, :words], plane, target)
            if rows > 0:
                tallies[_ROWS, parts] = rows
                together += rows
                parts += 1
        if rule.prior == 0.0:
            superfluous = parts == before + 1
        else:
            superfluous = together == 1
            single += together == 1
        if superfluous:
            parts = before
            continue
        tallies[_BEGIN, kept] = before
        kept += 1
    tallies[_BEGIN, kept] = parts
    return kept, single


@kernel(borrowing=True)
def count_bits(rule: Rule, work: Work, z: int, cells: int, u: int) -> int:
    """The sum of terms over the ``cells`` of :func:`split`, with u beside the parents."""
    first = rule.words[rule.group[z]]
    end = rule.words[rule.group[z] + 1]
    words = end - first
    tallies = work.tallies
    total = 0
    last = rule.level[u + 1] - 1
    for cell in range(cells):
        begin = tallies[_BEGIN, cell]
        stop = tallies[_BEGIN, cell + 1]
        for part in range(begin, stop):
            tallies[_LEFT, part] = tallies[_ROWS, part]
        for level in range(rule.level[u], last):
            plane = rule.planes[level, first:end]
            together = 0
            for part in range(begin, stop):
                if tallies[_LEFT, part] == 0:
                    continue
                count = _common(work.masks[0, part, :words], plane)
                if count > 0:
                    tallies[_LEFT, part] -= count
                    together += count
                    total += term(work, 0, count)
            if together > 0:
                total -= term(work, 1, together)
        together = 0
        for part in range(begin, stop):
            count = tallies[_LEFT, part]
            if count > 0:
                together += count
                total += term(work, 0, count)
        if together > 0:
            total -= term(work, 1, together)
    return total


@kernel(borrowing=True)
def count_bits_alone(work: Work, cells: int) -> int:
    """The same with the parents alone."""
    tallies = work.tallies
    total = 0
    for cell in range(cells):
        together = 0
        for part in range(tallies[_BEGIN, cell], tallies[_BEGIN, cell + 1]):
            together += tallies[_ROWS, part]
            total += term(work, 0, tallies[_ROWS, part])
        total -= term(work, 1, together)
    return total
