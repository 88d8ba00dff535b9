"""Random choices, all of them from one generator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

T = TypeVar("T")


class Draw:
    """A random generator with the verbs that generators of cases use.

    Parameters
    ----------
    kind, seed, index
        Which case of which campaign: all that a case depends on.
    """

    def __init__(self, kind: str, seed: int, index: int) -> None:
        self.rng = np.random.default_rng([crc32(kind.encode()), seed, index])

    def chance(self, probability: float) -> bool:
        """Whether something of this probability happens."""
        return bool(self.rng.random() < probability)

    def among(self, options: Sequence[T]) -> T:
        """One of ``options``, all alike."""
        return options[int(self.rng.integers(len(options)))]

    def weighed(self, options: Mapping[T, float]) -> T:
        """One of ``options``, in proportion to their weights."""
        keys, weights = list(options), np.array(list(options.values()), dtype=float)
        return keys[int(self.rng.choice(len(keys), p=weights / weights.sum()))]

    def whole(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return int(self.rng.integers(low, high + 1))

    def power(self, low: float, high: float) -> float:
        """10 to an exponent between ``low`` and ``high``."""
        return float(10.0 ** self.rng.uniform(low, high))

    def some(self, options: Sequence[T], probability: float) -> list[T]:
        """Those of ``options`` that each come up with ``probability``."""
        return [option for option in options if self.chance(probability)]


def weights_of(registry: Mapping[str, Any], known: Mapping[str, float]) -> dict[str, float]:
    """A weight for each name of a registry: the known one, or the mean of these for a new name."""
    usual = sum(known.values()) / len(known)
    return {name: known.get(name, usual) for name in registry}
