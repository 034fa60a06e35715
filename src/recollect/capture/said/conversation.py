"""Sentences of a session that may matter later. Pure: same messages, same proposals.

Confirmed is only what a user states outright (`outright`), each statement by itself. A sentence in the user's own words
that tells how something is becomes a candidate; of an agent, only what is told with its reason or cause.
Everything else is left to the archive. Refuses what no person said: templates, notices, pastes.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from recollect.capture.echo import words_of
from recollect.capture.patterns import LazyPattern
from recollect.capture.said.clauses import Sentence, sentences
from recollect.capture.said.cues import Cue, cues_of
from recollect.capture.said.development import is_about_work
from recollect.capture.said.kinds import kind_of, level_of, stated_kind_of
from recollect.capture.said.lasting import lasts
from recollect.capture.said.masking import LineForm, read
from recollect.capture.said.names import is_emphatic, names_in, paths_in
from recollect.capture.said.origin import origin_of
from recollect.capture.said.outright import MAX_CHARS, outright, signs
from recollect.capture.said.pastes import bare, pasted_in
from recollect.capture.said.reference import points_back, referent, speaks_of_here, topic_of
from recollect.capture.said.remember_requests import asked_for
from recollect.capture.said.voice import own_sentence, voices
from recollect.domain.event import Event, Prompt, Reply
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, Role, ScopeLevel, Tier
from recollect.text.optout import opted_out

KEPT_TURNS = 4  # messages before, for those who refer to them
ECHO_WORDS = 5  # fewer may come to two minds
TELLING_WORDS = 2  # content words; fewer say nothing by themselves
LEAST_WORDS = 4  # of a candidate
MOST_CONFIRMED = 8  # of one message
DOCUMENT_CHARS = 800  # of what is said in a message: a longer one is a document, of which only "remember" counts
TYPED_CHARS, TYPED_LINES = 500, 8  # of a message without a paste: such messages `lasting` was fitted on
MOST_CANDIDATES = 3  # of one message
STATED, TOLD, MENTIONED, EXPLAINED = 1.0, 0.5, 0.45, 0.4  # durability: outright, by the user, in passing, by the agent
MAY_LAST = 0.4  # how surely; what is less is said every day ("commit and push"), and said again it is no truer

_PASSING = frozenset(
    {Cue.TASK, Cue.NARRATION, Cue.EVENT, Cue.OFFER, Cue.HEDGE, Cue.HYPOTHESIS, Cue.MOOD, Cue.ONCE, Cue.POINTER,
     Cue.WANT, Cue.PASSED}
)  # fmt: skip

# A line that begins with the sign of a prompt, a tag or a level: a log or a terminal was pasted.
_OF_A_TERMINAL = LazyPattern(r"^\s*(?:[❯›»➜]|[$>] |\[[\w:./-]+\]|(?:LOG|WARN|INFO|DEBUG|ERROR)\b)", re.MULTILINE)


class Conversation:
    """Hears a session in order."""

    def __init__(self) -> None:
        self._before: deque[Prompt | Reply] = deque(maxlen=KEPT_TURNS)

    def hear(self, event: Event) -> list[Proposal]:
        if not isinstance(event, Prompt | Reply):
            return []
        found = said(event, tuple(self._before))
        self._before.append(event)
        return found


def said(event: Prompt | Reply, before: Sequence[Prompt | Reply] = ()) -> list[Proposal]:
    """Return what of one message may be worth keeping, in the order it was said. `before`: the messages before it."""
    if isinstance(event, Reply):
        return _of_agent(event)
    is_typed = origin_of(event.text, event.origin) is Origin.USER
    return _of_user(event, before) if is_typed and not opted_out(event.text).capture else []


def _of_user(event: Prompt, before: Sequence[Prompt | Reply]) -> list[Proposal]:
    page = read(event.text)
    found = _without_tails(_without_echo(sentences(page), before))
    paste = pasted_in(event.text)
    scolds = frozenset(cue for one in found for cue in cues_of(one.raw)) & {Cue.REBUKE}
    is_document = sum(len(one.text) for one in found) > DOCUMENT_CHARS
    has_terminal = _OF_A_TERMINAL.search(event.text) is not None
    begins_with_it = _OF_A_TERMINAL.search(event.text.partition("\n\n")[0]) is not None
    is_typed = len(event.text) <= TYPED_CHARS and event.text.count("\n") <= TYPED_LINES and not has_terminal
    stated: list[Proposal] = []
    told: list[Proposal] = []
    for at, (sentence, voice) in enumerate(zip(found, voices(event.text, page, found), strict=True)):
        is_own = not (voice.is_foreign or voice.is_doubtful or (paste and bare(sentence.text) in paste))
        own = own_sentence(sentence, voice)
        asked = asked_for([*found[:at], own, *found[at + 1 :]], at) if is_own else ""
        # What was typed stands before what was pasted.
        if has_terminal and (sentence.block > 0 or begins_with_it) and not asked:
            continue
        kept = asked or (outright(own, is_typed=is_typed) if is_own and not is_document else "")
        if kept:
            stated.append(_stated(event, sentence, kept, scolds, is_asked=bool(asked)))
        elif not voice.is_foreign and _tells(sentence) and (whole := _whole(found, at)):
            durability = TOLD if lasts(sentence.text, signs(sentence)) >= MAY_LAST else MENTIONED
            told.append(_proposal(event, whole, sentence, Role.USER, durability))
    return [*_unlike(stated)[:MOST_CONFIRMED], *told[:MOST_CANDIDATES]]


def _of_agent(event: Reply) -> list[Proposal]:
    found = sentences(read(event.text, own=True))
    told = [
        _proposal(event, one.text, one, Role.ASSISTANT, EXPLAINED)
        for one in found
        if cues_of(one.text) & {Cue.REASON, Cue.CAUSE} and _tells(one) and not points_back(one)
    ]
    return told[:MOST_CANDIDATES]


def _tells(sentence: Sentence) -> bool:
    """Whether it says how something is, and of what."""
    text = sentence.text
    if sentence.is_question or sentence.is_unsure or sentence.form is not LineForm.PROSE or text.endswith((":", "：")):
        return False
    if not len(text.split()) >= LEAST_WORDS or len(text) > MAX_CHARS or cues_of(text) & _PASSING:
        return False
    return bool(names_in(text) or is_about_work(text)) and not speaks_of_here(text)


def _whole(found: Sequence[Sentence], at: int) -> str:
    """With the sentence that it refers to; empty: it cannot be understood alone."""
    text = found[at].text
    if not points_back(found[at]):
        return text
    before = referent(found, at)
    if before is None or points_back(found[before]):
        return ""
    topic = topic_of(found[before])
    whole = f"{topic}: {text}" if topic else f"{found[before].text} {text}"
    return whole if len(whole) <= MAX_CHARS else ""


def _without_tails(found: Sequence[Sentence]) -> list[Sentence]:
    """`Short answers, please. In all my projects.`: where it holds, said behind the full stop, belongs before it."""
    joined: list[Sentence] = []
    for sentence in found:
        is_tail = len(words_of(sentence.text)) < TELLING_WORDS and Cue.UNIVERSAL in cues_of(sentence.text)
        if is_tail and joined:
            told = joined[-1].text.rstrip(" .!")
            joined[-1] = replace(joined[-1], text=f"{told} {sentence.text[:1].lower()}{sentence.text[1:]}")
        elif not is_tail:
            joined.append(sentence)
    return joined


def _without_echo(found: Sequence[Sentence], before: Sequence[Prompt | Reply]) -> list[Sentence]:
    """Without sentences that are copied from the agent: they are still the agent's."""
    known = [bare(reply.text) for reply in before if isinstance(reply, Reply)]
    return [one for one in found if not (known and _is_echo(bare(one.text), known))]


