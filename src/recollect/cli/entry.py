"""Where the `recollect` command begins. Imports next to nothing before Ctrl-C is taken care of."""

import os
import sys

from recollect.cli.exits import EXIT_INTERRUPTED


def run() -> None:
    try:
        _open_what_is_closed()
        from recollect.cli.main import main

        code = main()
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        code = EXIT_INTERRUPTED
    sys.exit(code)


def _open_what_is_closed() -> None:
    """`recollect list >&-` leaves Python without a stdout; nobody hears us then, and that is no error."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115  # it stays open to the end
