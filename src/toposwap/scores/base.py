r"""What a score is: Q, its gradient, and the best parameters for an order.

A :class:`Score` holds settings. :meth:`Score.bind` ties it to data and gives a
:class:`BoundScore`, which evaluates :math:`Q(\Theta)` anywhere and fits orders. Fitting gives an
:class:`OrderFit`: the solution at one order, which prices moves and carries them out. That is all
a search ever talks to, so a search works with every score.

Three ways to add a score, by what is known about Q:

- :math:`Q = \sum_j Q_j(\theta_j)`: subclass :class:`~toposwap.scores.separable.SeparableScore` and
  write ``fit_node``;
- nothing separates: subclass :class:`~toposwap.scores.joint.JointScore` and write ``solve``;
- there is algebra of its own: subclass :class:`OrderFit` and override the prices, as
  :mod:`~toposwap.scores.least_squares` does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np

from toposwap.dataset.weights import as_weights
from toposwap.order import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.dataset import Dataset


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

    def with_price(self) -> Score | None:
        """The same loss with BIC's price per edge in place of a penalty, for ``prune="bic"``."""
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

        It holds what it needs and not the data, so that a fitted model stays small.
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


class OrderFit(ABC):
    r"""The solution :math:`\Theta^*_\pi` at a current order, and the way to other orders.

    Subclasses provide :meth:`price`, :meth:`reorder` and :meth:`parameters`; the rest is derived
    from these and may be overridden with something faster.
    """

    bound: BoundScore
    order: Order
    #: Q at the solution.
    value: float

    @abstractmethod
    def price(self, order: Order) -> float:
        r""":math:`Q(\Theta^*_{\pi'}) - Q(\Theta^*_\pi)` for another order :math:`\pi'`."""

    @abstractmethod
    def reorder(self, order: Order) -> None:
        """Make ``order`` the current one and fit it."""

    @abstractmethod
    def parameters(self) -> Any:
        """The solution, as :meth:`BoundScore.evaluate` takes it."""

    def point(self) -> Point:
        """Q and its derivatives at the solution."""
        return self.bound.evaluate(self.parameters())

    @property
    def resolution(self) -> float:
        """Changes of Q below this are rounding error, not improvement."""
        return 1e-10 * max(abs(self.value), np.finfo(float).tiny)

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """Change of Q for each position that ``variable`` could end at, (d,)."""
        here = self.order.positions[variable]
        return np.array(
            [
                0.0 if k == here else self.price(self.order.insert(variable, k))
                for k in range(len(self.order))
            ]
        )

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Change of Q for exchanging the variables of each row of ``pairs`` (m, 2), (m,)."""
        return np.array([self.price(self.order.swap(int(i), int(j))) for i, j in pairs])

    def insert(self, variable: int, position: int) -> None:
        """Move ``variable`` to ``position``."""
        self.reorder(self.order.insert(variable, position))

    def swap(self, i: int, j: int) -> None:
        """Exchange variables ``i`` and ``j``."""
        self.reorder(self.order.swap(i, j))

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """Move each of ``visits`` in turn to its best place; the number of moves made."""
        moved = 0
        for variable in visits:
            profile = self.insertion_profile(int(variable))
            position = int(profile.argmin())
            if profile[position] < -self.resolution:
                self.insert(int(variable), position)
                moved += 1
        return moved

    def snapshot(self) -> Any:
        """What :meth:`restore` needs to come back to this solution."""
        return self.order

    def restore(self, snapshot: Any) -> None:
        """Come back to where ``snapshot`` was taken."""
        self.reorder(snapshot)

    def become(self, other: Self) -> None:
        """Be equal to ``other`` to the last bit: the same moves have the same prices from now on.

        :meth:`restore` comes back to a solution, but what was remembered on the way may differ.
        """
        vars(self).update(deepcopy(vars(other), {id(other.bound): other.bound}))

    def twin(self) -> Self:
        """An equal fit that moves on its own."""
        twin = object.__new__(type(self))
        twin.become(self)
        return twin

    def swap_candidates(self) -> NDArray[np.int64]:
        """Pairs that a local search should price, (m, 2); all of them unless that is expensive."""
        return self.all_pairs()

    def refresh(self) -> None:  # noqa: B027 - optional
        """Clear accumulated rounding error; nothing to do for a fit that is solved afresh."""

    def all_pairs(self) -> NDArray[np.int64]:
        """Every pair of variables, the earlier one first, (d(d-1)/2, 2)."""
        earlier, later = np.triu_indices(len(self.order), 1)
        variables = self.order.variables
        return np.column_stack([variables[earlier], variables[later]])
