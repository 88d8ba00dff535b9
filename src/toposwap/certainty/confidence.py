"""How sure each edge is: what many resamples of the rows have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.certainty.consensus import Consensus, best_dag
from toposwap.certainty.counts import path_shares, weight_quantiles
from toposwap.certainty.methods import METHODS
from toposwap.core.errors import InputError

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from toposwap.certainty.resample import Resample
    from toposwap.report.graph import Doubt, ReportedGraph

#: Of the weights over the resamples: the median between the ends of the interval.
_QUANTILES = (0.025, 0.5, 0.975)
#: What an edge is worth to the consensus that is there but points the other way.
_TURNED = 0.5
#: Less than any difference of shares that a number of resamples could make.
_TIE = 1e-9


class Stable(NamedTuple):
    """Pairs of columns that are joined in most resamples.

    Attributes
    ----------
    edges
        The frame :attr:`Confidence.edges`, of the pairs above the threshold.
    threshold
        The share of resamples.
    expected_false
        How many of them, at most, are expected to be pairs that a random half of the rows joins no
        more often than the average pair; None where no theory bounds it.
    why
        What the bound rests on, or why there is none.
    """

    edges: pd.DataFrame
    threshold: float
    expected_false: float | None
    why: str


@dataclass(frozen=True, eq=False)
class Confidence:
    """How sure the edges of a graph are, by what is found when rows are drawn again.

    Attributes
    ----------
    names
        The variables, (d,).
    probabilities
        (d, d): the share of resamples with i -> j; where a resample leaves the direction open, it
        counts half each way.
    resamples
        The graphs themselves, by their numbers, while they are few enough to be kept.
    asked, done
        How many resamples were asked for, and how many there are.
    method
        How rows were drawn.
    score_name
        What Q is called.
    graph
        (d, d): the weights of the graph learned from the whole table.
    units
        (d, d): what a weight is multiplied by to be one between standard deviations; NaN where the
        model does not tell.
    rises
        (d, d): by how much the score rises without each of its edges, at the same order; NaN for
        all others, and where that takes long.
    before, required
        (d, d): who must stand before whom and which edges must be, as far as is known; or None.
    remarks
        What a reader should know.
    interrupted
        Whether the run was ended before all resamples were done.
    """

    names: tuple[str, ...]
    probabilities: NDArray[np.float64] = field(repr=False)
    resamples: tuple[Resample, ...] = field(repr=False)
    asked: int
    done: int
    method: str
    score_name: str
    graph: NDArray[np.float64] = field(repr=False)
    units: NDArray[np.float64] = field(repr=False)
    rises: NDArray[np.float64] = field(repr=False)
    before: NDArray[np.bool_] | None = field(repr=False, default=None)
    required: NDArray[np.bool_] | None = field(repr=False, default=None)
    remarks: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def adjacent(self) -> NDArray[np.float64]:
        """(d, d), symmetric: the share of resamples with an edge between i and j, either way."""
        return self.probabilities + self.probabilities.T

    @cached_property
    def ancestors(self) -> NDArray[np.float64]:
        """(d, d): the share of resamples with a directed path from i to j.

        Of a resample that leaves directions open, the share of a few members of its class.
        """
        return path_shares(list(self.resamples), len(self.names))

    # --- one graph -------------------------------------------------------------------------------

    @cached_property
    def consensus_(self) -> NDArray[np.bool_]:
        """The DAG (d, d) that agrees best with the resamples; see :meth:`consensus`."""
        return self.consensus().edges

    def consensus(self, threshold: float = 0.5, turned: float = _TURNED) -> Consensus:
        r"""The DAG that maximises the sum over its edges of p_ij + turned * p_ji - threshold.

        Parameters
        ----------
        threshold
            What an edge must be worth to be there.
        turned
            What an edge is worth in a resample that has it the other way round, or open. With one
            half and the threshold one half, the DAG has the least expected structural Hamming
            distance (in which an edge that is turned counts as one that is missing); with zero, an
            edge whose direction no data can tell is never there.

        Returns
        -------
        Consensus
            Its edges (d, d), the sum, and whether that was proved to be the largest. Edges that are
            known to be there are.
        """
        if not 0.0 <= threshold <= 1.0 or not 0.0 <= turned <= 1.0:
            raise InputError(
                f"threshold and turned: must be between 0 and 1, got {threshold!r} and {turned!r}"
            )
        gains = self.probabilities + turned * self.probabilities.T - threshold
        gains[self.probabilities == 0.0] = -1.0
        # Of two directions that are worth the same, the one that was learned from all rows.
        learned = (self.graph != 0.0) & (gains > 0.0)
        gains += _TIE * learned
        if self.required is not None:
            gains = np.where(self.required, np.maximum(gains, 1.0 - threshold), gains)
        found = best_dag(gains, self.before)
        ties = _TIE * int(np.count_nonzero(found.edges & learned))
        return found._replace(value=found.value - ties)

    def stable(self, threshold: float = 0.9) -> Stable:
        r"""The pairs that at least this share of the resamples joins.

        With complementary halves (``method="half"``) the expected number of false ones is at most
        :math:`q^2 / ((2 \cdot \text{threshold} - 1) P)`, with q the mean number of edges of a
        resample and P the number of pairs (Meinshausen and Buehlmann 2010; Shah and Samworth 2013,
        whose pairs of halves need no assumption). False is then a pair that a random half joins
        with a probability of at most q / P.
        """
        if not 0.0 < threshold <= 1.0:
            raise InputError(f"threshold: must be above 0 and at most 1, got {threshold!r}")
        edges = self.to_frame(threshold)
        d = len(self.names)
        pairs = d * (d - 1) / 2
        found = float(self.probabilities.sum())
        if self.method not in METHODS or not METHODS[self.method].pairs:
            why = f"no theory bounds it for method={self.method!r}; method='half' has one"
            return Stable(edges, threshold, None, why)
        if threshold <= 0.5:
            return Stable(edges, threshold, None, "the bound holds for thresholds above 0.5")
        bound = found**2 / ((2.0 * threshold - 1.0) * pairs)
        why = (
            f"complementary halves: {found:.3g} of {pairs:g} pairs are joined in a resample on "
            "average"
        )
        return Stable(edges, threshold, bound, why)

    # --- numbers ---------------------------------------------------------------------------------

    @property
    def edges(self) -> pd.DataFrame:
        """A row for each pair that some resample joins, the most frequent first.

        ``frequency`` is the share of resamples with an edge either way, ``direction`` that of this
        direction (the more frequent one); ``weight``, ``low`` and ``high`` are median and 95
        percent interval of the weight over the resamples that have the edge; ``evidence`` is by how
        much the score of the whole table rises without the edge, at the same order; ``learned`` and
        ``consensus`` say whether the graph of the whole table and the consensus have it.
        """
        return self.to_frame()

    def to_frame(self, at_least: float = 0.0) -> pd.DataFrame:
        """The rows of :attr:`edges` with a frequency of at least ``at_least``."""
        from toposwap.certainty.frame import pair_frame

        return pair_frame(self, at_least)

    @cached_property
    def weight_interval(self) -> tuple[NDArray[np.float64], ...]:
        """Lower end, median and upper end of the weights, (d, d) each; NaN where there are none."""
        d = len(self.names)
        tables = tuple(np.full((d, d), np.nan) for _ in _QUANTILES)
        for pair, values in weight_quantiles(list(self.resamples), d, _QUANTILES).items():
            for table, value in zip(tables, values, strict=True):
                table[pair] = value
        return tables

    def doubt(self) -> Doubt:
        """What tables, files and pictures of a graph are told of its edges."""
        from toposwap.report.graph import Doubt

        low, _, high = self.weight_interval
        return Doubt(self.adjacent, self.probabilities, low, high)

    def reported(self) -> ReportedGraph:
        """The consensus as reports show it, with the medians of the weights."""
        from toposwap.certainty.frame import reported

        return reported(self)

    def as_record(self) -> dict[str, Any]:
        """Everything but the resamples themselves, as JSON can hold it."""
        stable = self.stable()
        names = self.names
        return {
            "resamples": {"asked": self.asked, "done": self.done, "method": self.method},
            "interrupted": self.interrupted,
            "score_name": self.score_name,
            "names": list(names),
            "pairs": self.edges.to_dict("records"),
            "consensus": [[names[i], names[j]] for i, j in np.argwhere(self.consensus_)],
            "stable": {
                "threshold": stable.threshold,
                "pairs": len(stable.edges),
                "expected_false": stable.expected_false,
            },
            "probabilities": self.probabilities.tolist(),
            "remarks": list(self.remarks),
        }

    # --- pictures and files ----------------------------------------------------------------------

    def plot(
        self, ax: Axes | None = None, *, most: int | None = None, title: str | None = None
    ) -> Axes:
        """Draw the consensus, edges the paler the fewer resamples have them.

        Without an arrowhead are edges of which less than three quarters point one way. ``ax`` is
        where to draw, by default a new figure that is as large as the graph needs; ``most`` how
        many edges, the surest, by default as many as can be followed by eye.
        """
        from toposwap.report.plot.graph import natural_size, plot_graph, require_matplotlib
        from toposwap.report.plot.selection import Part

        require_matplotlib("plot")
        part = Part(self.reported())
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.subplots(figsize=natural_size(part, most), layout="constrained")[1]
        return plot_graph(part, ax, title=title, most=most)

    def draw(self, path: str | os.PathLike[str], title: str | None = None) -> None:
        """Write the picture of :meth:`plot` to ``path`` (.png, .svg or .pdf)."""
        from toposwap.report.plot.graph import graph_figure, require_matplotlib, write_picture

        require_matplotlib("draw")
        write_picture(path, lambda: graph_figure(self.reported(), title))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, completely or not at all; :func:`load_confidence` reads."""
        from toposwap.certainty.files import save

        save(self, path)

    def __repr__(self) -> str:
        d = len(self.names)
        sure = int(np.count_nonzero(np.triu(self.adjacent, 1) >= 0.9))
        doubted = int(np.count_nonzero(np.triu(self.adjacent, 1) >= 0.5)) - sure
        short = " (interrupted)" if self.interrupted else ""
        return (
            f"Confidence({self.done} resamples{short} by {self.method!r}, {d} columns, score "
            f"{self.score_name}: {sure} pairs joined in at least 90 percent, {doubted} more in at "
            "least 50)"
        )

    def _repr_html_(self) -> Any:
        return f"<p>{self!r}</p>{self.to_frame(0.05).to_html(float_format='{:.3g}'.format)}"
