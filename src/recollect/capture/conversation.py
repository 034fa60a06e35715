"""What people and agents say in a session that may matter later. Pure: same messages, same proposals.

Confirmed is only what a user states outright; everything else that looks as if it would last is a candidate with an
estimate, and what an agent says is never more than that. Refuses whatever nobody said: templates, notices, pastes.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.capture.clauses import Sentence, sentences
from recollect.capture.cues import Cue, cues_of
from recollect.capture.durability import Embed, durabilities
from recollect.capture.echo import words_of
from recollect.capture.explicit import is_explicit, stands_by_itself
from recollect.capture.kinds import kind_of, level_of
from recollect.capture.lead_ins import without_lead_in
from recollect.capture.masking import read
from recollect.capture.origin import is_plan, origin_of
from recollect.capture.passages import Passage, passages
from recollect.capture.pastes import bare, pasted_in
from recollect.capture.patterns import Pattern
from recollect.capture.reference import points_back
from recollect.capture.traits import Turn, is_emphatic, paths_in
from recollect.capture.voice import own_sentence, voices
from recollect.domain.event import Compacted, Event, Prompt, Reply
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, Role, ScopeLevel, Tier
from recollect.text.optout import opted_out

FACTS = frozenset({Cue.STATE, Cue.USAGE})  # how things are
TELLING_WORDS = 2  # content words; fewer say nothing by themselves
KEPT_TURNS = 4  # what was said before, for who refers to it
ELSEWHERE = 0.8  # what a sentence of a plan counts that stands among the steps
ECHO_WORDS = 5  # fewer may come to two minds
CHARS_PER_PASSAGE = 400  # a message gives one passage for so many characters that are said in it


_CONTEXT = Pattern(
    r"\b(?:context|background|problem|motivation|why|overview|goal|decisions?|constraints?|root cause|rationale|"
    r"summary|errors?|fix(?:es)?|bugs?|user (?:feedback|preferences?)|key)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """How durable something has to be. By what was measured, not by what a chance of one half means."""

    floor: float  # a sentence for which a passage is made
    joins: float  # a neighbour that comes with it
    most: int  # passages of one message
    explicit: float = 1.0  # what a user states outright


USER = Bar(floor=0.35, joins=0.12, most=3, explicit=0.3)
REPLY = Bar(floor=0.45, joins=0.15, most=3)
LONG = Bar(floor=0.5, joins=0.2, most=4)  # plans and summaries: many sentences, few of which last


class Conversation:
    """Hears a session in order."""

    def __init__(self) -> None:
        self._before: deque[Prompt | Reply] = deque(maxlen=KEPT_TURNS)

    def hear(self, event: Event, embed: Embed | None = None) -> list[Proposal]:
        if isinstance(event, Compacted):
            return _of_agent(event, event.summary, LONG, embed)
        if not isinstance(event, Prompt | Reply):
            return []
        found = said(event, tuple(self._before), embed)
        self._before.append(event)
        return found


def said(event: Prompt | Reply, before: Sequence[Prompt | Reply] = (), embed: Embed | None = None) -> list[Proposal]:
    """What of one message may be worth keeping, in the order it was said. `before`: the messages before it."""
    origin = origin_of(event.text, event.origin) if isinstance(event, Prompt) else Origin.ASSISTANT
    if isinstance(event, Prompt) and opted_out(event.text).capture:
        return []
    match origin:
        case Origin.USER:
            return _of_user(event, before, embed)
        case Origin.ASSISTANT:
            return _of_agent(event, event.text, REPLY, embed)
        case Origin.SUMMARY:
            return _of_agent(event, event.text, LONG, embed)
        case Origin.COMMAND if is_plan(event.text):
            return _of_agent(event, event.text.partition(":")[2], LONG, embed)
        case Origin.COMMAND | Origin.SUBAGENT | Origin.NOTIFICATION | Origin.TOOL:
            return []


def _of_user(event: Prompt | Reply, before: Sequence[Prompt | Reply], embed: Embed | None) -> list[Proposal]:
    page = read(event.text)
    found = _without_tails(_without_echo(sentences(page), before))
    turn = Turn(chars=sum(len(sentence.text) for sentence in found), shown_chars=page.shown_chars)
    durable = durabilities(found, turn, Role.USER, embed)
    rest = frozenset(cue for sentence in found for cue in _mood(sentence))
    paste = pasted_in(event.text)
    voice = voices(event.text, page, found)
    stated = [
        not voice[at].is_foreign
        and is_explicit(
            own_sentence(sentence, voice[at]), durable[at], floor=USER.explicit, scolding=Cue.REBUKE in rest
        )
        for at, sentence in enumerate(found)
    ]
    pasted = [
        voice[at].is_foreign or (stated[at] and voice[at].is_doubtful) or (bool(paste) and bare(sentence.text) in paste)
        for at, sentence in enumerate(found)
    ]
    explicit = [stated[at] and not pasted[at] for at in range(len(found))]
    # What is stated outright is worth a passage however it is estimated.
    weighed = [1.0 + chance if explicit[at] else chance for at, chance in enumerate(durable)]
    # What should be done, and what else is so, are two memories: another day, one of the two holds no more.
    states = [not explicit[at] and bool(cues_of(sentence.text) & FACTS) for at, sentence in enumerate(found)]
    likes = [kind_of(sentence.text, Role.USER) is Kind.PREFERENCE for sentence in found]
    # And so are two rules, or a rule and a decision: each is replaced and forgotten without the other.
    by_itself = [explicit[at] and stands_by_itself(sentence) for at, sentence in enumerate(found)]
    told = [replace(sentence, text=without_lead_in(sentence.text)) for sentence in found]

    universal = [Cue.UNIVERSAL in cues_of(sentence.text) for sentence in found]

    def apart(one: int, other: int) -> bool:
        if universal[one] != universal[other] or pasted[one] != pasted[other]:
            return True  # what holds everywhere carries nothing of this project along
        if points_back(found[other]):
            return False
        if by_itself[one] and by_itself[other]:
            return True
        is_of_both = (explicit[one] and states[other]) or (states[one] and explicit[other])
        is_of_both = is_of_both or (explicit[one] and explicit[other] and likes[one] != likes[other])
        return is_of_both and not words_of(found[one].text) & words_of(found[other].text)

    most = max(_most(turn, USER), 1 + (any(explicit) and any(states)))
    chosen = passages(told, weighed, floor=USER.floor, joins=USER.joins, most=most, apart=apart)
    proposals = [
        _proposal(event, told, passage, durable, Role.USER, explicit[passage.core], rest) for passage in chosen
    ]
    return [
        replace(one, level=ScopeLevel.PROJECT) if pasted[passage.core] else one
        for one, passage in zip(proposals, chosen, strict=True)
    ]


def _of_agent(event: Prompt | Reply | Compacted, text: str, bar: Bar, embed: Embed | None) -> list[Proposal]:
    page = read(text, own=True)
    found = sentences(page)
    turn = Turn(chars=sum(len(sentence.text) for sentence in found), shown_chars=page.shown_chars)
    durable = durabilities(found, turn, Role.ASSISTANT, embed)
    if bar is LONG:  # why it is done outlasts what is done
        weighed = [
            chance if _CONTEXT.search(found[at].lead) else chance * ELSEWHERE for at, chance in enumerate(durable)
        ]
    else:
        weighed = durable
    chosen = passages(found, weighed, floor=bar.floor, joins=bar.joins, most=_most(turn, bar))
    return [_proposal(event, found, passage, durable, Role.ASSISTANT, False, frozenset()) for passage in chosen]


def _without_tails(found: Sequence[Sentence]) -> list[Sentence]:
    """`Short answers, please. In all my projects.`: where it holds, said behind the full stop, belongs before it."""
    joined: list[Sentence] = []
    for sentence in found:
        is_tail = len(words_of(sentence.text)) < TELLING_WORDS and Cue.UNIVERSAL in cues_of(sentence.text)
        if is_tail and joined:
            said = joined[-1].text.rstrip(" .!")
            joined[-1] = replace(joined[-1], text=f"{said} {sentence.text[:1].lower()}{sentence.text[1:]}")
        elif not is_tail:
            joined.append(sentence)
    return joined


def _without_echo(found: Sequence[Sentence], before: Sequence[Prompt | Reply]) -> list[Sentence]:
    """Whoever answers an agent copies its sentences; they are still the agent's."""
    known = [bare(reply.text) for reply in before if isinstance(reply, Reply)]
    if not known:
        return list(found)
    return [one for one in found if not _is_echo(bare(one.text), known)]


