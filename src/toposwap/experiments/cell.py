"""One combination of data, method and seed, and the key it is remembered by."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from toposwap import __version__

if TYPE_CHECKING:
    from toposwap.experiments.scores import Spec

Settings: TypeAlias = dict[str, Any]

#: What only shows results: changing it does not make them out of date.
_PRESENTATION = ("cli", "report", "io", "data")
#: The part of this package that makes results.
_COMPUTING = ("datasets", "methods", "evaluate.py", "scores.py", "execution")


@dataclass(frozen=True, eq=False)
class Cell:
    """What determines a result.

    Attributes
    ----------
    data
        ``kind`` (a name in ``datasets``) and its settings.
    method
        ``kind`` (a name in ``methods``) and its settings; ``start`` is the method whose weights it
        starts from, if any.
    score
        Q (see :mod:`toposwap.experiments.scores`), by which every method is judged and which ours
        minimise.
    threshold
        Edges with a smaller |weight| are not counted in the graph.
    seed
        Of the data, and of whatever is random in the method.
    """

    data: Settings
    method: Settings
    score: Spec
    threshold: float
    seed: int

    def content(self) -> Settings:
        """Everything, as JSON would have it."""
        return {
            "data": self.data,
            "method": self.method,
            "score": self.score,
            "threshold": self.threshold,
            "seed": self.seed,
        }

    @property
    def key(self) -> str:
        """A digest of the content: the same wherever the same cell is asked for."""
        text = json.dumps(self.content(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    @property
    def start(self) -> Cell | None:
        """The cell whose weights this one begins with."""
        method = self.method.get("start")
        if method is None:
            return None
        return Cell(self.data, method, self.score, self.threshold, self.seed)


@cache
def code_version() -> str:
    """The release and a digest of all source that results depend on."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if parts[0] in _PRESENTATION or (parts[0] == "experiments" and parts[1] not in _COMPUTING):
            continue
        digest.update("/".join(parts).encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{__version__}+{digest.hexdigest()[:12]}"
