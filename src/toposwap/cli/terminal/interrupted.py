"""Ctrl-C, where no result can be saved."""


class Interrupted(Exception):
    """The user pressed Ctrl-C outside a search, which would have kept its best order."""
