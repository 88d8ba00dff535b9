r"""The rows that count for each node, and their moments.

With interventions each node has rows of its own. Nodes that share them are a group, and a group has
one triangular factor. Rows with the same set of targets are an environment, whose triangle

.. math:: (1, X_e) = Q_e T_e

is made once, a column of ones first: its row of the triangle holds the means. The triangle of any
rows that are made of environments is that of their triangles one below the other, so a group costs
nothing that grows with the rows. A perfect intervention leaves the environments in which the node
was not set. A shift leaves all of them, with a mean of its own for those in which it was: then the
two parts are centred by themselves and merged without their means.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.validation import columns, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.admissible import Admissible
    from toposwap.core.dataset import Dataset

#: A deviation below this share of that over all rows is none.
_CONSTANT = 1e-10


@dataclass(frozen=True, eq=False)
class OwnRows:
    """Nodes that share the rows that count for them.

    Attributes
    ----------
    nodes
        Which ones, (k,).
    moments
        Factor, means and number of these rows, in the scale of all; it has no rows. A column that
        does not vary in them is there as one that nothing depends on.
    share
        Number of the rows over that of all; zero for nodes that were set in all of them.
    kept
        The rows, (n,) of bool; None for all.
    shifted
        Where something was added to the nodes, (n,) of bool; None for nowhere. Then all rows count.
    constant
        Columns (d,) that do not vary in the rows, so that nobody knows what they do there.
    whole
        All the data.
    """

    nodes: NDArray[np.int64]
    moments: Dataset
    share: float
    kept: NDArray[np.bool_] | None = field(repr=False)
    shifted: NDArray[np.bool_] | None = field(repr=False)
    constant: NDArray[np.bool_] = field(repr=False)
    whole: Dataset = field(repr=False)

    @cached_property
    def table(self) -> Dataset:
        """The same with the rows, a copy of them where they are not all."""
        whole = self.whole
        if self.moments is whole:
            return whole
        assert whole.rows is not None
        if self.kept is None:
            return replace(self.moments, held=whole.held, row_weights=whole.row_weights)
        weights = whole.row_weights
        return replace(
            self.moments,
            held=whole.rows[self.kept],
            row_weights=None if weights is None else weights[self.kept],
        )

    @property
    def unset(self) -> NDArray[np.bool_] | slice:
        """The rows of the data in which nothing was done to the nodes."""
        if self.shifted is not None:
            return ~self.shifted
        return slice(None) if self.kept is None else self.kept


def identified(data: Dataset, told: Admissible) -> Admissible:
    """``told`` without the edges that the rows say nothing about.

    Those into variables that were set in all rows, and those from a column that does not vary where
    its effect was not set.
    """
    if data.interventions is None:
        return told.check(data.d)
    unknown = np.zeros((data.d, data.d), dtype=np.bool_)
    for group in data.own_rows:
        unknown[np.ix_(group.constant, group.nodes)] = True
    unknown |= data.interventions.always
    np.fill_diagonal(unknown, False)
    if not unknown.any():
        return told.check(data.d)
    parents = ~unknown if told.check(data.d).parents is None else ~unknown & told.parents  # type: ignore[operator]
    if told.required is not None and (told.required & unknown).any():
        i, j = np.argwhere(told.required & unknown)[0]
        cause, effect = data.names[i], data.names[j]
        why = f"{effect} was set from outside in every row"
        if not data.interventions.always[j]:
            why = f"{cause} does not vary in the rows in which {effect} was not set"
        raise InputError(f"knowledge: {cause} -> {effect} is required, but {why}")
    return replace(told, parents=parents)


def unidentified_in_words(data: Dataset) -> tuple[str, ...]:
    """What the rows say nothing about, in words."""
    if data.interventions is None:
        return ()
    told = []
    always = [data.names[j] for j in np.flatnonzero(data.interventions.always)]
    if always:
        was, it = ("was", "it has") if len(always) == 1 else ("were", "they have")
        told.append(
            f"{listed(always)} {was} set from outside in every row: {it} no causes in this graph"
        )
    for group in data.own_rows:
        still = [data.names[i] for i in np.flatnonzero(group.constant)]
        if still:
            nodes = listed([data.names[j] for j in group.nodes])
            told.append(
                f"{listed(still)} {'does' if len(still) == 1 else 'do'} not vary in the rows that "
                f"count for {nodes}: no edge from there is looked for"
            )
    return tuple(told)


def own_rows(data: Dataset) -> tuple[OwnRows, ...]:
    """The groups of nodes; one with everything where nothing was set."""
    given = data.interventions
    if given is None:
        nothing = np.zeros(data.d, dtype=bool)
        return (OwnRows(np.arange(data.d), data, 1.0, None, None, nothing, data),)
    if given.always.all():
        raise InputError(
            "interventions: every variable was set in every row, so that nothing is left to learn"
        )
    sets, where = given.environments()
    triangles = [_triangle(data, where == e) for e in range(len(sets))]
    # A variable that was shifted in all rows has one mean, and none that was set in all has rows.
    treated = np.vstack([sets & ~sets.all(axis=0), given.always])
    patterns, group_of = np.unique(treated, axis=1, return_inverse=True)
    return tuple(
        _group(data, triangles, np.flatnonzero(group_of.ravel() == k), patterns[:, k], where)
        for k in range(patterns.shape[1])
    )


def _group(
    data: Dataset,
    triangles: list[NDArray[np.float64]],
    nodes: NDArray[np.int64],
    pattern: NDArray[np.bool_],
    where: NDArray[np.intp],
) -> OwnRows:
    """The nodes that were set in the environments ``pattern`` (e,), whose last entry says: all."""
    assert data.interventions is not None
    treated, shift = pattern[:-1], data.interventions.kind == "shift"
    of_rows = treated[where]
    unset = [triangle for triangle, one in zip(triangles, treated, strict=True) if not one]
    rows = of_rows.size if data.row_weights is None else float(data.row_weights.sum())
    counted = rows
    factor, mean = _centred(data, unset, center=data.centered)
    if shift and treated.any():
        added = [triangle for triangle, one in zip(triangles, treated, strict=True) if one]
        factor = _merged([factor, _centred(data, added, center=True)[0]], data.d)
    elif treated.any():
        own = ~of_rows
        counted = own.sum() if data.row_weights is None else float(data.row_weights[own].sum())
    factor = factor / np.sqrt(counted)
    deviations = np.sqrt(np.einsum("ij,ij->j", factor, factor))
    constant = deviations <= _CONSTANT * data.deviations
    _refuse_constant(data, nodes, constant, counted)
    if constant.any():
        # As columns of size one that are uncorrelated with all others.
        vary = np.flatnonzero(~constant)
        rest = _merged([factor[:, vary]], vary.size)
        factor = np.diag(constant.astype(np.float64))
        factor[np.ix_(vary, vary)] = rest
    from toposwap.core.dataset import Dataset

    moments = Dataset(
        data.names,
        round(counted),
        data.mean + mean * data.scale,
        data.scale,
        np.asfortranarray(factor),
        None,
        data.labels,
        data.given_kinds,
        centered=data.centered,
    )
    # Numbers are rounded as they were before some rows were left out.
    vars(moments)["rounding"] = data.rounding
    return OwnRows(
        nodes,
        moments,
        0.0 if pattern[-1] else counted / rows,
        None if shift or not treated.any() else ~of_rows,
        of_rows if shift and treated.any() else None,
        constant,
        data,
    )


def _triangle(data: Dataset, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The triangle (at most d + 1, d + 1) of a column of ones and the scaled columns."""
    assert data.rows is not None
    index = np.flatnonzero(rows)
    step = max(data.d + 1, 2**20 // data.d)
    triangle: NDArray[np.float64] = np.empty((0, data.d + 1))
    for start in range(0, index.size, step):
        some = index[start : start + step]
        block = np.ones((some.size, data.d + 1))
        block[:, 1:] = (data.rows[some] - data.mean) / data.scale
        if data.row_weights is not None:
            block *= np.sqrt(data.row_weights[some])[:, None]
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, block]), mode="r"))
    return triangle


