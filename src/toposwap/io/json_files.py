"""JSON files, and every way in which they can fail to be any."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
#: Larger numbers are beyond every double.
_MOST_DIGITS = 400


def read_json(file: Path) -> Any:
    """What ``file`` holds, or an error that says why it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        record = json.loads(text, parse_int=_whole_number)
        if _SURROGATE.search(text):
            json.dumps(record, ensure_ascii=False).encode()
        return record
    except UnicodeEncodeError:
        raise InputError(
            f"cannot read {str(file)!r} as JSON: it has half a pair of UTF-16, no character"
        ) from None
    except RecursionError:
        raise InputError(f"cannot read {str(file)!r} as JSON: it is nested too deeply") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"cannot read {str(file)!r} as JSON: {error}") from error


def _whole_number(digits: str) -> float:
    """Python refuses integers of thousands of digits; as a float they are infinite."""
    return int(digits) if len(digits) < _MOST_DIGITS else float(digits)
