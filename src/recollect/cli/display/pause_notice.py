"""That Recollect is paused, in words for a person who may wonder why nothing happens."""

from collections.abc import Sequence

from recollect import config
from recollect.cli.display import output
from recollect.domain.pause import UNKNOWN, Pause


def on() -> Sequence[Pause]:
    """Those that are on now. Where nobody ever paused, nothing is loaded."""
    path = config.places().pause
    try:
        path.lstat()
    except FileNotFoundError:
        return ()
    except OSError:
        return (UNKNOWN,)
    from recollect.wiring import PauseFile  # few are paused

    return PauseFile(path).on()


def sentence(pause: Pause) -> str:
    """`paused since 2026-03-02 10:00, until 2026-03-02 11:00: nothing is captured or injected (`recollect resume`)`"""
    if pause == UNKNOWN:
        return f"paused: {config.places().pause} cannot be read (`recollect resume` writes it anew)"
    way_on = "recollect resume" if pause.project is None else "recollect resume --project` there, or `recollect resume"
    return f"paused since {output.minute(pause.since)}{for_people(pause)}: nothing is captured or injected (`{way_on}`)"


def for_people(pause: Pause) -> str:
    """`, in project git:example.org/shop, until 2026-03-02 11:00`"""
    where = "" if pause.project is None else f", in project {pause.project}"
    return where + (", until you resume" if pause.until is None else f", until {output.minute(pause.until)}")


def pause_json(pause: Pause) -> dict[str, str | None]:
    until = None if pause.until is None else pause.until.isoformat()
    return {"since": pause.since.isoformat(), "until": until, "project": pause.project}


def remark() -> None:
    """Beside the answer of a command whose reader may wonder."""
    for pause in on():
        output.remark(f"Recollect is {sentence(pause)}.")
