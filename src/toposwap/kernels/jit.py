r"""One decorator for every kernel: compiled on the first call, kept on disk, each for itself.

numba compiles a function anew for each literal among the arguments, copies the code of all that it
calls into it, and translates that again at every level of calls. Here

- ``-1``, ``0`` and ``True`` among the arguments of a call have the types of numbers;
- a kernel calls another one through its symbol. Only ``inlined`` kernels, a few lines that stand in
  the innermost loops, are copied into those that call them;
- only kernels that Python calls have an entry for it (``inner`` ones get one when a test needs it).

:mod:`toposwap.kernels.cache` keeps the code, :mod:`toposwap.kernels.compiling` the time it took.
"""

from __future__ import annotations

import itertools
import types as python_types
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numba
from numba.core import sigutils, types
from numba.core.caching import NullCache
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from toposwap.kernels import cache
from toposwap.kernels.compiling import announce, compilation

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")

# Division by zero gives infinity instead of a Python exception inside the loop, and a multiply-add
# may be fused; nothing else about the order of the floating-point operations is given away.
_OPTIONS: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": None,
    "fastmath": {"contract"},
    # Said of each kernel, since numba takes what is not said from whichever caller comes first.
    "_nrt": True,
}
_INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_BORROWING = {"_nrt": False}


@overload
def kernel(function: F, /) -> F: ...
@overload
def kernel(
    *, inner: bool = ..., inlined: bool = ..., borrowing: bool = ...
) -> Callable[[F], F]: ...
def kernel(
    function: Any = None, /, *, inner: bool = False, inlined: bool = False, borrowing: bool = False
) -> Any:
    """Compile ``function`` on its first call and keep the machine code on disk.

    Parameters
    ----------
    inner
        Called by kernels alone; Python may call it too, for which it is compiled once more.
    inlined
        Copied into its callers: for a few lines of arithmetic in their innermost loops.
    borrowing
        ``inner``, and makes and returns no arrays. Nobody counts then who holds those that it is
        given: of a dozen in tuples that takes longer than a short function.
    """
    return _decorated(function, _OPTIONS, inner, inlined, borrowing)


def reassociated_kernel(
    function: Any = None, /, *, inner: bool = False, inlined: bool = False
) -> Any:
    """Like :func:`kernel`, but sums may be reordered, so that their loops vectorise.

    Infinities and NaN keep their meaning. For what steers an iteration and is not a result.
    """
    fast = {"contract", "reassoc", "nsz"}
    return _decorated(function, {**_OPTIONS, "fastmath": fast}, inner, inlined)


def reordered_kernel(function: Any = None, /, *, inner: bool = False, inlined: bool = False) -> Any:
    """Like :func:`reassociated_kernel`, and no number is expected to be infinite or NaN.

    For single precision in a search, where rounding errors decide nothing that is reported.
    """
    return _decorated(function, {**_OPTIONS, "fastmath": True}, inner, inlined)


def _decorated(
    function: Any, options: dict[str, Any], inner: bool, inlined: bool, borrowing: bool = False
) -> Any:
    def decorate(function: Any) -> Any:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        return Kernel(function, options, inner=inner, inlined=inlined, borrowing=borrowing)

    return decorate if function is None else decorate(function)


class _NamedCompiler(Compiler):
    """numba's compiler, but a function has the same name in every process."""

    def define_pipelines(self) -> Any:
        """The usual passes, on a function renamed by its content and not by a counter."""
        identity = self.state.func_id
        identity.unique_id = _name_of(identity.func)
        identity.unique_name = f"{identity.func_qualname}${identity.unique_id}"
        return super().define_pipelines()


_others = itertools.count()


def _name_of(function: Any) -> str:
    """A name for what a function does, the same in every process, where that can be told."""
    given = vars(function).get("__kernel_name__")
    if given is None:
        code = function.__code__
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        plain = not any(isinstance(x, python_types.CodeType) for x in code.co_consts) and all(
            isinstance(x, int | float | str | None) for x in cells
        )
        parts = (code.co_code, repr((code.co_consts, code.co_names, code.co_varnames, cells)))
        given = cache.digest_of(*parts)[:12] if plain else f"here{next(_others)}"
        function.__kernel_name__ = given
    return str(given)


#: The latest kernel of each module and name, with and without an entry for Python.
_kernels: dict[tuple[str, str, bool], Kernel] = {}
#: Of each kernel that is being compiled, the innermost last: the kernels it calls.
_calls: list[dict[tuple[Kernel, Any], None]] = []


