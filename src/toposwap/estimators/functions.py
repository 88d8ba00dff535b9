"""Two questions about somebody else's answer: can it be improved, and is it optimal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.certificate import Certificate, certify
from toposwap.dataset import Dataset
from toposwap.dataset.weights import as_weights
from toposwap.errors import InputError
from toposwap.estimators.topo import Topo
from toposwap.learner import has_names
from toposwap.registry import resolve
from toposwap.scores import SCORES, Score

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def refine(W: ArrayLike, X: Any, **parameters: Any) -> Topo:
    """Improve any learner's weight matrix: a fitted :class:`Topo` that started from it.

    Its score is at most that of ``W`` (if ``W`` has cycles: of what is left after dropping its
    weakest edges until it has none), because the parameters are solved for an order of ``W`` first
    and every move lowers the score.

    Parameters
    ----------
    W
        (d, d), ``W[i, j]`` for the edge i -> j; a DataFrame is matched to the data by name.
    X
        The data, (n, d), or a :class:`~toposwap.dataset.Dataset`.
    **parameters
        Parameters of :class:`Topo` other than ``init``.
    """
    if "init" in parameters:
        raise InputError("refine: W is the starting point, so init cannot be given as well")
    model = Topo(**parameters)
    data = X if isinstance(X, Dataset) else Dataset.from_table(X, center=model.center)
    model.init = as_weights(W, data.names)
    return model._fit(data, named=has_names(X))


def check_kkt(
    W: ArrayLike,
    X: Any,
    *,
    score: str | Score = "least-squares",
    center: bool = True,
    tolerance: float | None = None,
) -> Certificate:
    """Check whether ``W`` satisfies the KKT conditions of the score on the data ``X``.

    Parameters
    ----------
    W
        Any weight matrix (d, d), also one with cycles (which then fails).
    X
        The data, (n, d), or a :class:`~toposwap.dataset.Dataset`.
    score
        Q: a name or a score object.
    center
        Subtract the column means.
    tolerance
        Largest relative residual to accept; by default the score's own.
    """
    if tolerance is not None and not tolerance >= 0.0:
        raise InputError(f"tolerance: must be a number >= 0, got {tolerance!r}")
    data = X if isinstance(X, Dataset) else Dataset.from_table(X, center=center)
    bound = resolve("score", score, SCORES, Score).bind(data)
    point = bound.evaluate(as_weights(W, data.names))
    return certify(
        point,
        convex=bound.score.convex,
        tolerance=bound.tolerance if tolerance is None else tolerance,
    )
