r"""What a score is: Q, its gradient, and the best parameters for an order.

A :class:`Score` holds settings. :meth:`Score.bind` ties it to data and gives a
:class:`BoundScore`, which evaluates :math:`Q(\Theta)` anywhere and fits orders. Fitting gives an
:class:`~toposwap.orderfit.base.OrderFit`: the solution at one order, which tells the deltas of
moves and carries them out. That is all a search ever talks to, so a search works with every score.

Three ways to add a score, by what is known about Q:

- :math:`Q = \sum_j Q_j(\theta_j)`: subclass :class:`~toposwap.orderfit.nodes.SeparableScore` and
  write ``fit_node``;
- nothing separates: subclass :class:`~toposwap.orderfit.joint.JointScore` and write ``solve``;
- there is algebra of its own: subclass :class:`OrderFit` and override the deltas, as
  :mod:`~toposwap.scores.least_squares.score` does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.core.weights import as_weights
from toposwap.scores.strategy import Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
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
    relative
        ``gradient[i, j] / (row_scale[i] * column_scale[j])`` from a score that knows it where these
        are too small or too large for numbers; else it is worked out from them.
    remarks
        What the user should know about Q at this point, in words.
    residual_variances
        1/n ||x_j - X w_j||^2 of the centred columns, (d,), from a score that has them at hand.
    """

    weights: NDArray[np.float64]
    value: float
    gradient: NDArray[np.float64] = field(repr=False)
    row_scale: NDArray[np.float64] = field(repr=False)
    column_scale: NDArray[np.float64] = field(repr=False)
    rest: float = 0.0
    penalty: float = 0.0
    relative: NDArray[np.float64] | None = field(repr=False, default=None)
    remarks: tuple[str, ...] = ()
    residual_variances: NDArray[np.float64] | None = field(repr=False, default=None)


class Predictor(Protocol):
    """A fitted model without its data."""

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The fitted value of each column of ``X`` (m, d) given its other columns, (m, d)."""


class DensityPredictor(Predictor, Protocol):
    """A fitted model that also says how likely rows are."""

    def log_density(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log p of each row of ``X`` (m, d), (m,); minus the loss if that is no likelihood."""


class Score(ABC):
    """Settings of Q; the same object serves many data sets.

    A subclass stores its settings in ``__init__``, declares the facts below, and binds. Nothing is
    computed and no data are seen before :meth:`bind`.
    """

    name: ClassVar[str]
    #: Q is convex in all its parameters, so a KKT point is a local minimum (Theorem 1).
    convex: ClassVar[bool]
    #: Q is a sum over nodes of terms with parameters of their own (Theorem 3 needs no more).
    separable: ClassVar[bool]
    #: The score sets edges to zero by itself, so that no threshold is needed afterwards.
    selects_edges: ClassVar[bool]
    #: The answer depends on the units of the columns.
    scale_dependent: ClassVar[bool] = False
    #: Score-equivalent: the same for all members of a Markov equivalence class, so that only the
    #: directions which the whole class shares are learned.
    equivalent: ClassVar[bool] = False
    #: An edge has a block of parameters of which W_ij is a norm, so that W alone does not determine
    #: them.
    edge_blocks: ClassVar[bool] = False
    #: Rows may have weights, whole numbers or not; otherwise rows are repeated.
    weighs_rows: ClassVar[bool] = False
    #: There are parameters of which Q is a differentiable function, and KKT conditions.
    continuous: ClassVar[bool] = True
    #: Columns may hold categories without an order, more than two.
    takes_nominal: ClassVar[bool] = False
    #: Q knows of the rows no more than their number, means and covariances.
    of_moments: ClassVar[bool] = False
    #: Which losses there are is seen in the columns.
    by_kinds: ClassVar[bool] = False
    #: Each node may have rows of its own; otherwise rows in which something was set are refused.
    uses_interventions: ClassVar[bool] = False

    def suited(self, data: Dataset) -> Dataset:
        """``data`` as :meth:`bind` takes them: rows repeated where it knows no weights.

        Columns of categories are refused where it has no model of them.
        """
        if not self.takes_nominal:
            data.refuse_nominal(f"score {self.name!r}")
        if data.interventions is not None and not self.uses_interventions:
            raise InputError(
                f"interventions: score {self.name!r} cannot use them; auto, bic, ebic, "
                "least-squares, equal-variance, bdeu, categorical-bic, blocks-bic and any "
                "LOSS-PENALTY can"
            )
        return data if self.weighs_rows else data.repeated(f"score {self.name!r}")

    def weighs_parts(self, data: Dataset) -> bool:  # noqa: ARG002 - for those that choose by the data
        """Whether rows of ``data`` may also count in fractions."""
        return self.weighs_rows

    def recognised(self, data: Dataset) -> Dataset:
        """``data`` with its columns of the kinds that :meth:`bind` will take them for."""
        return data

    @abstractmethod
    def bind(self, data: Dataset) -> BoundScore:
        """Check the settings, check that ``data`` suits them, and tie both together.

        Parameters
        ----------
        data
            n rows of d columns, validated; never changed.

        Returns
        -------
        BoundScore
            Q on these data. Its ``score`` tells the facts above; it is this object, or the one that
            this object chose for the data.

        Raises
        ------
        InputError
            If a setting is out of range or Q has no solution on these data. Whatever is refused is
            refused here, before any search.
        """

    def with_l0(self) -> Score | None:
        """The same loss with BIC's L0 penalty in place of its own, which ``prune="bic"`` searches.

        None where the loss has no such counterpart; then ``prune="bic"`` is refused.
        """
        return None

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


