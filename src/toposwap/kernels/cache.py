r"""Compiled kernels on the disk: found by their content, whole or not at all.

A folder is named by a digest of *every* file of this package, of the versions of Python, numba and
llvmlite, of the processor, and of the settings that change code; a file within it by the kernel and
the types of its arguments. So nothing is ever out of date: what changed has another name. A file
begins with the digest of its contents and takes its place in one step, so that what was cut off, or
is written by several processes at once, is read as a whole or counts as missing. Whatever goes
wrong with the disk, the kernel is compiled as if there were none.

Read are, in this order, the folder ``NUMBA_CACHE_DIR`` if it is set, or else ``__pycache__`` beside
this file, the user's cache folder, and a private folder below the system's temporary one. Written
is the first of them that can be.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.registry import cpu_target
from numba.misc.appdirs import AppDirs

_HERE = Path(__file__).parent
_PREFIX = "toposwap-"
_OLD = 60 * 86400.0
_MOST = 8
_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")


def digest_of(*parts: bytes | str) -> str:
    """A name for ``parts``; other parts have another name."""
    total = hashlib.sha256()
    for part in parts:
        some = part.encode() if isinstance(part, str) else part
        total.update(f"{len(some)}:".encode() + some)
    return total.hexdigest()[:24]


@cache
def contents() -> str:
    """The digest of everything that decides about the code of all kernels."""
    files = sorted(_HERE.rglob("*.py"))
    machine = cpu_target.target_context.codegen().magic_tuple()
    versions = (sys.version, numba.__version__, llvmlite.__version__)
    settings = [(name, getattr(numba.config, name, None)) for name in _SETTINGS]
    sources = [part for file in files for part in (str(file.relative_to(_HERE)), file.read_bytes())]
    return digest_of(repr((machine, versions, settings)), *sources)


def own_contents(file: str) -> str:
    """The digest of a kernel's own file where it is not one of this package."""
    path = Path(file)
    if _HERE in path.parents:
        return ""
    return digest_of(path.read_bytes())


def roots() -> list[Path]:
    """Where to look, in this order."""
    if numba.config.CACHE_DIR:  # type: ignore[attr-defined]
        return [Path(numba.config.CACHE_DIR)]  # type: ignore[attr-defined]
    return [
        _HERE / "__pycache__",
        Path(AppDirs(appname="toposwap", appauthor=False).user_cache_dir),
        private_folder(),
    ]


@cache
def private_folder() -> Path:
    """A folder below the temporary directory that only this user can write to.

    Cached code is executed when it is loaded, so a folder that somebody else made under the
    expected name is not used.
    """
    user = os.getuid() if hasattr(os, "getuid") else os.getlogin()
    folder = Path(tempfile.gettempdir()) / f"toposwap-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        about = folder.lstat()
        if not hasattr(os, "getuid") or (about.st_uid == user and not about.st_mode & 0o077):
            return folder
        return Path(tempfile.mkdtemp(prefix="toposwap-kernels-"))
    except OSError:
        return folder / "nowhere"


def read(name: str) -> Any:
    """What was written under ``name``, None if there is nothing whole."""
    for root in roots():
        try:
            text = (root / (_PREFIX + contents()) / name).read_bytes()
            if len(text) > 32 and hashlib.sha256(text[32:]).digest() == text[:32]:
                return pickle.loads(text[32:])  # written by write()
        except Exception:  # unreadable is missing
            continue
    return None


def write(name: str, payload: bytes) -> None:
    """Keep ``payload``, a pickle, under ``name`` in the first folder that takes it."""
    for root in roots():
        folder = root / (_PREFIX + contents())
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True)
                _forget_old(folder)
            handle, temporary = tempfile.mkstemp(dir=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(payload).digest() + payload)
                Path(temporary).replace(folder / name)
            except OSError:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
                raise
        except OSError:
            continue
        return


def _forget_old(folder: Path) -> None:
    """Remove others like ``folder`` beside it that are two months old, and all but the latest few.

    What is made within one tick of the clock has the same age.
    """
    with contextlib.suppress(OSError):
        others = (path for path in folder.parent.glob(_PREFIX + "*") if path != folder)
        ages = [(time.time() - path.stat().st_mtime, path) for path in others]
        for rank, (age, path) in enumerate(sorted(ages), 1):
            if age > _OLD or rank >= _MOST:
                shutil.rmtree(path, ignore_errors=True)
