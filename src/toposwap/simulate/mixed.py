r"""Structural equation models of columns of several kinds, each drawn given its parents.

With :math:`z_i` a column in standard deviations of the sample from its mean, or for a category the
effect of its value, an entry of a table:

.. math:: f_{jl} = \sum_{i \in \mathrm{pa}(j)} a_{ijl}(z_i), \qquad
          x_j \sim \begin{cases} f_{j1} + \mathcal N(0, 1) & \text{continuous}\\
          \mathrm{Poisson}(\exp(b_j + f_{j1} / 2)) & \text{count}\\
          P(x_j = l) \propto \exp(b_{jl} + f_{jl}) & \text{categorical.} \end{cases}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toposwap.core.errors import InputError
from toposwap.core.graph import acyclic_order, square_matrix
from toposwap.simulate.graphs import RandomState, checked_count, dag

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

#: Effects on the logarithm of a mean count are this part of others, or counts explode.
_ON_COUNTS = 0.5
_LARGEST_LOG_MEAN = 6.0
#: Shares of the kinds of a random table: half, a third, the rest.
_CONTINUOUS, _CATEGORICAL = 1.0 / 2.0, 1.0 / 3.0
_LEVELS = (2, 6)


@dataclass(frozen=True, eq=False)
class MixedSample:
    """The data with the graph they were drawn from.

    Attributes
    ----------
    X
        Samples, shape (n, d); of a category the codes 0, 1, 2, ...
    graph
        (d, d) of bool: ``graph[i, j]`` is the edge i -> j.
    levels
        The number of values of each category, 0 of a count, and 1 of a continuous column, (d,).
    """

    X: NDArray[np.float64]
    graph: NDArray[np.bool_]
    levels: NDArray[np.int64]

    @property
    def kinds(self) -> dict[str, str]:
        """What columns are, by their names in :meth:`table`: as ``Topo(kinds=...)`` takes it."""
        names = {0: "count", 1: "continuous"}
        return {f"x{j}": names.get(int(k), "categorical") for j, k in enumerate(self.levels)}

    def table(self) -> pd.DataFrame:
        """The samples as a frame, with text for categories: "a", "b", ..."""
        import pandas as pd

        columns: dict[str, Any] = {}
        letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
        for j, k in enumerate(self.levels):
            x = self.X[:, j]
            columns[f"x{j}"] = x if k < 2 else letters[x.astype(np.int64)]
        return pd.DataFrame(columns)


def mixed_sem(
    graph: ArrayLike,
    levels: Sequence[int] | NDArray[np.int64],
    n: int,
    effects: tuple[float, float] = (0.5, 1.5),
    random_state: RandomState = None,
) -> NDArray[np.float64]:
    """N rows, causes first, (n, d); of a category the codes 0, 1, 2, ...

    Parameters
    ----------
    graph
        Adjacency matrix of a DAG, shape (d, d).
    levels
        For each column the number of its categories, 1 for a continuous one, 0 for a count.
    n
        The number of samples.
    effects
        Sizes of effects are drawn between these two, with either sign.
    random_state
        None, a seed, or the generator to draw from.
    """
    edges, n = square_matrix(graph, "graph") != 0, checked_count(n, "n")
    sizes = np.asarray(levels, dtype=np.int64)
    if sizes.shape != (len(edges),) or (sizes < 0).any() or (sizes > 26).any():
        raise InputError(f"levels: give {len(edges)} whole numbers from 0 to 26, got {levels!r}")
    rng = np.random.default_rng(random_state)
    X = np.zeros((n, len(edges)))
    for j in acyclic_order(edges, "graph"):
        size = max(1, int(sizes[j]))
        f = np.zeros((n, size))
        for i in np.flatnonzero(edges[:, j]):
            f += _effect(rng, X[:, i], int(sizes[i]), size, effects)
        if sizes[j] == 1:
            X[:, j] = f[:, 0] + rng.standard_normal(n)
        elif sizes[j] == 0:
            log_mean = rng.uniform(0.0, 1.0) + _ON_COUNTS * f[:, 0]
            X[:, j] = rng.poisson(np.exp(np.minimum(log_mean, _LARGEST_LOG_MEAN)))
        else:
            f += rng.uniform(-0.5, 0.5, size)
            # The largest of f and Gumbel noise is drawn with chances proportional to exp f.
            X[:, j] = (f + rng.gumbel(size=f.shape)).argmax(axis=1)
    return X


def mixed_dataset(
    d: int,
    n: int,
    kind: str = "ER",
    k: float | None = None,
    *,
    hubs: Literal["causes", "effects"] = "effects",
    effects: tuple[float, float] = (0.5, 1.5),
    random_state: RandomState = None,
) -> MixedSample:
    """Draw a graph, kinds of columns and n rows on d nodes, all from one generator.

    Half of the columns are continuous, a third has two to six categories, the rest are counts.
    `kind`, `k` and `hubs` are those of :func:`dag`, `effects` is that of :func:`mixed_sem`.
    """
    rng = np.random.default_rng(random_state)
    graph = np.asarray(dag(d, kind, k, rng, hubs=hubs)) != 0
    levels = np.zeros(d, dtype=np.int64)
    continuous, categorical = round(_CONTINUOUS * d), round(_CATEGORICAL * d)
    levels[:continuous] = 1
    chosen = slice(continuous, continuous + categorical)
    levels[chosen] = rng.integers(_LEVELS[0], _LEVELS[1] + 1, levels[chosen].size)
    levels = levels[rng.permutation(d)]
    return MixedSample(mixed_sem(graph, levels, n, effects, rng), graph, levels)


def _effect(
    rng: np.random.Generator,
    x: NDArray[np.float64],
    levels: int,
    size: int,
    effects: tuple[float, float],
) -> NDArray[np.float64]:
    """What a cause ``x`` (n,) adds to ``size`` predictors, (n, size)."""
    rows = max(1, levels)
    strengths = rng.uniform(*effects, (rows, size)) * rng.choice([-1.0, 1.0], (rows, size))
    if levels >= 2:
        return strengths[x.astype(np.int64)]
    deviation = float(x.std())
    return np.outer((x - x.mean()) / (deviation or 1.0), strengths)
