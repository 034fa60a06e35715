"""Lines that quote earlier sessions of the project at a prompt, or none.

Only a question about the project is answered, by the best exchanges: what was said while another task was worked on
hardly ever helps with this one. Never quoted: output of tools, pasted text, the running session, what is in front of
the model already, and what is no longer valid.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from math import isnan
from typing import Protocol

from recollect.capture.echo import is_echo, words_of
from recollect.capture.said.masking import BLANK, blanked
from recollect.domain.injection import Quoted
from recollect.domain.learning import Origin
from recollect.domain.memory import Memory, MessageId, SessionId, Tier
from recollect.domain.search import SightedTurns
from recollect.domain.session import Turn
from recollect.engine.admission import MARK, redacted
from recollect.engine.ports import Embeds, KeepsMemories, KeepsTurns
from recollect.engine.recall import TurnSearch, search_turns
from recollect.engine.redaction import redact_line
from recollect.engine.situation import LOG_DIGITS, Situation
from recollect.rank.calibrate import rarity
from recollect.rank.quotes import Passage, choose, topical
from recollect.text.block import CUT, plain, quote_line_of, quotes_in
from recollect.text.meaning import project_words
from recollect.text.passages import quotable, tells
from recollect.text.query import FUNCTION_WORDS, content_words
from recollect.text.sentences import sentences
from recollect.text.tokens import estimate
from recollect.text.words import index_words

SPEAKERS = {Origin.USER: "user", Origin.ASSISTANT: "agent", Origin.SUMMARY: "agent"}
POOL = 32  # turns that are compared passage by passage
EXCHANGES = 12  # of which something may be quoted
PASSAGES = 60  # that are looked at one by one
REPLIES = 6  # of an agent to one prompt, at most
MAX_QUOTED_CHARS = 50_000  # a longer turn is something that was pasted
NEAR = 0.6  # of what a prompt needs beside all turns, by the best passage alone
LEFT_WORDS = 4  # what is left of a passage with a paste, at least
ALONE = 2  # content words in a prompt, of which one that is shared says nothing
CHARS_PER_TOKEN = 3  # about: what the lines cost in the end is counted
Place = tuple[SessionId, MessageId]
Chooses = Callable[[Sequence[Passage]], list[Passage]]


class QuoteStore(KeepsTurns, KeepsMemories, Protocol):
    """Old turns, and what was learnt from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotes:
    lines: tuple[str, ...] = ()
    turns: tuple[Quoted, ...] = ()  # that they quote


NO_QUOTES = Quotes()


def quote_answers(
    store: QuoteStore, embeds: Embeds | None, prompt: str, situation: Situation, *, budget_tokens: int, beside: str = ""
) -> Quotes:
    """The best exchanges about what a question asks. `beside`: the block that they are added to."""
    project = situation.viewer.project
    if project is None or budget_tokens <= 0:
        return NO_QUOTES
    found = search_turns(store, embeds, prompt, project, pool=POOL, running=situation.running_sessions)
    settings = situation.settings.turn
    needed = settings.quote_threshold + (settings.later_threshold if situation.live.has_prompts else 0.0)
    topic = topical(*signs(prompt, found))
    if topic < needed:
        return NO_QUOTES
    exchanges = dict(_exchanges(found))
    turns = _turns(store, found.turns, exchanges, project)

    def chosen(passages: Sequence[Passage]) -> list[Passage]:
        return choose(passages, budget_tokens=budget_tokens, least=needed * NEAR)

    numbers = {"topic": topic, "needed": needed}
    is_sayable = _sayable(prompt, situation, beside)
    return _quoted(store, found, turns, exchanges, is_sayable, chosen, numbers, budget_tokens)


def _quoted(
    store: QuoteStore,
    found: TurnSearch,
    turns: Mapping[int, Turn],
    exchanges: Mapping[int, int],
    is_sayable: Callable[[Passage], bool],
    chooses: Chooses,
    numbers: Mapping[str, float],
    budget_tokens: int,
) -> Quotes:
    ended = _ended(store, turns)
    past = [(words_of(line), until) for memory, until in ended for line in sentences(memory.text)]
    turns = _that_hold(turns, ended)
    looked_at: set[int] = set()
    while True:
        near = sorted(_passages(turns, found, exchanges), key=lambda one: -one.fit)[:PASSAGES]
        chosen = chooses([one for one in near if is_sayable(one) and not _is_past(one.text, turns[one.turn].at, past)])
        while chosen and sum(estimate(f"{line}\n") for line in _told(chosen, turns, str).lines) > budget_tokens:
            chosen.pop()  # passages are counted one by one; what counts is the lines that they make
        unsafe = _unsafe(turns, {passage.turn for passage in chosen} - looked_at)
        if not unsafe:
            return _explained(_told(chosen, turns, redact_line), chosen, turns, numbers)
        turns |= unsafe
        looked_at |= unsafe.keys()


