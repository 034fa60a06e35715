"""Find sentences of a session that may matter later. Pure: same messages, same proposals.

Only what a user states outright (`outright`) is confirmed, each statement by itself. A statement in the user's own words
becomes a candidate; of an agent, only one that gives a reason or a cause. Everything else stays in the archive.
Refuses what no person said: templates, notices, pastes.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from recollect.capture.echo import words_of
from recollect.capture.said.clauses import Sentence, sentences
from recollect.capture.said.cues import Cue, cues_of, has_cue
from recollect.capture.said.development import is_about_work, is_emphatic, names_in, paths_in
from recollect.capture.said.kinds import kind_of, kind_of_statement, level_of
from recollect.capture.said.masking import LineForm, mask_message
from recollect.capture.said.origin import origin_of
from recollect.capture.said.outright import MAX_CHARS, find_statement, lasting_probability, signs_of
from recollect.capture.said.pastes import bare_words, find_paste
from recollect.capture.said.reference import find_referent, needs_this_moment, points_back, topic_of
from recollect.capture.said.remember_requests import text_to_remember
from recollect.capture.said.voice import own_sentence, voices
from recollect.domain.event import Event, Prompt, Reply
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, Role, ScopeLevel, Tier
from recollect.text.lazy_pattern import LazyPattern
from recollect.text.optout import find_opt_out

MAX_PREVIOUS_MESSAGES = 4  # earlier messages that are kept to recognise copies
MIN_ECHO_WORDS = 5  # shorter sentences may be the same by chance
MIN_CONTENT_WORDS = 2  # fewer say nothing alone
MIN_CANDIDATE_WORDS = 4
MAX_CONFIRMED = 8  # of one message
MAX_PROSE_CHARS = 800  # a message that says more is a document: only "remember" counts there
MAX_TYPED_CHARS, MAX_TYPED_LINES = 500, 8  # of a message without a paste: `lasting_probability` was fitted on these
MAX_CANDIDATES = 3  # of one message
OUTRIGHT, CLAIMED, MENTIONED, EXPLAINED = 1.0, 0.5, 0.45, 0.4  # durability; EXPLAINED: by the agent
MIN_LASTING = 0.4  # below this it is everyday talk ("commit and push"), which repetition makes no truer

_TEMPORARY_CUES = frozenset(
    {Cue.TASK, Cue.NARRATION, Cue.EVENT, Cue.OFFER, Cue.HEDGE, Cue.HYPOTHESIS, Cue.MOOD, Cue.ONCE, Cue.POINTER,
     Cue.WANT, Cue.PASSED}
)  # fmt: skip

# A line that begins with a prompt sign, a tag or a log level: the user pasted a log or a terminal.
_TERMINAL_LINE = LazyPattern(r"^\s*(?:[❯›»➜]|[$>] |\[[\w:./-]+\]|(?:LOG|WARN|INFO|DEBUG|ERROR)\b)", re.MULTILINE)


class MessageReader:
    def __init__(self) -> None:
        self._before: deque[Prompt | Reply] = deque(maxlen=MAX_PREVIOUS_MESSAGES)

    def hear(self, event: Event) -> list[Proposal]:
        if not isinstance(event, Prompt | Reply):
            return []
        found = find_proposals(event, tuple(self._before))
        self._before.append(event)
        return found


def find_proposals(event: Prompt | Reply, before: Sequence[Prompt | Reply] = ()) -> list[Proposal]:
    """Return what one message proposes: confirmed statements, then candidates. `before`: the messages before it."""
    if isinstance(event, Reply):
        return _read_reply(event)
    is_typed = origin_of(event.text, event.origin) is Origin.USER
    return _read_prompt(event, before) if is_typed and not find_opt_out(event.text).capture else []


def _read_prompt(event: Prompt, before: Sequence[Prompt | Reply]) -> list[Proposal]:
    page = mask_message(event.text)
    found = _join_scope_fragments(_without_copies_of_replies(sentences(page), before))
    paste = find_paste(event.text)
    scolds = any(has_cue(one.raw, Cue.REBUKE) for one in found)
    is_document = sum(len(one.text) for one in found) > MAX_PROSE_CHARS
    has_terminal = _TERMINAL_LINE.search(event.text) is not None
    begins_with_it = _TERMINAL_LINE.search(event.text.partition("\n\n")[0]) is not None
    is_short = len(event.text) <= MAX_TYPED_CHARS and event.text.count("\n") <= MAX_TYPED_LINES
    confirmed: list[Proposal] = []
    candidates: list[Proposal] = []
    for at, (sentence, voice) in enumerate(zip(found, voices(event.text, page, found), strict=True)):
        is_own = not (voice.is_foreign or voice.is_doubtful or (paste and bare_words(sentence.text) in paste))
        own = own_sentence(sentence, voice)
        asked = text_to_remember([*found[:at], own, *found[at + 1 :]], at) if is_own else ""
        # People type first and paste below.
        if has_terminal and (sentence.block > 0 or begins_with_it) and not asked:
            continue
        kept = asked
        if not asked and is_own and not is_document:
            kept = find_statement(own, is_typed=is_short and not has_terminal)
        if kept:
            confirmed.append(_propose_confirmed(event, sentence, kept, scolds=scolds, is_asked=bool(asked)))
        elif not voice.is_foreign and _can_be_candidate(sentence) and (whole := _resolve_reference(found, at)):
            is_lasting = lasting_probability(sentence.text, signs_of(sentence)) >= MIN_LASTING
            durability = CLAIMED if is_lasting else MENTIONED
            candidates.append(_propose(event, whole, sentence, Role.USER, durability))
    return [*_without_duplicates(confirmed)[:MAX_CONFIRMED], *candidates[:MAX_CANDIDATES]]


def _read_reply(event: Reply) -> list[Proposal]:
    candidates = []
    for one in sentences(mask_message(event.text, is_agent=True)):
        has_reason = has_cue(one.text, Cue.REASON, Cue.CAUSE)
        if has_reason and _can_be_candidate(one) and not points_back(one):
            candidates.append(_propose(event, one.text, one, Role.ASSISTANT, EXPLAINED))
    return candidates[:MAX_CANDIDATES]


def _can_be_candidate(sentence: Sentence) -> bool:
    """Return True if it says how something of the work is."""
    text = sentence.text
    if sentence.is_question or sentence.is_unsure or sentence.form is not LineForm.PROSE or text.endswith((":", "：")):
        return False
    if len(text.split()) < MIN_CANDIDATE_WORDS or len(text) > MAX_CHARS or cues_of(text) & _TEMPORARY_CUES:
        return False
    return bool(names_in(text) or is_about_work(text)) and not needs_this_moment(text)


def _resolve_reference(found: Sequence[Sentence], at: int) -> str:
    """Add the sentence that it refers to; empty if it cannot be understood alone."""
    text = found[at].text
    if not points_back(found[at]):
        return text
    before = find_referent(found, at)
    if before is None or points_back(found[before]):
        return ""
    topic = topic_of(found[before])
    whole = f"{topic}: {text}" if topic else f"{found[before].text} {text}"
    return whole if len(whole) <= MAX_CHARS else ""


def _join_scope_fragments(found: Sequence[Sentence]) -> list[Sentence]:
    """`Short answers, please. In all my projects.`: a scope after the full stop belongs to the sentence before it."""
    joined: list[Sentence] = []
    for sentence in found:
        text = sentence.text
        is_tail = len(words_of(text)) < MIN_CONTENT_WORDS and Cue.UNIVERSAL in cues_of(text)
        if not is_tail:
            joined.append(sentence)
        elif joined:
            joined[-1] = replace(joined[-1], text=f"{joined[-1].text.rstrip(' .!')} {text[:1].lower()}{text[1:]}")
    return joined


def _without_copies_of_replies(found: Sequence[Sentence], before: Sequence[Prompt | Reply]) -> list[Sentence]:
    """Drop sentences that the user copied from the agent: they are still the agent's."""
    known = [bare_words(reply.text) for reply in before if isinstance(reply, Reply)]
    own: list[Sentence] = []
    for sentence in found:
        words = bare_words(sentence.text)
        if words.count(" ") < MIN_ECHO_WORDS - 1 or not any(words in text for text in known):
            own.append(sentence)
    return own


def _without_duplicates(found: Sequence[Proposal]) -> list[Proposal]:
    first: dict[str, Proposal] = {}
    for one in found:
        first.setdefault(bare_words(one.text), one)
    return list(first.values())


def _propose_confirmed(event: Prompt, sentence: Sentence, text: str, *, scolds: bool, is_asked: bool) -> Proposal:
    if is_asked:
        kind, basis = kind_of(text, Role.USER), Basis.ASKED
    else:
        kind, basis = kind_of_statement(text, scolds=scolds), Basis.SAID
    return replace(
        _propose(event, text, sentence, Role.USER, OUTRIGHT),
        kind=kind,
        tier=Tier.CONFIRMED,
        basis=basis,
        level=level_of(text, Role.USER),
        explicit=True,
    )


def _propose(event: Prompt | Reply, text: str, sentence: Sentence, role: Role, durability: float) -> Proposal:
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
