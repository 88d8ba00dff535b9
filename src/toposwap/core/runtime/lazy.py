"""Names that are imported when they are first asked for, so that a package costs what is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def lazy_names(
    package: str, homes: Mapping[str, str], modules: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of ``package``.

    Parameters
    ----------
    package
        Its dotted name.
    homes
        Public names and the modules that define them.
    modules
        Public names that are modules of the package.
    """
    inside = frozenset(modules)

    def __getattr__(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        if name in inside:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*homes, *inside})

    return __getattr__, __dir__


class LazyMaker:
    """Calls ``name`` of the module ``home``, which is imported by the first call.

    For a registry whose entries should cost nothing until one of them is chosen.
    """

    def __init__(self, home: str, name: str) -> None:
        self._home, self._name = home, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What ``name`` makes of the arguments."""
        return self.target(*args, **kwargs)

    @property
    def target(self) -> Any:
        """The object called ``name``; asking for it imports its module."""
        return getattr(import_module(self._home), self._name)

    def __getattr__(self, name: str) -> Any:
        # Of an instance only: the class has a signature of its own.
        if name == "__signature__":
            import inspect

            return inspect.signature(self.target)
        raise AttributeError(name)

    def __repr__(self) -> str:
        return f"<{self._home}.{self._name}>"
