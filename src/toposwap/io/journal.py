"""A file of lines that are finished one by one, safe against a kill at any point.

A line is appended by one write and is on the disk before it counts. A kill in the middle leaves a
line without its end, which is cut off when the journal is opened next.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any, Self

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


class Journal:
    """One line of JSON for each record, open for appending within a ``with`` statement.

    Parameters
    ----------
    path
        The file; created if it is not there.
    option
        What the user calls the place, for errors.
    """

    def __init__(self, path: Path, option: str) -> None:
        self.path = path
        self._option = option
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        """Open for writing: nobody else may, and a half-written last line is cut off."""
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise InputError(
                f"{self._option}: cannot write {str(self.path)!r}: {first_words(error)}; choose "
                "another place"
            ) from error
        self._lock()
        content = self.path.read_bytes()
        self._whole = _finished(content)
        if len(self._whole) < len(content):
            os.ftruncate(self._descriptor, len(self._whole))
        return self

    def __exit__(self, *_error: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    @property
    def is_open(self) -> bool:
        """Whether lines can be appended."""
        return self._descriptor is not None

    def records(self) -> list[Any]:
        """What the file held when it was opened."""
        return self._parsed(self._whole)

    def read(self) -> list[Any]:
        """What the file holds now, without opening it for writing."""
        return self._parsed(_finished(self.path.read_bytes()))

    def _parsed(self, content: bytes) -> list[Any]:
        found = []
        for number, line in enumerate(content.splitlines(), 1):
            try:
                found.append(json.loads(line))
            except ValueError as error:
                raise InputError(
                    f"{str(self.path)!r}, line {number}: no record; remove that line"
                ) from error
        return found

    def append(self, record: Any) -> None:
        """Write one more line; when this returns it survives whatever happens."""
        assert self._descriptor is not None
        line = json.dumps(record).encode() + b"\n"
        written = os.write(self._descriptor, line)
        while written < len(line):
            written += os.write(self._descriptor, line[written:])
        os.fsync(self._descriptor)

    def _lock(self) -> None:
        """One writer at a time; where the system has no such lock, it is up to the user."""
        try:
            import fcntl
        except ImportError:
            return
        assert self._descriptor is not None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None
            raise InputError(
                f"another run is writing to {str(self.path)!r}: wait for it, or choose another "
                f"place with {self._option}"
            ) from None


def first_words(error: OSError) -> str:
    """What the system says, as part of a sentence."""
    return (error.strerror or str(error)).lower()


def _finished(content: bytes) -> bytes:
    """Without a last line that has no end."""
    return content[: content.rfind(b"\n") + 1]
