"""Names for scores: a few that have one of their own, and every "<loss>-<penalty>"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from toposwap.core.errors import InputError
from toposwap.core.registry import what_there_is
from toposwap.core.runtime.lazy import LazyMaker
from toposwap.core.runtime.settings import parameters_of, refuse_unknown
from toposwap.losses import LOSSES
from toposwap.penalties import L0, PENALTIES
from toposwap.scores.base import Score

#: The families, each loaded with its kernels when one of its scores is made.
Auto = LazyMaker("toposwap.scores.auto", "Auto")
LeastSquares = LazyMaker("toposwap.scores.least_squares", "LeastSquares")
Penalized = LazyMaker("toposwap.scores.penalized", "Penalized")
Basis = LazyMaker("toposwap.scores.additive", "Basis")
BasisBIC = LazyMaker("toposwap.scores.additive", "BasisBIC")
Blocks = LazyMaker("toposwap.scores.blocks", "Blocks")
GroupBasis = LazyMaker("toposwap.scores.additive", "GroupBasis")
GroupBlocks = LazyMaker("toposwap.scores.blocks", "GroupBlocks")
MLP = LazyMaker("toposwap.scores.mlp", "MLP")
BDeu = LazyMaker("toposwap.scores.categorical", "BDeu")
CategoricalBIC = LazyMaker("toposwap.scores.categorical", "CategoricalBIC")

#: The setting of every score with one number that says how strong its penalty is ...
STRENGTH = "penalty"
#: ... and what that number is called where the penalty is made.
_STRENGTHS = ("weight", "factor", "l1", "equivalent_sample_size")


class Pair:
    """A loss and a penalty by their names: ``Pair("gaussian", "l1")(penalty=0.2)`` is a score.

    Its settings are those of the penalty, those of the loss, ``max_parents``, and ``penalty``: the
    penalty's weight, or the factor of an information criterion.

    Parameters
    ----------
    loss, penalty
        Names of :data:`~toposwap.losses.LOSSES` and :data:`~toposwap.penalties.PENALTIES`.
    defaults
        Settings that this pair has where nobody gives others.
    """

    def __init__(self, loss: str, penalty: str, **defaults: Any) -> None:
        self.loss = loss
        self.penalty = penalty
        self.defaults = defaults

    def settings(self) -> list[str]:
        """The names that :meth:`__call__` takes."""
        own = list(parameters_of(PENALTIES[self.penalty]))
        if self.penalty == L0.name:
            own += list(parameters_of(L0))
        return [*_with_strength(own), *parameters_of(LOSSES[self.loss]), "max_parents"]

    def __call__(self, **settings: Any) -> Score:
        """The score with these settings, which must be among :meth:`settings`."""
        given = {**self.defaults, **settings}
        most = given.pop("max_parents", None)
        loss: Any = LOSSES[self.loss]
        penalty: Any = PENALTIES[self.penalty]
        if not given:
            return Penalized(loss(), penalty(), most)
        of_loss = {key: given.pop(key) for key in parameters_of(loss) if key in given}
        # The name "l0" is that of BIC, whose factor "penalty" is, until somebody gives the weight
        # of an edge.
        if self.penalty == L0.name and "weight" in given:
            penalty = L0
            refuse_unknown(
                f"score '{self.loss}-l0' with the weight of an edge", given, parameters_of(L0)
            )
        return Penalized(loss(**of_loss), penalty(**_spelled_out(given, penalty)), most)


class ScoreNames(Mapping[str, Callable[..., Score]]):
    """The scores of ``named``, which are the ones listed; other pairs are made when asked for."""

    #: What an error says besides the names listed.
    others = (
        f"<loss>-<penalty> with a loss of {', '.join(LOSSES)} and a penalty of "
        f"{', '.join(PENALTIES)}"
    )

    def __init__(self, named: Mapping[str, Callable[..., Score]]) -> None:
        self._named = dict(named)

    def __getitem__(self, name: str) -> Callable[..., Score]:
        if name in self._named:
            return self._named[name]
        loss, _, penalty = name.rpartition("-")
        if loss not in LOSSES or penalty not in PENALTIES:
            raise KeyError(name)
        return Pair(loss, penalty)

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)


#: Scores by name.
SCORES = ScoreNames(
    {
        "auto": Auto,
        "least-squares": LeastSquares,
        "equal-variance-l0": Pair("equal-variance", "l0"),
        "bic": Pair("gaussian", "bic"),
        "ebic": Pair("gaussian", "ebic"),
        "gaussian-mcp": Pair("gaussian", "mcp"),
        "gaussian-l1": Pair("gaussian", "l1"),
        "least-squares-l1": Pair("least-squares", "l1"),
        "logistic": Pair("logistic", "none"),
        "logistic-bic": Pair("logistic", "bic"),
        # The paper's weight.
        "logistic-l1": Pair("logistic", "l1", weight=0.01),
        "poisson-l1": Pair("poisson", "l1", weight=0.01),
        "blocks-bic": Blocks,
        "blocks-ebic": partial(Blocks, gamma=0.5),
        "blocks-lasso": partial(GroupBlocks, "lasso"),
        "blocks-mcp": partial(GroupBlocks, "mcp"),
        "basis": Basis,
        "basis-bic": BasisBIC,
        "basis-mcp": partial(GroupBasis, "mcp"),
        "basis-lasso": partial(GroupBasis, "lasso"),
        "mlp": MLP,
        "bdeu": BDeu,
        "categorical-bic": CategoricalBIC,
    }
)


def score_settings(name: str, argument: str = "score") -> list[str]:
    """The settings of the score called ``name``; ``argument`` begins the error if there is none.

    ``penalty`` is one of them where the score has one number that says how strong it penalises.
    """
    if name not in SCORES:
        raise InputError(f"{argument}: {name!r} is not one of {what_there_is(SCORES, str)}")
    made = SCORES[name]
    return made.settings() if isinstance(made, Pair) else _with_strength(list(parameters_of(made)))


def named_score(
    name: str, settings: Mapping[str, Any] | None = None, argument: str = "score"
) -> Score:
    """The score called ``name`` with ``settings``.

    >>> named_score("gaussian-l1", {"penalty": 0.2}).penalty
    L1(weight=0.2)
    >>> named_score("bic", {"penalty": 1}).penalty
    BIC(factor=1.0)

    Parameters
    ----------
    name
        One of :data:`SCORES`, or any "<loss>-<penalty>".
    settings
        By name; see :func:`score_settings`. ``penalty`` is the weight of l1, MCP, ridge and the
        like (networks: of their l1), and the factor of an information criterion ("l0": of BIC),
        whatever its own name.
    argument
        The caller's name for the score, for error messages.
    """
    given = dict(settings or {})
    refuse_unknown(f"{argument} {name!r}", given, score_settings(name, argument))
    made = SCORES[name]
    return made(**(given if isinstance(made, Pair) else _spelled_out(given, made)))


def _spelled_out(settings: Mapping[str, Any], made: Callable[..., Any]) -> dict[str, Any]:
    """``settings`` for ``made``, with ``penalty`` under the name that ``made`` has for it."""
    strength = _strength(list(parameters_of(made)))
    if STRENGTH not in settings or strength is None:
        return dict(settings)
    return {key: value for key, value in settings.items() if key not in (STRENGTH, strength)} | {
        strength: settings[STRENGTH]
    }


def _strength(names: list[str]) -> str | None:
    """Which of these settings says how strong a penalty is."""
    return next((name for name in _STRENGTHS if name in names), None)


def _with_strength(names: list[str]) -> list[str]:
    return names if _strength(names) is None else [STRENGTH, *names]
