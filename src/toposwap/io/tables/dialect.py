"""How a text file is written: its encoding, what separates columns, and the decimal mark.

All three are read off the first lines; whoever knows better says so.
"""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What may separate columns, the likeliest first; a blank stands for any run of them.
SEPARATORS = (",", "\t", ";", "|", " ")
_BY_ENDING = {".tsv": "\t", ".tab": "\t"}
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
#: Bytes that no text has, or in Unicode hardly any: a name may be anything there.
_MOST_CONTROLS = 0.05
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
#: Python's own idea of lines has separators of paragraphs in it.
_LINE = re.compile(r"\r\n|\r|\n")
_MOST_LINES = 200
_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_POINT = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+,\d+")


@dataclass(frozen=True)
class Dialect:
    """How to read a text file.

    Attributes
    ----------
    encoding
        Its name in Python.
    sep
        One character; a blank is any run of blanks. None if there is one column only.
    decimal
        "." or ",".
    guessed
        Whether the encoding is one that no file can be told from.
    """

    encoding: str
    sep: str | None
    decimal: str
    guessed: bool = False


def dialect_of(
    head: bytes, shown: str, *, whole: bool, ending: str, sep: str | None, decimal: str | None
) -> Dialect:
    """How a file that begins with ``head`` is written; what is given is not guessed.

    ``whole`` says whether ``head`` is all of it, ``shown`` and ``ending`` are those of its name.
    """
    encoding, guessed = encoding_of(head, shown, whole=whole)
    text = decoded(head, encoding)
    lines = _LINE.split(text)
    if not whole and len(lines) > 1:
        lines.pop()
    sample = "\n".join([line for line in lines if line.strip()][:_MOST_LINES])
    if sep is None:
        sep = _separator(sample, _BY_ENDING.get(ending, ","))
    if decimal is None:
        decimal = "," if sep is not None and _has_decimal_commas(sample, sep) else "."
    return Dialect(encoding, sep, decimal, guessed)


def encoding_of(head: bytes, shown: str, *, whole: bool) -> tuple[str, bool]:
    """The encoding of a text, and whether it is only the likeliest of those that fit."""
    for mark, name in _MARKS.items():
        if head.startswith(mark):
            return name, False
    if b"\0" in head:
        for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):
            high = head[first::2]
            if (
                high
                and high.count(0) > 0.8 * len(high)
                and not _CONTROL.search(head[1 - first :: 2])
            ):
                return name, False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
    except UnicodeDecodeError:
        encoding, guessed = single_byte(head), True
    else:
        encoding, guessed = "utf-8", False
    controls = len(_CONTROL.findall(head))
    if controls > (0.0 if guessed else _MOST_CONTROLS) * len(head):
        raise InputError(
            f"{shown} is no text, nor a table in another form that is known: give CSV, TSV, Excel "
            "(.xlsx), Parquet, Feather or JSON lines, also packed (gzip, bz2, xz, zst, zip)"
        )
    return encoding, guessed


def single_byte(content: bytes) -> str:
    """Windows' own superset of Latin-1, or Latin-1 if a byte has no meaning in the former."""
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def decoded(head: bytes, encoding: str) -> str:
    """``head`` as text; a character that is cut at its end is left out."""
    return codecs.getincrementaldecoder(encoding)(errors="replace").decode(head, final=False)


def fields_of(text: str, sep: str) -> Iterator[list[str]]:
    """The fields of each line that is not blank."""
    lines = [line + "\n" for line in _LINE.split(text)]
    if sep == " ":
        return (line.split() for line in lines if line.strip())
    return (fields for fields in csv.reader(lines, delimiter=sep) if fields)


def _separator(sample: str, usual: str) -> str | None:
    """The candidate that cuts all lines into equally many fields; most fields, then the usual."""
    candidates = sorted(SEPARATORS[:-1], key=lambda sep: sep != usual)
    best, most = None, 1
    headers = {}
    for sep in candidates:
        sizes = _sizes(sample, sep)
        headers[sep] = sizes[0] if sizes else 0
        if sizes and len(set(sizes)) == 1 and sizes[0] > most:
            best, most = sep, sizes[0]
    if best is not None:
        return best
    # Lines of unequal length: whatever separates the names is what was meant.
    meant = max(candidates, key=lambda sep: headers[sep])
    if headers[meant] > 1:
        return meant
    sizes = _sizes(sample, " ")
    numbers = all(_is_number(field) for row in list(fields_of(sample, " "))[1:] for field in row)
    return " " if sizes and len(set(sizes)) == 1 and sizes[0] > 1 and numbers else None


def _sizes(sample: str, sep: str) -> list[int]:
    try:
        return [len(fields) for fields in fields_of(sample, sep)]
    except csv.Error:
        return []


def _has_decimal_commas(sample: str, sep: str) -> bool:
    """Whether fields look like 1,5 and none like 1.5; where commas separate, they are no marks."""
    if sep == ",":
        return False
    try:
        fields = [field.strip() for row in fields_of(sample, sep) for field in row]
    except csv.Error:
        return False
    if any(_THOUSANDS.fullmatch(field) for field in fields):
        return True
    commas = any(_COMMA.fullmatch(field) for field in fields)
    return commas and not any(_POINT.fullmatch(field) for field in fields)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return text in ("NA", "?")
    return True