def _sayable(prompt: str, situation: Situation, beside: str) -> Callable[[Passage], bool]:
    """Whether a passage says something that the model does not have in front of it."""
    blocks = [beside, *(sent.injection.block for sent in situation.live.sent)]
    quoted = " ".join(quote for block in blocks for quote in quotes_in(block))
    lines = [words_of(line) for block in blocks for line in block.splitlines()]
    asked = words_of(prompt)

    def is_sayable(one: Passage) -> bool:
        return (
            tells(one.text)
            and MARK not in one.text  # it was about a secret
            and not (quoted and plain(one.text) in quoted)
            and not is_echo(one.text, lines)
            and not words_of(one.text) <= asked  # an earlier question of the same kind says nothing about it
        )

    return is_sayable


def _explained(
    told: Quotes, chosen: Sequence[Passage], turns: Mapping[int, Turn], numbers: Mapping[str, float]
) -> Quotes:
    """With the numbers that decided: those of the prompt, and of each turn those of its best passage."""
    best: dict[Place, Passage] = {}
    for passage in sorted(chosen, key=lambda one: one.fit):
        turn = turns[passage.turn]
        best[turn.session, turn.message] = passage

    def reasons(one: Passage) -> dict[str, float]:
        meaning = {} if one.cosine is None else {"meaning": one.cosine}
        told = {**numbers, "words": one.asked, **meaning}
        return {name: round(value, LOG_DIGITS) for name, value in told.items()}

    quoted = tuple(replace(one, reasons=reasons(best[one.session, one.message])) for one in told.turns)
    return replace(told, turns=quoted)


def _unsafe(turns: Mapping[int, Turn], positions: Collection[int]) -> dict[int, Turn]:
    """Those that an older version kept with a secret, without it. One may go over many lines: all of a turn is read."""
    safe = {at: redacted(turns[at].text)[:MAX_QUOTED_CHARS] for at in sorted(positions)}
    return {at: replace(turns[at], text=text) for at, text in safe.items() if text != turns[at].text}


def signs(prompt: str, found: TurnSearch) -> tuple[float | None, float]:
    """That the prompt is about what was said in this project: how near the nearest passage comes, and the largest share
    of the prompt, by rarity, that one turn has."""
    turns = found.turns
    here = project_words(turns.project or "")
    words = [word for word in content_words(prompt) if word not in here]
    weight = rarity({word: len(turns.having.get(word, ())) for word in words}, len(turns.numbers))
    shared = found.ranked.words * 0
    times = shared.copy()
    for word in words:
        if word in turns.having:
            shared[turns.having[word]] += weight[word]
            times[turns.having[word]] += 1
    if len(words) >= ALONE:
        shared[times < 2] = 0  # "rename the variable in ...": one word of a prompt is in some turn or other
    asked = float(shared.max(initial=0.0)) / (sum(weight.values()) or 1.0)
    near = [cosine for cosines in found.passages.values() for cosine in cosines]
    return max(near, default=0.0) if found.cosine is not None else None, asked


def _exchanges(found: TurnSearch) -> Iterator[tuple[int, int]]:
    """For each turn of the best exchanges, the one that began it: what a user said, before the replies to it."""
    turns, seen = found.turns, set[int]()
    for position in found.ranked.best(POOL).tolist():
        first = position
        while first and not turns.from_user[first] and turns.sessions[first - 1] == turns.sessions[position]:
            first -= 1
        if first in seen:
            continue
        seen.add(first)
        yield first, first
        for reply in range(first + 1, min(first + 1 + REPLIES, len(turns.numbers))):
            if turns.from_user[reply] or turns.sessions[reply] != turns.sessions[first]:
                break
            yield reply, first
        if len(seen) == EXCHANGES:
            break


def _turns(archive: KeepsTurns, sighted: SightedTurns, positions: Collection[int], project: str) -> dict[int, Turn]:
    """Those of them that a person or an agent said."""
    at = sorted(positions)
    rows = archive.turns([int(sighted.numbers[position]) for position in at])
    return {
        position: turn
        for position, turn in zip(at, rows, strict=True)
        if turn is not None
        and turn.project == project
        and turn.origin in SPEAKERS
        and len(turn.text) <= MAX_QUOTED_CHARS
    }


def _ended(memories: KeepsMemories, turns: Mapping[int, Turn]) -> list[tuple[Memory, datetime | None]]:
    """What their sessions taught and is no longer valid, with the time until which it was."""
    ended = memories.ended_of({turn.session for turn in turns.values()})
    return [(memory, memory.valid_to or memory.forgotten_at) for memory in ended if not _has_faded(memory)]


