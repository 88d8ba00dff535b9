r"""What a node costs at the least with the parents that any set of candidates allows.

.. math:: t_z(R) = \min_{P \subseteq R} Q_z(P), \qquad R \subseteq \{c_1, \dots, c_K\},

for all :math:`2^K` sets R at once. Candidates are taken up one after another; each doubles the
number of sets, and turns the covariances of what is left by one step of Gauss elimination, for all
sets side by side:

.. math:: \operatorname{cov}(a, b \mid R \cup i) = \operatorname{cov}(a, b \mid R)
          - \operatorname{cov}(a, i \mid R) \operatorname{cov}(b, i \mid R)
          / \operatorname{var}(i \mid R).

Since candidate b needs its row only until it is taken up, at :math:`2^b` sets, all this takes room
for :math:`3 \cdot 2^K` numbers. Then minima are handed from sets to supersets. With the
likelihood :math:`\operatorname{var} \cdot e^{2 \lambda |P| / \mu}` is minimised, whose logarithm
is taken last.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.partial_covariance import DEPENDENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.kernels.l0.tables import Rule


#: Sets of so many candidates lie within what a processor reads at once.
_NEAR = 10
#: Beyond these nothing is chosen, and logarithms are still numbers.
_LARGE, _HUGE = 600.0, 1e290
_ROOT = math.sqrt(2.0)
_LOG2 = math.log(2.0)


def room_for(k: int) -> int:
    """How many numbers :func:`fill_subset_table` wants as workspace for ``k`` candidates."""
    return sum((k - b + 1) << b for b in range(k)) + 2 * (1 << max(k - 1, 0))


@kernel(borrowing=True)
def _eliminate(k: int, work: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Residual variances of the node for all sets, into ``out`` (2^k,).

    ``work`` has the covariances of candidates a >= b for 2^b sets at ``at(b) + (a - b) 2^b``, those
    of the node, number k, last; first of the empty set alone.
    """
    at = 0
    total = 0
    for b in range(k):
        total += (k - b + 1) << b
    ratio = work[total : total + (1 << max(k - 1, 0))]
    inverse = work[total + (1 << max(k - 1, 0)) :]
    for i in range(k):
        m = 1 << i
        for s in range(m):
            pivot = work[at + s]
            inverse[s] = 1.0 / pivot if pivot > DEPENDENT else 0.0
        behind = at + ((k - i + 1) << i)
        for b in range(i + 1, k + 1):
            mine = work[at + (b - i) * m : at + (b - i + 1) * m]
            for s in range(m):
                ratio[s] = mine[s] * inverse[s]
            length = 1 << b
            for a in range(b, k + 1):
                other = work[at + (a - i) * m : at + (a - i + 1) * m]
                place = behind + (a - b) * length
                if b == k:
                    without, together = out[:m], out[m : 2 * m]
                else:
                    without = work[place : place + m]
                    together = work[place + m : place + 2 * m]
                for s in range(m):
                    together[s] = without[s] - ratio[s] * other[s]
            behind += (k - b + 1) << b
        at += (k - i + 1) << i


@kernel(borrowing=True)
def _hand_over(out: NDArray[np.float64], k: int) -> None:
    """Minima over subsets: piece by piece while supersets lie close together, then over all."""
    near = min(k, _NEAR)
    for begin in range(0, out.size, 1 << near):
        piece = out[begin : begin + (1 << near)]
        for i in range(near):
            _least_of_halves(piece, 1 << i)
    for i in range(near, k):
        _least_of_halves(out, 1 << i)


@kernel(borrowing=True)
def _least_of_halves(out: NDArray[np.float64], m: int) -> None:
    """Minima of pairs at distance ``m``, a power of two, into the second of each."""
    if m == 1:
        for s in range(0, out.size, 2):
            out[s + 1] = min(out[s], out[s + 1])
    elif m == 2:
        for s in range(0, out.size, 4):
            out[s + 2] = min(out[s], out[s + 2])
            out[s + 3] = min(out[s + 1], out[s + 3])
    else:
        for begin in range(0, out.size, 2 * m):
            without = out[begin : begin + m]
            together = out[begin + m : begin + 2 * m]
            for s in range(m):
                together[s] = min(without[s], together[s])