class Kernel(CPUDispatcher):
    """A function that is compiled for the types of its arguments when they are first met."""

    def __init__(
        self,
        py_func: Any,
        targetoptions: dict[str, Any],
        locals: Any = None,  # noqa: A002, ARG002 - numba's name
        pipeline_class: Any = _NamedCompiler,  # noqa: ARG002
        *,
        inner: bool = False,
        inlined: bool = False,
        borrowing: bool = False,
    ) -> None:
        inner = inner or borrowing
        options = {**targetoptions, **_INNER} if inner else targetoptions
        options = {**options, **_BORROWING} if borrowing else options
        super().__init__(py_func, targetoptions=options, pipeline_class=_NamedCompiler)
        self.inner = inner
        self.inlined = inlined
        self._borrowing = borrowing
        self._from_python: Kernel | None = None
        self._plain = targetoptions
        self._cache = DiskCache(self)
        does = _name_of(py_func) + (" inner" if inner else "")
        self.key = (py_func.__module__, py_func.__qualname__, does)
        _kernels[*self.key[:2], inner] = self

    def compile(self, sig: Any) -> Any:
        """Load or compile the code for these types of arguments; literals count as numbers."""
        arguments, returned = sigutils.normalize_signature(sig)
        arguments = tuple(types.unliteral(argument) for argument in arguments)
        with global_compiler_lock:
            if _calls:
                _calls[-1][self, arguments] = None
            if arguments in self.overloads:
                return self.get_overload(arguments)
            with compilation():
                _calls.append({})
                try:
                    plain = returned is None
                    entry = super().compile(arguments if plain else returned(*arguments))
                finally:
                    _calls.pop()
            compiled: Any = self.overloads[arguments]
            if self._borrowing and _holds_memory(compiled.signature.return_type):
                raise TypeError(f"{self.py_func.__name__}: a borrowing kernel returns no arrays")
            if not self.inlined:
                self._call_by_symbol(entry)
            return entry

    def _call_by_symbol(self, entry: Any) -> None:
        """Let callers link to the code instead of copying it."""
        for _, implementation in self.targetctx._defns[entry].versions:
            implementation.libs = ()

    def found(self, arguments: Any) -> tuple[str, str | None]:
        """The symbol that callers with these types link to, and the digest of its file."""
        compiled: Any = self.overloads[arguments]
        return str(compiled.fndesc.mangled_name), self._cache.own

    def add_overload(self, cres: Any) -> None:
        """Without an entry for Python, Python must not find it."""
        if self.inner:
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """What to call: Python has arguments of types that are new to it."""
        if not self.inner:
            return super()._compile_for_args(*args, **kws)  # type: ignore[misc]
        if self._from_python is None:
            self._from_python = Kernel(self.py_func, self._plain)
        return self._from_python


class DiskCache(NullCache):
    """The compiled code of one kernel, by the types of its arguments.

    A record names the kernels that the code calls, with their symbols and the digests of their
    files. They are loaded first; should one of them be another now, the record counts as missing.
    """

    def __init__(self, owner: Kernel) -> None:
        self._owner = owner

    @cached_property
    def own(self) -> str | None:
        """The digest of the kernel's file, None for one that was typed into a console."""
        try:
            return cache.own_contents(self._owner.py_func.__code__.co_filename)
        except OSError:
            return None

    def _file(self, signature: Any) -> str | None:
        """The name of the file for ``signature``, None for what cannot be kept."""
        owner = self._owner
        module, name, does = owner.key
        if does.startswith("here") or any(_has_identity(t) for t in signature):
            return None
        if self.own is None:
            return None
        options = sorted((key, repr(_sorted(value))) for key, value in owner.targetoptions.items())
        digest = cache.digest_of(module, does, self.own, repr(options), repr(signature))
        return f"{name.replace('<', '').replace('>', '')}-{digest}.kernel"

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """What is on the disk for ``sig``, or None."""
        # Makes known the symbols of numba's runtime, which compiled code refers to.
        target_context.refresh()
        arguments, _ = sigutils.normalize_signature(sig)
        file = self._file(arguments)
        record = None if file is None else cache.read(file)
        if record is not None:
            calls, code = record
            if all(_found(*call) == found for *call, found in calls):
                result = CompileResult._rebuild(target_context, *code)
                if tuple(result.signature.args) == arguments:
                    return result
        announce()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for ``sig``."""
        arguments, _ = sigutils.normalize_signature(sig)
        file = self._file(arguments)
        if file is None or data.lifted or data.library.has_dynamic_globals:
            return
        calls = [(*other.key, given, other.found(given)) for other, given in _calls[-1]]
        cache.write(file, dumps((calls, data._reduce())))


def _found(module: str, name: str, does: str, arguments: Any) -> Any:
    """What callers of a kernel depend on, after it was loaded or compiled."""
    other = _kernels.get((module, name, does.endswith(" inner")))
    if other is None or other.key != (module, name, does):
        return None
    other.compile(arguments)
    return other.found(arguments)


def _has_identity(argument: Any) -> bool:
    """Whether a type is about one object of this process."""
    return isinstance(argument, types.Dispatcher | types.Opaque | types.FunctionType)


def _holds_memory(returned: Any) -> bool:
    """Whether values of this type are arrays, or have some."""
    parts = getattr(returned, "types", ())
    return isinstance(returned, types.Array) or any(_holds_memory(part) for part in parts)


def _sorted(value: Any) -> Any:
    return sorted(value) if isinstance(value, set) else value
