"""Random numbers inside kernels: a generator whose whole state is one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


@kernel(borrowing=True)
def uniform(random: NDArray[np.uint64]) -> float:
    """A number in [0, 1) by the generator splitmix64, whose state is ``random`` (1,)."""
    random[0] += _GOLDEN
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * _MIX1
    z = (z ^ (z >> np.uint64(27))) * _MIX2
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) / 9007199254740992.0


@kernel(borrowing=True)
def below(random: NDArray[np.uint64], m: int) -> int:
    """A whole number in [0, m)."""
    return int(uniform(random) * m)
