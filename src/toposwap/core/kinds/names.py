"""What the name of a column says: that its numbers are codes, or that they name rows and groups.

Only whole words count: ``patient_id``, ``patientId`` and ``id`` name rows, ``width`` does not.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Words after which numbers have no order.
_CODES = (
    r"codes?|type|mode|race|ethnic(ity)?|religion|region|district|country|county|province|city"
    r"|nationality|language|species|breed|occupation|profession|industry|sector|department|dept"
    r"|brand|colou?r|category|zip(code)?|postcode|state|firm|airline|carrier|marital|sex|gender"
)
_IDENTIFIERS = (
    r"ids?|uu?id|guid|identifier|individual|subject|idcase|(case|record|row|person|patient|subject"
    r"|user|customer)id"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def says_code(name: str) -> bool:
    """Whether a column called ``name`` holds codes, if it holds a few whole numbers."""
    return _has_word(name, _CODES)


def says_identifier(name: str) -> bool:
    """Whether a column called ``name`` names rows, or what rows belong to."""
    return _has_word(name, _IDENTIFIERS)


@lru_cache(maxsize=4096)
def _has_word(name: str, pattern: str) -> bool:
    return any(re.fullmatch(pattern, word.lower()) for word in _WORD.findall(name))
