"""Options about what was set from outside, and the rows they describe."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Intervening:
    """A column with the names of what was set, and columns that say when one thing was."""

    column: str | None = None
    indicators: tuple[str, ...] = ()
    kind: str = "perfect"

    @property
    def asked(self) -> bool:
        """Whether anything was set."""
        return self.column is not None or bool(self.indicators)

    def columns(self, one_name: Callable[[str, str], str]) -> set[str]:
        """The columns of the table that are no variables; ``one_name`` finds what is meant."""
        found = {one_name(name, "--intervention-indicator") for name, _ in self._pairs()}
        if self.column is not None:
            found.add(one_name(self.column, "--interventions"))
        return found

    def of_rows(
        self,
        column: Callable[[str], NDArray[Any]],
        one_name: Callable[[str, str], str],
        n: int,
    ) -> list[list[str]] | None:
        """What was set in each of ``n`` rows, by name; ``column`` gives the values of one."""
        if not self.asked:
            return None
        done: list[list[str]] = [[] for _ in range(n)]
        if self.column is not None:
            name = one_name(self.column, "--interventions")
            for row, value in zip(done, column(name), strict=True):
                if isinstance(value, str):
                    row.append(value)
                elif value is not None and not (isinstance(value, float) and isnan(value)):
                    raise InputError(
                        f"--interventions: column {name!r} must hold names of columns, several "
                        f"separated by ;, or nothing; got {value!r}"
                    )
        for given, targets in self._pairs():
            name = one_name(given, "--intervention-indicator")
            for row, there in zip(done, _flags(column(name), name), strict=True):
                if there:
                    row.extend(targets)
        return done

    def _pairs(self) -> list[tuple[str, list[str]]]:
        """Indicator columns and what they say was set."""
        pairs = []
        for given in self.indicators:
            indicator, equals, targets = given.partition("=")
            named = [name.strip() for name in targets.split(";") if name.strip()]
            if not equals or not indicator.strip() or not named:
                raise InputError(
                    f"--intervention-indicator: {given!r} is not COLUMN=TARGET, as in reagent=pkc"
                )
            pairs.append((indicator.strip(), named))
        return pairs


def _flags(values: NDArray[Any], name: str) -> NDArray[np.bool_]:
    """A column of 0 and 1 as True and False."""
    import numpy as np

    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(len(values), np.nan)
    if not np.isin(numbers, (0.0, 1.0)).all():
        raise InputError(f"--intervention-indicator: column {name!r} must hold 0 and 1 only")
    return numbers == 1.0


def intervention_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, as ``interventions``, ``indicators`` and ``intervention_kind``."""
    for option in (
        click.option(
            "--intervention-kind",
            # Those of core/interventions.py, which would load NumPy for the help.
            type=click.Choice(("perfect", "shift")),
            default="perfect",
            show_default=True,
            help="perfect: what was set no longer listens to its causes; shift: it does, and "
            "something is added.",
        ),
        click.option(
            "--intervention-indicator",
            "indicators",
            metavar="COLUMN=TARGET",
            multiple=True,
            help="A column of 0 and 1, no variable then: where it is 1, TARGET was set from "
            "outside (several separated by ;).",
        ),
        click.option(
            "--interventions",
            metavar="COLUMN",
            help="A column, no variable then, with the names of what was set from outside in each "
            "row, several separated by ; and empty where nothing was.",
        ),
    ):
        command = option(command)
    return command
