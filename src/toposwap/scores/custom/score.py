r"""Q as any differentiable function, written by the user.

.. math:: \min_\Theta\; Q(\Theta) + \sum_{ijr} \rho(\theta_{ijr})
          \quad\text{subject to}\quad W(\theta) \text{ is a DAG},\qquad
          W_{ij} = \lVert \theta_{ij} \rVert_1 .
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.core.registry import resolve
from toposwap.losses.base import rows_of
from toposwap.penalties import PENALTIES, Penalty
from toposwap.penalties.base import ProximalPenalty
from toposwap.scores.base import BoundScore, Score

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset


class Differentiable(Score):
    r"""A function of the parameters and the data, written by the user.

    Parameters
    ----------
    q
        ``q(theta, X)`` for a Q that does not separate, ``q(theta, X, j)`` for the term
        :math:`Q_j(\theta_j)` of node j with ``separable=True``. ``X`` is the table (n, d), centred
        unless ``Topo(center=False)``. ``theta`` has the form of ``start``; with ``separable=True``
        its arrays are sliced at the effect j, so W (d, d) arrives as ``W[:, j]`` (d,), and b (d,)
        as ``b[j]``. With ``backend="torch"`` all are float64 tensors and q returns a tensor with
        one number; with ``backend="numpy"`` it returns the pair (value, gradient), the gradient in
        the form of ``theta``. Entries of edges that an order forbids, and of i -> i, are zero.
    start
        Starting values: an array, a dict of named arrays, or a function of X that returns such.
        They fix the shapes. Where a gradient vanishes at zero by symmetry (networks), start the
        edges elsewhere.
    blocks
        The arrays that hold edges. By default all of shape (d, d) or (d, d, ...): what stands at
        ``[i, j]`` is the block of i -> j, which must be zero exactly when the edge is absent. Else
        their names, or a mapping from names to (axis of the causes, axis of the effects). Arrays
        without edges are the other parameters of the model.
    separable
        Whether ``q`` is the term of one node. Then only the nodes that a move concerns are solved
        again; otherwise everything is.
    convex
        Whether Q is convex in all its parameters: then a certified point is a local minimum.
    penalty
        Added to Q for every number of every block: "none", "l1", "mcp", "ridge" or such a penalty
        object. Kinks are treated exactly, so absent edges are exactly zero.
    backend
        "torch" or "numpy".
    device
        Where torch computes, for example "cuda".
    tolerance
        Relative KKT residual to reach: block norms of the gradient over their size at the start.
    max_iter
        Most quasi-Newton steps for one solution.
    predict
        ``predict(theta, X)``, the expected columns (m, d) given a table X (m, d); without it the
        score makes no predictions. Both are centred like the X of ``q``.
    check_gradient
        Hold the gradient against finite differences before anything else.
    scale_dependent
        Whether other units of the columns could give another graph; told in the report.
    name
        What reports call the score.
    """

    def __init__(
        self,
        q: Callable[..., Any],
        start: Any,
        *,
        blocks: Any = None,
        separable: bool = False,
        convex: bool = False,
        penalty: str | Penalty = "none",
        backend: str = "torch",
        device: str = "cpu",
        tolerance: float = 1e-6,
        max_iter: int = 2000,
        predict: Callable[..., Any] | None = None,
        check_gradient: bool = True,
        scale_dependent: bool = False,
        name: str = "differentiable",
    ) -> None:
        if not callable(q):
            raise InputError(f"q: must be a function of the parameters and the data, got {q!r}")
        if backend not in ("torch", "numpy"):
            raise InputError(f"backend: must be 'torch' or 'numpy', got {backend!r}")
        if not 0.0 < tolerance < 1.0:
            raise InputError(f"tolerance: must be a number between 0 and 1, got {tolerance!r}")
        if not isinstance(max_iter, int) or max_iter < 1:
            raise InputError(f"max_iter: must be a whole number >= 1, got {max_iter!r}")
        self.q = q
        self.start = start
        self.blocks = blocks
        self.separable = bool(separable)  # type: ignore[misc]
        self._convex = bool(convex)
        self.penalty = _smooth_but_for_kinks(penalty)
        self.backend = backend
        self.device = device
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.predict = predict
        self.check_gradient = check_gradient
        self.scale_dependent = bool(scale_dependent)  # type: ignore[misc]
        self.name = name  # type: ignore[misc]

    @property
    def convex(self) -> bool:  # type: ignore[override]
        """Both q and the penalty are."""
        return self._convex and self.penalty.convex

    @property
    def selects_edges(self) -> bool:  # type: ignore[override]
        """Whether the penalty has a kink at zero, which sets entries to zero."""
        return self.penalty.selects_edges

    def bind(self, data: Dataset) -> BoundScore:
        """Call q at its start, and check shapes, values and, if asked, the gradient."""
        from toposwap.scores.custom.bound import OwnJoint, OwnNodes, OwnPredictor
        from toposwap.scores.custom.function import numpy_call, one_by_one, torch_call
        from toposwap.scores.custom.layout import Layout, Part
        from toposwap.scores.custom.problem import Problem

        X = rows_of(data, self.name) - data.mean
        X.setflags(write=False)
        start = self.start(X) if callable(self.start) else self.start
        layout = Layout(start, data.d, self.blocks, nodewise=self.separable)
        parts = [Part(layout, j) for j in (range(data.d) if self.separable else (None,))]
        if self.backend == "torch":
            call = torch_call(self.q, X, self.device)
        else:
            call = numpy_call(self.q, X)
        problem = Problem(
            data,
            layout,
            parts,
            one_by_one(call, parts),
            layout.pack(start, "start")[None],
            penalty=self.penalty,
            tolerance=self.tolerance,
            max_iter=self.max_iter,
            check=self.check_gradient,
        )
        bound = OwnNodes if self.separable else OwnJoint
        if self.predict is None:
            return bound(self, data, problem)
        return bound(self, data, problem, partial(OwnPredictor, self.predict, mean=data.mean))

    def __repr__(self) -> str:
        function = getattr(self.q, "__name__", repr(self.q))
        return f"Differentiable({function}, separable={self.separable}, penalty={self.penalty!r})"


def _smooth_but_for_kinks(penalty: str | Penalty) -> ProximalPenalty:
    found = resolve("penalty", penalty, PENALTIES, Penalty)
    if not isinstance(found, ProximalPenalty):
        raise InputError(
            f"penalty: {found!r} is an L0 penalty, which no gradient sees; use 'l1', 'mcp', "
            "'scad', 'ridge' or 'none'"
        )
    return found
