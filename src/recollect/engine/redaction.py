"""The last check before anything leaves the engine, for a model, a person or a file: secrets that an older version
stored are redacted. The stored data does not change; `doctor --repair` does that."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar, assert_never

from msgspec import structs

from recollect.api.show import Told
from recollect.api.undo import TakenBack
from recollect.domain.changes import Change, MemoryChange
from recollect.domain.freshness import Freshness, SeenFile
from recollect.domain.injection import Injection
from recollect.domain.memory import (
    MAX_NAME_CHARS,
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
    Hit,
    Memory,
    all_texts,
    rewrite_memory,
)
from recollect.domain.outcome import Contradicts, New, Outcome, Refused, Same, Updates
from recollect.domain.review import Case, DecidedCase, Review
from recollect.domain.session import MAX_TURN_CHARS, TurnHit
from recollect.engine.admission import redact_text
from recollect.privacy.secrets import redact_identifier
from recollect.text.block import rewrite_texts, visible

AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


def redact_memory(memory: Memory) -> Memory:
    """Ids, scopes and sessions stay as they are: they are what a memory is found by."""
    if all(redact_text(text) == text for text in all_texts(memory)) and not memory.anchors:  # as almost always
        return memory
    anchors = tuple(replace(anchor, path=_redact_path(anchor.path)) for anchor in memory.anchors)
    safe = replace(rewrite_memory(memory, redact_text), anchors=anchors)
    return memory if safe == memory else safe


def redact_memories(memories: Iterable[Memory]) -> tuple[Memory, ...]:
    return tuple(map(redact_memory, memories))


def redact_hit(hit: Hit) -> Hit:
    memory, freshness = redact_memory(hit.memory), _redact_freshness(hit.freshness)
    if memory is hit.memory and freshness is hit.freshness:  # as almost always
        return hit
    return replace(hit, memory=memory, freshness=freshness)


def redact_turn_hit(hit: TurnHit) -> TurnHit:
    return replace(hit, turn=replace(hit.turn, text=_redact_text(hit.turn.text, MAX_TURN_CHARS)))


def redact_outcome(outcome: AnyOutcome) -> AnyOutcome:
    match outcome:
        case Refused():
            return outcome
        case New(memory) | Same(memory):
            return structs.replace(outcome, memory=redact_memory(memory))
        case Updates(memory, replaced):
            return structs.replace(outcome, memory=redact_memory(memory), replaced=redact_memories(replaced))
        case Contradicts(memory, known):
            return structs.replace(outcome, memory=redact_memory(memory), known=redact_memories(known))
        case _ as never:
            assert_never(never)


def redact_change(change: Change) -> Change:
    return change if change.about is None else replace(change, about=redact_text(change.about))


def redact_story(story: Told) -> Told:
    return replace(
        story,
        memory=redact_memory(story.memory),
        before=redact_memories(story.before),
        after=redact_memories(story.after),
        changes=tuple(map(_redact_memory_change, story.changes)),
    )


def redact_case(case: Case) -> Case:
    return replace(case, memory=redact_memory(case.memory), against=redact_memories(case.against))


def redact_review(review: Review) -> Review:
    return replace(review, decided=tuple(map(_redact_decision, review.decided)))


def _redact_decision(decided: DecidedCase) -> DecidedCase:
    return replace(decided, memory=redact_memory(decided.memory), ended=redact_memories(decided.ended))


def redact_undone(undone: TakenBack) -> TakenBack:
    return replace(
        undone,
        deed=redact_change(undone.deed),
        removed=redact_memories(undone.removed),
        restored=redact_memories(undone.restored),
        passed_over=None if undone.passed_over is None else redact_change(undone.passed_over),
    )


def redact_for_block(hit: Hit) -> Hit:
    """Redact each text as the block shows it: in one line, without invisible characters."""
    safe = redact_hit(hit)
    memory = safe.memory
    text = redact_line(memory.text)
    title = None if memory.title is None else redact_line(memory.title)
    evidence = tuple(map(redact_line, memory.evidence))
    if (text, title, evidence) == (memory.text, memory.title, memory.evidence):  # as almost always
        return safe
    shortened = replace(
        memory,
        text=text[:MAX_TEXT_CHARS],
        title=None if title is None else title[:MAX_TITLE_CHARS],
        evidence=tuple(sentence[:MAX_TEXT_CHARS] for sentence in evidence),
    )
    return replace(safe, memory=shortened)


def redact_injection(injection: Injection) -> Injection:
    """Return what was sent before: the same bytes, unless an older version sent a secret."""
    return replace(injection, block=redact_block(injection.block))


def redact_block(block: str) -> str:
    return rewrite_texts(block, redact_text)


def _redact_memory_change(change: MemoryChange) -> MemoryChange:
    before = None if change.before is None else redact_memory(change.before)
    return replace(change, deed=redact_change(change.deed), before=before)


def _redact_freshness(freshness: Freshness) -> Freshness:
    if not freshness.files:
        return freshness
    return replace(freshness, files=tuple(map(_redact_file, freshness.files)))


def _redact_file(file: SeenFile) -> SeenFile:
    moved_to = None if file.moved_to is None else _redact_path(file.moved_to)
    return replace(file, path=_redact_path(file.path), moved_to=moved_to)


def redact_line(text: str) -> str:
    """A line break or an invisible character inside a secret hides it in the text, but not from a reader."""
    seen = visible(text)
    safe = redact_text(seen)
    return text if safe == seen else safe


def _redact_path(path: str) -> str:
    return redact_identifier(path)[:MAX_NAME_CHARS]


def _redact_text(text: str, max_chars: int) -> str:
    """The mark may be longer than the secret was, so the text is cut."""
    return redact_text(text)[:max_chars]
