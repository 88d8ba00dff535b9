"""Files that are either written completely or not at all, alone and several together."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toposwap.core.errors import InputError
from toposwap.core.runtime.signals import uninterrupted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class _Written(NamedTuple):
    """A temporary file with all its contents, and the file whose place it takes."""

    temporary: Path
    target: Path
    path: str | os.PathLike[str]


#: Where :func:`together` collects what is written within it.
_waiting: ContextVar[list[_Written] | None] = ContextVar("waiting", default=None)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file beside ``path``, which takes its place when the block ends well.

    If the block raises (or is interrupted) the temporary file goes and whatever stood at ``path``
    stays as it was. Within :func:`together` it takes its place with the others.
    """
    # A symbolic link keeps pointing where it does: what it points to is replaced.
    target = Path(os.path.realpath(path))
    temporary = None
    try:
        with uninterrupted():
            temporary = _create_beside(target, path)
        yield temporary
        _flush(temporary)
        with uninterrupted():
            written, waiting = _Written(temporary, target, path), _waiting.get()
            if waiting is None:
                _place([written])
            else:
                waiting.append(written)
    except BaseException as error:
        if temporary is not None:
            _remove([temporary])
        if isinstance(error, OSError):
            raise InputError(f"cannot write {str(path)!r}: {_reason(error)}") from error
        raise


@contextmanager
def together() -> Iterator[None]:
    """Let the files that are replaced in this block take their places at its end, or none of them.

    All of them are on the disk before the first name changes, and no signal comes between the
    first and the last.
    """
    if _waiting.get() is not None:
        yield
        return
    written: list[_Written] = []
    token = _waiting.set(written)
    try:
        yield
        with uninterrupted():
            _place(written)
            written.clear()
    finally:
        _waiting.reset(token)
        _remove(one.temporary for one in written)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise now what :func:`replacing` would raise later, before hours of work are spent."""
    with uninterrupted():
        _create_beside(Path(os.path.realpath(path)), path).unlink()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write ``text`` as UTF-8, completely or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def _create_beside(target: Path, path: str | os.PathLike[str]) -> Path:
    """Create an empty file with the permissions of any new file; ``path`` is the user's word."""
    shown = repr(str(path))
    if target.is_dir():
        raise InputError(f"cannot write {shown}: it is a directory; add a file name to it")
    if target.exists() and not target.is_file():
        raise InputError(f"cannot write {shown}: it is not an ordinary file; choose another name")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"cannot write {shown}: it is write-protected; choose another name")
    if not target.parent.is_dir():
        raise InputError(
            f"cannot write {shown}: the directory {str(target.parent)!r} does not exist; "
            "create it first"
        )
    temporary = target.parent / f".toposwap-{secrets.token_hex(8)}.tmp"
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise InputError(
            f"cannot write {shown}: {_reason(error)}; choose a directory that can be written"
        ) from error
    return temporary


def _place(written: Iterable[_Written]) -> None:
    """Give each file the name and the permissions of the one whose place it takes."""
    for temporary, target, path in written:
        try:
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            temporary.replace(target)
        except OSError as error:
            raise InputError(f"cannot write {str(path)!r}: {_reason(error)}") from error


def _remove(files: Iterable[Path]) -> None:
    with uninterrupted():
        for file in files:
            with suppress(OSError):
                file.unlink()


def _flush(file: Path) -> None:
    """Have the contents on the disk before the name points to them."""
    descriptor = os.open(file, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
