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
from recollect.capture.said.kinds import kind_of, kind_of_statement, level_of
from recollect.capture.said.lasting import lasting_probability
from recollect.capture.said.masking import LineForm, mask_message
from recollect.capture.said.names import is_emphatic, names_in, paths_in
from recollect.capture.said.origin import origin_of
from recollect.capture.said.outright import MAX_CHARS, find_statement, signs
from recollect.capture.said.pastes import bare_words, find_paste
from recollect.capture.said.reference import find_referent, needs_this_moment, points_back, topic_of
from recollect.capture.said.remember_requests import text_to_remember
from recollect.capture.said.voice import own_sentence, voices
from recollect.domain.event import Event, Prompt, Reply
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, Role, ScopeLevel, Tier
from recollect.text.optout import opted_out

MAX_TURNS_BEFORE = 4  # messages before, for those who refer to them
MIN_ECHO_WORDS = 5  # fewer may come to two minds
MIN_CONTENT_WORDS = 2  # content words; fewer say nothing by themselves
MIN_CANDIDATE_WORDS = 4  # of a candidate
MAX_CONFIRMED = 8  # of one message
MAX_SAID_CHARS = 800  # of what is said in a message: a longer one is a document, of which only "remember" counts
MAX_TYPED_CHARS, MAX_TYPED_LINES = 500, 8  # of a message without a paste: such messages `lasting` was fitted on
MAX_CANDIDATES = 3  # of one message
OUTRIGHT, CLAIMED, MENTIONED, EXPLAINED = (
    1.0,
    0.5,
    0.45,
    0.4,
)  # durability: outright, by the user, in passing, by the agent
MIN_LASTING = 0.4  # how surely; what is less is said every day ("commit and push"), and said again it is no truer

_PASSING = frozenset(
    {Cue.TASK, Cue.NARRATION, Cue.EVENT, Cue.OFFER, Cue.HEDGE, Cue.HYPOTHESIS, Cue.MOOD, Cue.ONCE, Cue.POINTER,
     Cue.WANT, Cue.PASSED}
)  # fmt: skip

# A line that begins with the sign of a prompt, a tag or a level: a log or a terminal was pasted.
_TERMINAL_LINE = LazyPattern(r"^\s*(?:[❯›»➜]|[$>] |\[[\w:./-]+\]|(?:LOG|WARN|INFO|DEBUG|ERROR)\b)", re.MULTILINE)


class Conversation:
    """Hears a session in order."""

    def __init__(self) -> None:
        self._before: deque[Prompt | Reply] = deque(maxlen=MAX_TURNS_BEFORE)

    def hear(self, event: Event) -> list[Proposal]:
        if not isinstance(event, Prompt | Reply):
            return []
        found = find_proposals(event, tuple(self._before))
        self._before.append(event)
        return found


def find_proposals(event: Prompt | Reply, before: Sequence[Prompt | Reply] = ()) -> list[Proposal]:
    """Return what of one message may be worth keeping, in the order it was said. `before`: the messages before it."""
    if isinstance(event, Reply):
        return _read_reply(event)
    is_typed = origin_of(event.text, event.origin) is Origin.USER
    return _read_prompt(event, before) if is_typed and not opted_out(event.text).capture else []


