r"""Which predecessors a node of an additive model needs: F-tests of whole blocks.

Forward: the block whose F-test against the parents at hand is the most significant joins, as long
as its p-value is at most ``level`` over the number of predecessors. After each step blocks that are
no longer significant leave, the least significant first. Then the remaining ones are fitted again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import fdtrc

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Chance of one superfluous parent for a node that needs none of its predecessors.
LEVEL = 0.01


def significant_parents(
    factor: NDArray[np.float64],
    sizes: NDArray[np.int64],
    n: int,
    node: int,
    allowed: NDArray[np.bool_],
    level: float = LEVEL,
) -> NDArray[np.bool_]:
    """The predecessors of ``node`` that it needs, (d,), among ``allowed`` (d,).

    ``factor`` (d m, d m) is upper triangular with the blocks in the order of the variables, without
    a penalty; ``sizes`` (d,) says how many functions of a block there are.
    """
    d = sizes.size
    m = factor.shape[1] // d
    candidates = np.flatnonzero(allowed)
    parents: list[int] = []
    if candidates.size == 0:
        return np.zeros(d, dtype=bool)
    bar = level / candidates.size
    blocks = factor.reshape(-1, d, m)
    response = factor[:, node * m]
    left: NDArray[np.float64] = blocks[:, candidates].copy()
    residual = response.copy()
    banned = np.zeros(candidates.size, dtype=bool)
    while True:
        free = n - 1 - int(sizes[parents].sum())
        gains = _gains(left, residual)
        rss = float(residual @ residual)
        width = sizes[candidates]
        open_ = ~banned & (free - width > 0)
        if not open_.any():
            break
        p = np.ones(candidates.size)
        p[open_] = _p_values(gains[open_], rss - gains[open_], width[open_], free - width[open_])
        best = int(np.lexsort((-gains, p))[0])
        if p[best] > bar:
            break
        parents.append(int(candidates[best]))
        banned[best] = True
        while (weakest := _weakest(blocks, response, parents, sizes, n, bar)) is not None:
            # What has left does not come back, so that this ends.
            parents.remove(weakest)
        basis = _basis(blocks, parents, sizes)
        left = blocks[:, candidates] - np.tensordot(
            basis, np.tensordot(basis.T, blocks[:, candidates], 1), 1
        )
        residual = response - basis @ (basis.T @ response)
    chosen = np.zeros(d, dtype=bool)
    chosen[parents] = True
    return chosen


def refit(
    factor: NDArray[np.float64], size: int, node: int, parents: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Coefficients (d, m) of the first column of ``node`` on the blocks of ``parents`` alone.

    ``factor`` holds the penalty's rows as well. In units of the deviation of the node.
    """
    d = parents.size
    chosen = np.flatnonzero(np.repeat(parents, size))
    theta = np.zeros(d * size)
    if chosen.size:
        solved, *_ = np.linalg.lstsq(factor[:, chosen], factor[:, node * size], rcond=None)
        theta[chosen] = solved
    return theta.reshape(d, size)


def _gains(left: NDArray[np.float64], residual: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much each block (D, k, m) would lower the residual sum of squares, (k,)."""
    gram = np.einsum("tir,tis->irs", left, left, optimize=True)
    along = np.tensordot(residual, left, 1)
    # Columns that the parents determine bring nothing.
    gram += 1e-12 * np.eye(gram.shape[-1])
    return np.einsum("ir,ir->i", along, np.linalg.solve(gram, along[..., None])[..., 0])


def _basis(
    blocks: NDArray[np.float64], parents: list[int], sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """An orthonormal basis of the columns of ``parents``, (D, k)."""
    if not parents:
        return np.zeros((len(blocks), 0))
    return np.linalg.qr(np.column_stack([blocks[:, i, : sizes[i]] for i in parents]))[0]


def _weakest(
    blocks: NDArray[np.float64],
    response: NDArray[np.float64],
    parents: list[int],
    sizes: NDArray[np.int64],
    n: int,
    bar: float,
) -> int | None:
    """The least significant parent, if it is above the bar."""
    if len(parents) < 2:
        return None
    columns = np.column_stack([blocks[:, i, : sizes[i]] for i in parents])
    q, r = np.linalg.qr(columns)
    along = q.T @ response
    rss = float(response @ response - along @ along)
    inverse = np.linalg.inv(r)
    coefficients = inverse @ along
    stops = np.cumsum(sizes[parents])
    free = n - 1 - int(stops[-1])
    raised = np.empty(len(parents))
    for k, stop in enumerate(stops):
        part = slice(stop - sizes[parents[k]], stop)
        covariance = inverse[part] @ inverse[part].T
        raised[k] = coefficients[part] @ np.linalg.solve(covariance, coefficients[part])
    p = _p_values(raised, rss, sizes[parents], free)
    worst = int(np.lexsort((raised, -p))[0])
    return parents[worst] if p[worst] > bar else None


def _p_values(
    gain: NDArray[np.float64],
    rss: NDArray[np.float64] | float,
    width: NDArray[np.int64],
    free: NDArray[np.int64] | int,
) -> NDArray[np.float64]:
    """Of F = (gain / width) / (rss / free)."""
    ratio = gain * free / (np.maximum(rss, np.finfo(float).tiny) * width)
    return np.asarray(fdtrc(width, free, ratio), dtype=np.float64)
