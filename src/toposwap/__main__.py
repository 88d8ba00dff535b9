"""``toposwap`` and ``python -m toposwap``: the command line.

Nothing heavy is imported before signals are listened to: Ctrl-C while packages are loaded is one
line, too.
"""

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        from toposwap.core.runtime.signals import listen

        listen()
        from toposwap.cli.run import main as command_line

        command_line()
    except (KeyboardInterrupt, Exception) as error:
        from toposwap.core.runtime.signals import exit_code, received

        # A package that is interrupted while it is loaded may say so in words of its own.
        if not isinstance(error, KeyboardInterrupt) and not received():
            raise
        sys.stderr.write("toposwap: error: interrupted; no file was left half-written\n")
        sys.exit(exit_code())


if __name__ == "__main__":
    main()
