"""What a score was told, in names and numbers."""

from __future__ import annotations

from typing import Any

from toposwap.penalties import BIC, EBIC, NoPenalty
from toposwap.scores import SCORES, Auto, BasisBIC, BDeu, Blocks, CategoricalBIC, Penalized


def penalty_settings(score: Any, score_name: str) -> dict[str, Any] | None:
    """The name of a score's penalty and its numbers, None where there is none.

    Parameters
    ----------
    score
        A score or its name, as an estimator was given it.
    score_name
        What the score is called, with "auto" the one that was chosen.
    """
    if isinstance(score, str):
        score = SCORES[score]() if score in SCORES else None
    penalty: Any = None
    if isinstance(score, Penalized):
        penalty = score.penalty
    elif isinstance(score, BasisBIC | CategoricalBIC):
        penalty = BIC(score.factor)
    elif isinstance(score, Blocks):
        penalty = EBIC(score.factor, score.gamma) if score.gamma else BIC(score.factor)
    elif isinstance(score, BDeu):
        return {"name": BDeu.name, "equivalent_sample_size": score.equivalent_sample_size}
    elif isinstance(score, Auto) and score_name == CategoricalBIC.name:
        penalty = BIC(score.for_categories().factor)
    elif isinstance(score, Auto) and score_name.endswith("bic"):
        penalty = (EBIC if score_name.endswith("ebic") else BIC)(score.factor)
    if penalty is None or isinstance(penalty, NoPenalty):
        return None
    return {"name": penalty.name, **vars(penalty)}