def _read_prompt(event: Prompt, before: Sequence[Prompt | Reply]) -> list[Proposal]:
    page = mask_message(event.text)
    found = _join_tails(_without_echo(sentences(page), before))
    paste = find_paste(event.text)
    scolds = frozenset(cue for one in found for cue in cues_of(one.raw)) & {Cue.REBUKE}
    is_document = sum(len(one.text) for one in found) > MAX_SAID_CHARS
    has_terminal = _TERMINAL_LINE.search(event.text) is not None
    begins_with_it = _TERMINAL_LINE.search(event.text.partition("\n\n")[0]) is not None
    is_typed = len(event.text) <= MAX_TYPED_CHARS and event.text.count("\n") <= MAX_TYPED_LINES and not has_terminal
    stated: list[Proposal] = []
    told: list[Proposal] = []
    for at, (sentence, voice) in enumerate(zip(found, voices(event.text, page, found), strict=True)):
        is_own = not (voice.is_foreign or voice.is_doubtful or (paste and bare_words(sentence.text) in paste))
        own = own_sentence(sentence, voice)
        asked = text_to_remember([*found[:at], own, *found[at + 1 :]], at) if is_own else ""
        # What was typed stands before what was pasted.
        if has_terminal and (sentence.block > 0 or begins_with_it) and not asked:
            continue
        kept = asked or (find_statement(own, is_typed=is_typed) if is_own and not is_document else "")
        if kept:
            stated.append(_confirmed_proposal(event, sentence, kept, scolds, is_asked=bool(asked)))
        elif not voice.is_foreign and _is_statement(sentence) and (whole := _complete(found, at)):
            durability = CLAIMED if lasting_probability(sentence.text, signs(sentence)) >= MIN_LASTING else MENTIONED
            told.append(_proposal(event, whole, sentence, Role.USER, durability))
    return [*_without_duplicates(stated)[:MAX_CONFIRMED], *told[:MAX_CANDIDATES]]


def _read_reply(event: Reply) -> list[Proposal]:
    found = sentences(mask_message(event.text, own=True))
    told = [
        _proposal(event, one.text, one, Role.ASSISTANT, EXPLAINED)
        for one in found
        if cues_of(one.text) & {Cue.REASON, Cue.CAUSE} and _is_statement(one) and not points_back(one)
    ]
    return told[:MAX_CANDIDATES]


def _is_statement(sentence: Sentence) -> bool:
    """Whether it says how something is, and of what."""
    text = sentence.text
    if sentence.is_question or sentence.is_unsure or sentence.form is not LineForm.PROSE or text.endswith((":", "：")):
        return False
    if not len(text.split()) >= MIN_CANDIDATE_WORDS or len(text) > MAX_CHARS or cues_of(text) & _PASSING:
        return False
    return bool(names_in(text) or is_about_work(text)) and not needs_this_moment(text)


def _complete(found: Sequence[Sentence], at: int) -> str:
    """With the sentence that it refers to; empty: it cannot be understood alone."""
    text = found[at].text
    if not points_back(found[at]):
        return text
    before = find_referent(found, at)
    if before is None or points_back(found[before]):
        return ""
    topic = topic_of(found[before])
    whole = f"{topic}: {text}" if topic else f"{found[before].text} {text}"
    return whole if len(whole) <= MAX_CHARS else ""


def _join_tails(found: Sequence[Sentence]) -> list[Sentence]:
    """`Short answers, please. In all my projects.`: where it holds, said behind the full stop, belongs before it."""
    joined: list[Sentence] = []
    for sentence in found:
        is_tail = len(words_of(sentence.text)) < MIN_CONTENT_WORDS and Cue.UNIVERSAL in cues_of(sentence.text)
        if is_tail and joined:
            told = joined[-1].text.rstrip(" .!")
            joined[-1] = replace(joined[-1], text=f"{told} {sentence.text[:1].lower()}{sentence.text[1:]}")
        elif not is_tail:
            joined.append(sentence)
    return joined


def _without_echo(found: Sequence[Sentence], before: Sequence[Prompt | Reply]) -> list[Sentence]:
    """Without sentences that are copied from the agent: they are still the agent's."""
    known = [bare_words(reply.text) for reply in before if isinstance(reply, Reply)]
    return [one for one in found if not (known and _is_echo(bare_words(one.text), known))]


def _is_echo(words: str, known: Sequence[str]) -> bool:
    return words.count(" ") >= MIN_ECHO_WORDS - 1 and any(words in text for text in known)


def _without_duplicates(stated: Sequence[Proposal]) -> list[Proposal]:
    """Each statement once."""
    return list({bare_words(one.text): one for one in reversed(stated)}.values())[::-1]


def _confirmed_proposal(
    event: Prompt, sentence: Sentence, text: str, scolds: frozenset[Cue], *, is_asked: bool
) -> Proposal:
    kind = kind_of(text, Role.USER) if is_asked else kind_of_statement(text, scolds)
    return replace(
        _proposal(event, text, sentence, Role.USER, OUTRIGHT),
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
