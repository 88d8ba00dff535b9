r"""Functions of one variable, made orthonormal on the data with the linear one first.

A family gives raw functions :math:`b_1, \dots, b_k` on :math:`[-1, 1]`, the bulk of a column
(its middle 99 percent) brought to that interval. Beyond it every function goes on as its tangent,
so that outliers have the leverage of a straight line and predictions outside the data stay tame.
On the column these are turned into

.. math:: \varphi_1 = z = (x - \mu) / \sigma, \qquad
          \tfrac1n \sum_t \varphi_r(x_t) \varphi_s(x_t) = \delta_{rs}, \qquad
          \int_{-1}^1 \varphi_r'' \varphi_s'' \, du = \delta_{rs}\, \rho_r, \qquad
          0 = \rho_1 \le \rho_2 \le \dots

(the Demmler-Reinsch basis): what is left of the raw functions beside a constant and ``z``, ordered
from smooth to rough. The first ``m`` of them are kept. Where a column has few distinct values there
are fewer; what the data cannot tell apart is dropped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Share of the column on either side of the bulk.
_TAIL = 0.005
#: A column with fewer distinct values has no tails.
_FEW_VALUES = 20
#: A direction with less than this share of the largest deviation is rounding error.
_DEPENDENT = 1e-7


class Family(ABC):
    """A kind of functions on [-1, 1]."""

    name: ClassVar[str]

    @abstractmethod
    def functions(self, size: int, distinct: NDArray[np.float64]) -> Functions:
        """Functions whose span, beside constants and the line, has about ``size - 1`` dimensions.

        ``distinct`` holds the distinct values of the column within [-1, 1], sorted.
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Functions(ABC):
    """Raw functions b_1, ..., b_k on [-1, 1]."""

    @abstractmethod
    def __call__(self, u: NDArray[np.float64], derivative: int = 0) -> NDArray[np.float64]:
        """The functions or their first or second derivatives at ``u`` (n,), as (n, k)."""

    @property
    def breaks(self) -> NDArray[np.float64]:
        """Points between which the functions are smooth, from -1 to 1."""
        return np.linspace(-1.0, 1.0, 9)


