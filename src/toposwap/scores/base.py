r"""What a score is: Q, its gradient, and the best parameters for an order.

A :class:`Score` holds settings. :meth:`Score.bind` ties it to data and gives a
:class:`BoundScore`, which evaluates :math:`Q(\Theta)` anywhere and fits orders. Fitting gives an
:class:`OrderFit`: the solution at one order, which deltas moves and carries them out. That is all
a search ever talks to, so a search works with every score.

Three ways to add a score, by what is known about Q:

- :math:`Q = \sum_j Q_j(\theta_j)`: subclass :class:`~toposwap.orderfit.nodes.SeparableScore` and
  write ``fit_node``;
- nothing separates: subclass :class:`~toposwap.orderfit.joint.JointScore` and write ``solve``;
- there is algebra of its own: subclass :class:`OrderFit` and override the deltas, as
  :mod:`~toposwap.scores.least_squares.score` does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from toposwap.core.order import Order
from toposwap.core.weights import as_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit


@dataclass(frozen=True, eq=False)
class Point:
    r"""Q and its derivatives at one :math:`\Theta`, as the KKT conditions need them.

    Attributes
    ----------
    weights
        :math:`W(\theta)`, (d, d); zero exactly where the edge is absent.
    value
        :math:`Q(\Theta)`.
    gradient
        :math:`\lVert \partial Q / \partial \theta_{ij} \rVert_1`, (d, d), diagonal zero. Where a
        penalty has a kink it is the distance of zero from the subdifferential.
    row_scale, column_scale
        (d,) each. ``row_scale[i] * column_scale[j]`` is the size of the terms that cancel in
        ``gradient[i, j]``, and ``column_scale[j] / row_scale[i]`` the size that ``weights[i, j]``
        is measured by; residuals relative to these do not depend on units.
    rest
        The same relative residual for the parameters that belong to no edge,
        :math:`\partial Q / \partial \tilde\theta`.
    penalty
        The part of ``value`` that is not loss.
    """

    weights: NDArray[np.float64]
    value: float
    gradient: NDArray[np.float64] = field(repr=False)
    row_scale: NDArray[np.float64] = field(repr=False)
    column_scale: NDArray[np.float64] = field(repr=False)
    rest: float = 0.0
    penalty: float = 0.0


class Predictor(Protocol):
    """A fitted model without its data."""

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The fitted value of each column of ``X`` (m, d) given its other columns, (m, d)."""


class DensityPredictor(Predictor, Protocol):
    """A fitted model that also says how likely rows are."""

    def log_density(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log p of each row of ``X`` (m, d), (m,); minus the loss if that is no likelihood."""


class Score(ABC):
    """Settings of Q; the same object serves many data sets."""

    name: ClassVar[str]
    #: Q is convex in all its parameters, so a KKT point is a local minimum (Theorem 1).
    convex: ClassVar[bool]
    #: Q is a sum over nodes of terms with parameters of their own (Theorem 3 needs no more).
    separable: ClassVar[bool]
    #: The score sets edges to zero by itself, so that no threshold is needed afterwards.
    selects_edges: ClassVar[bool]
    #: The answer depends on the units of the columns.
    scale_dependent: ClassVar[bool] = False
    #: The score is the same for all members of a Markov equivalence class, so that only the
    #: directions which the whole class shares are learned.
    equivalent: ClassVar[bool] = False
    #: An edge has a block of parameters of which W_ij is the 1-norm, so that W alone does not
    #: determine them.
    edge_blocks: ClassVar[bool] = False

    @abstractmethod
    def bind(self, data: Dataset) -> BoundScore:
        """Check that ``data`` suits the score and tie them together."""

    def with_l0(self) -> Score | None:
        """The same loss with BIC's L0 penalty in place of a penalty, for ``prune="bic"``."""
        return None

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


class BoundScore(ABC):
    """Q on given data; its fits may be at work in several threads, so it does not change."""

    score: Score
    data: Dataset
    #: Relative KKT residual up to which a fit of this score counts as stationary.
    tolerance: float = 1e-8

    @abstractmethod
    def evaluate(self, parameters: Any) -> Point:
        """Q and its derivatives at any parameters, independent of any order."""

    def weights(self, parameters: Any) -> NDArray[np.float64]:
        """W(theta), (d, d)."""
        return self.evaluate(parameters).weights

    @abstractmethod
    def fit(self, order: Order) -> OrderFit:
        """The best parameters for ``order``, problem (8) of the paper."""

    def as_parameters(self, given: Any) -> Any:
        """``given`` by a user as :meth:`evaluate` takes it, or an error that says what it takes.

        Here a weight matrix; a score whose edges have blocks of parameters overrides this.
        """
        return as_weights(given, self.data.names)

    def predictor(self, parameters: Any) -> Predictor:
        """The fitted value of each column given the other columns, as a function of new rows.

        It holds what it needs and not the data, so that a fitted model stays small. One that is
        also a :class:`DensityPredictor` makes cross-validation possible.
        """
        raise NotImplementedError(f"{self.score!r} makes no predictions")

    def predict(self, parameters: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The fitted values (m, d) at rows ``X`` (m, d); see :meth:`predictor`."""
        return self.predictor(parameters)(X)

    def starting_order(self, rng: np.random.Generator) -> Order | None:  # noqa: ARG002
        """A good order to start from, for ``init="auto"``; None for the smallest variances."""
        return None

    #: In words, how :meth:`pruned` chooses.
    pruning: str = ""

    def pruned(self, parameters: Any, order: Order, rng: np.random.Generator) -> Any | None:  # noqa: ARG002
        """Parameters refitted with the edges that matter, for ``prune="auto"``.

        None where a score has no rule of its own: then the usual threshold on |W| does.
        """
        return None

    #: What was chosen by looking at the data, in words.
    choices: tuple[str, ...] = ()
    #: What the user should know about this score on these data, in words.
    remarks: tuple[str, ...] = ()
    #: How many perturbed restarts a search should make if nobody says.
    suggested_restarts: int = 0

    @property
    def gradient_unit(self) -> float:
        """What the paper's thresholds on the gradient are multiples of; 1 in its simulations."""
        return 1.0

    def guide(self) -> BoundScore | None:
        """A cheaper score on the same data whose good orders tend to be good here, if any.

        A local search goes there first and comes back with the order if that is better.
        """
        return None

    def coarser(self) -> Sequence[BoundScore]:
        """Scores of the same kind with fewer parameters on the same data, the coarsest first.

        ``init="auto"`` begins where searches under them, one after the other, end; an order that is
        given is left for that if it pays.
        """
        return ()

    def best_order(self) -> Order | None:
        """The order of the global minimum if the score has a way to find it, else None."""
        return None

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Bring ``fit`` to the global minimum; False if the score has no way to find it."""
        order = self.best_order()
        if order is None:
            return False
        if order != fit.order:
            fit.reorder(order)
        return True
