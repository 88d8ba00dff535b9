"""What every learner returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.certificate import Certificate
    from toposwap.core.order import Order
    from toposwap.scores.base import Predictor
    from toposwap.search.base import Step


@dataclass(frozen=True, eq=False)
class Pruned:
    """The edges that a score's own rule or an L0 penalty keeps, fitted again.

    Attributes
    ----------
    weights
        W(theta), (d, d).
    order
        That of the solution, unless the rule has turned edges too.
    parameters
        Theta, as the score keeps it.
    predictor
        As in :class:`Result`.
    rule
        How the edges were chosen, in words.
    equivalent
        Whether that leaves open what a Markov equivalence class leaves open.
    """

    weights: NDArray[np.float64] = field(repr=False)
    order: Order
    parameters: Any = field(repr=False)
    predictor: Predictor | None = field(repr=False)
    rule: str
    equivalent: bool = False


@dataclass(frozen=True, eq=False)
class Result:
    """A learned DAG before pruning, with how it was found and what is known about it.

    Attributes
    ----------
    names
        The variables.
    weights
        W(theta), (d, d), consistent with ``order``.
    order
        A topological order of ``weights``.
    score
        Q at ``weights``.
    loss
        The part of Q that is not penalty.
    status
        How the search ended: "converged", "global minimum", "given order", "interrupted",
        "iteration limit", "time limit".
    certificate
        The KKT conditions at ``weights``.
    history
        One record an iteration.
    equivalent
        Whether the score, or what pruned, leaves open what a Markov equivalence class leaves open.
    scale_dependent
        Whether other units of the columns could have given another graph.
    remarks
        What had to be assumed or mended on the way.
    choices
        What was chosen by looking at the data.
    score_name
        What Q is called; with score="auto" the one that was chosen.
    parameters
        Theta, as the score keeps it: the weights themselves where an edge has one coefficient.
    predictor
        The fitted values of all columns as a function of new rows, None where the score has none.
    pruned
        What the score's own rule or an L0 penalty left, where one of these pruned.
    """

    names: tuple[str, ...]
    weights: NDArray[np.float64] = field(repr=False)
    order: Order
    score: float
    loss: float
    status: str
    certificate: Certificate
    history: tuple[Step, ...] = field(repr=False)
    remarks: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    equivalent: bool = False
    scale_dependent: bool = False
    score_name: str = ""
    parameters: Any = field(repr=False, default=None)
    predictor: Predictor | None = field(repr=False, default=None)
    pruned: Pruned | None = field(repr=False, default=None)