def _is_echo(words: str, known: Sequence[str]) -> bool:
    return words.count(" ") >= ECHO_WORDS - 1 and any(words in text for text in known)


def _unlike(stated: Sequence[Proposal]) -> list[Proposal]:
    """Each statement once."""
    return list({bare(one.text): one for one in reversed(stated)}.values())[::-1]


def _stated(event: Prompt, sentence: Sentence, text: str, scolds: frozenset[Cue], *, is_asked: bool) -> Proposal:
    kind = kind_of(text, Role.USER) if is_asked else stated_kind_of(text, scolds)
    return replace(
        _proposal(event, text, sentence, Role.USER, STATED),
        kind=kind,
        tier=Tier.CONFIRMED,
        basis=Basis.ASKED if is_asked else Basis.SAID,
        level=level_of(text, Role.USER),
        explicit=True,
    )


def _proposal(event: Prompt | Reply, text: str, sentence: Sentence, role: Role, durability: float) -> Proposal:
    kind = kind_of(text, role)
    return Proposal(
        text=text,
        kind=Kind.DECISION if role is Role.USER and kind is Kind.RULE else kind,
        tier=Tier.CANDIDATE,
        basis=Basis.CLOSING if isinstance(event, Reply) and event.final else Basis.SAID,
        role=role,
        messages=(event.message,),
        evidence=(sentence.raw,),
        durability=durability,
        paths=paths_in(text),
        level=ScopeLevel.PROJECT,
        emphatic=is_emphatic(sentence.text),
    )
