"""What a fitted model shows of itself: the one door from a model up to reports and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.estimators.sklearn_api import check_fitted

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.report.checks import Check


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

    def checks(self, X: Any = None) -> list[Check]:
        """Whether the rows look as the model says: a verdict on each of its assumptions.

        Empty where the rows are gone (``X`` gives them again) or the score makes no predictions.
        """
        check_fitted(self)
        from toposwap.report.checks import checks_of, residuals_of

        return checks_of(residuals_of(self, self._rows_at_hand(X)))  # type: ignore[arg-type]

    def audit(self, X: Any = None) -> list[dict[str, Any]]:
        """What a careful reader would ask about the table: ``title``, ``verdict`` and ``text``."""
        check_fitted(self)
        from toposwap.report.checks import residuals_of
        from toposwap.report.evidence import evidence_of
        from toposwap.report.page.audit import audit
        from toposwap.report.page.edges import carried_edges

        data = self._rows_at_hand(X)
        evidence = evidence_of(self, data)  # type: ignore[arg-type]
        carried = carried_edges(self, data, residuals_of(self, data), evidence)  # type: ignore[arg-type]
        return audit(self, data, carried, ())  # type: ignore[arg-type]

    def summary(self) -> str:
        """What the command line prints: the edges, the score, the search and the certificate."""
        check_fitted(self)
        from toposwap.report.text import as_text, report

        data = self._rows_at_hand()
        return as_text(report(self, rows=None if data is None else data.n))  # type: ignore[arg-type]

    def plot(
        self,
        ax: Axes | None = None,
        *,
        most: int | None = None,
        around: int | str | None = None,
        steps: int = 1,
        cluster: int | str | None = None,
        clusters: bool = False,
        confidence: Any = None,
        title: str | None = None,
    ) -> Axes:
        """Draw the graph; parameters as in :func:`toposwap.report.draw_graph`.

        Parameters
        ----------
        ax
            Where to draw; by default a new figure that is as large as the graph needs.
        most
            How many edges, the strongest (with ``confidence`` the surest); by default as many as
            can be followed by eye.
        around, steps
            Only this column, and what that many edges join to it.
        cluster
            Only the columns that have many edges with this one and with each other.
        clusters
            Groups of columns with many edges among them as boxes, and what links the groups.
        confidence
            As in :meth:`report`.
        title
            Above the graph.
        """
        check_fitted(self)
        from toposwap.report.graph import reported_graph
        from toposwap.report.plot.graph import natural_size, plot_graph, require_matplotlib
        from toposwap.report.plot.selection import part_of

        require_matplotlib("plot")
        whole = reported_graph(self)  # type: ignore[arg-type]
        part = part_of(whole, around, steps, cluster, confidence)
        if ax is None:
            ax = _new_axes(natural_size(part, most, clusters=clusters))
        return plot_graph(part, ax, title=title, most=most, clusters=clusters)

    def plot_edge(self, i: int | str, j: int | str, ax: Axes | None = None, X: Any = None) -> Axes:
        """Draw column ``j`` over ``i``: the fitted line or curve, and the rows around it."""
        check_fitted(self)
        from toposwap.report.plot.graph import require_matplotlib
        from toposwap.report.plot.models import plot_edge

        require_matplotlib("plot_edge")
        source = self._column("i", i)  # type: ignore[attr-defined]
        target = self._column("j", j)  # type: ignore[attr-defined]
        ax = _new_axes((4.5, 3.4)) if ax is None else ax
        return plot_edge(self, self._rows_at_hand(X), source, target, ax)  # type: ignore[arg-type]

    def plot_history(self, ax: Axes | None = None) -> Axes:
        """Draw the score after each step of the search."""
        check_fitted(self)
        from toposwap.report.plot.graph import require_matplotlib
        from toposwap.report.plot.models import plot_history

        require_matplotlib("plot_history")
        return plot_history(self, _new_axes((5.0, 3.2)) if ax is None else ax)  # type: ignore[arg-type]

    def plot_residuals(
        self, column: int | str | None = None, axes: Any = None, X: Any = None
    ) -> NDArray[Any]:
        """Draw what the model leaves unexplained, and return the axes.

        Of ``column`` its residuals over the fitted values and their quantiles, two axes; without
        one the worst column of each check of the model's assumptions, four.
        """
        check_fitted(self)
        import numpy as np

        from toposwap.report.plot.graph import require_matplotlib
        from toposwap.report.plot.models import plot_residuals

        require_matplotlib("plot_residuals")
        target = None if column is None else self._column("column", column)  # type: ignore[attr-defined]
        if axes is None:
            from matplotlib import pyplot as plt

            shape, size = ((2, 2), (8.0, 6.0)) if target is None else ((1, 2), (8.0, 3.2))
            axes = plt.subplots(*shape, figsize=size, layout="constrained")[1]
        drawn = np.asarray(axes)
        flat = list(drawn.ravel())
        plot_residuals(self, self._rows_at_hand(X), target, flat)  # type: ignore[arg-type]
        return drawn

    def _repr_html_(self) -> str:
        """In a notebook: a small graph, the headline and the certificate, once fitted."""
        if not hasattr(self, "result_"):
            return str(super()._repr_html_())  # type: ignore[misc]
        from toposwap.report.page.notebook import as_notebook

        return as_notebook(self)  # type: ignore[arg-type]

    def _rows_at_hand(self, X: Any = None) -> Dataset | None:
        """The data behind the model: ``X`` if given, else what ``fit`` saw; None if gone.

        Columns that the score has taken for codes are categories.
        """
        kept = getattr(self, "_data", None)
        if X is None:
            return None if kept is None else self._as_taken(kept)
        data = self._dataset(X)  # type: ignore[attr-defined]
        if not hasattr(data, "factor"):
            # Gaps were treated in the fit: what came of that is not made again.
            return None if kept is None else self._as_taken(kept)
        names = self.result_.names  # type: ignore[attr-defined]
        if tuple(data.names) != tuple(names):
            raise InputError("X: its columns are not those that the model was fitted to")
        return self._as_taken(data)

    def _as_taken(self, data: Dataset) -> Dataset:
        from toposwap.core.kinds import KINDS, Recognised
        from toposwap.core.kinds.names import says_code

        taken: dict[str, str] = self.result_.kinds  # type: ignore[attr-defined]
        if not taken or data.held is None:
            return data
        codes = {
            j: Recognised(
                KINDS["categorical"],
                "a code by its name"
                if says_code(name)
                else "a code: other columns tell its values apart in no order",
            )
            for j, (name, known) in enumerate(zip(data.names, data.kinds, strict=True))
            if taken.get(name) == "categorical" != known.kind.name
        }
        return data.seen_as(codes) if codes else data


def _new_axes(size: tuple[float, float]) -> Axes:
    """Of a new figure of this size in inches."""
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]
