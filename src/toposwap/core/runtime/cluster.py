"""The one way to a dask cluster."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from toposwap.core.errors import InputError, MissingExtraError

#: How long a scheduler may take to answer.
PATIENCE = "30s"


def distributed() -> Any:
    """The module ``distributed``, or a line saying how to get it."""
    try:
        return import_module("distributed")
    except ImportError:
        raise MissingExtraError("distributed", "dask", "--dask") from None


def connect(address: str) -> Any:
    """A client of the scheduler at ``address``, or one line that says why not."""
    module = distributed()
    try:
        return module.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(f"--dask: no scheduler answers at {address!r}: {error}") from error