@kernel(borrowing=True)
def _take_logarithms(x: NDArray[np.float64], bits: NDArray[np.int64], half: float) -> None:
    r"""Half times the logarithms of ``x``, positive and finite; ``bits`` is a view of the same.

    With :math:`x = 2^e m`, :math:`1 \le m < 2` and :math:`s = (m - \sqrt 2) / (m + \sqrt 2)`,
    :math:`\log x = (e + \tfrac12) \log 2 + 2 (s + s^3/3 + s^5/5 + \dots)`, to 14 digits: plain
    arithmetic, for several numbers side by side, where calls of a function would take as long as
    all the rest.
    """
    for t in range(x.size):
        exponent = float((bits[t] >> 52) - 1023)
        bits[t] = (bits[t] & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000
        s = (x[t] - _ROOT) / (x[t] + _ROOT)
        q = s * s
        series = 1.0 / 15.0 + q * (1.0 / 17.0)
        series = 1.0 / 11.0 + q * (1.0 / 13.0 + q * series)
        series = 1.0 / 7.0 + q * (1.0 / 9.0 + q * series)
        series = 1.0 / 3.0 + q * (0.2 + q * series)
        x[t] = half * ((exponent + 0.5) * _LOG2 + 2.0 * s * (1.0 + q * series))


@kernel(inner=True)
def fill_subset_table(
    rule: Rule,
    z: int,
    covariance: NDArray[np.float64],
    held: int,
    most: int,
    sizes: NDArray[np.int8],
    work: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Fill ``out`` (2^k,) with what ``z`` costs at the least, for each set as bits.

    ``covariance`` (k + 1, k + 1) is that of the candidates and z, the last, given the ``held``
    parents that z has in any case. No set has more than ``most`` parents with these. ``sizes``
    (2^k or more,) are the numbers of bits, ``work`` see :func:`room_for`.
    """
    k = covariance.shape[0] - 1
    at = 0
    for b in range(k):
        for a in range(b, k + 1):
            work[at] = covariance[a, b]
            at += 1 << b
    out[0] = covariance[k, k]
    _eliminate(k, work, out)
    price = np.empty(k + 1)
    for size in range(k + 1):
        within = size == 0 or size + held <= most
        if rule.logarithmic:
            price[size] = (
                math.exp(min(_LARGE, 2.0 * rule.weight * size / rule.unit[z])) if within else _HUGE
            )
        else:
            price[size] = rule.weight * size if within else math.inf
    if rule.logarithmic:
        for s in range(out.size):
            out[s] = max(out[s], DEPENDENT) * price[sizes[s]]
    else:
        for s in range(out.size):
            out[s] = 0.5 * rule.unit[z] * out[s] + price[sizes[s]]
    _hand_over(out, k)
    if rule.logarithmic:
        _take_logarithms(out, out.view(np.int64), 0.5 * rule.unit[z])
    for s in range(out.size):
        out[s] += rule.weight * held


@kernel(inner=True)
def _given(C: NDArray[np.float64], who: NDArray[np.int64], held: int) -> NDArray[np.float64]:
    """Covariances of ``who`` (m,) from number ``held`` on, given those before."""
    m = who.size
    whole = np.empty((m, m))
    for a in range(m):
        for b in range(m):
            whole[a, b] = C[who[a], who[b]]
    for i in range(held):
        for a in range(i + 1, m):
            share = whole[a, i] / whole[i, i]
            for b in range(i + 1, m):
                whole[a, b] -= share * whole[i, b]
    return whole[held:, held:]


@kernel
def fill_candidate_tables(
    rule: Rule,
    candidates: NDArray[np.bool_],
    start: NDArray[np.int64],
    most: int,
    sizes: NDArray[np.int8],
    work: NDArray[np.float64],
    cost: NDArray[np.float64],
    bit: NDArray[np.int32],
) -> None:
    """The tables of all nodes, that of z from ``start[z]`` on in ``cost``.

    ``candidates[z, u]`` (d, d): u may be a parent of z, beside those that are required; ``bit``
    (d, d) receives which bit stands for it.
    """
    d = candidates.shape[0]
    for z in range(d):
        who = np.empty(d, dtype=np.int64)
        held = 0
        if rule.demanding:
            for u in range(d):
                if rule.required[z, u]:
                    who[held] = u
                    held += 1
        count = held
        for u in range(d):
            bit[z, u] = 0
            if candidates[z, u]:
                bit[z, u] = 1 << (count - held)
                who[count] = u
                count += 1
        who[count] = z
        covariance = _given(rule.C[rule.own[z]], who[: count + 1], held)
        table = cost[start[z] : start[z + 1]]
        fill_subset_table(rule, z, covariance, held, most, sizes, work, table)
