"""Colours, markers and dashes: the same for a method everywhere, no two alike in a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

# Okabe and Ito: told apart with any kind of colour vision.
BLUE, ORANGE, GREEN, SKY = "#0072B2", "#D55E00", "#009E73", "#56B4E9"
PINK, YELLOW, GREY, INK = "#CC79A7", "#E69F00", "#8A939C", "#1B1F24"


class Style(NamedTuple):
    """Of a method's line; bars have its colour alone."""

    colour: str
    marker: str
    dash: str


#: The paper's algorithm is blue and solid, this package's own search blue-green and solid, the
#: others dashed.
_METHODS = {
    "random-topo": Style(BLUE, "o", "-"),
    "notears-topo": Style(SKY, "s", "-"),
    "topo": Style("#003B73", "D", "-"),
    "random-auto": Style("#1B9AAA", "o", "-"),
    "notears-auto": Style("#7FC8C2", "s", "-"),
    "auto": Style("#0B5D5E", "D", "-"),
    "random-auto-pruned": Style("#14746F", "p", "-"),
    "random-auto-l0": Style("#52B788", "h", "-"),
    "random-auto-ls": Style("#40916C", "v", "-"),
    "random-auto-bic": Style("#95D5B2", "P", "-"),
    "auto-stronger": Style("#52B788", "h", "-"),
    "ls-topo": Style("#5C6BC0", "^", "-"),
    "ls-topo-pruned": Style("#9FA8DA", "p", "-"),
    "greedy-random-topo": Style(GREEN, "D", "-"),
    "true-order": Style(INK, "*", ":"),
    "notears": Style(ORANGE, "^", "--"),
    "notears-mlp": Style(ORANGE, "^", "--"),
    "nofears": Style(PINK, "v", "--"),
    "kkts": Style(PINK, "v", "--"),
    "golem-ev": Style(YELLOW, "P", "--"),
    "golem-nv": Style(GREEN, "X", "--"),
    "pc": Style(GREY, "<", ":"),
    "ges": Style(GREY, ">", "-."),
    "dagma": Style("#6A3D9A", "d", "--"),
    "boss": Style("#B15928", "p", "-."),
    "flop": Style("#33A02C", "h", "-."),
    "direct-lingam": Style("#A6761D", "8", ":"),
    "order": Style(GREY, ".", "-"),
}
_OTHERS = [
    Style(colour, marker, "-")
    for colour, marker in zip(
        (BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, GREY, INK), "osD^vP*X", strict=True
    )
]


def styles_of(labels: Iterable[Any]) -> dict[Any, Style]:
    """A style for each label; those without one of their own take colours that nobody has."""
    styles = {label: _METHODS.get(str(label)) for label in labels}
    taken = {style.colour for style in styles.values() if style is not None}
    free = [style for style in _OTHERS if style.colour not in taken]
    free += [style for style in _OTHERS if style.colour in taken]
    rest = (label for label, style in styles.items() if style is None)
    dashes = ("-", "--", ":", "-.")
    for k, label in enumerate(rest):
        dash = dashes[k // len(free) % len(dashes)]
        styles[label] = free[k % len(free)]._replace(dash=dash)
    return {label: style for label, style in styles.items() if style is not None}
