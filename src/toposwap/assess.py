"""From a score and parameters to the verdict: the only place that makes a certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toposwap.certificate import Certificate, certify
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.kinds.words import codes_in_words

if TYPE_CHECKING:
    from toposwap.scores.base import BoundScore, Point


@dataclass(frozen=True, eq=False)
class Assessment:
    """What can be said about parameters under a score, whoever found them.

    Attributes
    ----------
    point
        Q and its derivatives, computed afresh.
    certificate
        The KKT conditions there.
    score_name
        What Q is called; of a score that chose another, the one that was chosen.
    equivalent, scale_dependent
        Whether Q leaves open what a Markov equivalence class does, and whether it depends on units.
    choices, remarks
        What was chosen by looking at the data, and what the user should know, in words.
    """

    point: Point = field(repr=False)
    certificate: Certificate
    score_name: str
    equivalent: bool
    scale_dependent: bool
    choices: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """Q at the assessed parameters, penalty included."""
        return self.point.value

    @property
    def acyclic(self) -> bool:
        """Whether the weights are a DAG's."""
        return topological_order(self.point.weights != 0.0) is not None

    @property
    def loss(self) -> float:
        """The part of Q that is not penalty."""
        return self.point.value - self.point.penalty


def assess(
    bound: BoundScore,
    parameters: Any = None,
    *,
    point: Point | None = None,
    linear: bool = True,
    tolerance: float | None = None,
) -> Assessment:
    """Evaluate Q at ``parameters`` and check the KKT conditions there.

    Parameters
    ----------
    bound
        The score on its data.
    parameters
        Theta, as ``bound.evaluate`` takes it; acyclic or not.
    point
        Q and its derivatives where somebody else's model is evaluated by its own means, in place of
        ``parameters``.
    linear
        Whether the model is linear in its parameters, without which a convex loss is not convex.
    tolerance
        The largest relative residual to accept; by default the score's own.
    """
    if tolerance is not None and not tolerance >= 0.0:
        raise InputError(f"tolerance: must be a number >= 0, got {tolerance!r}")
    point = bound.evaluate(parameters) if point is None else point
    score = bound.score
    certificate = certify(
        point,
        convex=score.convex and linear,
        continuous=score.continuous,
        separable=score.separable,
        tolerance=bound.tolerance if tolerance is None else tolerance,
        admissible=bound.admissible,
    )
    return Assessment(
        point,
        certificate,
        score.name,
        score.equivalent,
        score.scale_dependent,
        bound.choices + _codes(bound),
        (*bound.remarks, *point.remarks),
    )


def _codes(bound: BoundScore) -> tuple[str, ...]:
    """Which numbers stand for text, whatever the score."""
    data = bound.data
    told = codes_in_words(data.names, [labels.levels for labels in data.labels])
    return () if told is None else (told,)
