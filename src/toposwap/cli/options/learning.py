"""Options about the score and the search, and the estimator they describe."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from toposwap.cli.options.numbers import Number, Whole
from toposwap.core.errors import InputError
from toposwap.core.registry import what_there_is

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toposwap.estimators import Topo
    from toposwap.knowledge import Knowledge
    from toposwap.scores import Score
    from toposwap.search import Progress

_COUNT = Whole(min=0)


@dataclass(frozen=True)
class Scoring:
    """Which Q, on centred data or not."""

    score: str
    penalty: float | None = None
    ridge: float | None = None
    center: bool = True

    def build(self) -> Score:
        """The score object, or an error that names the option."""
        from toposwap.scores import SCORES
        from toposwap.scores.names import STRENGTH, named_score, score_settings

        _chosen("--score", self.score, SCORES)
        known = score_settings(self.score)
        settings: dict[str, float] = {}
        if self.ridge is not None:
            if "ridge" not in known:
                raise InputError(
                    "--ridge belongs to --score least-squares: add that, or leave it out"
                )
            settings["ridge"] = self.ridge
        if self.penalty is not None:
            if STRENGTH not in known:
                raise InputError(
                    f"--penalty: the score {self.score} has no penalty to weigh; choose one that "
                    "has (bic, gaussian-l1, ...), or leave the weight out"
                )
            settings[STRENGTH] = self.penalty
        return named_score(self.score, settings)


@dataclass(frozen=True)
class Learning:
    """Everything :class:`~toposwap.estimators.Topo` is told, but where to start.

    ``special`` holds the options that belong to one search, by its name; ``time_budget`` is for
    all of them.
    """

    scoring: Scoring
    search: str
    special: Mapping[str, Mapping[str, Any]]
    prune: float | str | None
    seed: int
    max_iter: int | None
    time_budget: float | None = None

    def build(
        self,
        init: Any = "auto",
        progress: Progress | None = None,
        knowledge: Knowledge | None = None,
        kinds: Mapping[str, str] | None = None,
        missing: str = "error",
    ) -> Topo:
        """The estimator, or an error that names the option."""
        from toposwap.acyclicity import ACYCLICITIES
        from toposwap.estimators import Topo
        from toposwap.search import SEARCHES

        _chosen("--search", self.search, SEARCHES)
        given: dict[str, Any] = {}
        for search, options in self.special.items():
            set_ = {k: v for k, v in options.items() if v is not None and v is not False}
            if set_ and self.search != search:
                option = "--" + next(iter(set_)).removeprefix("n_").replace("_", "-")
                raise InputError(
                    f"{option} belongs to --search {search}: add that, or leave it out"
                )
            given |= set_
        if "acyclicity" in given:
            _chosen("--acyclicity", given["acyclicity"], ACYCLICITIES)
        return Topo(
            score=self.scoring.build(),
            search=self.search,
            init=init,
            prune=self.prune,
            knowledge=knowledge,
            center=self.scoring.center,
            kinds=kinds or None,
            missing=missing,
            random_state=self.seed,
            max_iter=self.max_iter,
            time_budget=self.time_budget,
            progress=progress,
            **given,
        )


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the score, and hand them to ``command`` as ``scoring``."""

    @click.option(
        "--score",
        default="auto",
        metavar="NAME",
        help="auto (the default: by the kinds of the columns, and says what), bic or ebic (any "
        "units, directions up to equivalence), least-squares (equal noise variances, meaningful "
        "units), equal-variance-l0 (the same, choosing edges), gaussian-mcp, gaussian-l1, "
        "least-squares-l1, logistic-bic, logistic-l1 or logistic (columns of two values), "
        "poisson-l1 (counts), or any LOSS-PENALTY; basis (additive: curves instead of lines), "
        "basis-mcp or basis-lasso (the same, choosing edges), basis-bic (the same in any units), "
        "mlp (neural networks); blocks-bic, blocks-ebic, blocks-lasso or blocks-mcp (numbers, "
        "categories, ratings together), categorical-bic or bdeu (nothing but categories).",
    )
    @click.option(
        "--penalty",
        type=Number(min=0),
        metavar="NUMBER",
        help="Weight of the score's penalty; more makes fewer edges. For auto, bic, ebic and l0 it "
        "multiplies Schwarz's penalty per edge: 2 by default, as in FLOP and Tetrad; 1 is BIC as "
        "Schwarz defined it (the default of basis-bic). For l1, mcp, ridge, basis-lasso and mlp "
        "it is the weight itself.",
    )
    @click.option(
        "--ridge",
        type=Number(min=0),
        metavar="NUMBER",
        help="With --score least-squares: penalty on squared weights; needed with no more rows "
        "than columns.",
    )
    @click.option("--no-center", is_flag=True, help="Do not subtract the column means.")
    @wraps(command)
    def with_scoring(
        *args: Any,
        score: str,
        penalty: float | None,
        ridge: float | None,
        no_center: bool,
        **others: Any,
    ) -> Any:
        scoring = Scoring(score, penalty, ridge, not no_center)
        return command(*args, scoring=scoring, **others)

    return with_scoring


