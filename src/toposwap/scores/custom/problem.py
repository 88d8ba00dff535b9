r"""A differentiable Q on given data: evaluated, and minimised over the entries that are allowed.

.. math:: Q(\Theta) + \sum_{ij} \sum_r \rho(\theta_{ijr})

:math:`\rho` splits into a kink, :math:`\kappa |\theta|`, which the solver treats exactly, and a
smooth rest, which joins Q. The parameters are parts that do not meet in Q (one for each node, or a
single one), so that many parts can be evaluated and solved in one batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.scores.base import Point
from toposwap.scores.custom.function import check_gradient, refuse_bad_start
from toposwap.scores.custom.quasi_newton import minimise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.penalties.base import ProximalPenalty
    from toposwap.scores.custom.function import Batch
    from toposwap.scores.custom.layout import Layout, Parameters, Part

#: Parts are solved this far below the tolerance of the certificate.
_MARGIN = 0.3
#: Entries solved at once: the solver remembers each of them some eighty times.
_LARGEST_BATCH = 200_000


class Problem:
    """Q on given data, with its parameters as one vector (p,).

    Parameters
    ----------
    data
        The data, for the deviations of its columns.
    layout, parts
        Which entry is what, and which are solved together; all parts have q entries.
    batch
        Q of the parts.
    starts
        Starting values, (s, p); the solution from the best of them is taken.
    penalty
        rho.
    tolerance, max_iter
        Of a solution.
    """

    def __init__(
        self,
        data: Dataset,
        layout: Layout,
        parts: list[Part],
        batch: Batch,
        starts: NDArray[np.float64],
        *,
        penalty: ProximalPenalty,
        tolerance: float,
        max_iter: int,
        check: bool,
    ) -> None:
        self.data, self.layout, self.parts, self.batch = data, layout, parts, batch
        self.penalty, self.tolerance, self.max_iter = penalty, tolerance, max_iter
        self.starts = np.where(layout.loops, 0.0, starts)
        self.require(None)
        self._measure(self._look_at_the_start(check=check))

    def require(self, required: NDArray[np.bool_] | None) -> None:
        """Ask no penalty that would hold an entry at zero of the edges ``required`` (d, d)."""
        layout, free = self.layout, self.penalty.lifted(required)
        #: Entries (p,) that the penalty is asked of.
        self.paying: NDArray[np.bool_] = layout.is_edge.copy()
        if free is not None:
            self.paying &= ~free[layout.cause, layout.effect]
        self.kink = np.where(self.paying, self.penalty.threshold, 0.0)

    def call(self, part: Part, vector: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Q of one part and its gradient, (q,)."""
        value, gradient = self.batch(np.array([part.index]), vector[None])
        return float(value[0]), gradient[0]

    # --- how large is large ----------------------------------------------------------------------

    def _look_at_the_start(self, *, check: bool) -> NDArray[np.float64]:
        """Check Q where it begins; the size of the gradient there and nearby, (p,)."""
        size = np.zeros(self.layout.p)
        for part in self.parts:
            here = self.starts[0, part.places]
            value, gradient = self.call(part, here)
            refuse_bad_start(part, value, gradient)
            # Where all is zero many gradients vanish by symmetry; a little off it they do not.
            near = here + 1e-2 * np.sin(1.0 + np.arange(here.size))
            near[part.loops] = 0.0
            value, other = self.call(part, near)
            sound = np.isfinite(value) and bool(np.isfinite(other).all())
            if check:
                check_gradient(self.call, part, near if sound else here)
            size[part.places] = np.maximum(np.abs(gradient), np.abs(other) if sound else 0.0)
        return size

    def _measure(self, size: NDArray[np.float64]) -> None:
        """Scales of rows and columns that dominate the size G of the gradient at the start.

        r_i = max_j G_ij, c_j = max_i G_ij / r_i, times a factor that makes r like a deviation.
        """
        layout = self.layout
        G = layout.per_edge(np.where(layout.loops, 0.0, size + self.kink))
        largest = float(G.max())
        if largest == 0.0:
            G, largest = np.ones_like(G), 1.0
        row = np.maximum(G.max(axis=1), 1e-8 * largest)
        column = (G / row[:, None]).max(axis=0)
        column = np.maximum(column, 1e-8 * column.max())
        deviations = self.data.deviations * self.data.scale
        factor = np.exp(np.log(deviations).mean() - np.log(row).mean())
        self.row_scale: NDArray[np.float64] = row * factor
        self.column_scale: NDArray[np.float64] = column / factor
        self.rest_scale = max(float(size[~layout.is_edge].max(initial=0.0)), largest)
        per_edge = (self.row_scale[:, None] * self.column_scale)[layout.cause, layout.effect]
        #: What turns an entry of the gradient into a relative residual, (p,).
        self.weight = np.where(layout.is_edge, layout.width / per_edge, 1.0 / self.rest_scale)
        #: Typical sizes of the entries, (p,).
        self.unit = np.where(layout.is_edge, 1.0 / self.row_scale[layout.cause], 1.0)

    # --- evaluating ------------------------------------------------------------------------------

    def vector(self, parameters: Parameters) -> NDArray[np.float64]:
        """Any parameters as one vector; W alone will do if it says all about the edges."""
        layout = self.layout
        d = layout.d
        if layout.alone or not isinstance(parameters, np.ndarray):
            return layout.pack(parameters)
        if layout.width != 1 or parameters.shape != (d, d):
            raise InputError(
                "a weight matrix does not determine the parameters of this score, which has "
                f"{layout.width} numbers for each edge; give all of them"
            )
        vector = self.starts[0].copy()
        edges = layout.is_edge
        vector[edges] = parameters[layout.cause[edges], layout.effect[edges]]
        for part in self.parts:
            free = ~part.is_edge
            vector[part.places] = self._minimise([part], vector[None, part.places], free[None])[0]
        return vector

    def point(self, parameters: Parameters) -> Point:
        """Q and the distance of zero from its subdifferential, block by block."""
        layout = self.layout
        vector = self.vector(parameters)
        places = np.array([part.places for part in self.parts])
        values, slopes = self.batch(np.arange(len(self.parts)), vector[places])
        gradient = np.empty(layout.p)
        gradient[places] = slopes
        entries = np.where(layout.is_edge & ~layout.loops, vector, 0.0)
        pay = np.where(self.paying, entries, 0.0)
        present = np.abs(gradient + self.penalty.slope(pay))
        absent = np.maximum(np.abs(gradient) - self.kink, 0.0)
        distance = np.where(entries != 0.0, present, absent)
        paid = self.penalty.value(pay)
        rest = np.abs(gradient[~layout.is_edge]).max(initial=0.0)
        return Point(
            weights=layout.weights(vector),
            value=float(values.sum()) + paid,
            gradient=layout.per_edge(np.where(layout.loops, 0.0, distance)),
            row_scale=self.row_scale,
            column_scale=self.column_scale,
            rest=float(rest) / self.rest_scale,
            penalty=paid,
        )

    # --- solving ---------------------------------------------------------------------------------

    def solve(
        self,
        parts: list[Part],
        free: NDArray[np.bool_],
        warm: list[NDArray[np.float64] | None],
    ) -> list[tuple[NDArray[np.float64], float]]:
        """Entries (q,) that minimise Q of each of ``parts``, and Q there, all in one batch.

        Entries that are not ``free`` (b, q) are zero. A part without a ``warm`` start is solved
        from each of the starting values, and so is one whose Q has no value at the warm start. If
        it has none at any of them it is infinite.
        """
        owners, begins = [], []
        for k, part in enumerate(parts):
            given = warm[k]
            own = self.starts[:, part.places] if given is None else given[None]
            owners += [k] * len(own)
            begins.append(own)
        begin = np.where(free[owners], np.concatenate(begins), 0.0)
        solution = self._minimise([parts[k] for k in owners], begin, free[owners])
        values = self._values([parts[k] for k in owners], solution)
        best: list[tuple[NDArray[np.float64], float] | None] = [None] * len(parts)
        for k, x, value in zip(owners, solution, values.tolist(), strict=True):
            current = best[k]
            if current is None or value < current[1]:
                best[k] = (x, value)
        found = [one for one in best if one is not None]
        again = [k for k, start in enumerate(warm) if start is not None and np.isinf(found[k][1])]
        if again:
            fresh = self.solve([parts[k] for k in again], free[again], [None] * len(again))
            for k, one in zip(again, fresh, strict=True):
                found[k] = one
        return found

    def _values(self, parts: list[Part], x: NDArray[np.float64]) -> NDArray[np.float64]:
        values, _ = self.batch(np.array([part.index for part in parts]), x)
        paid = [
            self.penalty.value(row[self.paying[part.places]])
            for part, row in zip(parts, x, strict=True)
        ]
        return np.where(np.isfinite(values), values, np.inf) + np.array(paid)

    def _minimise(
        self, parts: list[Part], begin: NDArray[np.float64], free: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Over the ``free`` entries (b, q), the others staying where they are."""
        if len(parts) > (size := max(1, _LARGEST_BATCH // begin.shape[1])):
            turns = [slice(k, k + size) for k in range(0, len(parts), size)]
            return np.concatenate([self._minimise(parts[t], begin[t], free[t]) for t in turns])
        indices = np.array([part.index for part in parts])
        places = np.array([part.places for part in parts])
        paying = self.paying[places]
        # Entries that are free nowhere are no variables at all.
        used = np.flatnonzero(free.any(axis=0))
        kink = self.penalty.threshold
        curved = self.penalty.degree != 1

        def smooth(
            x: NDArray[np.float64], which: NDArray[np.int64]
        ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            whole = begin[which]
            whole[:, used] = x
            value, gradient = self.batch(indices[which], whole)
            gradient = gradient[:, used]
            if curved:
                entries = np.where(paying[which][:, used], x, 0.0)
                paid = np.array([self.penalty.value(row) for row in entries])
                value = value + paid - kink * np.abs(entries).sum(axis=1)
                gradient = gradient + self.penalty.slope(entries) - kink * np.sign(entries)
            return value, gradient

        found = minimise(
            smooth,
            begin[:, used],
            free=free[:, used],
            kink=self.kink[places][:, used],
            unit=self.unit[places][:, used],
            weight=self.weight[places][:, used],
            tolerance=_MARGIN * self.tolerance,
            max_iter=self.max_iter,
        )
        solution = begin.copy()
        solution[:, used] = found.x
        return solution
