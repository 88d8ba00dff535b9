"""How often each row counts, as scikit-learn's ``sample_weight``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def checked_weights(given: Any, rows: int) -> NDArray[np.float64] | None:
    """Weights (n,) >= 0 with a sum of at least 2; None where each row counts once."""
    if given is None:
        return None
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight: must be numbers, one for each row") from None
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.ndim != 1 or weights.size != rows:
        # In the words of scikit-learn, whose checks look for them.
        raise InputError(
            f"sample_weight: must be 1D array or scalar with one weight for each of {rows} rows, "
            f"got shape {weights.shape}. Sample weights must be 1D array or scalar"
        )
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise InputError("sample_weight: weights must be numbers >= 0, none missing or infinite")
    if not weights.any():
        raise InputError("sample_weight: all weights are zero, so that no row counts")
    if weights.sum() < 2.0:
        raise InputError(
            f"sample_weight: the weights add up to {weights.sum():.3g}, and so many rows are too "
            "few; where they are shares, multiply them by the number of rows"
        )
    return None if (weights == 1.0).all() else weights