def _that_hold(turns: Mapping[int, Turn], ended: Sequence[tuple[Memory, object]]) -> dict[int, Turn]:
    """Without those in which something was said that is no longer valid."""
    places = {place for memory, _ in ended for place in _places(memory)}
    return {at: turn for at, turn in turns.items() if (turn.session, turn.message) not in places}


def _is_past(text: str, at: datetime, past: Sequence[tuple[frozenset[str], datetime | None]]) -> bool:
    """Whether it repeats, while that was valid, what no longer is: a reply tells what its user said."""
    lines = [words for words, until in past if until is not None and at < until]
    return bool(lines) and any(is_echo(line, lines) for line in sentences(text))


def _has_faded(memory: Memory) -> bool:
    """Nothing took its place, and nobody wanted it gone."""
    return memory.tier is Tier.CANDIDATE and memory.superseded_by is None and memory.forgotten_at is None


def _places(memory: Memory) -> Iterator[Place]:
    """Where it was said."""
    for said in (memory.source, *(mention.source for mention in memory.mentions)):
        if said.session is not None and said.message is not None:
            yield said.session, said.message


def _passages(turns: Mapping[int, Turn], found: TurnSearch, exchanges: Mapping[int, int]) -> Iterator[Passage]:
    score = {position: max(0.0, float(found.ranked.score[position])) for position in turns}
    best: dict[int, float] = {}
    for position in turns:
        first = exchanges[position]
        best[first] = max(best.get(first, 0.0), score[position])
    asked = sum(found.worth.values()) or 1.0
    for position, turn in turns.items():
        near = _near(found, position)
        of_user = SPEAKERS[turn.origin or Origin.USER] == "user"
        for place, (text, words) in enumerate(_cut(turn.text, of_user)):
            if not text:
                continue
            yield Passage(
                turn=position,
                place=place,
                exchange=exchanges[position],
                text=text,
                words=words - FUNCTION_WORDS,
                tokens=1 + len(text) // CHARS_PER_TOKEN,
                turn_score=score[position],
                exchange_score=best[exchanges[position]],
                asked=sum(worth for word, worth in found.worth.items() if word in words) / asked,
                cosine=near[min(place, len(near) - 1)],
            )


@lru_cache(maxsize=256)  # 9 KB each, and more of long turns
def _cut(text: str, of_user: bool) -> tuple[tuple[str, frozenset[str]], ...]:
    """What may be quoted of a turn, with its words; remembered, because the same turns are near again and again.
    A user pastes what others wrote: that is empty here, so that each passage keeps its place."""
    said = map(_without_pastes, quotable(blanked(text))) if of_user else quotable(text)
    return tuple((passage, frozenset(index_words(passage))) for passage in said)


def _without_pastes(passage: str) -> str:
    if BLANK not in passage:
        return passage
    left = [word for word in passage.split() if BLANK not in word and any(map(str.isalnum, word))]
    return " ".join(left) if len(left) >= LEFT_WORDS and not left[-1].endswith(":") else ""


def _near(found: TurnSearch, position: int) -> Sequence[float | None]:
    """How near each passage of a turn comes; the last one stands for all after it, which have no vectors."""
    cosines = found.passages.get(position)
    if cosines:
        return [*cosines, sum(cosines) / len(cosines)]
    context = None if found.cosine is None else float(found.cosine[position])
    return [None if context is None or isnan(context) else context]


def _told(chosen: Sequence[Passage], turns: Mapping[int, Turn], read: Callable[[str], str]) -> Quotes:
    """A line for each exchange, the newest first: of two versions of a thing, the valid one comes first."""
    ordered = sorted(chosen, key=lambda passage: (passage.turn, passage.place))
    lines = []
    for first, of_exchange in groupby(ordered, key=lambda passage: passage.exchange):
        spoken = [(turns[at], list(said)) for at, said in groupby(of_exchange, key=lambda passage: passage.turn)]
        lines.append((first, spoken))
    lines.sort(key=lambda line: (line[1][0][0].at, line[0]), reverse=True)
    return Quotes(
        lines=tuple(
            quote_line_of(
                [(SPEAKERS[turn.origin or Origin.USER], read(_joined(said))) for turn, said in spoken],
                spoken[0][0].at,
                spoken[0][0].session,
            )
            for _, spoken in lines
        ),
        turns=tuple(Quoted(session=turn.session, message=turn.message) for _, spoken in lines for turn, _ in spoken),
    )


def _joined(said: Sequence[Passage]) -> str:
    """With a mark where something between two passages is left out."""
    text, last = said[0].text, said[0].place
    for passage in said[1:]:
        text += (" " if passage.place == last + 1 else CUT) + passage.text
        last = passage.place
    return text