def _is_echo(words: str, known: Sequence[str]) -> bool:
    return words.count(" ") >= ECHO_WORDS - 1 and any(words in text for text in known)


def _most(turn: Turn, bar: Bar) -> int:
    return max(1, min(bar.most, round(turn.chars / CHARS_PER_PASSAGE)))


def _mood(sentence: Sentence) -> frozenset[Cue]:
    return cues_of(sentence.raw) & {Cue.REBUKE}


def _basis(event: Prompt | Reply | Compacted, raw: str, explicit: bool) -> Basis:
    if isinstance(event, Compacted):
        return Basis.SUMMARY
    if isinstance(event, Reply):
        return Basis.CLOSING if event.final else Basis.SAID
    return Basis.ASKED if explicit and Cue.ASKED in cues_of(raw) else Basis.SAID


def _proposal(
    event: Prompt | Reply | Compacted,
    found: Sequence[Sentence],
    passage: Passage,
    durable: Sequence[float],
    role: Role,
    explicit: bool,
    turn_cues: frozenset[Cue],
) -> Proposal:
    core = found[passage.core].text
    basis = _basis(event, found[passage.core].raw, explicit)
    kind = kind_of(passage.text, role, turn_cues)
    return Proposal(
        text=passage.text,
        # What is to be remembered is not only something that was found out once.
        kind=Kind.DECISION if basis is Basis.ASKED and kind is Kind.RESEARCH else kind,
        tier=Tier.CONFIRMED if explicit else Tier.CANDIDATE,
        basis=basis,
        role=role,
        messages=() if isinstance(event, Compacted) else (event.message,),
        evidence=tuple(found[number].raw for number in passage.sentences),
        durability=round(durable[passage.core], 4),
        paths=paths_in(passage.text),
        level=level_of([found[number].text for number in passage.sentences], role),
        explicit=explicit,
        emphatic=is_emphatic(core),
    )
