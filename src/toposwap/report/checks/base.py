"""What a check answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["holds", "doubtful", "fails"]


@dataclass(frozen=True)
class Finding:
    """One column, or one pair of columns, that stands out, with the figure that says so."""

    column: int
    figure: float
    text: str
    other: int | None = None


@dataclass(frozen=True)
class Check:
    """The verdict on one assumption.

    Attributes
    ----------
    name
        The assumption, in a word or two.
    question
        What is asked, in a sentence.
    verdict
        Of the table as a whole.
    answer
        The verdict in a sentence, with figures.
    meaning
        What it means for the graph if the assumption fails.
    findings
        What stands out, worst first.
    picture
        How a column is best looked at: "quantiles", "fitted" (residuals over fitted values),
        "spread" (their sizes) or "pair".
    """

    name: str
    question: str
    verdict: Verdict
    answer: str
    meaning: str
    findings: tuple[Finding, ...] = ()
    picture: str = "fitted"


def verdict_of(bad: int, asked: int) -> Verdict:
    """Nothing stands out, a few do (at most a fifth), or many."""
    if bad == 0:
        return "holds"
    return "doubtful" if bad <= max(1, asked // 5) else "fails"


def told(bad: int, asked: int, what: str) -> str:
    """``3 of 8 columns <what>``."""
    if bad == 0:
        return f"none of {asked} columns {what}"
    return f"{bad} of {asked} columns {what}"
