"""What to do about missing values: a name each, and the one way into learning with gaps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.tables.gap_tests import gap_dependences
from toposwap.core.tables.gaps import GapReport, Incomplete, refuse_gaps
from toposwap.core.validation import listed

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset
    from toposwap.result import Result
    from toposwap.scores import Score


class Learned(NamedTuple):
    """A result, with the data that it is told about: a completed table, or expected moments."""

    result: Result
    data: Dataset


class Treatment(ABC):
    """A way to learn from a table with gaps; settings only."""

    name: ClassVar[str]
    #: Whether the model can be asked about rows with gaps, too.
    predicts: ClassVar[bool] = False

    @abstractmethod
    def learn(
        self, table: Incomplete, score: Score, search: Any, init: Any, **settings: Any
    ) -> Learned:
        """As :func:`toposwap.learn.learn`, whose other arguments are ``settings``."""

    @abstractmethod
    def data_at(self, table: Incomplete, score: Score, given: Any) -> Dataset:
        """The data on which somebody's weights (d, d), or their order, are judged."""

    def dataset(self, table: Incomplete) -> Dataset | None:
        """The data themselves where they can be used as they are, None if something is missing."""
        return table.dataset() if table.complete else None

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


class Refuse(Treatment):
    """A table with gaps is an error, which says how many, where, and what can be done."""

    name: ClassVar[str] = "error"

    def dataset(self, table: Incomplete) -> Dataset:
        """The data, or the error."""
        if not table.complete:
            refuse_gaps(table)
        return table.dataset()

    def learn(
        self, table: Incomplete, score: Score, search: Any, init: Any, **settings: Any
    ) -> Learned:
        """Never: :meth:`dataset` has refused."""
        raise NotImplementedError

    def data_at(self, table: Incomplete, score: Score, given: Any) -> Dataset:  # noqa: ARG002
        """The data, or the error."""
        return self.dataset(table)


class Drop(Treatment):
    """Rows with a gap, or an infinite value, are left out."""

    name: ClassVar[str] = "drop"

    def learn(
        self, table: Incomplete, score: Score, search: Any, init: Any, **settings: Any
    ) -> Learned:
        """From the rows that are complete."""
        from toposwap.learn import learn

        data = self.kept(table).dataset()
        result = learn(data, score, search, init, **settings)
        rows, used = len(table.values), 0 if data.rows is None else len(data.rows)
        told = f"{rows - used} of {rows} rows have missing values and were left out"
        gaps = _report(self, table, used, told)
        return Learned(replace(result, gaps=gaps, remarks=(told, *result.remarks)), data)

    def data_at(self, table: Incomplete, score: Score, given: Any) -> Dataset:  # noqa: ARG002
        """The complete rows."""
        return self.kept(table).dataset()

    def kept(self, table: Incomplete) -> Incomplete:
        """The complete rows.

        Raises
        ------
        InputError
            If there are none.
        """
        whole = np.asarray(np.isfinite(table.values).all(axis=1))
        if not whole.any():
            raise InputError(
                "missing='drop': every row has a missing value; missing='em' or 'impute' learn "
                "from what is there, or leave out the columns with most gaps"
            )
        return table.of_rows(whole)


class EM(Treatment):
    """Maximum likelihood of what is there, for scores of means and covariances."""

    name: ClassVar[str] = "em"
    predicts: ClassVar[bool] = True

    def learn(
        self, table: Incomplete, score: Score, search: Any, init: Any, **settings: Any
    ) -> Learned:
        """By structural EM."""
        from toposwap.missing.structural import learn_em

        table.check()
        refuse_not_moments(table, score)
        found = learn_em(table, score, search, init, **settings)
        searches = "one search" if found.rounds == 1 else f"{found.rounds} searches"
        told = (
            f"maximum likelihood of what is there (EM, {searches}); log-likelihood "
            f"{found.log_likelihood:.6g}; score and certificate are those of the moments expected "
            f"at the solution, of {found.data.n} rows"
        )
        gaps = _report(self, table, int((~table.gaps.all(axis=1)).sum()), told)
        gaps = replace(gaps, log_likelihood=found.log_likelihood)
        return Learned(replace(found.result, gaps=gaps), found.data)

    def data_at(self, table: Incomplete, score: Score, given: Any) -> Dataset:
        """The moments that are expected at the weights given, or at the solution of an order."""
        from toposwap.missing.structural import expected_at

        table.check()
        refuse_not_moments(table, score)
        return expected_at(table, score, given)


