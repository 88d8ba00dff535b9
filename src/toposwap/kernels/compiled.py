"""Formulas of losses and penalties: compiled for one signature, handed to kernels by address.

A kernel that takes a compiled function as numba's own first-class object spends ten microseconds on
each call to find out what it was given, and one that takes it by its type is compiled again for
each. So a formula is compiled once, kept on disk like any kernel, and passed as what it is to the
machine: an address. Calls through it cost some nanoseconds.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from collections.abc import Callable


class Compiled:
    """A function compiled for one signature, when it is first needed.

    Parameters
    ----------
    function
        A plain function of numbers and arrays, as numba compiles it.
    signature
        A name of :data:`toposwap.kernels.pointers.SIGNATURES`.
    cached
        Whether machine code is kept on disk.
    """

    def __init__(
        self, function: Callable[..., Any], signature: str, *, cached: bool = True
    ) -> None:
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self._function = function
        self._signature = signature
        self._cached = cached

    @cached_property
    def source(self) -> bytes | None:
        """The file that the function is written in, None for one typed into a console."""
        try:
            return Path(self._function.__code__.co_filename).read_bytes()
        except OSError:
            return None

    @cached_property
    def dispatcher(self) -> Any:
        """What other kernels call by name."""
        if self._cached and self.source is not None:
            return kernel(self._function)
        # There is no file that a cache could belong to.
        import numba

        return numba.njit(nogil=True, error_model="numpy")(self._function)

    @cached_property
    def address(self) -> int:
        """Where the machine code begins, which is what kernels take."""
        from toposwap.kernels.pointers import SIGNATURES

        signature: Any = SIGNATURES[self._signature]
        self.dispatcher.compile(signature.args)
        result = self.dispatcher.get_compile_result(signature)
        return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python, as kernels do."""
        return self.dispatcher(*arguments)

    def __repr__(self) -> str:
        return f"<compiled {self.__name__}>"


def row_terms(function: Callable[..., Any]) -> Compiled:
    """Compile the formula of a :class:`~toposwap.losses.RowLoss`."""
    return Compiled(function, "row terms")


def variance_terms(function: Callable[..., Any]) -> Compiled:
    """Compile the formula of a :class:`~toposwap.losses.MomentLoss`."""
    return Compiled(function, "variance terms")


def penalty_terms(function: Callable[..., Any]) -> Compiled:
    """Compile the formula of a :class:`~toposwap.penalties.ProximalPenalty`."""
    return Compiled(function, "penalty terms")


def proximal_step(function: Callable[..., Any]) -> Compiled:
    """Compile the proximal step of a :class:`~toposwap.penalties.ProximalPenalty`."""
    return Compiled(function, "proximal step")
