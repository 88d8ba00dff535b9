"""Which inputs of networks are parents, node by node and then as a whole graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.pruning.base import Pruned, Pruner, nearest_order, predictor_of
from toposwap.pruning.network_parents import RULE, edge_norms, kept_parents, refitted, relaxed
from toposwap.pruning.network_revision import Revision
from toposwap.pruning.threshold import USUAL_THRESHOLD
from toposwap.scores.mlp.bound import BoundMLP

if TYPE_CHECKING:
    from toposwap.core.order import Order
    from toposwap.orderfit.nodes import NodeFit
    from toposwap.scores.base import BoundScore
    from toposwap.scores.mlp.score import Networks
    from toposwap.scores.mlp.solver import NodeSolver

_CUT_SHORT = (
    "time was up before pruning was through: edges of the networks that were left are kept by the "
    f"size of their weights alone (|weight| >= {USUAL_THRESHOLD:g})"
)


class NetworkPruner(Pruner):
    """The inputs of each network that an information criterion keeps, revised as a whole graph.

    When time is up, the inputs of the nodes that are left are kept by the size of their weights.
    """

    name: ClassVar[str] = "networks"

    def check(self, bound: BoundScore) -> None:
        """Networks with one hidden layer only."""
        if not isinstance(bound, BoundMLP):
            raise InputError(
                f"prune: this rule is for score='mlp', and the score is {bound.score.name!r}"
            )

    def prune(
        self,
        bound: BoundScore,
        parameters: Networks,
        order: Order,
        *,
        rng: np.random.Generator,  # noqa: ARG002 - the starts of a problem are its own
        deadline: Deadline = NEVER,
    ) -> Pruned:
        """The kept graph, its networks fitted to predict."""
        assert isinstance(bound, BoundMLP)
        fits = kept_graph(bound, parameters, order, deadline)
        with bound.nodes.pace.until(deadline):
            for j, fit in enumerate(fits):
                if deadline.passed:
                    break
                fits[j] = refitted(bound.nodes, j, fit)
        kept = bound.assemble(fits)
        return Pruned(
            np.ascontiguousarray(bound.admissible.with_required(kept.weights)),
            nearest_order(kept.weights, order, bound.admissible),
            kept,
            predictor_of(bound, kept),
            RULE,
            bound.score.equivalent,
            refitted=True,
            remark=_CUT_SHORT if deadline.passed else None,
        )

    def order(
        self,
        bound: BoundScore,
        parameters: Networks,
        order: Order,
        *,
        deadline: Deadline = NEVER,
    ) -> Order:
        """Without the last fits, which change no edge."""
        assert isinstance(bound, BoundMLP)
        kept = bound.assemble(kept_graph(bound, parameters, order, deadline))
        return nearest_order(kept.weights, order, bound.admissible)


def kept_graph(
    bound: BoundMLP, parameters: Networks, order: Order, deadline: Deadline
) -> list[NodeFit]:
    """Keep the candidates that are worth their penalty, then see whether others are."""
    with bound.nodes.pace.until(deadline):
        return _kept_graph(bound, parameters, order, deadline)


def _kept_graph(
    bound: BoundMLP, parameters: Networks, order: Order, deadline: Deadline
) -> list[NodeFit]:
    solvers, nodes = [], []
    for j in range(bound.data.d):
        before = np.flatnonzero(bound.candidates(order, j))
        solver = bound.nodes.with_score(relaxed(bound.score, before.size))
        solution = solver.node_of(parameters, j)
        solvers.append(solver)
        kept = None if deadline.passed else kept_parents(solver, j, solution, before)
        nodes.append(strong_inputs(solver, j, solution) if kept is None else kept)
    revision = Revision(solvers, nodes, bound.admissible)
    revision.settle(deadline)
    return revision.fits


def strong_inputs(solver: NodeSolver, node: int, solution: NodeFit) -> NodeFit:
    """The network of ``node`` with the inputs of at least the usual threshold, as it is."""
    network = solution.parameters
    norms = edge_norms(solution) / solver.table.sizes[network.inputs]
    strong = network.inputs[norms >= USUAL_THRESHOLD]
    strong = np.union1d(strong, solver.required_inputs(node))
    return solver.as_fit(solution.value, solver.starts.carried(network, strong))