@dataclass(frozen=True, eq=False)
class Expansion:
    """phi_1, ..., phi_m of one column.

    Attributes
    ----------
    mean, scale
        z = (x - mean) / scale; ``scale`` is the root mean square of the centred column.
    center, half_width
        u = (x - center) / half_width.
    functions
        The raw functions of u.
    offset, slope, transform
        psi = (b - offset - z slope) @ transform; shapes (k,), (k,), (k, m - 1).
    rest
        phi_r = psi_r - rest[0, r] - z rest[1, r] for r >= 2, (2, m - 1): the part of the constant
        and of the line that rounding leaves in psi where one value dwarfs all others.
    roughness
        rho_1, ..., rho_m, (m,).
    """

    mean: float
    scale: float
    center: float
    half_width: float
    functions: Functions = field(repr=False)
    offset: NDArray[np.float64] = field(repr=False)
    slope: NDArray[np.float64] = field(repr=False)
    transform: NDArray[np.float64] = field(repr=False)
    rest: NDArray[np.float64] = field(repr=False)
    roughness: NDArray[np.float64] = field(repr=False)

    @property
    def size(self) -> int:
        """How many functions the column has: m, or fewer where it has few distinct values."""
        return self.roughness.size

    def __call__(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """phi_1(x), ..., phi_m(x), (n, m), for ``x`` (n,) in the units of the data."""
        z = (x - self.mean) / self.scale
        if self.size == 1:
            return z[:, None]
        raw = _continued(self.functions, (x - self.center) / self.half_width)
        raw -= self.offset
        raw -= np.multiply.outer(z, self.slope)
        psi = raw @ self.transform
        psi -= self.rest[0]
        psi -= np.multiply.outer(z, self.rest[1])
        return np.column_stack([z, psi])


def expand(family: Family, x: NDArray[np.float64], mean: float, size: int) -> Expansion:
    """The ``size`` smoothest functions of ``family`` on the column ``x`` (n,)."""
    shifted = x - mean
    # Twice, so that squares of tiny and huge numbers stay finite.
    largest = float(np.abs(shifted).max())
    scale = largest * float(np.sqrt(np.mean((shifted / largest) ** 2)))
    z = shifted / scale
    ordered = np.sort(x)
    distinct = ordered[np.concatenate([[True], ordered[1:] > ordered[:-1]])]
    low, high = quantiles(ordered, np.array([_TAIL, 1.0 - _TAIL]))
    # A column with nearly all of its values in one place has its bulk among the others.
    if not low < high or distinct.size < _FEW_VALUES:
        low, high = distinct[0], distinct[-1]
    # A constant that is not to be centred has a line and nothing else.
    center, half_width = 0.5 * (low + high), 0.5 * (high - low) or 1.0
    inside = distinct[(distinct >= low) & (distinct <= high)]
    most = max(min(size, distinct.size - 1), 1)
    functions = family.functions(most, (inside - center) / half_width)
    raw = _continued(functions, (x - center) / half_width)
    # What bends knows neither the constant nor the line, wherever the line has its zero.
    middle = float(z.mean())
    line = z - middle
    squares = float(line @ line) or 1.0
    means = raw.mean(axis=0)
    slope = line @ (raw - means) / squares
    offset = means - middle * slope
    raw -= offset
    raw -= np.multiply.outer(z, slope)
    roughness = _roughness(functions)
    if most > 1:
        _, deviations, directions = np.linalg.svd(np.linalg.qr(raw, mode="r"), full_matrices=False)
        deviations /= np.sqrt(x.size)
        kept = deviations > _DEPENDENT * max(float(deviations[0]), 1e-4)
        whitening = directions[kept].T / deviations[kept]
        rho, turn = np.linalg.eigh(whitening.T @ roughness @ whitening)
        transform = (whitening @ turn)[:, : most - 1]
        # The sign is arbitrary: the largest coefficient is positive.
        top = np.abs(transform).argmax(axis=0)
        transform = transform * np.sign(transform[top, np.arange(transform.shape[1])])
        rho = np.maximum(rho[: most - 1], 0.0)
    else:
        transform, rho = np.zeros((raw.shape[1], 0)), np.zeros(0)
    psi = raw @ transform
    constant, tilt = psi.mean(axis=0), line @ psi / squares
    return Expansion(
        mean,
        scale,
        center,
        half_width,
        functions,
        offset,
        slope,
        transform,
        np.stack([constant - middle * tilt, tilt]),
        np.concatenate([[0.0], rho]),
    )


def quantiles(ordered: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points below which the given shares of the sorted values lie, interpolated."""
    return np.interp(shares * (ordered.size - 1), np.arange(ordered.size), ordered)


def _continued(functions: Functions, u: NDArray[np.float64]) -> NDArray[np.float64]:
    """The functions at ``u``, continued by their tangents outside [-1, 1]."""
    inside = np.clip(u, -1.0, 1.0)
    values = functions(inside)
    outside = np.flatnonzero(inside != u)
    if outside.size:
        steps = (u - inside)[outside]
        tangents = functions(np.array([-1.0, 1.0]), 1)
        values[outside] += steps[:, None] * tangents[(steps > 0.0).astype(int)]
    return values


def _roughness(functions: Functions) -> NDArray[np.float64]:
    """Integral of b_r'' b_s'' over [-1, 1], (k, k), by Gauss-Legendre between the breaks."""
    nodes, weights = _quadrature()
    breaks = functions.breaks
    half = 0.5 * np.diff(breaks)
    u = (0.5 * (breaks[1:] + breaks[:-1]))[:, None] + np.multiply.outer(half, nodes)
    bent = functions(u.ravel(), 2) * np.sqrt(np.multiply.outer(half, weights).ravel())[:, None]
    return bent.T @ bent


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights on [-1, 1]."""
    return np.polynomial.legendre.leggauss(8)
