"""Numbers on the command line, with errors that speak of numbers and not of types."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A finite number >= ``min``."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """``value`` as a float; click alone would let NaN pass for any range."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class Whole(click.IntRange):
    """A whole number >= ``min``."""

    name = "whole number"
