"""Scorers for scikit-learn's cross-validation."""

from __future__ import annotations

from typing import Any

from toposwap.core.errors import InputError


def log_likelihood(estimator: Any, X: Any, y: Any = None) -> float:  # noqa: ARG001 - scikit-learn passes y
    """The held-out log-likelihood a row, or minus the loss: larger is better.

    For ``scoring=``: ``cross_val_score(ts.Topo("bic"), X, scoring=ts.metrics.log_likelihood)``, or
    a ``GridSearchCV`` over penalties. scikit-learn's default would call ``estimator.score``, which
    is a parameter here.

    Parameters
    ----------
    estimator
        A fitted :class:`~toposwap.Topo`, or a pipeline that ends in one; then the likelihood is
        that of the transformed columns.
    X
        Rows (m, d) that it was not fitted to.
    y
        Ignored.
    """
    if hasattr(estimator, "log_likelihood"):
        return float(estimator.log_likelihood(X))
    steps = getattr(estimator, "steps", None)
    if steps and hasattr(steps[-1][1], "log_likelihood"):
        return float(steps[-1][1].log_likelihood(estimator[:-1].transform(X)))
    raise InputError(
        f"estimator: {type(estimator).__name__} has no log_likelihood(X); give a toposwap.Topo, or "
        "a pipeline that ends in one"
    )
