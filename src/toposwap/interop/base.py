"""What a graph of another package is, once it has crossed the border."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ForeignGraph:
    """Edges i -> j with numbers, in this package's convention.

    Attributes
    ----------
    matrix
        (d, d), ``matrix[i, j] != 0`` for the edge i -> j; both directions for an edge without one.
    names
        The nodes; None if nothing names them.
    package
        Where it comes from, as a user would say it.
    in_order
        Whether nodes without names that fit stand in the order of the data's columns.
    weighted
        Whether the numbers are coefficients; a graph alone has ones.
    solution
        (d, d), the coefficients before pruning, if the learner tells these apart.
    """

    matrix: NDArray[np.float64]
    names: tuple[str, ...] | None
    package: str
    in_order: bool = True
    weighted: bool = True
    solution: NDArray[np.float64] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        d = len(self.matrix)
        if self.matrix.shape != (d, d) or not np.isfinite(self.matrix).all():
            raise InputError(
                f"this object of {self.package} holds no square matrix of finite numbers: a pair "
                "without a number has an unmeasured common cause or was left undecided there; "
                "give a DAG"
            )
        if self.names is not None and len(set(self.names)) < len(self.names):
            raise InputError(
                f"two nodes are called alike in this object of {self.package}: rename them"
            )

    @property
    def edges(self) -> NDArray[np.bool_]:
        """(d, d)."""
        return self.matrix != 0.0

    @property
    def labels(self) -> tuple[str, ...]:
        """The names, or x0, x1, ... where there are none."""
        return self.names or tuple(f"x{k}" for k in range(len(self.matrix)))


def is_of(given: Any, package: str) -> bool:
    """Whether the class of ``given``, or one that it is derived from, is of ``package``.

    Judged by where classes were defined: no package is imported for it.
    """
    return any(str(kind.__module__ or "").split(".")[0] == package for kind in type(given).__mro__)


def as_floats(matrix: Any, package: str) -> NDArray[np.float64]:
    """A fresh float array, or an error that names ``package``."""
    try:
        return np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"this object of {package} holds no matrix of numbers: {error}") from None


def required_module(name: str, package: str) -> Any:
    """Import a module of another package, or say what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(
            f"this needs the package {package}: pip install {package} ({error})"
        ) from error


def node_places(nodes: Sequence[Any], package: str) -> tuple[dict[Any, int], tuple[str, ...]]:
    """Where each node stands, and what the nodes are called."""
    if not len(nodes):
        raise InputError(f"this graph of {package} has no nodes")
    return {node: k for k, node in enumerate(nodes)}, tuple(str(node) for node in nodes)
