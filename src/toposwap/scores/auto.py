"""The score that suits a table, chosen by looking at its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.kinds.words import guesses_in_words
from toposwap.core.runtime.settings import checked
from toposwap.core.validation import listed
from toposwap.losses import ColumnLoss, GaussianLoss, LogisticLoss
from toposwap.losses.mixed import by_loss, losses_of_kinds
from toposwap.penalties import BIC, EBIC, NoPenalty
from toposwap.scores.base import Score
from toposwap.scores.blocks import Blocks
from toposwap.scores.blocks.codes import codes_found
from toposwap.scores.blocks.score import node_losses
from toposwap.scores.categorical import CategoricalBIC
from toposwap.scores.dependence import refuse_dependent
from toposwap.scores.penalized.glm_nodes import GLMNodes
from toposwap.scores.penalized.score import Penalized

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset
    from toposwap.scores.base import BoundScore

#: With fewer rows for each column than this, bic finds too many edges and ebic fewer wrong ones.
_FEW_ROWS = 4
_LEAST_ROWS = 5
#: Kinds whose values are few and may be counted.
_CATEGORIES = ("binary", "categorical", "ordinal")
#: Relative residual at which coefficients on their way to infinity have gone far enough to show.
_THOROUGHLY = 1e-10


@dataclass(frozen=True)
class Choice:
    """A score and the line that says why."""

    score: Score
    reason: str


class Auto(Score):
    r"""The likelihood of each column's kind, with an L0 penalty; nothing depends on units.

    ========================  =================================================================
    all columns continuous    "bic"; also if only a covariance matrix is known
    all have two values       logistic
    categories, ratings       "categorical-bic", where one at least has three values or more
                              without an order
    the same and numbers      "blocks-bic": blocks of parameters, see
                              :class:`~toposwap.scores.Blocks`
    anything else             a loss for each column: logistic, Poisson for counts, Gaussian
    ========================  =================================================================

    What a column is, is seen in its dtype and its values (:mod:`toposwap.core.kinds`), unless the
    user says so, ``Topo(kinds=...)``; every guess is told with its reason.

    The penalty is that of the Bayesian information criterion, of the extended one where rows are
    few. A column that others tell exactly has no finite logistic or Poisson coefficients and is
    taken as continuous. Least squares is never chosen: no table shows that its units can be
    trusted.

    Parameters
    ----------
    factor
        Of :class:`~toposwap.penalties.BIC`: 1 is Schwarz's criterion; larger values ask for more
        evidence.
    """

    weighs_rows: ClassVar[bool] = True
    takes_nominal: ClassVar[bool] = True
    by_kinds: ClassVar[bool] = True
    uses_interventions: ClassVar[bool] = True
    name: ClassVar[str] = "auto"
    # Of every score that can be chosen; the chosen one, ``bind(data).score``, tells more.
    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True

    def __init__(self, factor: float = 2.0) -> None:
        self.factor = checked("Auto factor", factor)

    def for_categories(self) -> CategoricalBIC:
        """The score of tables of categories, which charges Schwarz's price where others do twice.

        An edge between categories has several parameters, each of which has its price.
        """
        return CategoricalBIC(self.factor / 2.0)

    def recognised(self, data: Dataset) -> Dataset:
        """Ratings whose numbers are in no order are codes."""
        return data if _shifted(data) else codes_found(data)

    def weighs_parts(self, data: Dataset) -> bool:
        """As the chosen one."""
        return self.choose(self.recognised(data)).score.weighs_parts(data)

    def bind(self, data: Dataset) -> BoundScore:
        """Bind the chosen score; the reason is the first of its ``choices``."""
        data = self.recognised(data)
        choice = self.choose(data)
        bound = choice.score.bind(data)
        bound.choices = (choice.reason, *guesses_in_words(data.names, data.kinds))
        return bound

    def choose(self, data: Dataset) -> Choice:
        """The score for ``data``, and why."""
        n, d = data.n, data.d
        if n < _LEAST_ROWS:
            raise InputError(
                f"score='auto': {n} rows are too few for {d} columns (n_samples={n}), they would "
                "line up by chance: give more rows, or choose a score yourself (score=..., --score)"
            )
        few = n < _FEW_ROWS * d
        penalty = EBIC(self.factor) if few else BIC(self.factor)
        if (
            data.nominal
            and not _shifted(data)
            and all(known.kind.name in _CATEGORIES for known in data.kinds)
        ):
            tables = self.for_categories()
            why = f"all {d} columns are categories; a table of probabilities for each"
            return Choice(tables, f"{tables.name}: {why}")
        mixed = _needs_blocks(data)
        if mixed is not None:
            gamma = penalty.gamma if isinstance(penalty, EBIC) else 0.0
            blocks = Blocks(self.factor, gamma)
            return Choice(blocks, f"{blocks.name}: {mixed}{_few_rows(data) if few else ''}")
        losses, why_not, told = _kinds(data)
        if all(isinstance(loss, GaussianLoss) for loss in losses):
            score = Penalized("gaussian", penalty)
            why = f"{_continuous(data)}; any units, directions up to equivalence"
        elif all(isinstance(loss, LogisticLoss) for loss in losses):
            score = Penalized("logistic", penalty)
            why = f"all {d} columns have two values; weights are log odds"
        else:
            score = Penalized(losses, penalty)
            why = by_loss(data.names, losses)
        why += _in_words(why_not)
        if told:
            why += f"; {listed(told)}: gaussian because other columns tell it exactly"
        if few:
            why += _few_rows(data)
        return Choice(score, f"{score.name}: {why}")


def _shifted(data: Dataset) -> bool:
    """Whether something was added to variables in some rows, of which blocks have no model."""
    return data.interventions is not None and data.interventions.kind == "shift"


def _few_rows(data: Dataset) -> str:
    return f"; a higher penalty per edge because {data.n} rows are few for {data.d} columns"


def _needs_blocks(data: Dataset) -> str | None:
    """Why a table takes a likelihood with blocks of parameters, by loss; None if it does not.

    Categories and ratings do, but for ratings that were only guessed among measurements, and for
    tables of nothing else; so do columns of two values or counts where some determine others, of
    which other likelihoods have no maximum.
    """
    if data.held is None:
        return None
    kinds = [known.kind.name for known in data.kinds]
    if _shifted(data):
        data.refuse_nominal("a likelihood for rows in which something was added")
        return None
    told = any(
        known.kind.name == "ordinal" and (known.given or known.reason.startswith("ordered"))
        for known in data.kinds
    )
    guessed = "ordinal" in kinds and ("binary" in kinds or "count" in kinds)
    why = ""
    if not ("categorical" in kinds or told or guessed):
        discrete = "binary" in kinds or "count" in kinds
        if not (discrete and "continuous" in kinds and data.n > data.d and _dependent(data)):
            return None
        why = "; some columns determine others"
    why_not: dict[str, list[str]] = {}
    for j, (name, known) in enumerate(zip(data.names, data.kinds, strict=True)):
        _, reason = known.kind.loss(data.column(j))
        if reason is not None:
            why_not.setdefault(reason, []).append(name)
    return by_loss(data.names, node_losses(data)) + _in_words(why_not) + why


def _in_words(why_not: dict[str, list[str]]) -> str:
    """Why columns have not the loss of their kind, by reason."""
    return "".join(f"; {listed(names)}: {reason}" for reason, names in why_not.items())


def _dependent(data: Dataset) -> bool:
    try:
        refuse_dependent(data, data.factor, data.rounding, "")
    except InputError:
        return True
    return False


def _kinds(data: Dataset) -> tuple[list[ColumnLoss], dict[str, list[str]], list[str]]:
    """A loss for each column that keeps its coefficients finite.

    And why some columns have not the loss of their kind, with their names; and the names of those
    that others tell exactly: what all other columns together do not tell exactly, no parents do.
    """
    found = losses_of_kinds(data)
    losses = [loss for loss, _ in found]
    why_not: dict[str, list[str]] = {}
    for name, (_, why) in zip(data.names, found, strict=True):
        if why is not None:
            why_not.setdefault(why, []).append(name)
    special = [j for j, loss in enumerate(losses) if not loss.from_moments]
    if not special:
        return losses, why_not, []
    if data.n <= data.d:
        return [GaussianLoss()] * data.d, {}, []
    nodes = GLMNodes(data, losses, _THOROUGHLY)
    told = []
    for j in special:
        others = np.arange(data.d) != j
        try:
            nodes.solve(j, others, None, NoPenalty())
        except InputError:
            losses[j] = GaussianLoss()
            told.append(data.names[j])
    return losses, why_not, told


def _continuous(data: Dataset) -> str:
    """Which columns have the Gaussian likelihood by nature, and which because none fits better."""
    if data.held is None:
        if data.kinds[0].reason == data.without_rows:
            return data.without_rows
        return f"all {data.d} columns are continuous, or taken as such"
    whole = [name for j, name in enumerate(data.names) if data.column(j).whole]
    if not whole:
        return f"all {data.d} columns are continuous"
    if len(whole) == data.d:
        return f"all {data.d} columns are taken as continuous, though whole numbers"
    return f"all {data.d} columns are continuous, or taken as such ({listed(whole)}: whole numbers)"
