"""Calls of formulas by their addresses, inside kernels; see :mod:`toposwap.kernels.compiled`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBER: Any = types.float64
_NUMBERS: Any = types.Array(_NUMBER, 1, "C")
_Tuple: Any = types.UniTuple

SIGNATURES = {
    # (f, y, omega, parameters, slope, curvature) -> (value, size), of a sum over rows.
    "row terms": _Tuple(_NUMBER, 2)(*[_NUMBERS] * 6),
    # (s, n, scale) -> (value, slope, bend), of a loss of the residual variance alone.
    "variance terms": _Tuple(_NUMBER, 3)(*[_NUMBER] * 3),
    # (size, a, b, c) -> (value, slope, curvature), of a penalty.
    "penalty terms": _Tuple(_NUMBER, 3)(*[_NUMBER] * 4),
    # (H, w, r, a, b, c, s, v, times) -> whether any moved; see kernels/penalized/sweeps.py.
    "sweep": types.boolean(
        types.Array(_NUMBER, 2, "C"),
        *[_NUMBERS] * 2,
        *[_NUMBER] * 3,
        *[_NUMBERS] * 2,
        types.int64,
    ),
    # (z, curvature, a, b, c) -> size, of a penalty.
    "proximal step": _NUMBER(*[_NUMBER] * 5),
}


def _through(name: str) -> tuple[Any, Callable[..., Any]]:
    """Type and code of a call to an address by the signature ``name``."""
    signature: Any = SIGNATURES[name]

    def codegen(context: Any, builder: Any, _typed: Any, arguments: Any) -> Any:
        takes = [context.get_value_type(argument) for argument in signature.args]
        function = ir.FunctionType(context.get_value_type(signature.return_type), takes)
        pointer = builder.inttoptr(arguments[0], function.as_pointer())
        return builder.call(pointer, arguments[1:])

    return signature.return_type(types.intp, *signature.args), codegen


def _row_terms(_context, address, f, y, omega, parameters, slope, curvature):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """(value, size) of the loss whose terms are at ``address``."""
    return _through("row terms")


def _variance_terms(_context, address, s, n, scale):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """(value, slope, bend) of the loss whose terms are at ``address``."""
    return _through("variance terms")


def _penalty_terms(_context, address, size, a, b, c):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """(value, slope, curvature) of the penalty whose terms are at ``address``."""
    return _through("penalty terms")


def _sweep(_context, address, H, w, r, a, b, c, s, v, times):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Coordinate descent by the penalty whose sweep is at ``address``."""
    return _through("sweep")


call_row_terms: Any = intrinsic(_row_terms)
call_variance_terms: Any = intrinsic(_variance_terms)
call_penalty_terms: Any = intrinsic(_penalty_terms)
call_sweep: Any = intrinsic(_sweep)