def _centred(
    data: Dataset, triangles: list[NDArray[np.float64]], *, center: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The triangle (d, d) without the means, and these (d,), in units of the scale."""
    stacked = np.vstack(triangles) if triangles else np.empty((0, data.d + 1))
    if not center or not len(stacked):
        return _merged([stacked[:, 1:]], data.d), np.zeros(data.d)
    whole = _merged([stacked], data.d + 1)
    return whole[1:, 1:], whole[0, 1:] / whole[0, 0]


def _merged(triangles: list[NDArray[np.float64]], d: int) -> NDArray[np.float64]:
    """One triangle (d, d) with the products of all."""
    merged = np.zeros((d, d))
    found = np.linalg.qr(np.vstack(triangles), mode="r")
    merged[: len(found)] = found
    return merged


def _refuse_constant(
    data: Dataset, nodes: NDArray[np.int64], constant: NDArray[np.bool_], rows: float
) -> None:
    still = [data.names[j] for j in nodes if constant[j]]
    if still:
        verb = "does" if len(still) == 1 else "do"
        raise InputError(
            f"interventions: {columns(len(still))} {listed(still)} {verb} not vary in the "
            f"{round(rows)} rows in which nothing set {'it' if len(still) == 1 else 'them'}, so "
            "that these tell nothing about causes; say that it was set in all rows, or drop it"
        )
