"""What the kernels of scores on contingency tables work on: the codes, the rule, the nodes.

Few arrays, each for several things: what a call hands over is compiled at every call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Counts below this have their terms in a table.
LOOKED_UP = 128
#: Binary digits of the number of such tables.
SLOT_BITS = 8
#: Terms are whole multiples of this: their sums are the same in whatever order.
UNIT = 2.0**-32
#: Parts of cells that are counted by bits: at least, and at most if they take no more words.
_FEWEST_MASKS, _MOST_MASKS, _MASK_WORDS = 128, 1024, 1 << 17
#: Rows of ``places``: the order, the position of each variable, who is worth trying again, and
#: whose parents changed since a chain last cleared it.
ORDER, POSITION, PENDING, TOUCHED = 0, 1, 2, 3
#: Parts of ``memory``: what gaining or losing a candidate changes, NaN where unknown.
GAINED, LOST = 0, 1
#: Places of ``Cache.used``: entries, and rows of costs.
ENTRIES, ROWS = 0, 1


class Rule(NamedTuple):
    """The data and the score, and which edges and orders there may be.

    ``codes`` (d, m) are the columns of the different rows, ``times`` (m,) how often each row
    counts, ``sizes`` (d,) the numbers of levels, ``by_size`` (d,) the columns by these. Nodes that
    share the rows that count for them are a ``group`` (d,), whose rows are those from ``begins[g]``
    to ``begins[g + 1]``. The same rows, each as often as it counts, are bits of 64 a word:
    ``planes`` (sum of sizes, w) has a plane for every level, those of column j from ``level[j]`` to
    ``level[j + 1]``, and the words of group g from ``words[g]`` to ``words[g + 1]``; no words where
    there are far more rows than different ones. ``prior``
    is the equivalent sample size of BDeu, 0 for BIC, whose ``price`` a parameter costs.
    ``allowed[z, u]``: u may be a parent of z; ``before[u, v]``: u must stand before v;
    ``required[z, u]``: u is a parent of z whatever it brings. They are looked at only if
    ``masked``, ``ordered`` or ``demanding``. ``signs`` (2, d) are random bits, which make the key
    of a set: those of a node and those of its parents.
    """

    codes: NDArray[np.int16]
    times: NDArray[np.int32]
    sizes: NDArray[np.int64]
    by_size: NDArray[np.int64]
    group: NDArray[np.int64]
    begins: NDArray[np.int64]
    planes: NDArray[np.uint64]
    level: NDArray[np.int64]
    words: NDArray[np.int64]
    prior: float
    price: float
    allowed: NDArray[np.bool_]
    masked: bool
    before: NDArray[np.bool_]
    ordered: bool
    required: NDArray[np.bool_]
    demanding: bool
    signs: NDArray[np.uint64]


class Work(NamedTuple):
    """Room for one count.

    ``rows`` (3, m): row numbers sorted by the cells of the parents, workspace, and the node's codes
    in that sequence; ``begin`` (m + 1,) where each cell begins; ``times`` (m,) in that sequence;
    ``table`` counts by the node's and a candidate's level, twice, ``margin`` by the latter alone,
    zero between calls. ``sums`` (2, slots, LOOKED_UP) are the terms of small counts, of cells with
    the node and without, ``large`` (2, slots, 2) what those of large counts are made of, ``known``
    (2, slots) for how many cells, ``slot`` (2,) which of them are meant; ``places`` for sorting.
    ``masks`` (2, parts, w) and ``tallies`` (3, parts + 1) are for counts by bits.
    """

    rows: NDArray[np.int32]
    begin: NDArray[np.int64]
    times: NDArray[np.int32]
    table: NDArray[np.int32]
    margin: NDArray[np.int32]
    sums: NDArray[np.int64]
    large: NDArray[np.float64]
    known: NDArray[np.float64]
    slot: NDArray[np.int64]
    places: NDArray[np.int64]
    masks: NDArray[np.uint64]
    tallies: NDArray[np.int64]


class Cache(NamedTuple):
    """Costs of nodes by their parents, in a table with open addresses.

    ``place`` (H,) is one more than the number of an entry, 0 where none is; entries lie close
    together, since those in use then stay near the processor. Of each of them ``keys`` (H / 2,),
    ``cost`` (H / 2,) and ``row`` (H / 2,), the place in ``rows`` (R, d) of the costs with one
    parent more, -1 if they are not known; ``complete`` (R,) tells which of these know all
    candidates; ``used`` (2,).
    """

    place: NDArray[np.int32]
    keys: NDArray[np.uint64]
    cost: NDArray[np.float64]
    row: NDArray[np.int64]
    rows: NDArray[np.float64]
    complete: NDArray[np.bool_]
    used: NDArray[np.int64]


class Counter(NamedTuple):
    """What is asked for costs: the rule, room to count, and what was counted before."""

    rule: Rule
    work: Work
    cache: Cache


class Nodes(NamedTuple):
    """All nodes of an order, and two more as copies of the one that moves and one that it passes.

    ``parents`` (d + 2, K + 1): how many, and which; ``cost`` (d + 2,); ``places`` (4, d);
    ``memory[GAINED][w, v]`` and ``memory[LOST][w, v]`` (2, d, d) what gaining or losing v changes
    for w.
    """

    parents: NDArray[np.int64]
    cost: NDArray[np.float64]
    places: NDArray[np.int64]
    memory: NDArray[np.float64]

    @property
    def d(self) -> int:
        """Number of variables."""
        return self.places.shape[1]

    def copy_from(self, other: Nodes) -> None:
        """Take over every table."""
        for mine, theirs in zip(self, other, strict=True):
            mine[...] = theirs


def empty_nodes(d: int, most: int) -> Nodes:
    """Room for ``d`` nodes with at most ``most`` parents each."""
    places = np.zeros((4, d), dtype=np.int64)
    places[PENDING] = 1
    return Nodes(
        parents=np.zeros((d + 2, most + 1), dtype=np.int64),
        cost=np.zeros(d + 2),
        places=places,
        memory=np.full((2, d, d), np.nan),
    )


#: Bytes of a cache, of which only those in use are touched.
_BYTES = 1 << 27


def new_work(rule: Rule) -> Work:
    """Room for counts of the data of ``rule``."""
    m = int(np.diff(rule.begins).max())
    largest = np.sort(rule.sizes)[::-1]
    slots = 1 << SLOT_BITS
    words = int(np.diff(rule.words).max())
    masks = min(_MOST_MASKS, max(_FEWEST_MASKS, _MASK_WORDS // max(words, 1)))
    return Work(
        rows=np.empty((3, m), dtype=np.int32),
        begin=np.empty(m + 1, dtype=np.int64),
        times=np.empty(m, dtype=np.int32),
        table=np.zeros(2 * int(largest[0] * largest[1]), dtype=np.int32),
        margin=np.zeros(int(largest[0]), dtype=np.int32),
        sums=np.empty((2, slots, LOOKED_UP), dtype=np.int64),
        large=np.empty((2, slots, 2)),
        known=np.zeros((2, slots)),
        slot=np.zeros(2, dtype=np.int64),
        places=np.empty(max(int(largest[0]), m) + 1, dtype=np.int64),
        masks=np.empty((2, masks, words), dtype=np.uint64),
        tallies=np.zeros((3, masks + 1), dtype=np.int64),
    )


def new_cache(d: int) -> Cache:
    """Room for costs of ``d`` nodes; what is full is begun again."""
    rows = max(64, _BYTES // (8 * d))
    entries = 1 << 19
    return Cache(
        place=np.zeros(2 * entries, dtype=np.int32),
        keys=np.empty(entries, dtype=np.uint64),
        cost=np.empty(entries),
        row=np.empty(entries, dtype=np.int64),
        rows=np.empty((rows, d)),
        complete=np.empty(rows, dtype=np.bool_),
        used=np.zeros(2, dtype=np.int64),
    )
