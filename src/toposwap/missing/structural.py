r"""Structural EM: a graph from rows with gaps, for scores of means and covariances.

.. math:: F(G, \theta) = -\tfrac1n \ell_{\text{there}}(\theta) + \text{penalty}(G, \theta)

is what is brought down, :math:`\ell_{\text{there}}` the log-likelihood of the values that are
there. In turns: EM for the parameters of the graph (the E-step takes the graph's own covariance),
single edges by F itself, and a search on the expected moments; until graph and score stand still.

With expected moments alone an edge that is there looks better than it is, since what was filled in
follows it, and one that is absent looks worse. So the edges of an L0 penalty whose price is near
what they are worth are taken out, or put in, with EM run anew, and F decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.assess import assess
from toposwap.baselines.start import is_order, starting_order
from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.runtime.ctrl_c import CtrlC
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.core.tables.notices import notices
from toposwap.core.weights import as_weights
from toposwap.kernels.graphs.reachability import reachability
from toposwap.learn import learn
from toposwap.losses import EqualVarianceLoss, GaussianLoss
from toposwap.missing.normal import Moments, Normal, Patterns, Trace, of_graph, regressions, start
from toposwap.missing.single_edges import LOWER, second_look
from toposwap.penalties import L0
from toposwap.search.none import NoSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.core.tables.gaps import Incomplete
    from toposwap.result import Result
    from toposwap.scores import Score
    from toposwap.search import Search

#: Change of expected moments, over the deviations, that ends EM between searches, and at the end.
_ROUGH, _TIGHT = 1e-6, 3e-11
_MOST_ROUNDS = 30


@dataclass(frozen=True, eq=False)
class Found:
    """What structural EM ends with.

    Attributes
    ----------
    result
        On the expected moments at the end.
    data
        These.
    log_likelihood
        Of the values that are there.
    rounds
        Searches that were made.
    """

    result: Result
    data: Dataset
    log_likelihood: float
    rounds: int


class StructuralEM:
    """The score, the rows, and what the score says about a graph on expected moments.

    Parameters
    ----------
    table
        Rows with gaps.
    score
        Made of means and covariances.
    admissible
        The edges and orders that come into question.
    deadline
        For all of it.
    """

    def __init__(
        self, table: Incomplete, score: Score, admissible: Admissible, deadline: Deadline
    ) -> None:
        self.table, self.score, self.deadline = table, score, deadline
        self.remarks = notices(table.check())
        self.patterns = Patterns(table)
        self.admissible = admissible
        self.there = 1.0 - table.weights @ table.gaps / table.weights.sum()
        first = start(self.patterns, deadline)
        self.moments = first.moments
        self.unrestricted = first.unrestricted
        chosen = score.bind(self.dataset(self.moments)).score
        loss = getattr(chosen, "loss", None)
        self.pooled = isinstance(loss, EqualVarianceLoss)
        self.likelihood = self.pooled or isinstance(loss, GaussianLoss)
        penalty = getattr(chosen, "penalty", None)
        bound = None if penalty is None else penalty.bind(self.n, table.d)
        #: The price of an edge, where edges have one.
        self.price = bound.weight if isinstance(bound, L0) else None

    @property
    def n(self) -> int:
        """The number of rows that have any value: what the score's price is made of."""
        return round(self.patterns.total)

    def dataset(self, moments: Moments) -> Dataset:
        """The data set of expected moments."""
        unit = self.patterns.unit
        covariance = moments.covariance * unit[:, None] * unit
        try:
            data = Dataset.from_covariance(covariance, self.n, names=self.table.names)
        except InputError as error:
            raise InputError(f"missing='em': {error}") from None
        mean = moments.mean * unit + self.patterns.shift
        data = replace(data, mean=mean, labels=self.table.read.labels)
        vars(data)["kinds"] = self.table.kinds
        return data

    # --- the M-step ------------------------------------------------------------------------------

    def model(self, moments: Moments, weights: NDArray[np.float64]) -> Normal:
        """That of weights (d, d) in the units of the data."""
        unit = self.patterns.unit
        standard = weights * unit[:, None] / unit
        return of_graph(moments, standard, pooled=self.pooled, unit=unit)

    def of_edges(self, graph: NDArray[np.bool_]) -> Callable[[Moments], Normal]:
        """The M-step of an L0 penalty: least squares on the parents."""

        def m_step(moments: Moments) -> Normal:
            weights = regressions(moments.covariance, graph)
            return of_graph(moments, weights, pooled=self.pooled, unit=self.patterns.unit)

        return m_step

    def of_order(self, order: Order) -> Callable[[Moments], Normal]:
        """The M-step of any other penalty: the solution at the order."""

        def m_step(moments: Moments) -> Normal:
            bound = self.score.bind(self.dataset(moments))
            bound.admissible = self.admissible
            return self.model(moments, bound.weights(bound.fit(order).parameters()))

        return m_step

    def fixed(self, result: Result, moments: Moments) -> Fixed:
        """EM from ``moments`` for the graph of ``result``, single edges looked at again."""
        graph, order = result.weights != 0.0, result.order
        if self.price is None:
            trace = self._em(moments, self.of_order(order), _TIGHT)
            return Fixed(graph, order, trace, None)
        trace = self._em(moments, self.of_edges(graph), _ROUGH)
        if self.likelihood and not self.admissible.asks_for_paths:
            trace = second_look(self, graph, order, trace)
        trace = self._em(trace.moments, self.of_edges(graph), _TIGHT)
        value = self.objective(trace, graph) if self.likelihood else None
        return Fixed(graph, order, trace, value)

    def _em(self, moments: Moments, m_step: Callable[[Moments], Normal], tolerance: float) -> Trace:
        return self.patterns.maximise(moments, m_step, tolerance=tolerance, deadline=self.deadline)

    def lower(self, one: Fixed, other: Fixed) -> bool:
        """Whether F is lower at ``one``; True where nothing is known of it."""
        if one.value is None or other.value is None:
            return True
        return one.value < other.value - LOWER / self.n

    def finished(
        self, result: Result, moments: Moments, rounds: int, *, stands: bool, interrupted: bool
    ) -> Found:
        """The result with the certificate of what is there.

        At moments that are expected under the solution the gradient of the expected log-likelihood
        is that of the values that are there (Fisher's identity).
        """
        expected, likelihood = self.patterns.expect(self.model(moments, result.weights))
        status, remarks = result.status, (*self.remarks, *result.remarks)
        certificate = result.certificate
        if interrupted:
            status = "interrupted"
        elif not stands:
            status = "time limit" if self.deadline.passed else "iteration limit"
            remarks += ("missing='em' ended before graph and expected moments stood still",)
        else:
            bound = self.score.bind(self.dataset(expected))
            bound.admissible = result.admissible
            certificate = assess(bound, result.parameters).certificate
            if status in ("converged", "global minimum"):
                # A proof on expected moments is none on what is there.
                status = "converged" if certificate.satisfied else "not certified"
            if not certificate.satisfied:
                remarks += (
                    "missing='em': on what is there the KKT conditions hold to "
                    f"{certificate.max_residual:.1e} only, not to {certificate.tolerance:.1e}: the "
                    "likelihood is nearly flat there, or columns nearly determine each other, so "
                    "that EM comes to its maximum very slowly",
                )
        result = replace(
            result, status=status, remarks=remarks, certificate=certificate, bound=None
        )
        return Found(result, self.dataset(moments), likelihood, rounds)

    def objective(self, trace: Trace, graph: NDArray[np.bool_]) -> float:
        """F of a graph (d, d) with an L0 penalty."""
        assert self.price is not None
        return -trace.log_likelihoods[-1] / self.n + self.price * int(np.count_nonzero(graph))