def learning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of score and search, and hand them to ``command`` as ``learning``."""

    @scoring_options
    @click.option(
        "--search",
        default="auto",
        metavar="NAME",
        help="auto (insertions and swaps, the default), insertion, paper (the published "
        "algorithm), exact (proves the minimum, up to about 20 columns), none (solve the start).",
    )
    @click.option(
        "--acyclicity",
        metavar="NAME",
        help="With --search paper: logdet (default), exponential or polynomial.",
    )
    @click.option(
        "--s-small", type=_COUNT, metavar="N", help="With --search paper: size of the small space."
    )
    @click.option(
        "--s-large", type=_COUNT, metavar="N", help="With --search paper: size of the large space."
    )
    @click.option(
        "--s-0",
        type=_COUNT,
        metavar="N",
        help="With --search paper: uses of the large space; raise it where the status says so.",
    )
    @click.option("--greedy", is_flag=True, help="With --search paper: take the first good swap.")
    @click.option(
        "--restarts",
        type=_COUNT,
        metavar="N",
        help="With --search auto: perturb the best order and search again so often.",
    )
    @click.option(
        "--time-budget",
        type=Number(min=0),
        metavar="SECONDS",
        help="Begin nothing more after this; --search exact then prints the bound proved so far.",
    )
    @click.option(
        "--jobs",
        type=int,
        metavar="N",
        callback=lambda _context, _option, value: _threads(value),
        help="With --search auto: make restarts on N cores, -1 for all; the answer is the same.",
    )
    @click.option(
        "--prune",
        default="auto",
        metavar="auto|bic|none|NUMBER",
        callback=lambda _context, _option, value: _threshold(value),
        help="Which edges to keep: those with |weight| of at least a NUMBER, those worth BIC's "
        "penalty per edge (bic), or all (none). auto: 0.3 with least squares, a rule of its own "
        "for curves and networks, all where the score chooses edges.",
    )
    @click.option(
        "--seed",
        type=_COUNT,
        default=0,
        metavar="N",
        help="Seed of whatever is random; 0 by default, so that a command repeats its answer.",
    )
    @click.option(
        "--max-iter",
        type=Whole(min=1),
        metavar="N",
        help="Stop after so many iterations.",
    )
    @wraps(command)
    def with_learning(
        *args: Any,
        scoring: Scoring,
        search: str,
        acyclicity: str | None,
        s_small: int | None,
        s_large: int | None,
        s_0: int | None,
        greedy: bool,
        restarts: int | None,
        time_budget: float | None,
        jobs: int | None,
        prune: float | str | None,
        seed: int,
        max_iter: int | None,
        **others: Any,
    ) -> Any:
        paper = {
            "acyclicity": acyclicity,
            "s_small": s_small,
            "s_large": s_large,
            "s_0": s_0,
            "greedy": greedy,
        }
        auto = {"n_restarts": restarts, "n_jobs": jobs}
        special: dict[str, Mapping[str, Any]] = {"paper": paper, "auto": auto}
        learning = Learning(scoring, search, special, prune, seed, max_iter, time_budget)
        return command(*args, learning=learning, **others)

    return with_learning


def _threshold(value: str) -> float | str | None:
    if value in ("auto", "bic"):
        return value
    if value == "none":
        return None
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither auto, bic, none nor a number.") from None


def _threads(value: int | None) -> int | None:
    if value is not None and value < 1 and value != -1:
        raise click.BadParameter(f"{value} is neither >= 1 nor -1 for all cores.")
    return value


def _chosen(option: str, value: str, choices: Mapping[str, Any]) -> Any:
    if value not in choices:
        near = get_close_matches(value, choices, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InputError(f"{option}: {value!r} is not one of {what_there_is(choices, str)}{hint}")
    return choices[value]
