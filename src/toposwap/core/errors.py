"""What can go wrong, as types: every message names the argument or column and the remedy."""

from __future__ import annotations


class InputError(ValueError):
    """The caller's data or arguments cannot be used as they are.

    Being a ``ValueError`` it is what scikit-learn's users already catch; the command line turns it
    into one line and exit code 2.
    """


class MissingExtraError(ImportError):
    """An optional dependency is needed and not installed.

    Parameters
    ----------
    package
        The module that could not be imported.
    extra
        The name of the extra that brings it: ``pip install "toposwap[extra]"``.
    purpose
        What it was needed for.
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f'{purpose} needs the package {package}: pip install "toposwap[{extra}]"', name=package
        )


class ToposwapWarning(UserWarning):
    """Something the user should know about a result that is otherwise valid."""


class UnitsWarning(ToposwapWarning):
    """A graph may owe its order to the units of the columns.

    To silence it where the units are meaningful:
    ``warnings.simplefilter("ignore", toposwap.UnitsWarning)``.
    """


def is_interrupt(error: BaseException | None) -> bool:
    """Whether ``error`` is Ctrl-C, also where a compiled kernel has wrapped it.

    While numba hands the result of a kernel over to Python, ``KeyboardInterrupt`` turns into the
    cause of a ``SystemError``.
    """
    while isinstance(error, SystemError):
        error = error.__cause__
    return isinstance(error, KeyboardInterrupt)
