"""The command line.

Modules here import nothing heavy when they are loaded, so that ``--help`` answers at once; what a
command needs it imports when it runs.
"""

from toposwap.cli.run import main, run

__all__ = ["main", "run"]
