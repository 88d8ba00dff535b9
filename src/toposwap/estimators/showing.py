"""What a fitted model shows of itself: the one door from a model up to reports and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.estimators.sklearn_api import check_fitted

if TYPE_CHECKING:
    import os


    from toposwap.core.dataset import Dataset


class Showing:
    """Methods of an estimator that has ``result_``; the rows it was fitted to stay at hand.

    They are not part of a pickled model: after loading one, give ``X`` again where rows are needed.
    """

    _data: Dataset | None

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        confidence: Any = None,
        X: Any = None,
        title: str | None = None,
        command: str | None = None,
        notes: Any = (),
    ) -> None:
        """Write a page for a browser: the graph to explore, and what to know before believing it.

        One file without scripts or styles from elsewhere, which works without a network.

        Parameters
        ----------
        path
            Ends in .html.
        confidence
            What says how sure edges are: an object with ``probabilities`` (d, d) of i -> j and
            perhaps ``adjacent`` (d, d), or such a matrix.
        X
            The data, if they are not at hand any more (of a model that was unpickled).
        title
            Above the page.
        command, notes
            What was typed, and what was said while the table was read, for the page to tell.
        """
        check_fitted(self)
        from toposwap.report.page.page import write_page

        write_page(
            path,
            self,  # type: ignore[arg-type]
            self._rows_at_hand(X),
            confidence=confidence,
            title=title,
            command=command,
            notes=tuple(notes),
        )

    def _rows_at_hand(self, X: Any = None) -> Dataset | None:
        """The data behind the model: ``X`` if given, else what ``fit`` saw; None if gone."""
        if X is None:
            return getattr(self, "_data", None)
        data = self._dataset(X)  # type: ignore[attr-defined]
        names = self.result_.names  # type: ignore[attr-defined]
        if tuple(data.names) != tuple(names):
            raise InputError("X: its columns are not those that the model was fitted to")
        return data
