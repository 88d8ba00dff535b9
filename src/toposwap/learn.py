"""From data to a certified order and a pruned graph: the steps that every use shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.assess import assess
from toposwap.baselines.start import starting_order
from toposwap.checkpoint import Begun, belonging
from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.errors import InputError
from toposwap.core.runtime.ctrl_c import CtrlC
from toposwap.core.runtime.deadline import Deadline
from toposwap.core.tables.notices import notices
from toposwap.core.tables.own_rows import identified, unidentified_in_words
from toposwap.pruning import own_pruner, resolve_pruner
from toposwap.pruning.base import predictor_of
from toposwap.pruning.threshold import Threshold
from toposwap.rehearsal import compile_ahead
from toposwap.result import LOCAL_OPTIMUM, Result
from toposwap.search.auto import AutoSearch
from toposwap.search.base import Findings, run
from toposwap.search.screened import ScreenedSearch
from toposwap.search.start import INITS, FirstFit, automatic_fit
from toposwap.with_paths import Ended, Found, with_paths

if TYPE_CHECKING:
    from toposwap.assess import Assessment
    from toposwap.checkpoint import Checkpoint
    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit
    from toposwap.pruning import Pruned, Pruner
    from toposwap.scores import BoundScore, Score
    from toposwap.search import Progress, Search
    from toposwap.search.base import Keeper, Standing


#: Relative difference of the score that a search ends with and of the one computed afresh.
_DIGITS = 1e-6
#: What a sum of squares in the units of the columns is known to, of the squares of all rows.
_OF_SQUARES = 1e-12


def learn(
    data: Dataset,
    score: Score,
    search: Search,
    init: Any = "auto",
    *,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    max_iter: int | None = None,
    prune: Any = None,
    deadline: Deadline | None = None,
    admissible: Admissible = EVERYTHING,
    checkpoint: Checkpoint | None = None,
) -> Result:
    """Bind, start, search, assess, and prune.

    Parameters
    ----------
    data, score
        What Q is made of.
    search
        The way through the orders.
    init
        Where it begins: "auto" (what suits the score), or anything that
        :func:`~toposwap.baselines.start.starting_order` takes.
    rng
        The only source of randomness; by default fresh entropy.
    progress
        Called with each step.
    max_iter
        The most steps of the search.
    prune
        As :func:`~toposwap.pruning.resolve_pruner` takes it.
    deadline
        For all of it; by default the search's own ``time_budget`` from now.
    admissible
        The edges and orders that come into question; the result obeys.
    checkpoint
        Where the search is kept, and goes on from if it was kept there before.

    Returns
    -------
    Result
        The certificate does not trust the fit: Q is evaluated at the parameters afresh.
    """
    whole = isinstance(max_iter, (int, np.integer)) and not isinstance(max_iter, bool)
    if max_iter is not None and not (whole and max_iter >= 1):
        raise InputError(
            f"max_iter: must be None or a whole number >= 1, got {max_iter!r}; search='none' stays "
            "at the starting order"
        )
    if progress is not None and not callable(progress):
        raise InputError(
            f"progress: must be called with each step, and {type(progress).__name__} cannot be"
        )
    deadline = Deadline(search.time_budget) if deadline is None else deadline
    rng = np.random.default_rng() if rng is None else rng
    data = score.suited(data)
    bound = score.bind(data)
    bound.deadline = deadline
    bound.admissible = identified(data, admissible)
    pruner = resolve_pruner(prune, bound)
    if search.name == "auto":
        compile_ahead(bound)
    own = own_pruner(bound)
    keeper = standing = None
    if checkpoint is not None:
        keeper = checkpoint.opened(belonging(data, score, search, init, rng, bound.admissible))
        standing = keeper.kept(bound)
    if keeper is not None and standing is not None:
        remark = keeper.begun.remark
        first = FirstFit(standing.fit, keeper.begun.surrogates_followed)
    elif isinstance(init, str) and init == "auto":
        remark = None
        first = automatic_fit(bound, rng, deadline, progress=progress, pruner=own)
    else:
        order, remark = starting_order(init, data, rng, deadline)
        if not bound.admissible.obeys(order):
            # An order that was drawn or read off the data claims nothing.
            given = not (isinstance(init, str) and init in INITS)
            order = bound.admissible.nearest(order)
            remark = _mended(remark) if given else remark
        first = FirstFit(bound.fit(order), surrogates_followed=False)
    if keeper is not None:
        keeper.begun = Begun(first.surrogates_followed, remark)

    found, findings = search_and_prune(
        first,
        search,
        pruner,
        rng=rng,
        deadline=deadline,
        progress=progress,
        max_iter=max_iter,
        keeper=keeper,
        standing=standing,
    )
    # The tables of the fit are the largest thing held, and no longer needed.
    del first
    bound, order, parameters = found.bound, found.order, found.parameters
    assessment = assess(bound, parameters)
    _refuse_not_finite(assessment, bound)
    status = found.status
    if status == search.finished and deadline.passed and not assessment.certificate.satisfied:
        # Nothing was left to try at an order that there was no time to solve.
        status = "time limit"
    if status == AutoSearch.finished and search.name == AutoSearch.name:
        status = status if bound.score.continuous else LOCAL_OPTIMUM
    digits_remark = _lost_digits(found.history[-1].score, assessment, bound)
    pruned, pruning_remark = found.kept
    return Result.of(
        assessment,
        names=data.names,
        order=order,
        status=status,
        history=tuple(found.history),
        pruned=pruned,
        parameters=parameters,
        predictor=predictor_of(bound, parameters) if pruned.refitted else pruned.predictor,
        remarks=(
            *notices(data),
            *unidentified_in_words(data),
            *(text for text in (remark, digits_remark, pruning_remark) if text is not None),
        ),
        starts=findings.starts,
        rivals=tuple(findings.rivals),
        bound=findings.bound,
        admissible=bound.admissible,
        environments=(
            None if data.interventions is None else data.interventions.summary(data.row_weights)
        ),
        against=_against(pruner, bound, order, rng, deadline),
        kinds=bound.data.known_kinds,
    )


def search_and_prune(
    first: FirstFit,
    search: Search,
    pruner: Pruner,
    *,
    rng: np.random.Generator,
    deadline: Deadline,
    progress: Progress | None = None,
    max_iter: int | None = None,
    keeper: Keeper | None = None,
    standing: Standing | None = None,
) -> tuple[Found, Findings]:
    """From the first fit to the graph that is kept, with nothing assessed.

    Parameters
    ----------
    first
        Where to begin; its fit is moved.
    search, pruner, rng, deadline, progress, max_iter
        As in :func:`learn`, checked and resolved.
    keeper, standing
        As in :func:`~toposwap.search.base.run`, of the first search; those that paths ask for
        after it are not kept.

    Returns
    -------
    found
        Where the search ended, with the paths that were asked for, and what is kept of it.
    findings
        What it learned on the way.
    """
    noted: list[Findings] = []
    own = own_pruner(first.fit.bound)
    names = first.fit.bound.data.names

    def searched(first: FirstFit) -> Ended:
        noted.append(Findings())
        alone = len(noted) == 1
        history, status = run(
            search,
            first.fit,
            names,
            rng=rng,
            deadline=deadline,
            pruner=own,
            surrogates_followed=first.surrogates_followed,
            progress=progress,
            max_iter=0 if first.interrupted else max_iter,
            findings=noted[-1],
            keeper=keeper if alone else None,
            standing=standing if alone else None,
        )
        return Ended(first.fit, history, "interrupted" if first.interrupted else status)

    def kept(fit: OrderFit) -> tuple[Pruned, str | None]:
        return _prune(pruner, fit.bound, fit.parameters(), fit.order, rng, deadline)

    found = with_paths(first, search, searched, kept)
    # Searches that were repeated for the sake of paths have starts that do not compare.
    return found, noted[0] if len(noted) == 1 else Findings()


def _against(
    pruner: Pruner,
    bound: BoundScore,
    order: Order,
    rng: np.random.Generator,
    deadline: Deadline,
) -> tuple[tuple[int, int], ...]:
    """The required edges that neither the score nor the pruning would have at ``order``.

    By one more fit, of that order, without any being required; not where that takes long.
    """
    told = bound.admissible
    if told.required is None or bound.strategy.search == ScreenedSearch.name or deadline.passed:
        return ()
    free = bound.under(Admissible(told.parents, told.before))
    fit = free.fit(order)
    kept = pruner.prune(free, fit.parameters(), order, rng=rng, deadline=deadline)
    absent = told.required & (kept.weights == 0.0)
    return tuple((int(i), int(j)) for i, j in np.argwhere(absent))


def _mended(remark: str | None) -> str:
    """What is said where the start is against what is known."""
    told = (
        "the starting point is against what is known (knowledge): the search begins at the nearest "
        "order that obeys"
    )
    return told if remark is None else f"{remark}; {told}"


def _refuse_not_finite(assessment: Assessment, bound: BoundScore) -> None:
    """No answer is better than one that is not a number."""
    point = assessment.point
    if np.isfinite(point.value) and np.isfinite(point.weights).all():
        return
    raise InputError(
        f"the score {bound.score.name} is not finite where the search ended: columns of too "
        "different sizes, or that determine each other; standardise them, or drop some"
    )


def _lost_digits(searched: float, assessment: Assessment, bound: BoundScore) -> str | None:
    """A remark where Q is not what the search took it for.

    Where columns nearly determine each other, sums over correlations lose the digits that decide.
    """
    allowed = _DIGITS * max(1.0, abs(searched))
    if assessment.scale_dependent:
        data = bound.data
        allowed += _OF_SQUARES * data.n * np.square(data.deviations * data.scale).sum()
    if not abs(assessment.score - searched) > allowed:
        return None
    return (
        f"the search took the score for {searched:.6g}, and it is {assessment.score:.6g}: some "
        "columns nearly determine each other, which leaves a search few digits; drop one of each "
        "such group"
    )


def _prune(
    pruner: Pruner,
    bound: BoundScore,
    parameters: Any,
    order: Order,
    rng: np.random.Generator,
    deadline: Deadline,
) -> tuple[Pruned, str | None]:
    """The pruned graph; by a threshold, and a remark that says so, after Ctrl-C."""
    with CtrlC() as ctrl_c:
        try:
            return pruner.prune(bound, parameters, order, rng=rng, deadline=deadline), None
        except BaseException as error:
            if not ctrl_c.caused(error):
                raise
    remark = "pruning was interrupted: edges are kept by the size of their weights alone"
    return Threshold().prune(bound, parameters, order, rng=rng), remark
