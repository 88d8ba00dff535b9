"""Names for objects: the one place where a string becomes a score, a search, and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from toposwap.errors import InputError

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
            f"{argument}: {value!r} is not one of {', '.join(map(repr, choices))}, nor an object "
            f"of type {base.__name__}"
        )
    return choices[value]()
