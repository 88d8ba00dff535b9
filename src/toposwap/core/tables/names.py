"""The names of columns for frames of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd


def index_of(names: Iterable[str]) -> pd.Index:
    """Of the usual type, or of plain objects: half of a pair of surrogates has no UTF-8."""
    import pandas as pd

    listed = list(names)
    try:
        return pd.Index(listed)
    except UnicodeEncodeError:
        return pd.Index(listed, dtype=object)
