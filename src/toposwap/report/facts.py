"""What is told of a fitted model, a line each: data, score, search, certificate, directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.certificate import GRAPH
from toposwap.diagnostics import units_in_words
from toposwap.report.gaps import gaps_in_words
from toposwap.report.graph import open_directions, reversible
from toposwap.report.interventions import interventions_in_words
from toposwap.report.knowledge import against_in_words, cost_in_words, knowledge_in_words
from toposwap.report.record import name_of
from toposwap.report.words import (
    certificate_in_words,
    condition_in_words,
    counted,
    penalty_in_words,
    status_in_words,
)

if TYPE_CHECKING:
    from toposwap.estimators import Topo


def summary_lines(
    model: Topo,
    *,
    rows: int | None = None,
    seconds: float | None = None,
    remarks: bool = True,
    without: Topo | None = None,
) -> list[tuple[str, str]]:
    """What, and its value; a line that goes on has no name. Parameters as in ``report``."""
    columns = counted(len(model.names_), "column")
    spent = getattr(model, "_seconds", model.history_[-1].seconds) if seconds is None else seconds
    lines: list[tuple[str, str | None]] = [
        ("data", columns if rows is None else f"{counted(rows, 'row')} x {columns}"),
        ("score", f"{model.score_:.6g} ({model.result_.score_name})"),
        ("penalty", penalty_in_words(model.score, model.result_.score_name)),
        (
            "search",
            f"{name_of(model.search)}, {_iterations(model)}, {spent:.2f} s",
        ),
        ("status", status_in_words(model.status_)),
        ("starts", _starts(model)),
        ("bound", _bound(model)),
        ("certificate", certificate_in_words(model.certificate_, model.names_)),
        ("theorem", condition_in_words(model.certificate_)),
        ("edges", _pruning(model)),
        ("interventions", interventions_in_words(model)),
        ("knowledge", knowledge_in_words(model)),
        ("", against_in_words(model)),
        ("", None if without is None else cost_in_words(model, without)),
    ]
    if model.result_.scale_dependent:
        lines.append(("units", _units(model)))
    if model.result_.equivalent or not model.result_.scale_dependent:
        lines.append(("directions", _directions(model)))
    told = gaps_in_words(model)
    lines += [("" if k else "missing", line) for k, line in enumerate(told)]
    lines += [("chosen", choice) for choice in model.result_.choices]
    lines += [("remark", remark) for remark in model.remarks_ if remarks]
    return [(key, value) for key, value in lines if value is not None]


def _iterations(model: Topo) -> str:
    """How many, and that a search which time ended early had none."""
    told = counted(model.n_iter_, "iteration")
    if model.n_iter_ == 0 and model.status_ == "time limit":
        return f"{told} (the time sufficed for the starting order alone)"
    return told


def _pruning(model: Topo) -> str:
    kept = int(np.count_nonzero(model.adjacency_matrix_))
    found = int(np.count_nonzero(model.weights_))
    if model.result_.pruned.refitted:
        dropped = np.count_nonzero(model.weights_[model.adjacency_matrix_ == 0])
        added = kept - found + dropped
        places = model.result_.order.positions
        turned = sum(places[i] > places[j] for i, j in np.argwhere(model.adjacency_matrix_))
        rule = model.result_.pruned.rule
        told = f"{kept} kept by {rule}; {dropped} of the solution's {found} dropped"
        if added:
            told += f", {added} added"
        return f"{told}; {turned} of the {kept} against the solution's order" if turned else told
    if model.threshold_ is None:
        return f"{kept}, not pruned"
    weaker = int(np.sum(np.abs(model.weights_[model.adjacency_matrix_ != 0.0]) < model.threshold_))
    though = f" ({weaker} of them weaker, but known to be there)" if weaker else ""
    return (
        f"{kept} with |weight| >= {model.threshold_:g}{though}; {found - kept} weaker of the "
        f"solution's {found} dropped"
    )


def _starts(model: Topo) -> str | None:
    """How often the best score was met, and where graphs about as good differ from it."""
    result = model.result_
    if result.starts is None:
        return None
    met, tried = result.starts
    told = f"best score reached from {met} of {counted(tried, 'start')}"
    disputed = model.disputed_
    if not disputed:
        return told
    pairs = [f"{model.names_[i]} - {model.names_[j]}" for i, j in disputed]
    more = f" and {len(pairs) - 8} more" if len(pairs) > 8 else ""
    return f"{told}; others are within 2 units of it and differ at {', '.join(pairs[:8])}{more}"


def _bound(model: Topo) -> str | None:
    """How far the score is from one that no graph can be below."""
    bound = model.result_.bound
    if bound is None or model.status_ == "global minimum":
        return None
    off = max(0.0, model.score_ - bound)
    share = 100.0 * off / max(abs(model.score_), np.finfo(float).tiny)
    return (
        f"no graph has a score below {bound:.6g}: this one is within {off:.3g} of the global "
        f"minimum, {share:.2g} percent"
    )


def _units(model: Topo) -> str:
    """How far the variances alone would have given the same order."""
    return units_in_words(model.varsortability_, model.result_.score_name)


def _directions(model: Topo) -> str | None:
    """Which arrows mean something: no independence in the data tells equivalent graphs apart."""
    edges = int(np.count_nonzero(model.adjacency_matrix_))
    if edges == 0:
        return None
    either_way, left_open = reversible(model), open_directions(model)
    form = "its form of effects and noise"
    if model.result_.equivalent:
        form = "linear effects, Gaussian noise"
        if model.certificate_.kind == GRAPH:
            form = "any probabilities given the causes"
    sources = ["the data"]
    if model.result_.environments is not None:
        sources.append("what was set")
    if not model.result_.admissible.everything:
        sources.append("what is known")
    known = " and ".join(part for part in (", ".join(sources[:-1]), sources[-1]) if part)
    told = (
        f"{edges - np.count_nonzero(either_way)} of {edges} follow from {known} if the "
        f"model holds ({form}, no unmeasured common causes)"
    )
    for which, words in (
        (left_open, "open, as the data fit equally well either way round"),
        (either_way & ~left_open, "resting on that form alone"),
    ):
        pairs = [f"{model.names_[i]} - {model.names_[j]}" for i, j in np.argwhere(which)]
        if pairs:
            more = f" and {len(pairs) - 8} more" if len(pairs) > 8 else ""
            told += f"; {words}: {', '.join(pairs[:8])}{more}"
    return told
