"""The command line: words and figures for people, one JSON document for programs.

Enters:  arguments. Progress and messages go to stderr, results to stdout.
Leaves:  exit codes: 0 done, 1 something failed, 2 wrong use.
Belongs: parsing arguments, printing.
Not here: anything that the UI could not do as well (commands/, automation/), decisions (the rooms).
"""

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it quietly from its first moment on."""
    try:
        from memory_assets.cli.app import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


__all__ = ["main"]
