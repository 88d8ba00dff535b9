"""JSON files, and every way in which they can fail to be any."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

#: Larger numbers are beyond every double.
_MOST_DIGITS = 400


def read_json(file: Path) -> Any:
    """What ``file`` holds, or an error that says why it cannot be read."""
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"), parse_int=_whole_number)
    except RecursionError:
        raise InputError(f"cannot read {str(file)!r} as JSON: it is nested too deeply") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"cannot read {str(file)!r} as JSON: {error}") from error


def _whole_number(digits: str) -> float:
    """Python refuses integers of thousands of digits; as a float they are infinite."""
    return int(digits) if len(digits) < _MOST_DIGITS else float(digits)