@dataclass(frozen=True, eq=False)
class Fixed:
    """A graph with EM run on it.

    Attributes
    ----------
    graph, order
        (d, d) and one of its orders.
    trace
        Where EM ended.
    value
        F, or None where the score is no likelihood or edges have no price.
    """

    graph: NDArray[np.bool_]
    order: Order
    trace: Trace
    value: float | None


def learn_em(
    table: Incomplete,
    score: Score,
    search: Search,
    init: Any,
    *,
    admissible: Admissible,
    deadline: Deadline,
    **settings: Any,
) -> Found:
    """The graph, by structural EM; arguments as those of :func:`~toposwap.learn.learn`."""
    em = StructuralEM(table, score, admissible, deadline)
    moments = em.moments

    def searched(moments: Moments, begin: Any, **others: Any) -> Result:
        given = {"search": search, "admissible": admissible, **others}
        data = em.dataset(moments)
        return learn(data, score, init=begin, deadline=deadline, **given, **settings)

    result = searched(moments, init)
    rounds, best, stands = 1, None, False
    met: set[bytes] = set()
    interrupted = result.status == "interrupted"
    # What overflows where columns determine each other is refused in words.
    with CtrlC() as ctrl_c, np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        try:
            while rounds < _MOST_ROUNDS and not (interrupted or deadline.passed or stands):
                graph = (result.weights != 0.0).tobytes()
                if em.price is None and graph in met:
                    # Graphs and moments lead to each other in turns, which never ends.
                    break
                met.add(graph)
                fixed = em.fixed(result, moments)
                if best is not None and not em.lower(fixed, best):
                    # What the search prefers on expected moments is no better on what is there.
                    stands = True
                    break
                best, moments = fixed, fixed.trace.moments
                result = searched(moments, fixed.order)
                rounds += 1
                interrupted = result.status == "interrupted"
                stands = bool(((result.weights != 0.0) == fixed.graph).all())
        except BaseException as error:
            if not ctrl_c.caused(error):
                raise
            interrupted = True
    if best is not None and stands and ((result.weights != 0.0) != best.graph).any():
        told = _only(best.graph, admissible)
        kept = searched(best.trace.moments, best.order, search=NoSearch(), admissible=told)
        moments = best.trace.moments
        result = replace(kept, status=result.status, starts=None, admissible=admissible)
    return em.finished(result, moments, rounds, stands=stands, interrupted=interrupted)


