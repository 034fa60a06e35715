"""Recaps of earlier sessions as lines of a block: where the last session ended, and for the full style notes in codes
and summaries. The agent's words are marked as such."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from recollect.capture.echo import is_echo, words_of
from recollect.domain.memory import Memory
from recollect.domain.session import NoteCode, Recap
from recollect.domain.settings import Budgets, Start
from recollect.engine.admission import redact_text
from recollect.engine.ports import KeepsMemories
from recollect.engine.redaction import redact_line
from recollect.rank.budget import BlockItem
from recollect.text.block import brief_line_of, day_of, item_line_of, note_line_of, summary_line_of
from recollect.text.sentences import sentences

LAST, SESSIONS, EARLIER = "Last session", "Sessions", "Earlier sessions"
MAX_TASKS = 4  # open tasks of a session in one line
CODES, SUMMARIES = "codes", "summaries"
HALF_LIVES = 2  # notes of an earlier session are shown for this long
# Open tasks come first; done : decided : open get 3 : 2 : 3 of the room.
PARTS = {NoteCode.NEXT: "open", NoteCode.BLOCK: "open", NoteCode.DEC: "decided", NoteCode.IMPL: "done"}
ROOM = {"done": 3 / 8, "decided": 2 / 8, "open": 3 / 8}


def without_outdated_lines(memories: KeepsMemories, recaps: Sequence[Recap]) -> list[Recap]:
    """Drop lines that only repeat a replaced or forgotten memory, and then recaps without an outcome."""
    forgotten, outdated = [], []
    for memory in memories.find_ended_in_sessions({recap.session for recap in recaps}):
        if memory.forgotten_at is not None:
            forgotten.append(memory)
        if memory.superseded_by or memory.forgotten_at is not None:
            outdated.append(memory)
    repeats_forgotten = _repeats_any(forgotten)

    def drop_sentences(line: str) -> str:
        said = sentences(line)
        kept = [sentence for sentence in said if not repeats_forgotten(sentence)]
        return line if len(kept) == len(said) else " ".join(kept)

    current = [recap.rewrite_lines(drop_sentences) for recap in without_lines(recaps, outdated)]
    return [recap for recap in current if recap.notes or _has_outcome(recap)]


def _has_outcome(recap: Recap) -> bool:
    """A recap with only a question, or whose outcome is shown elsewhere, is of no use to later sessions."""
    return bool(recap.summary.ended) or any(lines for _, lines in recap.summary.lists)


def without_lines(recaps: Sequence[Recap], memories: Sequence[Memory]) -> list[Recap]:
    """Drop lines that only repeat these memories."""
    repeats = _repeats_any(memories)
    return [recap.without_lines(repeats) for recap in recaps]


def without_notes(recaps: Sequence[Recap]) -> list[Recap]:
    """Drop summary lines that the notes repeat."""
    return [recap.without_lines({note.text for note in recap.notes}.__contains__) for recap in recaps]


def _repeats_any(memories: Sequence[Memory]) -> Callable[[str], bool]:
    said = [words_of(sentence) for memory in memories for sentence in sentences(memory.text)]
    return lambda line: is_echo(line, said)


def offer_notes(
    recaps: Sequence[Recap], start: Start, now: datetime, shown: Sequence[Memory] = ()
) -> Iterator[BlockItem]:
    """All notes of the last session, however old; of earlier ones while they are young, with their date."""
    repeats = _repeats_any(shown)
    with_notes = [recap for recap in _redact(recaps[: start.sessions]) if recap.notes]
    max_age = timedelta(days=HALF_LIVES * start.note_half_life_days)
    said: set[tuple[NoteCode, str]] = set()
    for recap in with_notes:
        is_last = recap is with_notes[0]
        if not is_last and now - recap.at > max_age:
            return
        for note in sorted(recap.notes, key=lambda note: list(PARTS).index(note.code)):
            key = (note.code, note.text.casefold())
            if key not in said and not repeats(note.text):
                said.add(key)
                line = note_line_of(note, None if is_last else recap.at)
                yield BlockItem((line,), _heading(with_notes), shares=(CODES, PARTS[note.code]))


def offer_summaries(recaps: Sequence[Recap]) -> list[BlockItem]:
    with_outcome = filter(_has_outcome, _redact(recaps))
    return [BlockItem((summary_line_of(recap),), SESSIONS, shares=(SUMMARIES,)) for recap in with_outcome]


def offer_older(recaps: Sequence[Recap]) -> list[BlockItem]:
    return [BlockItem((brief_line_of(recap),), EARLIER) for recap in filter(_has_outcome, _redact(recaps))]


def offer_last_session(recaps: Sequence[Recap], shown: Sequence[Memory]) -> list[BlockItem]:
    """Where the last session ended, in at most three lines, without what the shown memories say."""
    last = _last_with_work(recaps)
    if last is None:
        return []
    (recap,) = _redact(without_lines([last], shown))
    summary = recap.summary
    left = [note.text for note in recap.notes if note.code is NoteCode.NEXT] or list(summary.open)
    blocked = [note.text for note in recap.notes if note.code is NoteCode.BLOCK]
    if not (summary.ended or left or blocked):  # the request alone does not help later sessions
        return []
    course = []
    if summary.asked:
        course.append(f'asked: "{summary.asked}"')
    if summary.ended:
        course.append(f'ended, in the agent\'s words: "{summary.ended}"')
    lines = ["; ".join(course)]
    if left:
        lines.append(f"open: {_join_tasks(left)}")
    if blocked:
        lines.append(f"blocked: {_join_tasks(blocked)}")
    return [BlockItem((item_line_of(line),), f"{LAST} ({day_of(recap.at)})") for line in lines if line]


def _last_with_work(recaps: Sequence[Recap]) -> Recap | None:
    """The newest recap; if hardly anything happened in it, rather one with work of the day before it."""
    if not recaps:
        return None
    since = recaps[0].at - timedelta(days=1)
    with_work = (recap for recap in recaps if not recap.summary.is_slight and recap.at >= since)
    return next(with_work, recaps[0])


def _join_tasks(tasks: Sequence[str]) -> str:
    named = list(tasks[:MAX_TASKS])
    if len(tasks) > MAX_TASKS:
        named.append(f"{len(tasks) - MAX_TASKS} more")
    return "; ".join(named)


def _redact(recaps: Sequence[Recap]) -> list[Recap]:
    return [recap.rewrite_lines(lambda line: redact_line(redact_text(line))) for recap in recaps]


def _heading(recaps: Sequence[Recap]) -> str:
    """The heading of the notes, with the date: the last session may be months old."""
    dates = [day_of(recap.at) for recap in recaps if recap.notes]
    return f"{LAST} ({dates[0]})" if dates else LAST


def sections(recaps: Sequence[Recap], start: Start) -> tuple[str, ...]:
    return _heading(_redact(recaps[: start.sessions])), SESSIONS, EARLIER


def shares(budgets: Budgets, scale: float) -> dict[str, int]:
    codes = budgets.codes_tokens * scale
    parts = {part: int(codes * room) for part, room in ROOM.items()}
    return {CODES: int(codes), SUMMARIES: int(budgets.summaries_tokens * scale), **parts}
