"""Q as a config says it: a name, or a table with ``name`` and the score's settings."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeAlias

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import parameters_of, refuse_unknown
from toposwap.experiments.own import is_own, own_function
from toposwap.scores import Score
from toposwap.scores.names import named_score, score_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

#: "mlp", {"name": "gaussian-l1", "penalty": 0.2}, or "module:function", which makes a score.
Spec: TypeAlias = "str | dict[str, Any]"


def score_of(spec: Spec) -> Score:
    """The score that ``spec`` says; ``InputError`` if there is none or it has other settings."""
    name, settings = parts(spec)
    if not is_own(name):
        return named_score(name, settings)
    score = own_function("score", name)(**settings)
    if not isinstance(score, Score):
        raise InputError(
            f"score = {name!r}: it must return a toposwap.scores.Score, not {type(score).__name__}"
        )
    return score


def check_score(spec: Spec) -> None:
    """Raise ``InputError`` if there is no such score, or if it has no such settings."""
    name, settings = parts(spec)
    if is_own(name):
        function = own_function("score", name)
        takes_any = any(
            p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values()
        )
        if not takes_any:
            refuse_unknown(f"score {name!r}", settings, parameters_of(function))
    else:
        refuse_unknown(f"score {name!r}", settings, score_settings(name))


def parts(spec: Spec | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The score's name and its settings: ``"bic"`` is ``("bic", {})``."""
    settings = {"name": spec} if isinstance(spec, str) else dict(spec)
    return str(settings.pop("name", "")), settings
