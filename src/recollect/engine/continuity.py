"""What the last sessions of a project left for the next one: their notes in codes, and their summaries."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from recollect.domain.session import NoteCode, Recap
from recollect.domain.settings import Budgets, Settings
from recollect.engine.admission import redacted
from recollect.engine.showing import line_as_read
from recollect.rank.budget import Offer
from recollect.text.block import note_line_of, summary_line_of

LAST, EARLIER = "Last session", "Earlier sessions"
SECTIONS = (LAST, EARLIER)
CODES, SUMMARIES = "codes", "summaries"
HALF_LIVES = 2  # so long the notes of a session are told beside those of a later one
# What is to be done comes first; done : decided : open have 3 : 2 : 3 of the room.
PARTS = {NoteCode.NEXT: "open", NoteCode.BLOCK: "open", NoteCode.DEC: "decided", NoteCode.IMPL: "done"}
ROOM = {"done": 3 / 8, "decided": 2 / 8, "open": 3 / 8}


def offers(recaps: Sequence[Recap], settings: Settings) -> list[Offer]:
    """Of the newest first, redacted once more."""
    safe = [recap.retold(lambda line: line_as_read(redacted(line))) for recap in recaps]
    return [*_notes(safe, settings), *_summaries(safe)]


def shares(budgets: Budgets, scale: float) -> dict[str, int]:
    codes = budgets.codes_tokens * scale
    return {
        CODES: int(codes),
        SUMMARIES: int(budgets.summaries_tokens * scale),
        **{part: int(codes * room) for part, room in ROOM.items()},
    }


def _notes(recaps: Sequence[Recap], settings: Settings) -> Iterator[Offer]:
    """All of the last session's; of earlier ones while they are young beside it."""
    said: set[tuple[NoteCode, str]] = set()
    with_notes = [recap for recap in recaps if recap.notes]
    reach = timedelta(days=HALF_LIVES * settings.start.note_half_life_days)
    for recap in with_notes:
        is_last = recap is with_notes[0]
        if not is_last and with_notes[0].at - recap.at > reach:
            return
        for note in sorted(recap.notes, key=lambda note: list(PARTS).index(note.code)):
            if (note.code, note.text.casefold()) not in said:
                said.add((note.code, note.text.casefold()))
                line = note_line_of(note, None if is_last else recap.at)
                yield Offer((line,), LAST, shares=(CODES, PARTS[note.code]))


def _summaries(recaps: Sequence[Recap]) -> Iterator[Offer]:
    for recap in recaps:
        if recap.summary:
            yield Offer((summary_line_of(recap),), EARLIER, shares=(SUMMARIES,))
