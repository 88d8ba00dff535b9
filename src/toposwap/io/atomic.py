"""Files that are either written completely or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file beside ``path``, which takes its place when the block ends well.

    If the block raises (or is interrupted) the temporary file goes and whatever stood at ``path``
    stays as it was.
    """
    # A symbolic link keeps pointing where it does: what it points to is replaced.
    target = Path(os.path.realpath(path))
    temporary = _create_beside(target, path)
    try:
        yield temporary
        _flush(temporary)
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise InputError(f"cannot write {str(path)!r}: {_reason(error)}") from error
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise now what :func:`replacing` would raise later, before hours of work are spent."""
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


def _flush(file: Path) -> None:
    """Have the contents on the disk before the name points to them."""
    descriptor = os.open(file, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
