"""How much of what is random is tried: a little by default, all with ``make test-thorough``."""

import os

from hypothesis import settings

#: Whether everything is to be run, with many examples each.
THOROUGH = os.environ.get("TOPOSWAP_TESTS") == "thorough"


def examples(number):
    """Settings for ``number`` random examples in the thorough suite, a sixth of it otherwise."""
    return settings(max_examples=number if THOROUGH else max(3, number // 6), deadline=None)


def seeds(number):
    """``number`` seeds in the thorough suite, a quarter of them otherwise."""
    return range(number if THOROUGH else max(2, number // 4))
