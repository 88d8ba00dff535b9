"""What a pruner is: a named rule from a solution, which has nearly every edge, to a graph.

Pruning comes after the certificate, which speaks of the solution, and is named in every report.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.core.runtime.deadline import NEVER, Deadline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.base import BoundScore, Predictor


@dataclass(frozen=True, eq=False)
class Pruned:
    """The graph that is kept, and its model.

    Attributes
    ----------
    weights
        W(theta), (d, d).
    order
        That of the solution, unless the rule has turned edges too.
    parameters
        Theta, as the score keeps it: of the kept edges where ``refitted``, else of the solution.
    predictor
        The fitted values of all columns as a function of new rows; None where there are none.
    rule
        How the edges were chosen, in words; empty where all were kept.
    equivalent
        Whether that leaves open what a Markov equivalence class leaves open.
    threshold
        The bound on |W_ij|, if it was one.
    refitted
        Whether the kept edges were fitted again.
    remark
        What the user should know about how it went.
    """

    weights: NDArray[np.float64] = field(repr=False)
    order: Order
    parameters: Any = field(repr=False)
    predictor: Predictor | None = field(repr=False)
    rule: str
    equivalent: bool = False
    threshold: float | None = None
    refitted: bool = False
    remark: str | None = None


class Pruner(ABC):
    """Which edges of a solution are kept. Settings only: one object serves many solutions.

    A subclass has a name and writes :meth:`prune`.
    """

    name: ClassVar[str]

    def check(self, bound: BoundScore) -> None:  # noqa: B027 - most suit every score
        """Refuse a score that the rule is not made for, before anything is searched.

        Raises
        ------
        InputError
            If ``bound`` is of a kind that the rule cannot judge.
        """

    @abstractmethod
    def prune(
        self,
        bound: BoundScore,
        parameters: Any,
        order: Order,
        *,
        rng: np.random.Generator,
        deadline: Deadline = NEVER,
    ) -> Pruned:
        """Choose edges.

        Parameters
        ----------
        bound
            The score on its data, which :meth:`check` has passed.
        parameters, order
            The solution, as ``bound.evaluate`` takes it, and the order that it belongs to; neither
            is changed.
        rng
            For rules that search.
        deadline
            When to begin nothing more; what is left undone then is said in ``Pruned.remark``.

        Returns
        -------
        Pruned
            A DAG among the edges that ``bound`` permits, with an order of it that is permitted.
        """

    def order(
        self, bound: BoundScore, parameters: Any, order: Order, *, deadline: Deadline = NEVER
    ) -> Order:
        """The order of what :meth:`prune` would keep, for a search that may go there.

        Parameters and deadline are those of :meth:`prune`; a rule overrides this where it knows the
        order before it has fitted the graph.
        """
        rng = np.random.default_rng(0)
        return self.prune(bound, parameters, order, rng=rng, deadline=deadline).order


def nearest_order(
    weights: NDArray[np.float64], order: Order, admissible: Admissible = EVERYTHING
) -> Order:
    """The permitted topological order of ``weights`` (d, d) that is nearest to ``order``."""
    edges = weights != 0.0
    if admissible.before is not None:
        edges = edges | admissible.before
    variables = topological_order(edges, order.variables)
    assert variables is not None
    return Order(variables)


def predictor_of(bound: BoundScore, parameters: Any) -> Predictor | None:
    """None for a score that makes no predictions; that is an error when somebody asks for them."""
    try:
        return bound.predictor(parameters)
    except NotImplementedError:
        return None
