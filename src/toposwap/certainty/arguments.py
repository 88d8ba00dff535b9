"""What a caller may ask for, checked before anything is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.certainty.methods import METHODS, NAMES, automatic
from toposwap.certainty.units import rows_of
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.registry import resolve
from toposwap.estimators import Topo
from toposwap.estimators.base import generator
from toposwap.scores import SCORES, Score

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from toposwap.certainty.methods import Method
    from toposwap.core.tables.gaps import Incomplete
    from toposwap.estimators.base import DagLearner


def check_rows(data: Dataset | Incomplete) -> None:
    """Refuse data without rows to draw from."""
    if isinstance(data, Dataset) and data.held is None:
        raise InputError(
            "confidence: draws rows again, and of a covariance or a stream none are kept"
        )


def refuse_fractions(model: DagLearner, method: Method, data: Dataset | Incomplete) -> None:
    """Refuse a method that weighs rows by fractions for a learner that takes whole numbers."""
    if method.whole:
        return
    whole_only = True
    if isinstance(model, Topo):
        score = resolve("score", model.score, SCORES, Score)
        in_parts = score.weighs_parts(data) if isinstance(data, Dataset) else score.weighs_rows
        whole_only = not in_parts
    if whole_only:
        raise InputError(
            f"method={method.name!r} weighs rows by fractions, and this learner takes whole "
            "numbers only: use method='half'"
        )


def checked_count(n_resamples: object) -> int:
    """A whole number of at least 1."""
    whole = isinstance(n_resamples, int | np.integer) and not isinstance(n_resamples, bool)
    if not whole or n_resamples < 1:  # type: ignore[operator]
        raise InputError(f"n_resamples: must be a whole number >= 1, got {n_resamples!r}")
    return int(n_resamples)  # type: ignore[call-overload]


def method_of(name: object) -> Method:
    """The method of that name; "auto" is the one that is calibrated best."""
    if not isinstance(name, str) or name not in NAMES:
        raise InputError(f"method: {name!r} is not one of {', '.join(map(repr, NAMES))}")
    return automatic() if name == "auto" else METHODS[name]


def without_groups(table: Any, groups: Any) -> tuple[Any, Any]:
    """The table without the column that tells the groups, and what it tells."""
    if not isinstance(groups, str):
        return table, groups
    columns = getattr(table, "columns", None)
    if columns is None or groups not in list(columns):
        raise InputError(f"groups: no column is called {groups!r}")
    return table.drop(columns=groups), table[groups].to_numpy()


def labels_of(
    groups: Any, sample_weight: ArrayLike | None, data: Dataset | Incomplete
) -> NDArray[Any] | None:
    """A label for each row of ``data``, from which rows of weight zero have been left out."""
    if groups is None:
        return None
    rows = len(rows_of(data))
    given = rows
    if sample_weight is not None and np.ndim(sample_weight) == 1:
        given = len(np.asarray(sample_weight))
    if isinstance(groups, int | np.integer) and not isinstance(groups, bool):
        if groups < 1:
            raise InputError(f"groups: blocks have at least 1 row, got {groups}")
        labels = np.arange(given) // int(groups)
    else:
        labels = np.asarray(groups)
    if labels.shape != (given,):
        raise InputError(
            f"groups: {given} rows need one label each, got an array of shape {labels.shape}"
        )
    if rows != given:
        labels = labels[np.asarray(sample_weight, dtype=np.float64) > 0.0]
    if len(np.unique(labels)) < 2:
        raise InputError("groups: there is only one, so nothing can be drawn")
    return labels


def entropy_of(random_state: Any) -> int:
    """A number that all resamples' seeds are made of."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        if random_state < 0:
            raise InputError(f"random_state: must be a whole number >= 0, got {random_state!r}")
        return int(random_state)
    return int(generator(random_state).integers(2**63))
