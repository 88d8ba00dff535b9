"""Chains of local optima of a Gaussian score with an L0 penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.kernels.l0 import chain as kernels
from toposwap.kernels.l0.tables import Nodes, Rule, empty_nodes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class L0Chain:
    """The kernel's chain (:mod:`toposwap.kernels.l0.chain`) on the nodes of a fit.

    Parameters
    ----------
    nodes, rule
        Of the fit; the nodes are moved.
    temperature, threshold
        What a worse optimum must not exceed by much, and what counts as better.
    seed
        Determines the chain.
    """

    def __init__(
        self, nodes: Nodes, rule: Rule, temperature: float, threshold: float, seed: int
    ) -> None:
        self._nodes, self._rule = nodes, rule
        self._temperature, self._threshold = temperature, threshold
        d, most = nodes.value.size, nodes.parents.shape[1] - 1
        self._chain = kernels.new_chain(empty_nodes(d, most), seed)
        kernels.begin_chain(nodes, rule, self._chain, threshold)

    @property
    def steps(self) -> int:
        """Perturbations made so far."""
        return int(self._chain.counts[kernels.STEPS])

    @property
    def best_at(self) -> int:
        """After how many of them the best optimum was met."""
        return int(self._chain.counts[kernels.BEST_AT])

    def advance(self, steps: int) -> None:
        """Perturb and descend ``steps`` times."""
        kernels.advance_chain(
            self._nodes, self._rule, self._chain, steps, self._temperature, self._threshold
        )

    def best(self) -> tuple[NDArray[np.int64], ...]:
        """The order, the parents and their numbers of the best optimum met."""
        chain = self._chain
        return chain.order.copy(), chain.parents.copy(), chain.n_parents.copy()
