"""Bases of functions of one variable, for additive models."""

from collections.abc import Callable

from toposwap.basis.base import Expansion, Family, Functions, expand
from toposwap.basis.fourier import Fourier
from toposwap.basis.polynomials import Polynomials
from toposwap.basis.splines import Splines

#: Families by name.
BASES: dict[str, Callable[[], Family]] = {
    Splines.name: Splines,
    Polynomials.name: Polynomials,
    Fourier.name: Fourier,
}

__all__ = [
    "BASES",
    "Family",
    "Functions",
    "Expansion",
    "expand",
    "Splines",
    "Polynomials",
    "Fourier",
]
