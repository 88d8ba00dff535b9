"""Searches: ways through the orders, each a generator of improving moves."""

from toposwap.search.auto import AutoSearch
from toposwap.search.base import Context, Move, Progress, Search, Step, run
from toposwap.search.exact import ExactSearch
from toposwap.search.insertion import InsertionSearch
from toposwap.search.none import NoSearch
from toposwap.search.paper import PaperSearch, suggested_sizes

#: Searches by name.
SEARCHES: dict[str, type[Search]] = {
    search.name: search
    for search in (AutoSearch, PaperSearch, InsertionSearch, ExactSearch, NoSearch)
}

__all__ = [
    "AutoSearch",
    "PaperSearch",
    "InsertionSearch",
    "ExactSearch",
    "NoSearch",
    "Search",
    "Context",
    "Move",
    "Step",
    "Progress",
    "run",
    "suggested_sizes",
    "SEARCHES",
]
