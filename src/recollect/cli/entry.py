"""Where the `recollect` command begins. Imports next to nothing before Ctrl-C is taken care of."""

import os
import signal
import sys
from types import FrameType

from recollect.cli.exit_codes import EXIT_INTERRUPTED


class _CtrlC:
    """Notes that it was pressed: a library that is just being loaded may turn it into an error of its own."""

    pressed = False

    def __call__(self, _: int, __: FrameType | None) -> None:
        self.pressed = True
        raise KeyboardInterrupt


def run() -> None:
    ctrl_c = _CtrlC()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where a shell has it ignored
        # A client that starts `recollect mcp` is no person: there, until the bridge listens, it ends without a word.
        signal.signal(signal.SIGINT, signal.SIG_DFL if sys.argv[1:2] == ["mcp"] else ctrl_c)
    try:
        _open_what_is_closed()
        if _is_bridge(sys.argv[1:]):  # every agent starts one: click alone takes longer than all of it
            from recollect.mcp.bridge import main
        else:
            from recollect.cli.main import main
        code = main()
    except KeyboardInterrupt:
        code = _interrupted()
    except (ImportError, AttributeError):
        if not ctrl_c.pressed:
            raise
        code = _interrupted()
    sys.exit(code)


def _is_bridge(arguments: list[str]) -> bool:
    """What a person may have mistyped is for click to explain."""
    match arguments:
        case ["mcp"]:
            return True
        case ["mcp", "--folder", folder]:
            return os.path.isdir(folder)  # noqa: PTH112  # pathlib takes as long as all the rest
        case _:
            return False


def _interrupted() -> int:
    sys.stderr.write("\nInterrupted.\n")
    return EXIT_INTERRUPTED


def _open_what_is_closed() -> None:
    """`recollect list >&-` leaves Python without a stdout; nobody hears us then, and that is no error."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115  # it stays open to the end
