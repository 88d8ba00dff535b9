"""Settings by name: what a callable takes, and the nearest name where a given one is unknown."""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of ``function`` that have a name, in its order; ``*a`` and ``**k`` have none.

    Those that a ``functools.partial`` holds by position are not settings any more.
    """
    parameters = inspect.signature(function).parameters
    return {name: p for name, p in parameters.items() if p.kind not in _VARIADIC}


def refuse_unknown(
    where: str, given: Iterable[str], known: Iterable[str], noun: str = "setting"
) -> None:
    """Raise ``InputError`` for the first name of ``given`` that is none of ``known``.

    ``where`` begins the message: whose these are. It ends with the nearest name and all there are.
    """
    names = list(dict.fromkeys(known))
    for key in given:
        if key not in names:
            near = get_close_matches(str(key), names, n=1, cutoff=0.6)
            meant = f" (did you mean {near[0]!r}?)" if near else ""
            there = ", ".join(names) or "none"
            raise InputError(f"{where}: no {noun} is called {key!r}{meant}; there are {there}")


def checked(argument: str, value: Any, *, positive: bool = False) -> float:
    """``value`` as a float if it is a finite number >= 0 (> 0 with ``positive``)."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)
    if not number or not 0.0 <= value < np.inf or (positive and value == 0.0):
        limit = "> 0" if positive else ">= 0"
        raise InputError(f"{argument}: must be a number {limit}, got {value!r}")
    return float(value)
