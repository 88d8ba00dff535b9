"""Code and files of the user's own, named in a config.

``"module:function"`` stands for data, methods and scores that are not part of the package. Modules
and files are looked for in the folder of the config, then in the current directory; modules also in
the environment.
"""

from __future__ import annotations

import hashlib
import sys
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def is_own(name: object) -> bool:
    """Whether ``name`` is of the form "module:function"."""
    return isinstance(name, str) and ":" in name


def add_folder(folder: str) -> None:
    """Let modules of ``folder``, or of the current directory, be imported, as a script's are.

    Workers do the same before a cell. It lasts, because a function may import when it is called.
    """
    for place in (str(Path.cwd()), str(Path(folder).resolve())):
        if place not in sys.path:
            sys.path.insert(0, place)


def own_function(where: str, name: str) -> Callable[..., Any]:
    """What "module:function" names; errors begin with ``where``."""
    module_name, _, function = name.partition(":")
    module = _module(where, name, module_name)
    found = getattr(module, function, None) if function else None
    if not callable(found):
        place = getattr(module, "__file__", None) or "built in"
        what = f"no function {function!r}" if found is None else f"{function!r}, which is none,"
        raise InputError(f"{where} = {name!r}: module {module_name!r} ({place}) has {what}")
    return found


def own_sources(names: Iterable[str]) -> dict[str, str]:
    """Digests of the modules of "module:function" names: other source is another computation."""
    found = {}
    for name in names:
        module = _module("kind", name, name.partition(":")[0])
        path = getattr(module, "__file__", None)
        found[name] = "" if path is None else file_digest(Path(path))
    return found


def located(path: str, folder: str) -> Path:
    """A file that a config names: beside the config, else from the current directory."""
    beside = Path(folder) / path
    return beside if beside.exists() else Path(path)


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content, 20 characters; "" if there is no such file."""
    try:
        stat = path.stat()
    except OSError:
        return ""
    return _digest(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _digest(path: Path, _modified: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:20]


def _module(where: str, name: str, module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # A module that is there and imports one that is not tells its own story.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise InputError(f"{where} = {name!r}: cannot import {module!r}: {error}") from error
        raise InputError(
            f"{where} = {name!r}: there is no module {module!r} beside the config, in the current "
            "directory or in the environment; the form is 'module:function'"
        ) from error
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"{where} = {name!r}: cannot import {module!r}: {reason}") from error
