"""One combination of data, method and seed, and the key it is remembered by."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from toposwap import __version__
from toposwap.experiments.own import add_folder, file_digest, is_own, located, own_sources

if TYPE_CHECKING:
    from toposwap.experiments.scores import Spec

Settings: TypeAlias = dict[str, Any]

#: What only shows results, or only asks for them.
_PRESENTATION = ("cli", "report", "io", "data")
#: The part of this package that makes results.
_COMPUTING = ("datasets", "methods", "evaluate.py", "scores.py", "execution")
_NOT_SHOWN = ("kind", "name", "start")
#: Settings of data that name files, by kind.
FILES = {"csv": ("path", "truth")}


@dataclass(frozen=True, eq=False)
class Cell:
    """What determines a result.

    Attributes
    ----------
    data
        ``kind`` (a name in ``datasets``, or "module:function") and its settings.
    method
        ``kind`` (a name in ``methods``, or "module:function") and its settings; ``start`` is the
        method whose weights it starts from, if any.
    score
        Q (see :mod:`toposwap.experiments.scores`), by which every method is judged and which ours
        minimise.
    threshold
        Edges with a smaller |weight| are not counted in the graph.
    seed
        Of the data, and of whatever is random in the method.
    folder
        Where files and modules of the user's own are looked for. It is not part of the key.
    """

    data: Settings
    method: Settings
    score: Spec
    threshold: float
    seed: int
    folder: str = "."

    def content(self) -> Settings:
        """Everything that the config says, as JSON would have it."""
        return {
            "data": self.data,
            "method": self.method,
            "score": self.score,
            "threshold": self.threshold,
            "seed": self.seed,
        }

    @cached_property
    def key(self) -> str:
        """A digest of what is computed: the same wherever the same cell is asked for.

        It is that of :meth:`content`, with a digest of its content in the place of each file's
        name, and with digests of the modules of the user's own. Neither the place of any file nor
        the source of this package is part of it; :func:`code_version` tells of the latter.
        """
        content = self.content()
        files = self.files()
        if files:
            content["data"] = {**self.data, **{k: file_digest(path) for k, path in files.items()}}
        own = self.own_names()
        if own:
            add_folder(self.folder)
            content["own"] = own_sources(own)
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    @property
    def start(self) -> Cell | None:
        """The cell whose weights this one begins with."""
        method = self.method.get("start")
        if method is None:
            return None
        return Cell(self.data, method, self.score, self.threshold, self.seed, self.folder)

    def files(self) -> dict[str, Path]:
        """The settings of the data that are names of files, and where these are."""
        names = FILES.get(self.data.get("kind", ""), ())
        return {k: located(str(self.data[k]), self.folder) for k in names if k in self.data}

    def located_data(self) -> Settings:
        """The settings of the data, with files where they are."""
        return {**self.data, **{key: str(path) for key, path in self.files().items()}}

    def own_names(self) -> list[str]:
        """Each "module:function" of this cell and of what it starts from."""
        method: Settings | None = self.method
        names = [self.data.get("kind"), _name(self.score)]
        while method is not None:
            names += [method.get("kind"), _name(method.get("score", ""))]
            method = method.get("start")
        return list(dict.fromkeys(name for name in names if isinstance(name, str) and is_own(name)))


def shown(settings: Settings) -> Settings:
    """The settings that say which row or column of a table this is; lists as text."""
    return {
        key: value if isinstance(value, str | int | float) else str(value)
        for key, value in settings.items()
        if key not in _NOT_SHOWN
    }


def _name(score: Spec) -> Any:
    return score if isinstance(score, str) else score.get("name")


@cache
def code_version() -> str:
    """The release and a digest of all source that results depend on.

    It is written beside every result, to be shown; results of other versions stay valid until
    somebody asks for fresh ones.
    """
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if parts[0] in _PRESENTATION or (parts[0] == "experiments" and parts[1] not in _COMPUTING):
            continue
        digest.update("/".join(parts).encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{__version__}+{digest.hexdigest()[:12]}"
