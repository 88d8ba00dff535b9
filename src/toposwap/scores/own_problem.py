r"""Somebody's Q on given data: evaluated, and minimised over the entries that are allowed.

.. math:: Q(\Theta) + \sum_{ij} \sum_r \rho(\theta_{ijr})

:math:`\rho` splits into a kink, :math:`\kappa |\theta|`, which the solver treats exactly, and a
smooth rest, which joins Q.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.errors import InputError
from toposwap.scores.base import Point
from toposwap.scores.layout import Layout, Parameters, Part
from toposwap.scores.own_function import (
    check_gradient,
    numpy_call,
    refuse_bad_start,
    torch_call,
)
from toposwap.scores.quasi_newton import minimise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.dataset import Dataset
    from toposwap.scores.differentiable import Differentiable

#: Parts are solved this far below the tolerance of the certificate.
_MARGIN = 0.3


class Problem:
    """Q on given data, with its parameters as one vector (p,)."""

    def __init__(self, score: Differentiable, data: Dataset) -> None:
        if data.rows is None:
            raise InputError(
                f"score {score.name!r} needs the rows of the table, and a covariance matrix was "
                "given: use fit(X)"
            )
        self.score, self.data = score, data
        X = data.rows - data.mean
        X.setflags(write=False)
        self.X: NDArray[np.float64] = X
        start = score.start(X) if callable(score.start) else score.start
        self.layout = Layout(start, data.d, score.blocks, nodewise=score.separable)
        self.start: NDArray[np.float64] = self.layout.pack(start, "start")
        self.start[self.layout.loops] = 0.0
        if score.backend == "torch":
            self.call = torch_call(score.q, X, score.device)
        else:
            self.call = numpy_call(score.q, X)
        nodes = range(data.d) if score.separable else (None,)
        self.parts = [Part(self.layout, node) for node in nodes]
        self.kink = np.where(self.layout.is_edge, score.penalty.shape.kink, 0.0)
        gradient = self._look_at_the_start()
        self._measure(gradient)

    # --- how large is large ----------------------------------------------------------------------

    def _look_at_the_start(self) -> NDArray[np.float64]:
        """Check q where it begins; the size of the gradient there and nearby, (p,)."""
        size = np.zeros(self.layout.p)
        for part in self.parts:
            here = self.start[part.places]
            value, gradient = self.call(part, here)
            refuse_bad_start(part, value, gradient)
            # Where all is zero many gradients vanish by symmetry; a little off it they do not.
            near = here + 1e-2 * np.sin(1.0 + np.arange(here.size))
            near[part.loops] = 0.0
            value, other = self.call(part, near)
            sound = np.isfinite(value) and bool(np.isfinite(other).all())
            if self.score.check_gradient:
                check_gradient(self.call, part, near if sound else here)
            size[part.places] = np.maximum(np.abs(gradient), np.abs(other) if sound else 0.0)
        return size

    def _measure(self, size: NDArray[np.float64]) -> None:
        """Scales of rows and columns that dominate the gradient's size at the start.

        r_i = max_j G_ij, c_j = max_i G_ij / r_i, times a factor that makes r like a deviation.
        """
        layout = self.layout
        G = layout.per_edge(size + self.kink)
        np.fill_diagonal(G, 0.0)
        largest = float(G.max())
        if largest == 0.0:
            G = np.ones_like(G)
            largest = 1.0
        row = np.maximum(G.max(axis=1), 1e-8 * largest)
        column = (G / row[:, None]).max(axis=0)
        column = np.maximum(column, 1e-8 * column.max())
        deviations = self.data.deviations * self.data.scale
        factor = np.exp(np.log(deviations).mean() - np.log(row).mean())
        self.row_scale: NDArray[np.float64] = row * factor
        self.column_scale: NDArray[np.float64] = column / factor
        rest = size[~layout.is_edge]
        self.rest_scale = float(max(rest.max(initial=0.0), largest))
        per_entry = (self.row_scale[:, None] * self.column_scale)[layout.cause, layout.effect]
        #: What turns an entry of the gradient into a relative residual.
        self.weight = np.where(
            layout.is_edge, layout.width / per_entry, 1.0 / self.rest_scale
        )
        self.unit = np.where(layout.is_edge, 1.0 / self.row_scale[layout.cause], 1.0)

    # --- evaluating ------------------------------------------------------------------------------

    def vector(self, parameters: Parameters) -> NDArray[np.float64]:
        """Any parameters as one vector; W alone will do if it says it all about the edges."""
        layout = self.layout
        d = layout.d
        if layout.alone or not isinstance(parameters, np.ndarray):
            return layout.pack(parameters)
        if layout.width != 1 or parameters.shape != (d, d):
            raise InputError(
                f"a weight matrix does not determine the parameters of score {self.score.name!r}: "
                f"it has {layout.width} numbers for each edge; give all of them"
            )
        vector = self.start.copy()
        edges = layout.is_edge
        vector[edges] = parameters[layout.cause[edges], layout.effect[edges]]
        for part in self.parts:
            vector[part.places] = self._minimise(part, vector[part.places], ~part.is_edge)[0]
        return vector

    def point(self, parameters: Parameters) -> Point:
        """Q and the distance of zero from its subdifferential, block by block."""
        layout, penalty = self.layout, self.score.penalty
        vector = self.vector(parameters)
        value, gradient = 0.0, np.empty(layout.p)
        for part in self.parts:
            more, slope = self.call(part, vector[part.places])
            value += more
            gradient[part.places] = slope
        entries = np.where(layout.is_edge & ~layout.loops, vector, 0.0)
        present = np.abs(gradient + penalty.slope(entries))
        absent = np.maximum(np.abs(gradient) - self.kink, 0.0)
        distance = np.where(entries != 0.0, present, absent)
        blocks = layout.per_edge(np.where(layout.loops, 0.0, distance))
        paid = penalty.value(entries)
        rest = np.abs(gradient[~layout.is_edge]).max(initial=0.0)
        return Point(
            weights=layout.weights(vector),
            value=value + paid,
            gradient=blocks,
            row_scale=self.row_scale,
            column_scale=self.column_scale,
            rest=float(rest) / self.rest_scale,
            penalty=paid,
        )

    # --- solving ---------------------------------------------------------------------------------

    def solve(
        self, part: Part, free: NDArray[np.bool_], warm: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], float]:
        """The entries (q,) of ``part`` that minimise Q with all but ``free`` at zero, and Q."""
        begin = self.start[part.places] if warm is None else warm
        return self._minimise(part, np.where(free, begin, 0.0), free)

    def _minimise(
        self, part: Part, begin: NDArray[np.float64], free: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], float]:
        """Over the ``free`` entries, the others staying where they are."""
        kink, concavity, ridge = self.score.penalty.shape
        at = part.places
        edges = part.is_edge[free]

        def smooth(x: NDArray[np.float64], _: Any) -> tuple[Any, Any]:
            whole = begin.copy()
            whole[free] = x[0]
            value, gradient = self.call(part, whole)
            entries = np.where(edges, x[0], 0.0)
            slope = self.score.penalty.slope(entries) - kink * np.sign(entries)
            value += self.score.penalty.value(entries) - kink * float(np.abs(entries).sum())
            return np.array([value]), (gradient[free] + slope)[None]

        def plain(x: NDArray[np.float64], _: Any) -> tuple[Any, Any]:
            whole = begin.copy()
            whole[free] = x[0]
            value, gradient = self.call(part, whole)
            return np.array([value]), gradient[None, free]

        found = minimise(
            smooth if concavity or ridge else plain,
            begin[None, free],
            kink=self.kink[at][free],
            unit=self.unit[at][free],
            weight=self.weight[at][free],
            tolerance=_MARGIN * self.score.tolerance,
            max_iter=self.score.max_iter,
        )
        solution = begin.copy()
        solution[free] = found.x[0]
        fixed = np.where(free | ~part.is_edge, 0.0, begin)
        return solution, float(found.value[0]) + self.score.penalty.value(fixed)