def _only(graph: NDArray[np.bool_], admissible: Admissible) -> Admissible:
    """No other edges than those of ``graph`` (d, d); all of them where paths may lead over any."""
    if not admissible.asks_for_paths:
        return Admissible(graph | graph, admissible.before, admissible.required)
    first = graph if admissible.before is None else graph | admissible.before
    before = reachability(first) & ~np.eye(len(graph), dtype=bool)
    return Admissible(graph | graph, before, graph | graph)


def expected_at(table: Incomplete, score: Score, given: Any) -> Dataset:
    """The moments expected at weights (d, d) or an order, noise and means the likeliest ones.

    Weights with cycles are no model; for these they are those of no graph.
    """
    em = StructuralEM(table, score, EVERYTHING, NEVER)
    data = em.dataset(em.moments)
    if is_order(given, score):
        order, _ = starting_order(given, data, np.random.default_rng(0))
        m_step = em.of_order(order)
    else:
        weights = as_weights(given, data.names)
        if not is_dag(weights):
            return data

        def m_step(moments: Moments) -> Normal:
            return em.model(moments, weights)

    trace = em.patterns.maximise(em.moments, m_step, tolerance=_TIGHT, deadline=NEVER)
    return em.dataset(trace.moments)


def is_dag(weights: NDArray[np.float64]) -> bool:
    """Whether the edges of ``weights`` (d, d) make no cycle."""
    present = weights != 0.0
    reached = reachability(present)
    return not (present & reached.T).any()
