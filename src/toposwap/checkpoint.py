"""A file from which a search goes on after its process was killed, to the same answer.

The file holds where a search stands (:class:`~toposwap.search.base.Standing`) with all that the fit
remembers, and what it belongs to: data, score, search, start, seed and version. It is replaced as a
whole, so that a kill at any moment leaves one that can be read.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap import __version__
from toposwap.core.errors import InputError
from toposwap.core.runtime.clock import clock
from toposwap.io.atomic import check_writable, replacing
from toposwap.search.base import Standing

if TYPE_CHECKING:
    from typing import BinaryIO

    from toposwap.core.admissible import Admissible
    from toposwap.core.dataset import Dataset
    from toposwap.scores.base import BoundScore, Score
    from toposwap.search.base import Search

#: A write may take this part of the time between two of them.
_PART = 0.05
_FORMAT = "toposwap checkpoint 1"
#: Settings of a search that do not change where it ends.
_PACE = ("n_jobs", "n_threads", "time_budget")
#: What a file may name besides this package's classes: it is read, not run.
_NUMPY = {"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype"}
_PLAIN = {
    "builtins": {"set", "frozenset", "bytearray", "complex", "range", "slice"},
    "collections": {"OrderedDict", "deque", "defaultdict"},
}


class Begun(NamedTuple):
    """How the fit that a search began with came about."""

    surrogates_followed: bool
    remark: str | None


class Checkpoint:
    """Where a search is kept, for ``Topo(checkpoint=...)``.

    Parameters
    ----------
    path
        The file. If it is there and of the same fit, the search goes on from it.
    every
        Seconds between two writes; more where a write takes long.
    """

    def __init__(self, path: str | os.PathLike[str], every: float = 60.0) -> None:
        number = isinstance(every, int | float) and not isinstance(every, bool)
        if not (number and every >= 0.0):
            raise InputError(f"checkpoint: every must be a number of seconds >= 0, got {every!r}")
        self.path = os.fspath(path)
        self.every = float(every)

    def __repr__(self) -> str:
        return f"Checkpoint({self.path!r}, every={self.every!r})"

    @classmethod
    def of(cls, given: Any) -> Checkpoint | None:
        """What the user calls a checkpoint: None, the name of a file, or one of these."""
        if given is None or isinstance(given, Checkpoint):
            return given
        if isinstance(given, str | os.PathLike) and os.fspath(given):
            return cls(given)
        raise InputError(f"checkpoint: must be the name of a file, got {given!r}")

    def opened(self, belongs_to: str) -> Opened:
        """For one fit; refused now if the file could not be written in a minute."""
        check_writable(self.path)
        return Opened(self, belongs_to)


class Opened:
    """A checkpoint of one fit: ``belongs_to`` says of which."""

    def __init__(self, checkpoint: Checkpoint, belongs_to: str) -> None:
        self._path, self._every = checkpoint.path, checkpoint.every
        self._belongs_to = belongs_to
        self._written, self._took = clock(), 0.0
        self.begun = Begun(surrogates_followed=False, remark=None)

    def kept(self, bound: BoundScore) -> Standing | None:
        """What the file holds of this fit, on ``bound``; None where there is no file."""
        if not os.path.exists(self._path) or not os.path.getsize(self._path):
            return None
        with open(self._path, "rb") as file:
            try:
                head = _Reader(file, bound).load()
            except Exception:
                head = None
            if not (isinstance(head, tuple) and len(head) == 3 and head[0] == _FORMAT):
                raise InputError(
                    f"checkpoint: {self._path!r} is no checkpoint; choose another name, nothing "
                    "was changed there"
                )
            if head[1] != __version__:
                raise InputError(
                    f"checkpoint: {self._path!r} was written by version {head[1]}, and this is "
                    f"{__version__}: remove it, or go on with that version"
                )
            if head[2] != self._belongs_to:
                raise InputError(
                    f"checkpoint: {self._path!r} belongs to another fit: other data, score, "
                    "search, start, knowledge or seed; choose another name, or remove it"
                )
            try:
                begun, kind, state, standing = _Reader(file, bound).load()
            except Exception as error:
                raise InputError(
                    f"checkpoint: {self._path!r} cannot be read ({error}); remove it"
                ) from error
        self.begun = begun
        standing.fit = kind.resumed(bound, state)
        return standing

    def keep(self, standing: Standing) -> None:
        """Replace the file, at the end and whenever it is time."""
        began = clock()
        pause = max(self._every, self._took / _PART)
        if standing.status is None and began - self._written < pause:
            return
        fit = standing.fit
        with replacing(self._path) as temporary, open(temporary, "wb") as file:
            _Writer(file, fit.bound).dump((_FORMAT, __version__, self._belongs_to))
            writer = _Writer(file, fit.bound)
            standing.fit = None  # type: ignore[assignment]
            try:
                writer.dump((self.begun, type(fit), fit.state(), standing))
            except (pickle.PicklingError, TypeError, AttributeError) as error:
                raise InputError(
                    f"checkpoint: fits of the score {fit.bound.score.name} cannot be kept ({error})"
                ) from error
            finally:
                standing.fit = fit
        self._written = clock()
        self._took = self._written - began


def belonging(
    data: Dataset,
    score: Score,
    search: Search,
    init: Any,
    rng: np.random.Generator,
    admissible: Admissible,
) -> str:
    """A digest of what determines where a search goes."""
    digest = hashlib.blake2b(digest_size=20)

    def add(what: Any) -> None:
        if isinstance(what, np.ndarray):
            digest.update(f"{what.dtype}{what.shape}".encode())
            for start in range(0, len(what) if what.ndim else 0, _ROWS):
                digest.update(np.ascontiguousarray(what[start : start + _ROWS]).data)
        elif isinstance(what, dict):
            for key, value in sorted(what.items()):
                add(key)
                add(value)
        elif isinstance(what, list | tuple):
            for part in what:
                add(part)
        else:
            digest.update(repr(what).encode() + b"\0")

    add([data.names, data.n, data.mean, data.scale, data.factor, data.row_weights])
    if data.interventions is not None:
        add([data.interventions.targets, data.interventions.kind])
    if not score.of_moments:
        add(data.rows)
    settings = {key: value for key, value in vars(search).items() if key not in _PACE}
    add([type(score).__name__, vars(score), search.name, _plain(settings), _plain(init)])
    add(rng.bit_generator.state)
    add([admissible.parents, admissible.before, admissible.required])
    return digest.hexdigest()


#: Rows of a table that are hashed at a time.
_ROWS = 1 << 16


def _plain(what: Any) -> Any:
    """Arrays, numbers, text and containers of these as they are, other objects by their names."""
    if isinstance(what, dict):
        return {key: _plain(value) for key, value in what.items()}
    if isinstance(what, list | tuple):
        return [_plain(part) for part in what]
    if what is None or isinstance(what, str | int | float | np.ndarray | np.generic):
        return what
    return type(what).__name__


class _Writer(pickle.Pickler):
    """Leaves out the data and the score, which whoever reads has."""

    def __init__(self, file: BinaryIO, bound: BoundScore) -> None:
        super().__init__(file, protocol=5)
        self._shared = {id(part): name for name, part in _shared(bound).items()}

    def persistent_id(self, what: Any) -> str | None:
        return self._shared.get(id(what))


class _Reader(pickle.Unpickler):
    """Makes arrays, containers and classes of this package, and calls nothing else."""

    def __init__(self, file: BinaryIO, bound: BoundScore) -> None:
        super().__init__(file)
        self._shared = _shared(bound)

    def persistent_load(self, name: str) -> Any:
        return self._shared[name]

    def find_class(self, module: str, name: str) -> Any:
        if module in _PLAIN and name in _PLAIN[module]:
            return super().find_class(module, name)
        package = module.split(".", maxsplit=1)[0]
        if package == "numpy" and (name in _NUMPY or module == "numpy.dtypes"):
            return super().find_class(module, name)
        if package == "toposwap":
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"it names {module}.{name}")


def _shared(bound: BoundScore) -> dict[str, Any]:
    parts: dict[str, Any] = {"bound": bound, "data": bound.data, "score": bound.score}
    return parts