class Impute(Treatment):
    """Draws from the model that is learned, several times.

    Parameters
    ----------
    draws
        How many completed tables.
    rounds
        The most fits, each to new draws; fewer where the graph is the same twice.
    """

    name: ClassVar[str] = "impute"
    predicts: ClassVar[bool] = True

    def __init__(self, draws: int = 5, rounds: int = 10) -> None:
        self.draws = draws
        self.rounds = rounds

    def learn(
        self, table: Incomplete, score: Score, search: Any, init: Any, **settings: Any
    ) -> Learned:
        """By turns of fits and draws."""
        from toposwap.missing.imputation import learn_imputed

        for name in ("draws", "rounds"):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not (whole and value >= 1):
                raise InputError(f"Impute {name}: must be a whole number >= 1, got {value!r}")
        found = learn_imputed(
            table, score, search, init, draws=self.draws, rounds=self.rounds, **settings
        )
        result = found.result
        ended = "the graph was the same twice" if found.stands else "it still changed at the end"
        which = (
            f"the tables together, each row counting one part in {self.draws}"
            if found.together
            else f"the first table, {found.average:.6g} being the average score"
        )
        told = (
            f"drawn from the model, {self.draws} tables; {found.rounds} fits, {ended}; score and "
            f"certificate are those of {which}"
        )
        if not found.stands and self.rounds > 1:
            result = replace(
                result,
                remarks=(
                    *result.remarks,
                    f"missing='impute': after {found.rounds} fits to new draws the graph still "
                    "changes with them, so that some edges rest on what was drawn: more draws "
                    "(toposwap.missing.Impute(draws=20)) steady it",
                ),
            )
        gaps = _report(self, table, len(table.values), told)
        return Learned(replace(result, gaps=gaps), found.data)

    def data_at(self, table: Incomplete, score: Score, given: Any) -> Dataset:  # noqa: ARG002
        """None: draws are of a model, and weights alone are none."""
        raise InputError(
            "missing='impute': what would be drawn depends on a model, and given weights alone are "
            "none: check them with missing='em' (scores of means and covariances) or 'drop'"
        )


class Suited(Treatment):
    """:class:`EM` where means and covariances tell all, :class:`Impute` elsewhere."""

    name: ClassVar[str] = "auto"
    predicts: ClassVar[bool] = True

    def learn(
        self, table: Incomplete, score: Score, search: Any, init: Any, **settings: Any
    ) -> Learned:
        """By the one that suits the score and the columns; the report says which."""
        return self.chosen(table, score).learn(table, score, search, init, **settings)

    def data_at(self, table: Incomplete, score: Score, given: Any) -> Dataset:
        """As that one does."""
        return self.chosen(table, score).data_at(table, score, given)

    def chosen(self, table: Incomplete, score: Score) -> EM | Impute:
        """Which one suits."""
        return EM() if score.of_moments or _all_measured(table, score) else Impute()


#: Ways to deal with gaps, by name.
MISSING: dict[str, type[Treatment]] = {one.name: one for one in (Refuse, Drop, EM, Impute, Suited)}


def _all_measured(table: Incomplete, score: Score) -> bool:
    """Whether ``score`` looks at the columns and finds measurements only."""
    return score.by_kinds and not _rows_only(table, score)


def _rows_only(table: Incomplete, score: Score) -> dict[str, list[str]]:
    """The columns whose likelihood needs rows, by kind."""
    from toposwap.losses import LOSSES
    from toposwap.missing.kinds_seen import seen_by

    found: dict[str, list[str]] = {}
    table = seen_by(score, table)
    for j, known in enumerate(table.kinds):
        name, _ = known.kind.loss(table.column(j))
        if not getattr(LOSSES[name], "from_moments", False):
            found.setdefault(known.kind.name, []).append(table.names[j])
    return found


def refuse_not_moments(table: Incomplete, score: Score) -> None:
    """Raise where ``score`` needs more of the rows than their means and covariances."""
    if score.of_moments:
        return
    remedy = (
        "missing='impute' draws what is missing from the model, 'auto' does so where it must, "
        "'drop' leaves out rows"
    )
    if not score.by_kinds:
        raise InputError(
            f"missing='em' is for scores of means and covariances (bic, ebic, gaussian-..., "
            f"least-squares..., equal-variance-...), and {score.name!r} is none: {remedy}"
        )
    others = _rows_only(table, score)
    if others:
        told = "; ".join(f"{kind}: {listed(names)}" for kind, names in others.items())
        raise InputError(
            "missing='em' is for columns of measurements, whose means and covariances tell all, "
            f"and some are not ({told}): {remedy}; score='bic' takes them for measurements"
        )


def _report(treatment: Treatment, table: Incomplete, used: int, told: str) -> GapReport:
    """Shares of gaps, and what they depend on."""
    share = table.gaps.mean(axis=0)
    return GapReport(
        treatment=treatment.name,
        rows=len(table.values),
        rows_with_gaps=int(table.gaps.any(axis=1).sum()),
        rows_used=used,
        shares={name: float(share[j]) for j, name in enumerate(table.names)},
        dependences=gap_dependences(table),
        told=told,
    )
