"""Linear or logarithmic: an axis on which one method does not hide all the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Times differ by orders of magnitude among methods as a rule.
_ALWAYS = ("seconds", "cpu_seconds", "total_seconds")
#: What has no bound above; counts of edges and rates have one.
_UNBOUNDED = ("score", "order_score", "loss", "graph_loss", "residual")
#: Beyond this ratio the smaller values of a linear axis are one line at its bottom.
_RATIO = 50.0


class Scale(NamedTuple):
    """The name of a scale, and up to which size a symmetric one is linear."""

    name: Literal["linear", "log", "symlog"]
    linear_up_to: float | None = None


def scale_of(metric: str, means: Iterable[float]) -> Scale:
    """The scale for these values of ``metric``; values that are not finite do not count.

    Logarithmic if the largest is more than 50 times the smallest. With values below zero,
    symmetrically so if the largest |value| is more than 50 times that in the middle.
    """
    finite = np.array([mean for mean in means if math.isfinite(mean)])
    if metric not in (*_ALWAYS, *_UNBOUNDED) or not finite.any():
        return Scale("linear")
    positive = finite[finite > 0.0]
    if len(positive) == np.count_nonzero(finite):
        explodes = positive.max() > _RATIO * positive.min()
        return Scale("log" if metric in _ALWAYS or explodes else "linear")
    sizes = np.abs(finite)
    middle = float(np.median(sizes[sizes > 0.0]))
    if sizes.max() <= _RATIO * middle:
        return Scale("linear")
    # A power of ten, where ticks are.
    return Scale("symlog", 10.0 ** math.ceil(math.log10(middle)))


def set_scale(ax: Any, axis: Literal["x", "y"], metric: str, means: Iterable[float]) -> None:
    """Give the ``axis`` of ``ax`` the scale of :func:`scale_of`; numbers of edges begin at 0."""
    scale = scale_of(metric, means)
    change = ax.set_xscale if axis == "x" else ax.set_yscale
    if scale.name == "symlog":
        change("symlog", linthresh=scale.linear_up_to)
        # The margins of a linear axis reach over orders of magnitude here.
        ax.autoscale(axis=axis)
    elif scale.name == "log":
        change("log")
    elif metric == "shd" and axis == "y":
        ax.set_ylim(bottom=0)
