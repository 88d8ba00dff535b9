"""The columns of a table, each expanded into functions of itself."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import lapack

from toposwap.basis import BASES, Expansion, Family, expand
from toposwap.core.errors import InputError
from toposwap.core.factor import retriangularise
from toposwap.core.registry import resolve
from toposwap.core.tables.held_rows import row_blocks
from toposwap.scores.base import BoundScore
from toposwap.scores.densities import Densities
from toposwap.scores.predictors import AdditiveModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

#: Functions of a variable where there are rows enough: the splines have five inner knots.
_USUAL_SIZE = 8
#: Most coefficients that the last node of an order should have, over the number of rows.
_MOST_COEFFICIENTS = 0.8


class Design:
    """The expanded columns of a data set.

    Attributes
    ----------
    expansions
        One for each column.
    size
        m, the largest of their sizes.
    deviations
        Root mean squares of the columns, (d,).
    choices, remarks
        What was chosen by looking at the data, and what the user should know.
    """

    def __init__(self, data: Dataset, family: Family, size: int, choices: tuple[str, ...]) -> None:
        assert data.held is not None
        self.data = data
        self.expansions: list[Expansion] = [
            expand(family, data.held[:, j], float(data.mean[j]), size) for j in range(data.d)
        ]
        self.size = max(expansion.size for expansion in self.expansions)
        self.deviations = np.array([expansion.scale for expansion in self.expansions])
        self.choices = choices
        self.remarks: tuple[str, ...] = ()
        most = sum(expansion.size for expansion in self.expansions)
        if most > _MOST_COEFFICIENTS * data.n:
            self.remarks = (
                f"{data.n} rows are few for up to {most} coefficients a node: the last nodes of an "
                "order are fitted too closely; use fewer functions (n_functions), more smoothness, "
                "fewer columns or more rows",
            )

    @classmethod
    def of(cls, data: Dataset, basis: str | Family, n_functions: int | None) -> Design:
        """Check the arguments and choose what they leave open."""
        family = resolve("basis", basis, BASES, Family)
        if data.held is None:
            raise InputError(
                f"a basis expansion needs the rows of the table, and {data.without_rows}: give the "
                "table, or a sample of its rows (--sample 100000)"
            )
        if n_functions is None:
            room = int(_MOST_COEFFICIENTS * data.n / data.d)
            size = max(1, min(_USUAL_SIZE, room))
            why = "" if size == _USUAL_SIZE else f", for {data.n} rows and {data.d} columns"
            choices: tuple[str, ...] = (f"{size} functions a variable{why}",)
        else:
            whole = isinstance(n_functions, int | np.integer) and not isinstance(n_functions, bool)
            if not (whole and n_functions >= 1):
                raise InputError(f"n_functions: must be a whole number >= 1, got {n_functions!r}")
            size, choices = int(n_functions), ()
        return cls(data, family, size, choices)

    def as_parameters(self, given: Any) -> NDArray[np.float64]:
        """Theta (d, m, d) from outside, checked."""
        shape = (self.data.d, self.size, self.data.d)
        theta = np.array(given, dtype=np.float64) if np.ndim(given) == 3 else np.empty(0)
        if theta.shape != shape:
            raise InputError(
                f"parameters: an additive model has a block of {self.size} coefficients for each "
                f"edge, which weights do not determine: give an array of shape {shape} (as "
                f"Topo().fit(X).result_.parameters), or an order, not shape {np.shape(given)}"
            )
        if not np.isfinite(theta).all():
            raise InputError("parameters: NaN or infinity; set absent edges to 0")
        if theta[~self.present].any():
            j = int(np.flatnonzero(theta.any(axis=2) & ~self.present)[0]) // self.size
            raise InputError(
                f"parameters: column {self.data.names[j]!r} has only "
                f"{self.expansions[j].size} functions, the coefficients beyond must be 0"
            )
        return theta

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which functions there are, (d, m)."""
        sizes = np.array([expansion.size for expansion in self.expansions])
        return np.arange(self.size) < sizes[:, None]

    @property
    def roughness(self) -> NDArray[np.float64]:
        """rho, (d, m), zero where there is no function."""
        rho = np.zeros((self.data.d, self.size))
        for row, expansion in zip(rho, self.expansions, strict=True):
            row[: expansion.size] = expansion.roughness
        return rho

    def evaluate(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """All functions at ``rows`` (n, d), as (n, d m); zero where there is none."""
        values = np.zeros((len(rows), len(self.expansions), self.size))
        for j, expansion in enumerate(self.expansions):
            values[:, j, : expansion.size] = expansion(rows[:, j])
        return values.reshape(len(rows), -1)

    def factor(self, penalty: NDArray[np.float64]) -> NDArray[np.float64]:
        """R of U over the rows diag(penalty)^(1/2), (d m, d m); ``penalty`` is (d, m)."""
        assert self.data.held is not None
        weights = np.where(self.present, penalty, 1.0).ravel()
        triangle = np.zeros((weights.size, weights.size), order="F")
        inner = min(weights.size, 32)
        for block in row_blocks(self.data.held):
            values = np.asfortranarray(self.evaluate(block))
            triangle, *_, info = lapack.dtpqrt(
                0, inner, triangle, values, overwrite_a=1, overwrite_b=1
            )
            assert info == 0
        triangle /= np.sqrt(self.data.n)
        if not weights.any():
            return triangle
        return retriangularise(np.vstack([triangle, np.diag(np.sqrt(weights))]))


class Additive(BoundScore):
    """What all scores on expanded columns share; parameters are ``theta[i, r, j]``, (d, m, d)."""

    def __init__(self, data: Dataset, design: Design) -> None:
        self.data = data
        self.design = design
        self.size = design.size
        self.choices = design.choices
        self.remarks = design.remarks

    @cached_property
    def gradient_unit(self) -> float:
        """The geometric mean of the columns' deviations: functions have none of their own."""
        return float(np.exp(np.log(self.design.deviations).mean()))

    def as_parameters(self, given: Any) -> NDArray[np.float64]:
        """Theta (d, m, d), with the shape of this design, or an error that says it."""
        return self.design.as_parameters(given)

    def weights(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """W (d, d): the 1-norms of the blocks."""
        return np.abs(parameters).sum(axis=1)

    def predictor(self, parameters: NDArray[np.float64]) -> AdditiveModel:
        """The sum of the functions of the parents, about the means."""
        return AdditiveModel(
            self.design.expansions, parameters, self.data.mean, self.densities(parameters)
        )

    def densities(self, parameters: NDArray[np.float64]) -> Densities:  # noqa: ARG002 - for likelihoods
        """The columns' distributions; here squares, which are no likelihood."""
        return Densities.squares(self.data.d)


def refit(
    factor: NDArray[np.float64], size: int, node: int, parents: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Coefficients (d, m) of the first column of ``node`` on the blocks of ``parents`` alone.

    ``factor`` holds the penalty's rows as well. In units of the deviation of the node.
    """
    d = parents.size
    chosen = np.flatnonzero(np.repeat(parents, size))
    theta = np.zeros(d * size)
    if chosen.size:
        solved, *_ = np.linalg.lstsq(factor[:, chosen], factor[:, node * size], rcond=None)
        theta[chosen] = solved
    return theta.reshape(d, size)
