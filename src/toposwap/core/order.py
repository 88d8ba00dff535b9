"""Topological orders: immutable permutations of the variables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray


class Order:
    r"""A permutation :math:`\pi` of ``range(d)``; ``order[k]`` is the variable at position ``k``.

    Parameters
    ----------
    variables
        The variables from first to last, each of ``0 .. d-1`` once.
    """

    __slots__ = ("__dict__", "_variables")

    def __init__(self, variables: ArrayLike | Sequence[int]) -> None:
        array = np.array(variables)
        if array.ndim != 1 or array.size == 0:
            raise InputError(f"order: one row of variables is needed, got shape {array.shape}")
        if array.dtype.kind not in "iu":
            raise InputError(f"order: column positions must be integers, got {array.dtype}")
        array = array.astype(np.int64)
        d = array.size
        if array.min() < 0 or array.max() >= d or np.bincount(array).max() > 1:
            missing = sorted(set(range(d)) - set(array.tolist()))
            raise InputError(
                f"order: not a permutation of 0..{d - 1}; each variable must appear once "
                f"(missing: {missing[:5]})"
            )
        array.setflags(write=False)
        self._variables = array

    @classmethod
    def of_permutation(cls, variables: NDArray[np.int64]) -> Self:
        """A copy of ``variables`` (d,), which are known to be a permutation."""
        order = cls.__new__(cls)
        order._variables = variables.copy()
        order._variables.setflags(write=False)
        return order

    @property
    def variables(self) -> NDArray[np.int64]:
        """The variables from first to last, (d,), read-only."""
        return self._variables

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """``positions[v]`` is the place of variable ``v``, (d,), read-only."""
        positions = np.empty_like(self._variables)
        positions[self._variables] = np.arange(len(self))
        positions.setflags(write=False)
        return positions

    def insert(self, variable: int, position: int) -> Order:
        """Take ``variable`` out and put it where it ends up at ``position``."""
        rest = np.delete(self._variables, self.positions[variable])
        return Order(np.insert(rest, position, variable))

    def swap(self, i: int, j: int) -> Order:
        """Exchange the places of variables ``i`` and ``j``."""
        swapped = self._variables.copy()
        swapped[self.positions[i]], swapped[self.positions[j]] = j, i
        return Order(swapped)

    def __len__(self) -> int:
        return self._variables.size

    def __iter__(self) -> Iterator[int]:
        return iter(self._variables.tolist())

    def __getitem__(self, position: int) -> int:
        return int(self._variables[position])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Order) and np.array_equal(self._variables, other._variables)

    def __hash__(self) -> int:
        return hash(self._variables.tobytes())

    def __reduce__(self) -> tuple[type[Order], tuple[NDArray[np.int64]]]:
        # Built anew, a copy is read-only again.
        return Order, (self._variables,)

    def __repr__(self) -> str:
        return f"Order({self._variables.tolist()})"
