"""Says that Recollect is paused, so that users do not wonder why nothing happens."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.cli.display import output

if TYPE_CHECKING:
    from recollect.domain.pause import Pause
from recollect.paths import find_paths


def current_pauses() -> "Sequence[Pause]":
    """Return the pauses that are on now. Without a pause file, nothing is imported."""
    path = find_paths().pause
    try:
        path.lstat()
    except FileNotFoundError:
        return ()
    except OSError:
        from recollect.domain.pause import UNKNOWN_PAUSE

        return (UNKNOWN_PAUSE,)
    from recollect.wiring import PauseFile  # rarely needed

    return PauseFile(path).on()


def sentence(pause: "Pause") -> str:
    """`paused since 2026-03-02 10:00, until 2026-03-02 11:00: nothing is captured or injected (`recollect resume`)`"""
    from recollect.domain.pause import UNKNOWN_PAUSE

    if pause == UNKNOWN_PAUSE:
        return f"paused: {find_paths().pause} cannot be read (`recollect resume` writes a new one)"
    end_it = "`recollect resume`"
    if pause.project is not None:
        end_it = f"`recollect resume --project` there, or {end_it}"
    since = f"{output.minute(pause.since)}{duration_text(pause)}"
    return f"paused since {since}: nothing is captured or injected ({end_it})"


def duration_text(pause: "Pause") -> str:
    where = "" if pause.project is None else f", in project {pause.project}"
    until = "you resume" if pause.until is None else output.minute(pause.until)
    return f"{where}, until {until}"


def pause_json(pause: "Pause") -> dict[str, str | None]:
    until = None if pause.until is None else pause.until.isoformat()
    return {"since": pause.since.isoformat(), "until": until, "project": pause.project}


def remark() -> None:
    for pause in current_pauses():
        output.remark(f"Recollect is {sentence(pause)}.")
