"""Scores: every registered one, every loss with every penalty, their settings, and objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import toposwap as ts
from fuzz.draws import weights_of
from toposwap.basis import BASES
from toposwap.losses import LOSSES
from toposwap.penalties import PENALTIES
from toposwap.scores import SCORES
from toposwap.scores.names import named_score, score_settings

if TYPE_CHECKING:
    from fuzz.draws import Draw
    from fuzz.tables import Table

#: Scores that take seconds where others take milliseconds: drawn rarely, on small tables.
HEAVY = {"mlp": 0.25, "torch": 0.1, "own": 0.8}
_USUAL = {"auto": 12.0, "least-squares": 10.0, "bic": 9.0, "basis": 3.0, "basis-bic": 3.0,
          "basis-mcp": 2.0, "basis-lasso": 2.0, "ebic": 4.0, "gaussian-mcp": 3.0}  # fmt: skip
#: Scores whose nodes are solved by algebra.
_CLOSED = {"bic", "ebic", "equal-variance-l0", "least-squares"}
#: Kinds of tables that a loss takes; every other takes any.
_KINDS = {"logistic": "binary", "poisson": "counts", "bdeu": "binary", "categorical": "counts"}


@dataclass(frozen=True)
class Recipe:
    """A score that is made when it is needed, because making it may be refused.

    Attributes
    ----------
    text
        The score in words.
    make
        From the table to a name, an object, or None for the default.
    kind
        The tables that it is for, None where any will do, and sometimes where it will not.
    slow
        Whether it takes seconds where others take milliseconds.
    iterates
        Whether a node's parameters are the end of iterations.
    """

    text: str
    make: Callable[[Table], Any]
    kind: str | None = None
    slow: bool = False
    iterates: bool = True


def draw_score(draw: Draw) -> Recipe:
    """Any score there is."""
    how = draw.weighed({"default": 5.0, "named": 60.0, "pair": 30.0, "columns": 3.0, **HEAVY})
    if how == "default":
        return Recipe("default", lambda _table: None)
    if how == "columns":
        penalty = draw.among(list(PENALTIES))
        real = draw.among(["gaussian", "huber", "least-squares"])
        return Recipe(
            f"a loss for each column, {real} for real ones, and {penalty}",
            lambda table: ts.scores.Penalized(_losses(table, real), penalty),
            "mixed",
        )
    if how == "torch":
        hidden: Any = draw.among([2, (2, 2)])
        made = partial(ts.scores.TorchMLP, hidden, max_iter=100)
        return Recipe(f"TorchMLP({hidden}, max_iter=100)", lambda _table: made(), slow=True)
    if how == "own":
        penalty = draw.among(["none", "l1", "mcp"])
        return Recipe(f"log cosh with {penalty}", lambda _table: _own(penalty), slow=True)
    if how == "mlp":
        name = "mlp"
    elif how == "named":
        weights = weights_of(SCORES, _USUAL)
        name = draw.weighed({k: v for k, v in weights.items() if k != "mlp"})
    else:
        name = f"{draw.among(list(LOSSES))}-{draw.among(list(PENALTIES))}"
    kind = _KINDS.get(name.partition("-")[0])
    kind = kind if draw.chance(0.9) else None
    settings = _draw_score_settings(draw, name)
    iterates = name not in _CLOSED
    if not settings:
        return Recipe(repr(name), lambda _table: name, kind, iterates=iterates)
    return Recipe(
        f"named_score({name!r}, {settings!r})",
        lambda _table: named_score(name, settings),
        kind,
        slow=name == "mlp",
        iterates=iterates,
    )


def _losses(table: Table, real: str) -> list[str]:
    """A loss that suits each column."""
    losses = []
    for x in table.values.T:
        whole = bool((x == np.floor(x)).all() and (x >= 0.0).all())
        two = len(np.unique(x)) == 2
        losses.append("logistic" if two else "poisson" if whole else real)
    return losses


def _draw_score_settings(draw: Draw, name: str) -> dict[str, Any]:
    """Some settings of the score, within their ranges."""
    known = score_settings(name)
    if name == "mlp":
        return {"hidden": draw.whole(1, 4), "n_starts": draw.whole(1, 2)} | {
            key: SETTINGS[key](draw) for key in draw.some(known, 0.15) if key in SETTINGS
        }
    if not draw.chance(0.35):
        return {}
    # Most losses cannot keep to a number of parents, and refuse to.
    chosen = [key for key in draw.some(known, 0.5) if key != "max_parents" or draw.chance(0.1)]
    return {key: SETTINGS[key](draw) for key in chosen if key in SETTINGS}


def _own(penalty: str) -> Any:
    """Somebody's own Q: log cosh of the residuals, in NumPy."""

    def q(theta: dict[str, Any], X: Any, j: int) -> tuple[float, dict[str, Any]]:
        r = X[:, j] - X @ theta["W"]
        value = np.logaddexp(r, -r).mean()
        return value, {"W": -X.T @ np.tanh(r) / len(X)}

    def zero(X: Any) -> dict[str, Any]:
        return {"W": np.zeros((X.shape[1], X.shape[1]))}

    return ts.scores.Differentiable(q, zero, separable=True, backend="numpy", penalty=penalty)


def _strength(draw: Draw) -> float:
    return draw.among([0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 1e-8, 1e8])


#: For each setting of a score how a value is drawn.
SETTINGS: dict[str, Callable[[Draw], Any]] = {
    "penalty": _strength,
    "weight": _strength,
    "factor": _strength,
    "ridge": lambda draw: draw.among([0.0, 1e-6, 0.1, 1.0, 1e6]),
    "gamma": lambda draw: draw.among([0.0, 0.5, 1.0]),
    "beta": lambda draw: draw.among([0.5, 1.5, 3.0, 10.0, 1e3]),
    "a": lambda draw: draw.among([2.1, 3.7, 50.0]),
    "delta": lambda draw: draw.among([1e-3, 0.5, 1.345, 10.0]),
    "equivalent_sample_size": lambda draw: draw.among([1e-3, 1.0, 10.0, 1e4]),
    "max_parents": lambda draw: draw.among([0, 1, 2, 100]),
    "basis": lambda draw: draw.among(list(BASES)),
    "n_functions": lambda draw: draw.among([3, 4, 6, 12]),
    "smoothness": lambda draw: draw.among([0.0, 1e-8, 1e-3, 10.0]),
    "hidden": lambda draw: draw.whole(1, 4),
    "l1": lambda draw: draw.among([0.0, 0.01, 0.5]),
    "l2": lambda draw: draw.among([0.0, 1e-3, 1.0]),
    "n_starts": lambda draw: draw.whole(1, 2),
    "loss": lambda draw: draw.among(["least-squares", "huber", "gaussian"]),
    "activation": lambda draw: draw.among(["sigmoid", "tanh", "relu"]),
    "intercept": lambda draw: draw.chance(0.5),
    "bias": lambda draw: draw.chance(0.5),
    "seed": lambda draw: draw.whole(0, 9),
    "ordinal": lambda draw: draw.among(["scores", "levels"]),
}
