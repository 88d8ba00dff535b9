"""Characters that show nothing are written out; everything else stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("wind speed", "wind speed"),
        ("naïve 雪 😀 −", "naïve 雪 😀 −"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\x1b]0;t\x07", "\\x1b]0;t\\x07"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("a\u202eb\u2066", "a\\u202eb\\u2066"),
        ("a\r\n\tb", "a\\r\\n\\tb"),
        ("a\u2028b\xa0c", "a\\u2028b\\xa0c"),
        ("\udcff", "\\udcff"),
        ("\U000e0041", "\\U000e0041"),
        ("\\x1b", "\\x1b"),
    ],
)
def test_what_is_shown(text, shown):
    assert printable(text) == shown


def test_line_breaks_of_the_program_itself():
    assert printable("a\nb\r", keep="\n") == "a\nb\\r"


@given(st.text())
def test_nothing_that_steers_is_left(text):
    assert printable(text).isprintable()
    if text.isprintable():
        assert printable(text) == text
