"""Knowledge about a table, drawn at random, and whether a graph obeys it, by the words alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap import Knowledge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fuzz.draws import Draw
    from fuzz.tables import Table

#: How often a sentence is drawn without regard to the others, so that some contradict each other.
_WILD = 0.1
#: Chances of each kind of sentence.
_KINDS = {
    "tiers": 0.4, "forbidden": 0.5, "required": 0.4, "roots": 0.2, "leaves": 0.2,
    "ancestors": 0.25, "not_ancestors": 0.25, "closed_tiers": 0.3,
}  # fmt: skip


def draw_knowledge(draw: Draw, table: Table) -> Any:
    """Sentences about the columns of ``table``, by name or position."""
    names: list[Any] = draw.among([list(map(str, table.names)), list(range(table.shape[1]))])
    return random_knowledge(draw.rng, list(names))


def random_knowledge(rng: np.random.Generator, names: Sequence[Any]) -> Knowledge:
    """A few sentences, most of which a hidden order obeys; some contradict each other."""
    d = len(names)
    hidden = rng.permutation(d)
    said: dict[str, list[Any]] = {}
    drawn = {kind for kind, chance in _KINDS.items() if rng.random() < chance}
    if "tiers" in drawn:
        cuts = np.sort(rng.integers(0, d + 1, int(rng.integers(1, 4))))
        groups = np.split(hidden, cuts)
        named = [[names[v] for v in group if rng.random() < 0.85] for group in groups]
        said["tiers"] = named
        if "closed_tiers" in drawn:
            said["closed_tiers"] = [int(rng.integers(len(named)))]
    for kind in ("forbidden", "required", "ancestors", "not_ancestors"):
        if kind in drawn and d > 1:
            most = d if kind == "forbidden" else max(1, d // 3)
            said[kind] = [
                _pair(rng, names, hidden, backward=kind == "not_ancestors")
                for _ in range(int(rng.integers(1, most + 1)))
            ]
    if "roots" in drawn:
        said["roots"] = [names[int(hidden[0] if rng.random() > _WILD else rng.integers(d))]]
    if "leaves" in drawn:
        said["leaves"] = [names[int(hidden[-1] if rng.random() > _WILD else rng.integers(d))]]
    return Knowledge(**said)


def _pair(
    rng: np.random.Generator, names: Sequence[Any], hidden: NDArray[np.int64], *, backward: bool
) -> tuple[Any, Any]:
    first, second = np.sort(rng.choice(len(names), 2, replace=False))
    if rng.random() < _WILD or (backward and rng.random() < 0.6):
        first, second = second, first
    return names[hidden[first]], names[hidden[second]]


def disobeyed(W: NDArray[np.float64], known: Knowledge, names: Sequence[str]) -> Iterator[str]:
    """What the graph of ``W`` (d, d) does against ``known``, which calls columns as they are."""
    place = {name: k for k, name in enumerate(names)} | {k: k for k in range(len(names))}
    A = W != 0.0
    reached = np.linalg.matrix_power(np.eye(len(A)) + A, len(A)) > 0.0
    tiers = [[place[v] for v in tier] for tier in known.tiers]
    for early, late in pairwise(range(len(tiers))):
        later = [v for tier in tiers[late:] for v in tier]
        if reached[np.ix_(later, tiers[early])].any():
            yield f"tier {early} has causes in later ones"
    for k in known.closed_tiers:
        if A[np.ix_(tiers[k], tiers[k])].any():
            yield f"tier {k} is not closed"
    pairs = {kind: [(place[i], place[j]) for i, j in getattr(known, kind)] for kind in (
        "forbidden", "required", "ancestors", "not_ancestors")}  # fmt: skip
    for kind, table, wanted in (
        ("forbidden", A, False), ("required", A, True),
        ("ancestors", reached, True), ("not_ancestors", reached, False),
    ):  # fmt: skip
        yield from (f"{kind}: {i} -> {j}" for i, j in pairs[kind] if table[i, j] != wanted)
    if known.allowed is not None:
        outside = A.copy()
        for i, j in (*known.allowed, *known.required):
            outside[place[i], place[j]] = False
        yield from (f"not allowed: {i} -> {j}" for i, j in np.argwhere(outside))
    yield from (f"root {v} has causes" for v in known.roots if A[:, place[v]].any())
    yield from (f"leaf {v} has effects" for v in known.leaves if A[place[v]].any())
