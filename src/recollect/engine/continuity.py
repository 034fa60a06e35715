"""What the last sessions of a project left for the next one: their notes in codes, and their summaries."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from recollect.domain.session import NoteCode, Recap
from recollect.domain.settings import Budgets, Settings
from recollect.engine.admission import redacted
from recollect.engine.showing import line_as_read
from recollect.rank.budget import Offer
from recollect.text.block import day_of, note_line_of, summary_line_of

LAST, SESSIONS = "Last session", "Sessions"
CODES, SUMMARIES = "codes", "summaries"
HALF_LIVES = 2  # so long the notes of a session are told beside those of a later one
# What is to be done comes first; done : decided : open have 3 : 2 : 3 of the room.
PARTS = {NoteCode.NEXT: "open", NoteCode.BLOCK: "open", NoteCode.DEC: "decided", NoteCode.IMPL: "done"}
ROOM = {"done": 3 / 8, "decided": 2 / 8, "open": 3 / 8}


def offers(recaps: Sequence[Recap], settings: Settings, now: datetime) -> list[Offer]:
    """Of the newest first."""
    return [*_notes(_safe(recaps), settings, now), *summaries(recaps)]


def summaries(recaps: Sequence[Recap]) -> list[Offer]:
    told = [recap for recap in _safe(recaps) if recap.summary]
    return [Offer((summary_line_of(recap),), SESSIONS, shares=(SUMMARIES,)) for recap in told]


def _safe(recaps: Sequence[Recap]) -> list[Recap]:
    """Redacted once more."""
    return [recap.retold(lambda line: line_as_read(redacted(line))) for recap in recaps]


def heading(recaps: Sequence[Recap]) -> str:
    """Of the notes: a session that was months ago says so."""
    with_notes = [recap for recap in recaps if recap.notes]
    return f"{LAST} ({day_of(with_notes[0].at)})" if with_notes else LAST


def sections(recaps: Sequence[Recap]) -> tuple[str, str]:
    return heading(_safe(recaps)), SESSIONS


def shares(budgets: Budgets, scale: float) -> dict[str, int]:
    codes = budgets.codes_tokens * scale
    return {
        CODES: int(codes),
        SUMMARIES: int(budgets.summaries_tokens * scale),
        **{part: int(codes * room) for part, room in ROOM.items()},
    }


def _notes(recaps: Sequence[Recap], settings: Settings, now: datetime) -> Iterator[Offer]:
    """All of the last session's, however old; of earlier ones while they are young. Each says of when it is."""
    said: set[tuple[NoteCode, str]] = set()
    with_notes = [recap for recap in recaps if recap.notes]
    reach = timedelta(days=HALF_LIVES * settings.start.note_half_life_days)
    for recap in with_notes:
        is_last = recap is with_notes[0]
        if not is_last and now - recap.at > reach:
            return
        for note in sorted(recap.notes, key=lambda note: list(PARTS).index(note.code)):
            if (note.code, note.text.casefold()) not in said:
                said.add((note.code, note.text.casefold()))
                line = note_line_of(note, None if is_last else recap.at)
                yield Offer((line,), heading(with_notes), shares=(CODES, PARTS[note.code]))
