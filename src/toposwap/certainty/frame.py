"""Confidence as a table of pairs, and as the graph that reports draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from toposwap.report.graph import ReportedGraph

if TYPE_CHECKING:
    from toposwap.certainty.confidence import Confidence


def pair_frame(confidence: Confidence, at_least: float) -> pd.DataFrame:
    """A row for each pair that a share of at least ``at_least`` of the resamples joins."""
    names, shares, joined = confidence.names, confidence.probabilities, confidence.adjacent
    low, middle, high = confidence.weight_interval
    rows = []
    for i, j in np.argwhere(np.triu(joined > 0.0, 1)):
        if joined[i, j] < at_least:
            continue
        first = (shares[i, j], bool(confidence.graph[i, j]), bool(confidence.consensus_[i, j]))
        second = (shares[j, i], bool(confidence.graph[j, i]), bool(confidence.consensus_[j, i]))
        a, b = (i, j) if first >= second else (j, i)
        rows.append(
            {
                "cause": names[a],
                "effect": names[b],
                "frequency": float(joined[a, b]),
                "direction": float(shares[a, b]),
                "weight": float(middle[a, b]),
                "low": float(low[a, b]),
                "high": float(high[a, b]),
                "evidence": float(confidence.rises[a, b]),
                "learned": bool(confidence.graph[a, b] != 0.0),
                "consensus": bool(confidence.consensus_[a, b]),
            }
        )
    columns = "cause effect frequency direction weight low high evidence learned consensus"
    frame = pd.DataFrame(rows, columns=columns.split())
    by = ["frequency", "direction", "cause", "effect"]
    ascending = [False, False, True, True]
    return frame.sort_values(by, ascending=ascending, ignore_index=True)


def reported(confidence: Confidence) -> ReportedGraph:
    """The consensus, with the medians of the weights."""
    _, middle, _ = confidence.weight_interval
    edges = confidence.consensus_
    # Of an open edge the graphs that were kept may all have the other direction.
    learned = np.where(confidence.graph != 0.0, confidence.graph, np.nan)
    weights = np.where(np.isnan(middle), learned, middle)
    weights = np.where(np.isnan(weights), middle.T, weights)
    weights = np.where(edges, np.nan_to_num(weights), 0.0)
    weights = np.where(edges & (weights == 0.0), np.finfo(float).tiny, weights)
    known = bool(np.isfinite(confidence.units[edges]).all())
    standardised = np.where(edges, weights * confidence.units, 0.0)
    shares, joined = confidence.probabilities, confidence.adjacent
    undecided = edges & (np.abs(shares - shares.T) < 0.5 * joined)
    return ReportedGraph(
        confidence.names,
        weights,
        standardised,
        undecided,
        scale_free=known,
        doubt=confidence.doubt(),
    )
