"""Files that are to be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    import os


def existing_file(path: str | os.PathLike[str], contents: str) -> Path:
    """Return the path of a file that can be read and is not empty, or say what is wrong.

    ``contents`` says what should be in it.
    """
    file = Path(path)
    shown = repr(str(path))
    try:
        if file.is_dir():
            raise InputError(f"{shown} is a directory: give the file in it")
        if not file.exists():
            raise InputError(f"{shown} does not exist: check the name and the directory")
        # A pipe is gone once it has been looked into, and a device may never end.
        if not file.is_file():
            raise InputError(f"{shown} is a pipe or a device: save its contents to a file first")
        with file.open("rb") as stream:
            empty = not stream.read(1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"cannot read {shown}: {reason}") from error
    if empty:
        raise InputError(f"{shown} is empty: it must hold {contents}")
    return file
