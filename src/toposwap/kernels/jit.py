"""One decorator for every kernel: compiled once, cached on disk wherever the disk allows it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")

# Division by zero gives infinity instead of a Python exception inside the loop, and a multiply-add
# may be fused; nothing else about the order of the floating-point operations is given away.
_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract"},
}


def kernel(function: F) -> F:
    """Compile ``function`` with numba on its first call and keep the machine code on disk.

    numba looks for a writable cache beside the source file, then in the user's cache folder. If
    neither can be written (a read-only install run by a user without a home) it refuses to compile
    at all; a folder of this user's below the system's temporary directory takes their place.
    """
    return _compiled(function, _OPTIONS)


def reassociated_kernel(function: F) -> F:
    """Like :func:`kernel`, but sums may be reordered, so that their loops vectorise.

    Infinities and NaN keep their meaning. For what steers an iteration and is not a result.
    """
    return _compiled(function, {**_OPTIONS, "fastmath": {"contract", "reassoc", "nsz"}})


def reordered_kernel(function: F) -> F:
    """Like :func:`reassociated_kernel`, and no number is expected to be infinite or NaN.

    For single precision in a search, where rounding errors decide nothing that is reported.
    """
    return _compiled(function, {**_OPTIONS, "fastmath": True})


def _compiled(function: F, options: dict[str, Any]) -> F:
    try:
        return numba.njit(**options)(function)
    except RuntimeError:
        numba.config.CACHE_DIR = str(private_folder())  # type: ignore[attr-defined]
        return numba.njit(**options)(function)


def private_folder() -> Path:
    """A folder below the temporary directory that only this user can write to.

    Cached code is executed when it is loaded, so a folder that somebody else made under the
    expected name is not used.
    """
    user = os.getuid() if hasattr(os, "getuid") else os.getlogin()
    folder = Path(tempfile.gettempdir()) / f"toposwap-kernels-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if hasattr(os, "getuid") and (about.st_uid != user or about.st_mode & 0o077):
        return Path(tempfile.mkdtemp(prefix="toposwap-kernels-"))
    return folder
