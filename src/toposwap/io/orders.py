"""Orders of variables: text files with a name a line, causes first, or our own results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.errors import InputError
from toposwap.core.validation import listed, repeated
from toposwap.io.csv_files import UNREADABLE, csv_rows, unreadable
from toposwap.io.existing import existing_file
from toposwap.io.json_files import read_json

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path


def read_order(path: str | os.PathLike[str], names: Sequence[str]) -> list[str] | None:
    """Return the order of ``names`` that a file gives, or None if the file holds something else.

    Parameters
    ----------
    path
        A .txt or .csv file with one name a line (a heading above them is fine), or a .json result
        of this package.
    names
        The variables, each of which must be in the file once.
    """
    file = existing_file(path, "one name a line, causes first")
    lines = _lines(file)
    if lines is None:
        return None
    known = {name.strip(): name for name in names}
    if len(lines) == len(names) + 1 and lines[0] not in known:
        lines = lines[1:]
    unknown = [line for line in lines if line not in known]
    there = set(lines)
    missing = [name for name in names if name.strip() not in there]
    twice = repeated(lines)
    for wrong, what in (
        (unknown, "not among the columns of the data"),
        (missing, "missing: every column needs a place in the order"),
        (twice, "there twice"),
    ):
        if wrong:
            verb = "is" if len(wrong) == 1 else "are"
            raise InputError(f"{str(path)!r}: {listed(wrong)} {verb} {what}")
    return [known[line] for line in lines]


def _lines(file: Path) -> list[str] | None:
    suffix = file.suffix.lower()
    try:
        if suffix == ".txt":
            text = file.read_text(encoding="utf-8-sig")
            return [line.strip() for line in text.splitlines() if line.strip()]
        if suffix == ".json":
            record = read_json(file)
            order = record.get("causal_order") if isinstance(record, dict) else None
            return [str(name).strip() for name in order] if isinstance(order, list) else None
    except UNREADABLE as error:
        raise unreadable(file, error) from error
    if suffix != ".csv":
        return None
    with csv_rows(file, ",") as rows:
        fields = [row for _, row in rows]
    return [row[0].strip() for row in fields] if all(len(row) == 1 for row in fields) else None
