"""A score with another weight of its penalty: one number, whatever the score calls it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from toposwap.core.errors import InputError
from toposwap.scores.penalized.score import Penalized

if TYPE_CHECKING:
    from toposwap.scores.base import Score

#: What scores that are no pair of loss and penalty call it.
_NAMES = ("factor", "weight", "l1")


def with_penalty(score: Score, number: float) -> Score:
    """The same score with ``number`` as the factor of its bic or ebic, or the weight of its l1, ...

    Where an L0 penalty is that of an information criterion the number multiplies Schwarz's: 1 is
    BIC as he defined it.
    """
    if isinstance(score, Penalized):
        penalty = score.penalty
        first = next(iter(inspect.signature(type(penalty)).parameters), None)
        if first is not None:
            other = type(penalty)(**{**vars(penalty), first: number})
            return Penalized(score.loss, other, score.max_parents)
    else:
        for name in _NAMES:
            if name in inspect.signature(type(score)).parameters:
                return type(score)(**{**vars(score), name: number})
    raise InputError(
        f"the score {score.name} has no penalty to weigh; choose one that has (bic, gaussian-l1, "
        "...), or leave the weight out"
    )
