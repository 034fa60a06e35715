"""The entry point of the `recollect` command. Imports almost nothing before Ctrl-C is handled."""

import gc
import os
import signal
import sys
from types import FrameType

from recollect.cli.exit_codes import EXIT_INTERRUPTED

GC_THRESHOLD = 50_000  # new objects; while modules are loaded there is no garbage, and looking for it takes time


class _CtrlC:
    """Remembers that Ctrl-C was pressed: a library that is being loaded may turn it into an error of its own."""

    pressed = False

    def __call__(self, _: int, __: FrameType | None) -> None:
        self.pressed = True
        raise KeyboardInterrupt


def run() -> None:
    gc.set_threshold(GC_THRESHOLD)
    is_bridge = _is_bridge(sys.argv[1:])
    ctrl_c = _CtrlC()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if the shell made us ignore it
        # `recollect mcp` is started by a client, not by a person: until the bridge listens, it ends silently.
        signal.signal(signal.SIGINT, signal.SIG_DFL if sys.argv[1:2] == ["mcp"] else ctrl_c)
    try:
        _reopen_closed_streams()
        if is_bridge:  # every agent starts one, and importing click takes longer than all the rest
            from recollect.mcp.bridge import main
        else:
            from recollect.cli.main import main
        code = main()
    except KeyboardInterrupt:
        code = _report_interruption()
    except (ImportError, AttributeError):
        if not ctrl_c.pressed:
            raise
        code = _report_interruption()
    if not is_bridge and "recollect.wiring" not in sys.modules:  # no database and no model to close
        _skip_clean_up(code)
    sys.exit(code)


def _is_bridge(arguments: list[str]) -> bool:
    """Return True for a correct `mcp` call; click explains a mistyped one."""
    match arguments:
        case ["mcp"]:
            return True
        case ["mcp", "--folder", folder]:
            return os.path.isdir(folder)  # noqa: PTH112  # importing pathlib takes as long as all the rest
        case _:
            return False


def _skip_clean_up(code: int) -> None:
    """End without Python's own clean-up, which takes longer than starting Python; return if that would lose output."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return
    os._exit(code)


def _report_interruption() -> int:
    sys.stderr.write("\nInterrupted.\n")
    return EXIT_INTERRUPTED


def _reopen_closed_streams() -> None:
    """`recollect list >&-` leaves Python without a stdout; that is not an error."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115  # stays open until the end
