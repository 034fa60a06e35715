"""What the sessions of a project left for later ones: where the last one ended; for whoever wants more, notes in codes
and summaries. The agent's words are marked as such."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from recollect.capture.echo import is_echo, words_of
from recollect.domain.memory import Memory
from recollect.domain.session import NoteCode, Recap
from recollect.domain.settings import Budgets, Settings
from recollect.engine.admission import redacted
from recollect.engine.ports import KeepsMemories
from recollect.engine.redaction import redact_line
from recollect.rank.budget import Offer
from recollect.text.block import brief_line_of, day_of, item_line_of, note_line_of, summary_line_of
from recollect.text.sentences import sentences

LAST, SESSIONS, EARLIER = "Last session", "Sessions", "Earlier sessions"
MOST_LISTED = 4  # tasks of a session that are named
CODES, SUMMARIES = "codes", "summaries"
HALF_LIVES = 2  # so long the notes of a session are told beside those of a later one
# What is to be done comes first; done : decided : open have 3 : 2 : 3 of the room.
PARTS = {NoteCode.NEXT: "open", NoteCode.BLOCK: "open", NoteCode.DEC: "decided", NoteCode.IMPL: "done"}
ROOM = {"done": 3 / 8, "decided": 2 / 8, "open": 3 / 8}


def without_outdated_lines(memories: KeepsMemories, recaps: Sequence[Recap]) -> list[Recap]:
    """Without the lines that only say what something newer has taken the place of, or what somebody wanted gone; and
    without the sessions that then tell nothing."""
    of_them = memories.ended_of({recap.session for recap in recaps})
    ended = [memory for memory in of_them if memory.superseded_by or memory.forgotten_at is not None]
    repeats = _repeating([memory for memory in ended if memory.forgotten_at is not None])
    told = [recap.retold(lambda line: _without(line, repeats)) for recap in without_lines(recaps, ended)]
    return [recap for recap in told if recap.notes or _has_outcome(recap)]


def _has_outcome(recap: Recap) -> bool:
    """What was only asked, or of which all that came is told elsewhere, is of no use to anybody who comes later."""
    return bool(recap.summary.ended) or any(lines for _, lines in recap.summary.lists)


def _without(line: str, repeats: Callable[[str], bool]) -> str:
    """Without the sentences that say it."""
    said = sentences(line)
    return line if not any(map(repeats, said)) else " ".join(one for one in said if not repeats(one))


def without_lines(recaps: Sequence[Recap], memories: Sequence[Memory]) -> list[Recap]:
    """Without the lines that only say what these memories say."""
    repeats = _repeating(memories)
    return [recap.without(repeats) for recap in recaps]


def without_notes(recaps: Sequence[Recap]) -> list[Recap]:
    """Without what their notes say as well."""
    return [recap.without({note.text for note in recap.notes}.__contains__) for recap in recaps]


def _repeating(memories: Sequence[Memory]) -> Callable[[str], bool]:
    said = [words_of(sentence) for memory in memories for sentence in sentences(memory.text)]
    return lambda line: is_echo(line, said)


def offer_notes(recaps: Sequence[Recap], settings: Settings, now: datetime, told: Sequence[Memory] = ()) -> list[Offer]:
    """Of the newest first; without those that only say what the memories beside them tell."""
    return list(_notes(_safe(recaps[: settings.start.sessions]), settings, now, _repeating(told)))


def offer_summaries(recaps: Sequence[Recap]) -> list[Offer]:
    """Whole."""
    told = [recap for recap in _safe(recaps) if _has_outcome(recap)]
    return [Offer((summary_line_of(one),), SESSIONS, shares=(SUMMARIES,)) for one in told]


def offer_older(recaps: Sequence[Recap]) -> list[Offer]:
    """In a line each."""
    return [Offer((brief_line_of(one),), EARLIER) for one in _safe(recaps) if _has_outcome(one)]


def offer_last_session(recaps: Sequence[Recap], told: Sequence[Memory]) -> list[Offer]:
    """Where the last session ended, in three lines at most; without what the memories beside it tell. What was asked
    says nothing to later ones unless it is known how it ended, or what is left."""
    last = _last(recaps)
    if last is None:
        return []
    (safe,) = _safe(without_lines([last], told))
    summary, heading = safe.summary, f"{LAST} ({day_of(safe.at)})"
    left = [note.text for note in safe.notes if note.code is NoteCode.NEXT] or list(summary.open)
    blocked = [note.text for note in safe.notes if note.code is NoteCode.BLOCK]
    if not (summary.ended or left or blocked):
        return []
    went = {"asked": _quoted(summary.asked), "ended, in the agent's words": _quoted(summary.ended)}
    lines = [
        "; ".join(f"{part}: {said}" for part, said in went.items() if said),
        *(f"{part}: {_listed(some)}" for part, some in (("open", left), ("blocked", blocked)) if some),
    ]
    return [Offer((item_line_of(line),), heading) for line in lines if line]


def _last(recaps: Sequence[Recap]) -> Recap | None:
    """The newest; before one in which hardly anything happened, one with work of the same day."""
    if not recaps:
        return None
    reach = recaps[0].at - timedelta(days=1)
    worked = (recap for recap in recaps if not recap.summary.is_slight and recap.at >= reach)
    return next(worked, recaps[0])


def _quoted(text: str) -> str:
    return f'"{text}"' if text else ""


def _listed(lines: Sequence[str]) -> str:
    more = len(lines) - MOST_LISTED
    return "; ".join([*lines[:MOST_LISTED], *([f"{more} more"] if more > 0 else [])])


def _safe(recaps: Sequence[Recap]) -> list[Recap]:
    """Redacted once more."""
    return [recap.retold(lambda line: redact_line(redacted(line))) for recap in recaps]


def heading(recaps: Sequence[Recap]) -> str:
    """Of the notes: a session that was months ago says so."""
    with_notes = [recap for recap in recaps if recap.notes]
    return f"{LAST} ({day_of(with_notes[0].at)})" if with_notes else LAST


def sections(recaps: Sequence[Recap], settings: Settings) -> tuple[str, ...]:
    return heading(_safe(recaps[: settings.start.sessions])), SESSIONS, EARLIER


def shares(budgets: Budgets, scale: float) -> dict[str, int]:
    codes = budgets.codes_tokens * scale
    return {
        CODES: int(codes),
        SUMMARIES: int(budgets.summaries_tokens * scale),
        **{part: int(codes * room) for part, room in ROOM.items()},
    }


def _notes(
    recaps: Sequence[Recap], settings: Settings, now: datetime, repeats: Callable[[str], bool]
) -> Iterator[Offer]:
    """All of the last session's, however old; of earlier ones while they are young. Each says of when it is."""
    said: set[tuple[NoteCode, str]] = set()
    with_notes = [recap for recap in recaps if recap.notes]
    reach = timedelta(days=HALF_LIVES * settings.start.note_half_life_days)
    for recap in with_notes:
        is_last = recap is with_notes[0]
        if not is_last and now - recap.at > reach:
            return
        for note in sorted(recap.notes, key=lambda note: list(PARTS).index(note.code)):
            if (note.code, note.text.casefold()) not in said and not repeats(note.text):
                said.add((note.code, note.text.casefold()))
                line = note_line_of(note, None if is_last else recap.at)
                yield Offer((line,), heading(with_notes), shares=(CODES, PARTS[note.code]))
