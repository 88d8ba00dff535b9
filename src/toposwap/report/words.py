"""Verdicts in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposwap.certificate import Certificate

_STATUS = {
    "converged": "converged: no move of this search lowers the score",
    "global minimum": "global minimum: every order was covered",
    "given order": "the starting order was solved, without a search",
    "interrupted": "interrupted: this is the best order met until then",
    "time limit": "stopped at the time budget: more time may lower the score",
    "iteration limit": "stopped at the iteration limit: more iterations may lower the score",
}


def status_in_words(status: str) -> str:
    """How a search ended."""
    return _STATUS.get(status, status)


def certificate_in_words(certificate: Certificate, names: Sequence[str]) -> str:
    """What a certificate says, with the number behind it and the tolerance."""
    residual = f"largest relative KKT residual {certificate.max_residual:.1e}"
    if certificate.satisfied:
        return (
            f"satisfied: a {certificate.kind} ({residual}, tolerance {certificate.tolerance:.0e})"
        )
    i, j = certificate.worst
    return (
        f"NOT satisfied: not a {certificate.kind} ({residual} at {names[i]} -> {names[j]}, "
        f"tolerance {certificate.tolerance:.0e})"
    )


#: For a score that does not separate, where the theorem about the search has a condition.
_CONDITIONS = {
    "connected": "the score is no sum over variables; the paper's theorem then asks that every "
    "variable be reached from all before it, which holds here",
    "not connected": "the score is no sum over variables, and not every variable is reached from "
    "all before it, as the paper's theorem asks: the KKT conditions were checked at this point, "
    "but nothing promised that a search would find it",
}


def condition_in_words(certificate: Certificate) -> str | None:
    """What the theorem behind the search rests on, None where it needs nothing."""
    return _CONDITIONS.get(certificate.condition)


def counted(number: int, noun: str) -> str:
    """``1 edge``, ``2 edges``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
