"""Kinds of data and methods: a function each, whose signature says which settings it takes.

A kind is a name of the package, whose function is in a file of its own, or "module:function". A
function that hands its ``**settings`` on to another says so by :func:`passes_to`, so that the
settings of ``kind = "linear"`` are the parameters of ``simulate.linear_dataset``, whatever these
come to be. A setting that nothing takes is refused before anything is run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import parameters_of, refuse_unknown
from toposwap.experiments.own import is_own, own_function

if TYPE_CHECKING:
    from toposwap.experiments.cell import Settings

F = TypeVar("F", bound=Callable[..., Any])
#: From all settings given to what the ``**settings`` of a function are handed on to.
Target = Callable[[Mapping[str, Any]], Callable[..., Any]]


def passes_to(target: Target, but: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Declare that ``**settings`` of the decorated function are the parameters of ``target(...)``.

    Parameters
    ----------
    target
        What they are handed on to, which may depend on the settings.
    but
        Parameters of it that are no settings, because the function gives them itself.
    """

    def declared(function: F) -> F:
        function.__dict__["passes_to"] = (target, but)
        return function

    return declared


@dataclass(frozen=True)
class Kinds:
    """The kinds of data, or of methods.

    Attributes
    ----------
    what
        What an error calls them: "data", "methods".
    package
        Where the files are.
    function
        The name of the function in each file.
    arguments
        What it is called with besides settings, by position.
    files
        Kind -> file.
    """

    what: str
    package: str
    function: str
    arguments: tuple[str, ...]
    files: Mapping[str, str]

    def find(self, kind: Any) -> Callable[..., Any]:
        """The function of ``kind``, called with ``arguments`` and settings by name."""
        where = f"{self.what}: kind"
        if is_own(kind):
            return own_function(where, kind)
        if kind not in self.files:
            raise InputError(
                f"{where} = {kind!r} is not one of {', '.join(self.files)}, nor of the form "
                "'module:function'"
            )
        module = import_module(f"{self.package}.{self.files[kind]}")
        found: Callable[..., Any] = getattr(module, self.function)
        return found

    def check(self, settings: Mapping[str, Any], where: str) -> None:
        """Raise ``InputError`` if the function of ``settings["kind"]`` does not take the others.

        ``where`` begins the message: whose settings these are.
        """
        kind = settings.get("kind")
        function = self.find(kind)
        given = {key: value for key, value in settings.items() if key != "kind"}
        try:
            known = self._known(function, given)
        except (TypeError, ValueError) as error:
            raise InputError(f"{where}: kind = {kind!r}: {error}") from error
        if known is None:
            return
        refuse_unknown(f"{where}, kind = {kind!r}", given, known)
        for name, parameter in known.items():
            if parameter.default is parameter.empty and name not in given:
                raise InputError(f"{where}, kind = {kind!r}: {name} is missing")

    def _known(
        self, function: Callable[..., Any], given: Settings
    ) -> dict[str, inspect.Parameter] | None:
        """The settings of ``function``; None if it takes any."""
        signature = inspect.signature(function)
        first = ", ".join(self.arguments)
        own = parameters_of(function)
        at = [name for name, p in own.items() if p.kind is not p.KEYWORD_ONLY]
        if len(at) < len(self.arguments):
            raise InputError(
                f"it is called with ({first}, **settings), but its signature is "
                f"{getattr(function, '__name__', 'function')}{signature}"
            )
        known = {name: p for name, p in own.items() if name not in at[: len(self.arguments)]}
        if not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
            return known
        passed = getattr(function, "passes_to", None)
        if passed is None:
            return None
        target, but = passed
        more = parameters_of(target(given))
        return known | {name: p for name, p in more.items() if name not in (*but, *known)}
