"""Verdicts in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.certificate import GRAPH
from toposwap.penalties import EBIC
from toposwap.result import LOCAL_OPTIMUM
from toposwap.scores import BasisBIC, BDeu, CategoricalBIC
from toposwap.scores.settings import penalty_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposwap.certificate import Certificate
    from toposwap.estimators.base import DagLearner

_STATUS = {
    "converged": "converged: no move of this search lowers the score",
    LOCAL_OPTIMUM: "local optimum of insertions and swaps: none of either lowers the score",
    "not certified": "ended, but the point is not certified: see certificate and remarks",
    "method converged": "the method's own rule for stopping was met",
    "global minimum": "global minimum: every order was covered",
    "s_0 used up": "all s_0 large searches are used up, and another one would lower the score: "
    "raise s_0 (--s-0), to the number of columns for instance",
    "given order": "the starting order was solved, without a search",
    "interrupted": "interrupted: this is the best order met until then",
    "time limit": "stopped at the time budget: more time may lower the score",
    "memory limit": "stopped where there were too many sets of variables to go on: see the bound",
    "iteration limit": "stopped at the iteration limit: more iterations may lower the score",
}


def status_in_words(status: str) -> str:
    """A ``status_`` as a sentence for the reader; an unknown one stays as it is."""
    return _STATUS.get(status, status)


def certificate_in_words(certificate: Certificate, names: Sequence[str]) -> str:
    """What a certificate says, with the number behind it and the tolerance."""
    if certificate.kind == GRAPH and certificate.satisfied:
        return (
            "none: the score has no continuous parameters, of which KKT conditions could speak; "
            "search='exact' (--search exact) proves few columns"
        )
    residual = f"largest relative KKT residual {certificate.max_residual:.1e}"
    if certificate.satisfied:
        return (
            f"satisfied: a {certificate.kind} ({residual}, tolerance {certificate.tolerance:.0e})"
        )
    if certificate.unmet and certificate.max_residual <= certificate.tolerance:
        i, j = certificate.unmet[0]
        return (
            f"NOT satisfied: the path {names[i]} -> ... -> {names[j]} is against what is known "
            f"({residual})"
        )
    i, j = certificate.worst
    return (
        f"NOT satisfied: not a {certificate.kind} ({residual} at {names[i]} -> {names[j]}, "
        f"tolerance {certificate.tolerance:.0e})"
    )


def certificate_explained(model: DagLearner) -> list[str]:
    """What the certificate says and what it does not, in two sentences."""
    certificate, status = model.certificate_, model.status_
    if not certificate.satisfied:
        first = (
            "The point is not certified: somewhere a small change of the weights that keeps the "
            f"graph free of cycles would still lower the score (the largest relative residual is "
            f"{certificate.max_residual:.1e}, {certificate.tolerance:.0e} would be accepted)."
        )
    elif certificate.kind == GRAPH:
        proved = status == "global minimum"
        first = (
            "It is proved that no graph at all has a lower score on these rows: every order of the "
            "columns was covered."
            if proved
            else "The score counts in tables and has no weights that could be changed a little, so "
            "that there is no certificate: the search ended where none of its moves lowers it."
        )
    elif status == "global minimum":
        first = (
            "It is proved that no graph at all has a lower score on these rows: every order of the "
            "columns was covered, and the conditions of a minimum were checked at the answer."
        )
    else:
        first = (
            "It was checked that no small change of the weights that keeps the graph free of "
            "cycles lowers the score: the conditions of Karush, Kuhn and Tucker hold to "
            f"{certificate.max_residual:.1e} (a {certificate.kind})."
        )
    return [
        first,
        "It speaks of the score and not of the world: with unmeasured common causes, feedback, or "
        "effects of another form than the model has, the best graph can still be a wrong one.",
    ]


#: For a score that does not separate, where the theorem about the search has a condition.
_CONDITIONS = {
    "connected": "the score is no sum over variables; the paper's theorem then asks that every "
    "variable be reached from all before it, which holds here",
    "not connected": "the score is no sum over variables, and not every variable is reached from "
    "all before it, as the paper's theorem asks: the KKT conditions were checked at this point, "
    "but no theorem says that a search finds such a point",
}


def condition_in_words(certificate: Certificate) -> str | None:
    """What the theorem behind the search rests on, None where it needs nothing."""
    return _CONDITIONS.get(certificate.condition)


#: What an information criterion charges for, where it is no edge.
_PRICED = {
    BasisBIC.name: "coefficient of a curve",
    CategoricalBIC.name: "free probability of a table",
    "blocks-bic": "parameter of an edge",
    "blocks-ebic": "parameter of an edge",
}


def penalty_in_words(score: Any, score_name: str) -> str | None:
    """What an edge costs; the arguments are those of :func:`penalty_settings`."""
    settings = penalty_settings(score, score_name)
    if settings is None:
        return None
    name = settings.pop("name")
    told = ", ".join([name, *(f"{key} {value:g}" for key, value in settings.items())])
    if name == BDeu.name:
        size = settings["equivalent_sample_size"]
        return (
            f"none but the prior, which counts as {size:g} rows evenly over all cells (--penalty)"
        )
    factor = settings.get("factor")
    if factor is None:
        return told
    times = {1.0: "", 2.0: "twice "}.get(factor, f"{factor:g} times ")
    told += f": {times}Schwarz's penalty per "
    told += _PRICED.get(score_name, "edge")
    if factor == 2.0 and score_name != CategoricalBIC.name:
        told += ", as in FLOP and Tetrad"
    if name == EBIC.name:
        told += ", and more with more columns"
    return told if factor == 1.0 else f"{told}; Schwarz's own: --penalty 1, in Python factor=1.0"


def counted(number: int, noun: str) -> str:
    """``1 edge``, ``2 edges``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
