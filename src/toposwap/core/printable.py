"""Text from files and from callers, as it may be shown."""

from __future__ import annotations


def printable(text: str, keep: str = "") -> str:
    r"""``text`` with every character that shows nothing written as ``\x1b``, ``\u202e``, ...

    Such characters steer terminals (control sequences), turn the direction of what follows, feign
    line breaks, or are not allowed in XML. Those in ``keep`` stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else _escaped(c) for c in text)


def shortened(text: str, most: int) -> str:
    """``text`` in about ``most`` characters: its beginning and its end, where long texts differ."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end]} ... {text[-end:]}"


def _escaped(character: str) -> str:
    # repr is what error messages quote names with; it escapes exactly what is not printable.
    return repr(character)[1:-1]
