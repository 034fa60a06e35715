"""The last look before anything leaves the engine, to a model, a person or a file.

What an older version kept with a secret inside is shown without it. What is kept is not changed here: `doctor --repair`
does that.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from recollect.domain.freshness import Freshness
from recollect.domain.history import Change, MemoryChange
from recollect.domain.injection import Injection
from recollect.domain.memory import MAX_NAME_CHARS, MAX_TEXT_CHARS, MAX_TITLE_CHARS, Anchor, Hit, Memory
from recollect.domain.outcome import Contradicts, Outcome, Refused, Updates
from recollect.domain.review import Case, Decided, Review
from recollect.domain.session import MAX_TURN_CHARS, TurnHit
from recollect.engine.admission import redacted
from recollect.engine.story import Story
from recollect.engine.undo import Undone
from recollect.privacy.secrets import redact_name
from recollect.text.block import retold, visible

AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


def shown(memory: Memory) -> Memory:
    """Names stay as they are: by them it is found."""
    said = (memory.text, memory.title or "", *memory.aliases, *memory.evidence)
    if all(redacted(text) == text for text in said if text) and not memory.anchors:  # as almost always
        return memory
    safe = replace(
        memory,
        text=_cut(memory.text, MAX_TEXT_CHARS),
        title=None if memory.title is None else _cut(memory.title, MAX_TITLE_CHARS),
        aliases=tuple(_cut(alias, MAX_NAME_CHARS) for alias in memory.aliases),
        evidence=tuple(_cut(sentence, MAX_TEXT_CHARS) for sentence in memory.evidence),
        anchors=tuple(Anchor(_path(anchor.path), anchor.hash) for anchor in memory.anchors),
    )
    return memory if safe == memory else safe


def shown_all(memories: Iterable[Memory]) -> tuple[Memory, ...]:
    return tuple(map(shown, memories))


def shown_hit(hit: Hit) -> Hit:
    memory, freshness = shown(hit.memory), _shown_freshness(hit.freshness)
    if memory is hit.memory and freshness is hit.freshness:  # as almost always
        return hit
    return replace(hit, memory=memory, freshness=freshness)


def shown_turn(hit: TurnHit) -> TurnHit:
    return replace(hit, turn=replace(hit.turn, text=_cut(hit.turn.text, MAX_TURN_CHARS)))


def shown_outcome(outcome: AnyOutcome) -> AnyOutcome:
    match outcome:
        case Refused():
            return outcome
        case Updates(memory, replaced):
            return replace(outcome, memory=shown(memory), replaced=shown_all(replaced))
        case Contradicts(memory, known):
            return replace(outcome, memory=shown(memory), known=shown_all(known))
        case _:
            return replace(outcome, memory=shown(outcome.memory))


def shown_deed(deed: Change) -> Change:
    return deed if deed.about is None else replace(deed, about=redacted(deed.about))


def shown_story(story: Story) -> Story:
    return replace(
        story,
        memory=shown(story.memory),
        before=shown_all(story.before),
        after=shown_all(story.after),
        changes=tuple(map(_shown_change, story.changes)),
    )


def shown_case(case: Case) -> Case:
    return replace(case, memory=shown(case.memory), against=shown_all(case.against))


def shown_review(review: Review) -> Review:
    return replace(review, decided=tuple(map(_shown_decision, review.decided)))


def _shown_decision(decided: Decided) -> Decided:
    return replace(decided, memory=shown(decided.memory), ended=shown_all(decided.ended))


def shown_undone(undone: Undone) -> Undone:
    return replace(
        undone, deed=shown_deed(undone.deed), removed=shown_all(undone.removed), restored=shown_all(undone.restored)
    )


def for_block(hit: Hit) -> Hit:
    """Looked at as it will be read there: in one line, without what nobody sees."""
    safe = shown_hit(hit)
    return replace(safe, memory=as_read(safe.memory))


def as_read(memory: Memory) -> Memory:
    text, title = line_as_read(memory.text), None if memory.title is None else line_as_read(memory.title)
    evidence = tuple(map(line_as_read, memory.evidence))
    if (text, title, evidence) == (memory.text, memory.title, memory.evidence):  # as almost always
        return memory
    title = None if title is None else title[:MAX_TITLE_CHARS]
    evidence = tuple(sentence[:MAX_TEXT_CHARS] for sentence in evidence)
    return replace(memory, text=text[:MAX_TEXT_CHARS], title=title, evidence=evidence)


def shown_again(injection: Injection) -> Injection:
    """What was sent before: the same bytes, unless an older version sent a secret."""
    return replace(injection, block=shown_block(injection.block))


def shown_block(block: str) -> str:
    return retold(block, redacted)


def _shown_change(change: MemoryChange) -> MemoryChange:
    before = None if change.before is None else shown(change.before)
    return replace(change, deed=shown_deed(change.deed), before=before)


def _shown_freshness(freshness: Freshness) -> Freshness:
    if not freshness.files:
        return freshness
    files = [
        replace(file, path=_path(file.path), moved_to=None if file.moved_to is None else _path(file.moved_to))
        for file in freshness.files
    ]
    return replace(freshness, files=tuple(files))


def line_as_read(text: str) -> str:
    """A secret may be one only where it is read: in the text, a line ends or a character hides inside of it."""
    seen = visible(text)
    safe = redacted(seen)
    return text if safe == seen else safe


def _path(path: str) -> str:
    return redact_name(path)[:MAX_NAME_CHARS]


def _cut(text: str, most: int) -> str:
    """A mark may be longer than the secret was."""
    return redacted(text)[:most]
