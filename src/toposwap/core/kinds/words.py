"""What columns were taken for, in words, and how to say otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposwap.core.kinds.base import Recognised

#: Names that are listed of a group, and values of one column.
_SHOWN = 8
_MOST_VALUES = 8
#: The kinds most likely to be wrong, and what a column may be instead.
_INSTEAD = {"ordinal": "categorical", "count": "continuous", "categorical": "ordinal"}
#: What needs no telling: nobody takes such columns for anything else.
_OBVIOUS = (
    "fractions",
    "two values",
    "given",
    "only a covariance matrix is known",
    "only the moments of the rows are known",
)


def guesses_in_words(names: Sequence[str], kinds: Sequence[Recognised]) -> tuple[str, ...]:
    """One line for each kind that was guessed, with reasons, and one that says how to overrule."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name, known in zip(names, kinds, strict=True):
        if known.reason not in _OBVIOUS and known.levels is None:
            groups.setdefault(known.kind.name, {}).setdefault(known.reason, []).append(name)
    if not groups:
        return ()
    lines = [
        f"taken as {kind}: " + "; ".join(f"{_listed(who)} ({why})" for why, who in reasons.items())
        for kind, reasons in groups.items()
    ]
    doubtful = next((kind for kind in _INSTEAD if kind in groups), next(iter(groups)))
    example, other = next(iter(groups[doubtful].values()))[0], _INSTEAD.get(doubtful, "count")
    lines.append(
        f"to overrule: kinds={{{example!r}: {other!r}}}, on the command line --kind "
        f"{_quoted(example)}={other}"
    )
    return tuple(lines)


def codes_in_words(names: Sequence[str], levels: Sequence[tuple[Any, ...] | None]) -> str | None:
    """Which numbers stand for the values of text; None if there is none."""
    coded = [(name, of) for name, of in zip(names, levels, strict=False) if of is not None]
    if not coded:
        return None
    shown = [f"{name!r} ({_coded(of)})" for name, of in coded[:_SHOWN]]
    more = f" and {len(coded) - _SHOWN} more" if len(coded) > _SHOWN else ""
    return f"text as numbers: {', '.join(shown)}{more}"


def _coded(levels: tuple[Any, ...]) -> str:
    """The first of many values, and the last."""
    told = [f"{level} = {k}" for k, level in enumerate(levels)]
    if len(told) > _MOST_VALUES:
        told[_MOST_VALUES - 1 : -1] = ["..."]
    return ", ".join(told)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN]))
    return shown + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _quoted(name: str) -> str:
    """As a shell takes it."""
    plain = name.replace("_", "").replace(".", "").isalnum()
    return name if plain else f'"{name}"'
