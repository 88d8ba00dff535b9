"""Tables of numbers: their shapes, kinds of columns, units and dependences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fuzz.names import draw_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fuzz.draws import Draw

KINDS = {
    "continuous": 45.0,
    "binary": 12.0,
    "counts": 9.0,
    "codes": 6.0,
    "mixed": 14.0,
    "heavy tails": 8.0,
    "mostly zeros": 6.0,
}
UNITS = {
    "alike": 55.0,
    "some decades": 14.0,
    "extreme, each": 9.0,
    "extreme, all": 6.0,
    "near the limits": 3.0,
    "large mean": 9.0,
    "shifted": 4.0,
}
DEPENDENCES = {
    "none": 66.0,
    "copy": 5.0,
    "multiple": 4.0,
    "sum": 6.0,
    "nearly": 9.0,
    "constant": 5.0,
    "one row differs": 3.0,
    "not finite": 2.0,
    "gaps": 8.0,
}


@dataclass(eq=False)
class Table:
    """Numbers (n, d) with names, and how they were made.

    Attributes
    ----------
    values, names
        What a learner is to see.
    kind, units, dependence
        Keys of :data:`KINDS`, :data:`UNITS` and :data:`DEPENDENCES`.
    """

    values: NDArray[np.float64] = field(repr=False)
    names: list[str]
    kind: str
    units: str = "alike"
    dependence: str = "none"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, d = self.values.shape
        return n, d

    @property
    def plain(self) -> bool:
        """Whether every score of continuous columns must be able to fit it."""
        n, d = self.shape
        usual = self.units in ("alike", "some decades", "shifted")
        return (
            self.kind == "continuous"
            and usual
            and self.dependence == "none"
            and d >= 2
            and n >= max(30, 10 * d)
        )

    def __str__(self) -> str:
        n, d = self.shape
        return f"{n} x {d} {self.kind}, units {self.units}, dependence {self.dependence}"


def draw_table(draw: Draw, kind: str | None = None, *, small: bool = False) -> Table:
    """A table of one ``kind``, or of any; ``small`` where a fit takes long."""
    n, d = _shape(draw, small=small)
    kind = draw.weighed(KINDS) if kind is None else kind
    values = _columns(draw, n, d, kind)
    table = Table(values, draw_names(draw, d), kind)
    if kind in ("continuous", "heavy tails", "mixed") or draw.chance(0.1):
        table.units = draw.weighed(UNITS)
        _change_units(draw, table)
    table.dependence = draw.weighed(DEPENDENCES)
    _make_dependent(draw, table)
    return table


def _shape(draw: Draw, *, small: bool) -> tuple[int, int]:
    if small:
        return draw.whole(4, 80), draw.whole(2, 4)
    d = draw.whole(*draw.weighed({(1, 1): 1, (2, 4): 52, (5, 8): 43, (9, 16): 3.5, (20, 40): 0.5}))
    fewer = (2, max(2, d))
    rows = {"one": (1, 1), "hardly any": (2, 6), "fewer than columns": fewer, "few": (7, 40)}
    rows |= {"usual": (41, 300), "many": (300, 2000)}
    shares = (0.7, 5.0, 5.0, 28.0, 60.0, 1.3)
    n = draw.whole(*rows[draw.weighed(dict(zip(rows, shares, strict=True)))])
    return n, d


def _latent(draw: Draw, n: int, d: int, noise: str) -> NDArray[np.float64]:
    """Columns of a linear model over a random graph."""
    rng = draw.rng
    share = rng.uniform(0.0, 1.0)
    edges = np.triu(rng.random((d, d)) < share, 1)
    W = edges * rng.uniform(0.3, 2.0, (d, d)) * rng.choice([-1.0, 1.0], (d, d))
    if noise == "normal":
        Z = rng.standard_normal((n, d))
    elif noise == "uniform":
        Z = rng.uniform(-1.0, 1.0, (n, d))
    elif noise == "heavy":
        Z = rng.standard_t(1.2, (n, d))
    else:
        Z = rng.exponential(1.0, (n, d))
    X = np.zeros((n, d))
    for j in range(d):
        X[:, j] = X @ W[:, j] + Z[:, j]
    return X[:, rng.permutation(d)]


def _columns(draw: Draw, n: int, d: int, kind: str) -> NDArray[np.float64]:
    rng = draw.rng
    if kind == "heavy tails":
        return _latent(draw, n, d, "heavy")
    X = _latent(draw, n, d, draw.among(["normal", "normal", "uniform", "exponential"]))
    if kind == "continuous":
        return X
    kinds = [kind] * d
    if kind == "mixed":
        kinds = [draw.among(["continuous", "binary", "counts", "codes"]) for _ in range(d)]
    for j, one in enumerate(kinds):
        x = X[:, j] / max(float(X[:, j].std()), 1e-300)
        if one == "binary":
            low, high = draw.among([(0.0, 1.0), (0.0, 1.0), (1.0, 2.0), (-1.0, 1.0), (0.1, 0.3)])
            X[:, j] = np.where(x > rng.normal(0.0, 0.7, n) + rng.normal(0.0, 0.5), high, low)
        elif one == "counts":
            X[:, j] = rng.poisson(np.exp(np.clip(0.5 * x + rng.uniform(-1.0, 2.0), -5.0, 5.0)))
        elif one == "codes":
            X[:, j] = np.floor(np.clip(x + 2.5, 0.0, 5.0)) + draw.among([0.0, 1.0, -2.0])
        elif one == "mostly zeros":
            X[:, j] = np.where(rng.random(n) < rng.uniform(0.6, 0.99), 0.0, X[:, j])
    return X


def _change_units(draw: Draw, table: Table) -> None:
    rng, X = draw.rng, table.values
    d = X.shape[1]
    if table.units == "some decades":
        X *= 10.0 ** rng.uniform(-4.0, 4.0, d)
    elif table.units == "extreme, each":
        reach = draw.among([20.0, 80.0, 150.0])
        X *= 10.0 ** rng.uniform(-reach, reach, d)
    elif table.units == "extreme, all":
        X *= 10.0 ** rng.uniform(-150.0, 150.0)
    elif table.units == "near the limits":
        X *= 10.0 ** rng.choice([-320.0, -154.0, -152.0, -151.0, 151.0, 152.0, 153.0, 290.0], d)
    elif table.units == "large mean":
        X *= draw.among([1e-2, 1e-4, 1.0])
        X += rng.choice([1e8, -1e8, 1e6, 1e12, 0.0], d)
    elif table.units == "shifted":
        X += rng.uniform(-10.0, 10.0, d)


def _make_dependent(draw: Draw, table: Table) -> None:
    rng, X = draw.rng, table.values
    n, d = X.shape
    j = draw.whole(0, d - 1)
    others = [k for k in range(d) if k != j]
    if table.dependence == "constant":
        value = draw.among([0.1, 0.0, 1.0, 1e8, -0.3, 1.0 / 3.0, 1e-100, 123456.789])
        X[:, j] = np.full(n, value)
    elif table.dependence == "one row differs":
        X[:, j] = draw.among([0.0, 0.1, 1e6])
        X[draw.whole(0, n - 1), j] += draw.among([1.0, 1e-3, 1e-12, 1e6])
    elif table.dependence == "not finite":
        X[draw.whole(0, n - 1), j] = draw.among([np.nan, np.inf, -np.inf])
    elif table.dependence == "gaps":
        share = draw.among([0.01, 0.1, 0.3, 0.6])
        X[rng.random((n, d)) < share] = np.nan
        if draw.chance(0.1):
            X[draw.whole(0, n - 1)] = np.nan
        if draw.chance(0.03):
            X[:, j] = np.nan
    elif not others:
        return
    elif table.dependence == "copy":
        X[:, j] = X[:, draw.among(others)]
    elif table.dependence == "multiple":
        X[:, j] = draw.among([-1.0, 2.0, 1.0 / 3.0, 1e3, 1e-9]) * X[:, draw.among(others)]
    elif table.dependence in ("sum", "nearly"):
        chosen = draw.some(others, 0.6) or others[:1]
        with np.errstate(over="ignore", invalid="ignore"):
            total = X[:, chosen] @ rng.choice([-1.0, 0.5, 1.0, 2.0], len(chosen))
            if table.dependence == "nearly":
                size = float(np.abs(total).max())
                total = total + size * draw.power(-16.0, -3.0) * rng.standard_normal(n)
        X[:, j] = np.nan_to_num(total)