class BoundScore(ABC):
    """Q on given data: evaluated at any parameters, and solved for any order.

    A subclass writes :meth:`evaluate` and :meth:`fit`; the two must agree: at the parameters of a
    fit that was refreshed, :meth:`evaluate` finds the fit's value, to within rounding error.
    ``admissible`` and ``deadline`` are set before the first fit. From then on nothing here changes,
    because fits may be at work in several threads.
    """

    score: Score
    data: Dataset
    #: Relative KKT residual up to which a fit of this score counts as stationary.
    tolerance: float = 1e-8
    #: How to search if the user does not say.
    strategy: Strategy = Strategy()
    #: The edges and orders that come into question.
    admissible: Admissible = EVERYTHING
    #: After which fits begin nothing more; see :class:`~toposwap.core.runtime.deadline.TimeUp`.
    deadline: Deadline = NEVER
    #: What was chosen by looking at the data, in words.
    choices: tuple[str, ...] = ()
    #: What the user should know about this score on these data, in words.
    remarks: tuple[str, ...] = ()

    def within_limits_of(self, other: BoundScore) -> None:
        """Take over what ``other`` may do and until when; before the first fit."""
        self.admissible, self.deadline = other.admissible, other.deadline

    def under(self, admissible: Admissible) -> Self:
        """The same score on the same data, with other edges and orders that come into question."""
        other = copy(self)
        other.admissible = admissible
        return other

    def relaxed(self) -> BoundScore | None:
        """The same with more edges permitted, where that is solved much faster; None elsewhere.

        Its good orders are where a search of this score begins.
        """
        return None

    # --- which edges and positions come into question ---------------------------------------------

    def candidates(self, order: Order, node: int | None = None) -> NDArray[np.bool_]:
        """Which parents a node may have at ``order``.

        Parameters
        ----------
        order
            Any order of the d variables.
        node
            One variable, or None for all.

        Returns
        -------
        array of bool
            (d, d), ``[i, j]`` tells whether i may be a parent of j; with ``node`` its column, (d,).
            Only variables before a node are ever candidates, so that any set of candidates makes a
            DAG.
        """
        return self.admissible.candidates(order, node)

    def positions(self, order: Order, variable: int) -> range:
        """Which positions ``variable`` may take at ``order`` while the others keep their order.

        A range without a gap, its own position in it; ``range(d)`` if nothing is ruled out.
        """
        return self.admissible.positions(order, variable)

    # --- Q ---------------------------------------------------------------------------------------

    @abstractmethod
    def evaluate(self, parameters: Any) -> Point:
        """Q and its derivatives at any parameters, independent of any order.

        Parameters
        ----------
        parameters
            Theta, as :meth:`OrderFit.parameters` returns it; edges may form cycles.

        Returns
        -------
        Point
            Computed afresh from the data, so that a certificate does not rest on a search's tables.
        """

    def weights(self, parameters: Any) -> NDArray[np.float64]:
        """W(theta), (d, d): zero exactly where the edge is absent."""
        return self.evaluate(parameters).weights

    @abstractmethod
    def fit(self, order: Order) -> OrderFit:
        """Solve problem (8) of the paper: the best parameters for ``order``.

        Parameters
        ----------
        order
            Any order; :meth:`candidates` tells the edges it allows.

        Returns
        -------
        OrderFit
            At ``order``: a stationary point over the allowed edges, the minimum if Q is convex.
        """

    def as_parameters(self, given: Any) -> Any:
        """What a user gives, as :meth:`evaluate` takes it.

        Parameters
        ----------
        given
            Here a weight matrix (d, d), as an array or a frame over the columns' names; a score
            whose edges have blocks of parameters overrides this.

        Raises
        ------
        InputError
            If it is nothing of the kind, with what this score takes.
        """
        return as_weights(given, self.data.names)

    def predictor(self, parameters: Any) -> Predictor:
        """The fitted value of each column given the other columns, as a function of new rows.

        Parameters
        ----------
        parameters
            Theta, as :meth:`OrderFit.parameters` returns it.

        Returns
        -------
        Predictor
            From rows (m, d) to fitted values (m, d), in the units of the data. It holds what it
            needs and not the data, so that a fitted model stays small. One that is also a
            :class:`DensityPredictor` makes cross-validation possible.

        Raises
        ------
        NotImplementedError
            If the score makes no predictions, as here.
        """
        raise NotImplementedError(f"{self.score!r} makes no predictions")

    def predict(self, parameters: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The fitted values (m, d) at rows ``X`` (m, d); see :meth:`predictor`."""
        return self.predictor(parameters)(X)

    @property
    def gradient_unit(self) -> float:
        """What the paper's thresholds on the gradient are multiples of; 1 in its simulations."""
        return 1.0

    def solve_exactly(self, fit: OrderFit) -> bool:  # noqa: ARG002 - most scores cannot
        """Bring ``fit`` to the global minimum over all orders that :meth:`positions` permits.

        Parameters
        ----------
        fit
            One of this score's, at any order.

        Returns
        -------
        bool
            True with ``fit`` at the minimum; False, with ``fit`` as it was, if there is no way to
            find it.

        Raises
        ------
        InputError
            If this score on these data cannot be solved exactly for a reason that the user can do
            something about.
        """
        return False
