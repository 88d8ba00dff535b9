"""``python -m toposwap``: the command line."""

from toposwap.cli import main

if __name__ == "__main__":
    main()
