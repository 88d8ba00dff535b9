"""A campaign of random cases against the library, its command line and its files.

A case is a function of the campaign's seed and its own index, so every failure has one command that
replays it. :mod:`fuzz.invariants` says what must hold; :mod:`fuzz.tables`, :mod:`fuzz.containers`,
:mod:`fuzz.settings` and :mod:`fuzz.files` draw what it must hold for.
"""
