"""Samples of columns in few bytes: sixteen bits a value, as text."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS = 65535


def packed(x: NDArray[np.float64]) -> dict[str, Any]:
    """Low and high of ``x`` (m,), and its values in 65536 steps between, in base64."""
    low, high = float(x.min()), float(x.max())
    reach = high - low
    steps = np.zeros(len(x)) if reach == 0.0 else np.rint((x - low) / reach * _STEPS)
    return {
        "low": low,
        "high": high,
        "steps": base64.b64encode(steps.astype("<u2").tobytes()).decode("ascii"),
    }


def digits(x: float, most: int = 6) -> float | None:
    """``x`` with ``most`` digits, None where it is no number: JSON knows neither NaN nor inf."""
    x = float(x)
    return float(f"{x:.{most}g}") if np.isfinite(x) else None
