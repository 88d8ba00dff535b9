r"""Whether a column of few whole numbers is a code: what else is known of its rows tells.

A multinomial logit of the other columns contains what a rating can be, and costs
:math:`(L - 2)\, p` parameters more than a cumulative logit. By Schwarz's criterion the column is a
code if

.. math:: n (\ell_{\text{cumulative}} - \ell_{\text{multinomial}})
          > \tfrac12 (L - 2)\, p \log n

and its numbers are in no order: an exchange of two values makes the cumulative logit likelier, by
more than the best of L (L - 1) / 2 exchanges is by chance. Effects of a rating that are not
proportional lead to the first, not to the second. Three values are in order too often by chance,
once in three, for the second to be asked. Before all that the column's name may say it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.kinds import KINDS, Recognised
from toposwap.core.kinds.names import says_code
from toposwap.losses import LEVEL_LOSSES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.scores.blocks.design import Design
    from toposwap.scores.blocks.nodes import RowsNode

#: Values that a code has at most to be looked at, and rows that are looked at.
_MOST_LEVELS, _MOST_ROWS = 10, 1000
#: Columns that it is compared by: those that tell most of it.
_MOST_COLUMNS = 8
#: Rows of the rarest value, below which frequencies say too little.
_LEAST_ROWS = 5


def codes_found(data: Dataset) -> Dataset:
    """``data`` with the columns that were guessed to be ratings and are codes as categories.

    Each column is looked at once: data that come from here are returned as they are.
    """
    if data.held is None:
        return data
    found = {}
    for j, known in enumerate(data.kinds):
        if known.given or known.compared or (data.labels and data.labels[j].declared != "numbers"):
            continue
        guessed = known.kind.name
        if guessed in ("ordinal", "count") and says_code(data.names[j]):
            found[j] = Recognised(KINDS["categorical"], _by_name(data, j))
        elif guessed == "ordinal" and data.n > 2 * data.d:
            reason = _code(data, j)
            seen = known if reason is None else Recognised(KINDS["categorical"], reason)
            found[j] = replace(seen, compared=True)
    return data.seen_as(found) if found else data


def _by_name(data: Dataset, j: int) -> str:
    levels = data.coded(j).levels.names
    return f"{len(levels)} whole numbers from {levels[0]} to {levels[-1]}, a code by its name"


def _code(data: Dataset, j: int) -> str | None:
    """Why column ``j`` is a code; None if it is not."""
    from toposwap.scores.blocks.design import Design
    from toposwap.scores.blocks.nodes import RowsNode

    assert data.held is not None
    levels = len(data.coded(j).levels)
    if not 2 < levels <= _MOST_LEVELS:
        return None
    rows = np.unique(np.linspace(0, len(data.held) - 1, _MOST_ROWS).astype(np.int64))
    y = data.coded(j).codes[rows]
    if np.bincount(y, minlength=levels).min() < _LEAST_ROWS:
        return None
    table = np.column_stack([data.held[:, k][rows] for k in range(data.d)])
    varying = np.ptp(table, axis=0) > 0.0
    varying[j] = True
    weights = None if data.row_weights is None else data.row_weights[rows]
    some = replace(
        data,
        names=tuple(np.array(data.names, dtype=object)[varying]),
        mean=data.mean[varying],
        scale=data.scale[varying],
        held=table[:, varying],
        labels=tuple(data.labels[k] for k in np.flatnonzero(varying)) if data.labels else (),
        given_kinds={},
        row_weights=weights,
    )
    here = int(varying[:j].sum())
    nominal = np.array(
        [known.kind.name == "categorical" for k, known in enumerate(data.kinds) if varying[k]]
    )
    design = Design(some, nominal)
    n = float(rows.size) if weights is None else float(weights.sum())
    nodes = {
        name: RowsNode(design, here, LEVEL_LOSSES[name], y, 0.01 / n)
        for name in ("multinomial", "cumulative")
    }
    nothing = np.zeros(some.d, dtype=bool)
    told = nodes["multinomial"].gains(nothing)
    chosen = np.zeros(some.d, dtype=bool)
    chosen[np.argsort(-told, kind="stable")[:_MOST_COLUMNS]] = True
    chosen[here] = False
    chosen &= told > 0.0
    if not chosen.any():
        return None
    in_order = nodes["cumulative"].fit(chosen).value
    gain = n * (in_order - nodes["multinomial"].fit(chosen).value)
    price = 0.5 * (levels - 2) * int(design.sizes[chosen].sum()) * np.log(n)
    if gain <= price:
        return None
    exchanges = list(combinations(range(levels), 2))
    if levels > 3 and not any(
        n * (in_order - _exchanged(design, here, y, pair, 0.01 / n).fit(chosen).value)
        > np.log(len(exchanges))
        for pair in exchanges
    ):
        return None
    values = data.coded(j).levels.names
    return (
        f"{levels} whole numbers from {values[0]} to {values[-1]}, a code: other columns tell its "
        "values apart in no order"
    )


def _exchanged(
    design: Design, j: int, y: NDArray[np.int64], pair: tuple[int, int], ridge: float
) -> RowsNode:
    """The cumulative logit of ``y`` (n,) with two of its values exchanged."""
    from toposwap.scores.blocks.nodes import RowsNode

    place = np.arange(int(y.max()) + 1)
    place[list(pair)] = pair[::-1]
    return RowsNode(design, j, LEVEL_LOSSES["cumulative"], place[y], ridge)
