"""The refusal of columns that vary too little to be learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.validation import SMALLEST, named

if TYPE_CHECKING:
    from numpy.typing import NDArray


def refuse_constant(constant: NDArray[np.bool_], labels: list[str], *, center: bool) -> None:
    """Raise where columns (d,) are ``constant``: zero throughout, if nothing is taken out."""
    if constant.any():
        verb = "is" if np.count_nonzero(constant) == 1 else "are"
        what = "constant" if center else "zero throughout"
        raise InputError(
            f"{named(labels, constant)} {verb} {what}: "
            "what does not vary has no causes or effects to learn; drop it"
        )


def refuse_tiny(tiny: NDArray[np.bool_], labels: list[str]) -> None:
    """Raise where the deviations of columns (d,) are ``tiny``."""
    if tiny.any():
        raise InputError(
            f"deviations below {SMALLEST:.0e} in {named(labels, tiny)}: "
            "their squares underflow; express them in a smaller unit"
        )


def one_value_left(name: str) -> InputError:
    """What is wrong with a column that varies in none of the rows that count for it."""
    return InputError(
        f"interventions: column {name!r} has one value only in the rows in which it was not set, "
        "so that nothing can be learned about its causes: give more such rows, or leave it out"
    )
