"""What was missing in a table and what was done about it, in words and as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from toposwap.core.tables.gaps import dependences_in_words, shares_in_words

if TYPE_CHECKING:
    from toposwap.estimators import Topo


def gaps_in_words(model: Topo) -> list[str]:
    """Where values are missing, what was done, and what the gaps depend on; none without gaps."""
    gaps = model.result_.gaps
    if gaps is None:
        return []
    lines = [
        f"{gaps.rows_with_gaps} of {gaps.rows} rows have gaps: {shares_in_words(gaps.shares)}",
        gaps.told,
    ]
    if gaps.dependences:
        lines.append(
            f"{dependences_in_words(gaps.dependences)}: not missing completely at random, so that "
            + _MEANING[gaps.treatment]
        )
    else:
        lines.append(
            "no gaps depend on the values of other columns; whether they depend on the values that "
            "are missing no table can show"
        )
    return lines


_MEANING = {
    "drop": "the rows that are left are not like those left out; missing='em' or 'impute' allow "
    "for that",
    "em": "dropping rows would mislead; the likelihood is right as long as gaps depend on nothing "
    "but values that are there",
    "impute": "dropping rows would mislead; draws are right as long as gaps depend on nothing but "
    "values that are there",
}


def gaps_record(model: Topo) -> dict[str, Any] | None:
    """The same for JSON; None without gaps."""
    gaps = model.result_.gaps
    return None if gaps is None else {**asdict(gaps), "shares": dict(gaps.shares)}
