"""Q as a config says it: a name, or a table with ``name`` and the score's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from toposwap.core.errors import InputError
from toposwap.scores import SCORES

if TYPE_CHECKING:
    from toposwap.scores import Score

#: "mlp", or {"name": "mlp", "hidden": 30}.
Spec: TypeAlias = "str | dict[str, Any]"


def named_score(spec: Spec) -> Score:
    """The score that ``spec`` says."""
    settings = {"name": spec} if isinstance(spec, str) else dict(spec)
    name = str(settings.pop("name", ""))
    if name not in SCORES:
        raise InputError(f"score: {name!r} is not one of {', '.join(SCORES)}")
    try:
        return SCORES[name](**settings)
    except TypeError as error:
        raise InputError(f"score: {name!r} has other settings: {error}") from error
