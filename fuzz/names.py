"""Names of columns: usual ones, and those that terminals, pages and spreadsheets would act upon."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.draws import Draw

#: What a name may do to whoever shows it without care.
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "right\u202eleft",
    "two\nlines",
    "carriage\rreturn",
    "tab\there",
    "</script><script>alert(1)</script>",
    "<b>&amp;\"'",
    "=cmd|' /C calc'!A0",
    "@SUM(A1)",
    "+1",
    "-2",
    "a,b;c",
    'quo"te',
    "back\\slash",
    " spaces ",
    "  ",
    "nul\x00byte",
    "\x7fdelete\x9b",
    "ünïcödé 变量 🦊",
    "e\u0301 combining",
    "\ufeffbom",
    "[link=x]rich[/link]",
    "$math_{1}^2$",
    "%s %d {0}",
    "x" * 400,
    "->",
    "node",
    "nan",
    "None",
    "source",
    "target",
    "weight",
    "0.5",
    "\ud800",
)


def draw_names(draw: Draw, d: int, hostile: float = 0.04) -> list[str]:
    """``d`` different names, rarely some that are hostile."""
    names = [f"x{k}" for k in range(d)]
    if draw.chance(hostile):
        for k in range(d):
            if draw.chance(0.5):
                name = draw.among(HOSTILE)
                names[k] = name if name not in names else f"{name}{k}"
    return names
