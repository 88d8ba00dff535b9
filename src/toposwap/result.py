"""What every learner returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.pruning.base import Pruned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.assess import Assessment
    from toposwap.certificate import Certificate
    from toposwap.core.interventions import Environments
    from toposwap.core.order import Order
    from toposwap.core.tables.gaps import GapReport
    from toposwap.scores.base import Predictor
    from toposwap.search.base import Step

__all__ = ["Result", "Pruned"]

#: The end of a search with a score that has no continuous parameters, and so no certificate.
LOCAL_OPTIMUM = "local optimum of insertions and swaps"
#: Ends of a search that claim a local optimum, which a certificate must bear out.
_CLAIMS = ("converged", "global minimum")


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
        How the search ended: "converged", "local optimum of insertions and swaps" (the same, of a
        score without continuous parameters, of which no certificate can speak), "global minimum",
        "given order", "interrupted", "iteration limit", "time limit", "s_0 used up" (the paper's
        search has made all its large searches, and another one would lower the score), or "not
        certified" where it ended by itself at a point that the certificate refuses.
    certificate
        The KKT conditions at ``weights``.
    history
        One record an iteration.
    pruned
        The graph that is kept, and the rule that chose it.
    remarks
        What had to be assumed or mended on the way.
    choices
        What was chosen by looking at the data.
    starts
        From how many starts the best score was reached, and from how many it was tried; None for a
        search that does not count.
    rivals
        The graphs (d, d) of optima about as good as the best, that one among them.
    bound
        No graph that is permitted has a lower score than this; None if nothing was proved.
    equivalent
        Whether the score, or what pruned, leaves open what a Markov equivalence class leaves open.
    scale_dependent
        Whether other units of the columns could have given another graph.
    score_name
        What Q is called; with score="auto" the one that was chosen.
    parameters
        Theta, as the score keeps it: the weights themselves where an edge has one coefficient.
    predictor
        The fitted values of all columns as a function of new rows, None where the score has none.
    admissible
        The edges and orders that came into question; paths that were asked for are settled.
    against
        Imposed edges (i, j) that would not be there at this order if nobody had imposed them.
    kinds
        What columns were taken for, by name, as far as anybody asked.
    gaps
        What was missing in the table, and what was done about it; None if nothing was.
    environments
        Which variables were set from outside in how many rows; None where none was.
    residual_variances
        What ``weights`` leave of the centred columns, (d,), where the score had that at hand.
    """

    names: tuple[str, ...]
    weights: NDArray[np.float64] = field(repr=False)
    order: Order
    score: float
    loss: float
    status: str
    certificate: Certificate
    history: tuple[Step, ...] = field(repr=False)
    pruned: Pruned = field(repr=False)
    remarks: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    starts: tuple[int, int] | None = None
    rivals: tuple[NDArray[np.bool_], ...] = field(repr=False, default=())
    bound: float | None = None
    equivalent: bool = False
    scale_dependent: bool = False
    score_name: str = ""
    parameters: Any = field(repr=False, default=None)
    predictor: Predictor | None = field(repr=False, default=None)
    admissible: Admissible = field(repr=False, default=EVERYTHING)
    against: tuple[tuple[int, int], ...] = ()
    kinds: dict[str, str] = field(repr=False, default_factory=dict)
    gaps: GapReport | None = None
    environments: Environments | None = field(repr=False, default=None)
    residual_variances: NDArray[np.float64] | None = field(repr=False, default=None)

    @classmethod
    def of(
        cls,
        assessment: Assessment,
        *,
        names: tuple[str, ...],
        order: Order,
        status: str,
        history: tuple[Step, ...],
        pruned: Pruned,
        parameters: Any = None,
        predictor: Predictor | None = None,
        choices: tuple[str, ...] = (),
        remarks: tuple[str, ...] = (),
        starts: tuple[int, int] | None = None,
        rivals: tuple[NDArray[np.bool_], ...] = (),
        bound: float | None = None,
        admissible: Admissible = EVERYTHING,
        against: tuple[tuple[int, int], ...] = (),
        kinds: dict[str, str] | None = None,
        environments: Environments | None = None,
    ) -> Self:
        """Put what was assessed, searched and pruned together; what contradicts itself is said."""
        remarks += assessment.remarks
        certificate = assessment.certificate
        if status in _CLAIMS and not certificate.satisfied:
            status = "not certified"
            remarks += (
                "the search ended where nothing lowers the score further, but the KKT conditions "
                f"hold to {certificate.max_residual:.1e} only, not to {certificate.tolerance:.1e}: "
                "columns of very different sizes, or that nearly determine each other, leave a "
                "solver no more digits",
            )
        if pruned.remark is not None:
            remarks += (pruned.remark,)
        return cls(
            names=names,
            weights=np.ascontiguousarray(admissible.with_required(assessment.point.weights)),
            order=order,
            score=assessment.score,
            loss=assessment.loss,
            status=status,
            certificate=certificate,
            history=history,
            pruned=pruned,
            remarks=remarks,
            choices=assessment.choices + choices,
            starts=starts,
            rivals=rivals,
            bound=assessment.score if status == "global minimum" else bound,
            equivalent=pruned.equivalent,
            scale_dependent=assessment.scale_dependent,
            score_name=assessment.score_name,
            parameters=parameters,
            predictor=predictor,
            admissible=admissible,
            against=against,
            kinds=kinds or {},
            environments=environments,
            residual_variances=assessment.point.residual_variances,
        )
