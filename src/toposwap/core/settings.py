"""Settings by name: what a callable takes, and the nearest name where a given one is unknown."""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

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


def refuse_unknown(where: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise ``InputError`` for the first name of ``given`` that is none of ``known``.

    ``where`` begins the message: whose settings these are.
    """
    names = list(dict.fromkeys(known))
    for key in given:
        if key not in names:
            raise InputError(f"{where}: {unknown(str(key), names)}")


def unknown(key: str, known: Iterable[str]) -> str:
    """The rest of the message: the name nearest to ``key``, and all there are."""
    names = list(known)
    near = get_close_matches(key, names, n=1, cutoff=0.6)
    meant = f"; did you mean {near[0]!r}?" if near else "."
    there = f"It takes {', '.join(names)}" if names else "It takes no settings"
    return f"no setting is called {key!r}{meant} {there}"
