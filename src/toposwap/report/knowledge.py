"""What was imposed on a graph and what it cost, in words and as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.knowledge import Knowledge
from toposwap.report.words import counted

if TYPE_CHECKING:
    from toposwap.estimators import Topo

_MOST_NAMED = 8
#: What each kind of sentence is called, one of it and several.
_CALLED = {
    "required": ("required edge", "required edges"),
    "forbidden": ("forbidden edge", "forbidden edges"),
    "roots": ("root", "roots"),
    "leaves": ("leaf", "leaves"),
    "ancestors": ("ancestor", "ancestors"),
    "not_ancestors": ("pair without a path", "pairs without a path"),
    "allowed": ("allowed edge", "allowed edges"),
}


def knowledge_in_words(model: Topo) -> str | None:
    """How much was known and that it is obeyed; None where nothing was."""
    known = _known(model)
    if not known:
        return None
    filled = sum(1 for tier in known.tiers if tier)
    told = [counted(filled, "tier")] if filled else []
    if filled and known.closed_tiers:
        told[-1] += f" ({len(known.closed_tiers)} closed)"
    for kind, (one, several) in _CALLED.items():
        said = getattr(known, kind)
        if said:
            told.append(f"{len(said)} {one if len(said) == 1 else several}")
    return f"obeyed: {', '.join(told)}"


def against_in_words(model: Topo) -> str | None:
    """The imposed edges that the data alone would not have; None where there are none."""
    pairs = against_the_data(model)
    if not pairs:
        return None
    shown = ", ".join(f"{cause} -> {effect}" for cause, effect in pairs[:_MOST_NAMED])
    more = f" and {len(pairs) - _MOST_NAMED} more" if len(pairs) > _MOST_NAMED else ""
    they = "it" if len(pairs) == 1 else "they"
    return f"the data speak against {shown}{more}: at this order {they} would not be there"


def against_the_data(model: Topo) -> list[tuple[str, str]]:
    """The imposed edges, by name, that the score and the pruning would do without."""
    names = model.names_
    return [(names[i], names[j]) for i, j in model.result_.against]


def cost_in_words(model: Topo, without: Topo) -> str:
    """The score without the knowledge beside the score with it."""
    change = model.score_ - without.score_
    edges = int(np.count_nonzero(without.adjacency_matrix_))
    told = f"{without.score_:.6g} without it, with {counted(edges, 'edge')}: "
    if abs(change) <= 1e-9 * max(abs(model.score_), abs(without.score_)):
        return f"{told}what is known costs nothing"
    if change > 0.0:
        return f"{told}what is known costs {change:.3g}"
    return f"{told}what is known led to a score lower by {-change:.3g}"


def knowledge_record(model: Topo) -> dict[str, Any] | None:
    """What was known, as JSON can hold it, and which imposed edges the data speak against."""
    known = _known(model)
    if not known:
        return None
    said = known.among(list(model.names_), []).as_dict()
    return {**said, "against_the_data": [list(p) for p in against_the_data(model)]}


def _known(model: Topo) -> Knowledge:
    return Knowledge.of(getattr(model, "knowledge", None))
