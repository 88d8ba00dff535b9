"""Names for objects: the one place where a string becomes a score, a search, and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")


def resolve(argument: str, value: Any, choices: Mapping[str, Callable[[], T]], base: type[T]) -> T:
    """Return ``value`` if it is a ``base``, else what ``choices`` makes under that name.

    ``argument`` is the caller's name for it, for the error message.
    """
    if isinstance(value, base):
        return value
    if not isinstance(value, str) or value not in choices:
        raise InputError(
            f"{argument}: {value!r} is not one of {what_there_is(choices)}, nor an object of type "
            f"{base.__name__}"
        )
    return choices[value]()


def what_there_is(choices: Mapping[str, Any], show: Callable[[str], str] = repr) -> str:
    """The names of ``choices``, and in words those that it knows besides, if it says so."""
    names = ", ".join(map(show, choices))
    others = getattr(choices, "others", None)
    return f"{names}, or {others}" if others else names
