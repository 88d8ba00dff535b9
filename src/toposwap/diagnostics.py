r"""Whether it is the causes that order the columns, or their units.

Least squares prefers orders along which the variance of the columns rises, whatever made it rise.
On simulated data it usually does rise along the true order; a table whose columns were measured in
unrelated units has an order of variances that means nothing. Two figures tell how much of a graph
could be read off such marginal quantities alone:

- *varsortability*: the share of pairs (cause, effect), connected by a directed path, in which the
  effect has the larger variance;
- *R²-sortability*: the same with :math:`R^2_j = 1 - \operatorname{var}(x_j \mid \text{others}) /
  \operatorname{var}(x_j)`, which does not depend on units.

1/2 is what chance gives, 1 means that sorting the columns would have done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.graph import square_matrix
from toposwap.kernels.graphs.reachability import reachability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: From this share of the directed paths on, sorting by variance finds nearly the same order.
NEARLY_ALL = 0.9
#: Noise that deviates so many times as much in one column as in another is in other units.
UNLIKE = 10.0


def varsortability(X: Any, W: ArrayLike) -> float:
    """Share of the ancestor-descendant pairs of ``W`` (d, d) whose variance rises; NaN without any.

    ``X`` is the data, (n, d), or a :class:`~toposwap.Dataset`.
    """
    data = X if isinstance(X, Dataset) else Dataset.from_table(X)
    return sortability(data.deviations * data.scale, W)


def r2_sortability(X: Any, W: ArrayLike) -> float:
    """Share of the ancestor-descendant pairs of ``W`` (d, d) whose R² rises; NaN without any."""
    data = X if isinstance(X, Dataset) else Dataset.from_table(X)
    if data.n <= data.d:
        raise InputError(
            f"R2-sortability regresses each column on all others: {data.n} rows are too few for "
            f"{data.d} columns"
        )
    inverse = np.linalg.inv(data.factor)
    unexplained = 1.0 / (data.deviations**2 * np.einsum("ij,ij->i", inverse, inverse))
    return sortability(1.0 - unexplained, W)


def sortability(criterion: NDArray[np.float64], W: ArrayLike) -> float:
    """Share of the pairs i ... -> j of ``W`` with ``criterion[i] < criterion[j]``; ties half."""
    edges = square_matrix(W, "W") != 0.0
    if len(edges) != len(criterion):
        raise InputError(f"W has {len(edges)} nodes, but the data have {len(criterion)} columns")
    path = reachability(edges)
    np.fill_diagonal(path, val=False)
    pairs = int(path.sum())
    if pairs == 0:
        return float("nan")
    rising = criterion[:, None] < criterion
    equal = criterion[:, None] == criterion
    return float((path & rising).sum() + 0.5 * (path & equal).sum()) / pairs


def units_in_words(share: float, score: str) -> str:
    """What a score that depends on units may owe to them, for ``share`` of the paths rising."""
    told = "this score depends on the units of the columns"
    if np.isnan(share):
        return told
    told += f"; along {share:.0%} of the directed paths the variance rises"
    if share >= NEARLY_ALL:
        other = "basis-bic" if score.startswith("basis") else "bic"
        told += (
            ", so sorting by variance finds nearly the same order: compare with the score "
            f"{other!r}, which knows no units"
        )
    return told


def in_unlike_units(share: float, residual_variances: NDArray[np.float64]) -> bool:
    """Whether the units rather than the causes may have made the order.

    Sorting by variance finds it, and the noise of the columns, which such a score takes for
    equally large, differs :data:`UNLIKE` times; where it does not, rising variances are what the
    model itself implies.
    """
    deviations = np.sqrt(residual_variances)
    return share >= NEARLY_ALL and bool(deviations.max() > UNLIKE * deviations.min())
