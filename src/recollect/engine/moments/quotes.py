"""Quotes of earlier sessions that answer a question about the project: what was said during another task hardly ever
helps with this one. Never quoted: output of tools, pasted text, the running session, what is in the live context
already, and what is no longer valid."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from math import isnan
from typing import Protocol

from recollect.capture.echo import is_echo, words_of
from recollect.capture.said.masking import BLANK, blank_shown_text
from recollect.domain.injection import QuotedTurn
from recollect.domain.learning import Origin
from recollect.domain.memory import Memory, MessageId, SessionId, Tier
from recollect.domain.search import Meaning
from recollect.domain.session import Turn
from recollect.engine.admission import REDACTION_MARK, redact_text
from recollect.engine.moments.injections import LOG_DIGITS
from recollect.engine.moments.situation import LiveBlocks, Situation
from recollect.engine.ports import Embeds, KeepsMemories, KeepsTurns
from recollect.engine.redaction import redact_line
from recollect.engine.search import TurnSearch, search_turns
from recollect.rank.calibrate import rarity
from recollect.rank.quotes import Passage, choose, topicality
from recollect.text.block import CUT, plain, quote_line_of, quotes_in
from recollect.text.embedding_text import project_words
from recollect.text.passages import is_informative, quotable_passages
from recollect.text.query import FUNCTION_WORDS, content_words
from recollect.text.sentences import sentences
from recollect.text.tokens import estimate
from recollect.text.words import index_words

SPEAKERS = {Origin.USER: "user", Origin.ASSISTANT: "agent", Origin.SUMMARY: "agent"}
POOL = 32  # turns that are compared passage by passage
MAX_EXCHANGES = 12
MAX_PASSAGES = 60
MAX_REPLIES = 6  # of an agent to one prompt
MAX_QUOTED_CHARS = 50_000  # a longer turn was pasted
NEAR = 0.6  # the best passage alone must reach this share of the threshold
MIN_WORDS_LEFT = 4  # of a passage without its pasted part
MIN_SHARED_WORDS = 2  # in a prompt of at least as many content words, one shared word says nothing
CHARS_PER_TOKEN = 3  # roughly: the final lines are counted exactly


class QuoteStore(KeepsTurns, KeepsMemories, Protocol): ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotes:
    lines: tuple[str, ...] = ()
    turns: tuple[QuotedTurn, ...] = ()  # that they quote


NO_QUOTES = Quotes()


def quote_answers(
    store: QuoteStore,
    embeds: Embeds | None,
    prompt: str,
    situation: Situation,
    *,
    meaning: Meaning | None,
    budget_tokens: int,
    beside: str = "",
) -> Quotes:
    """Quote the best exchanges about the question. `meaning`: of the prompt, if it was embedded already. `beside`: the
    block that the lines are added to."""
    project = situation.viewer.project
    if project is None or budget_tokens <= 0:
        return NO_QUOTES
    running = situation.running_sessions
    found = search_turns(store, embeds, prompt, project, pool=POOL, running=running, meaning=meaning)
    settings = situation.settings.turn
    needed = settings.quote_threshold
    if situation.live.has_prompts:
        needed += settings.later_threshold
    topic = topicality(*topic_signs(prompt, found))
    if topic < needed:
        return NO_QUOTES
    exchanges = dict(_exchanges(found))
    turns = _load_turns(store, found, exchanges, project)
    outdated = _find_outdated(store, turns)
    turns = _without_sources_of(outdated, turns)
    outdated_lines = list(_lines_with_end(outdated))
    is_news = _news_check(prompt, situation.live, beside)

    def choose_passages() -> list[Passage]:
        nearest = sorted(_passages(turns, found, exchanges), key=lambda one: -one.fit)[:MAX_PASSAGES]
        news = filter(is_news, nearest)
        valid = [one for one in news if not _repeats_outdated(one.text, turns[one.turn].at, outdated_lines)]
        chosen = choose(valid, budget_tokens=budget_tokens, min_topicality=needed * NEAR)
        while chosen and _line_tokens(chosen, turns) > budget_tokens:
            chosen.pop()  # passages were counted one by one; the lines they make are what counts
        return chosen

    chosen = choose_passages()
    checked: set[int] = set()
    while unsafe := _redact_turns(turns, {passage.turn for passage in chosen} - checked):
        turns |= unsafe
        checked |= unsafe.keys()
        chosen = choose_passages()
    return _explain(_quote(chosen, turns, redact_line), chosen, turns, {"topic": topic, "needed": needed})


def _line_tokens(chosen: Sequence[Passage], turns: Mapping[int, Turn]) -> int:
    return sum(estimate(f"{line}\n") for line in _quote(chosen, turns, str).lines)


def _news_check(prompt: str, live: LiveBlocks, beside: str) -> Callable[[Passage], bool]:
    """Return a check whether a passage says something that is not in the live context."""
    quotes: list[str] = []
    lines: list[frozenset[str]] = []
    for block in (beside, *(sent.injection.block for sent in live.sent)):
        quotes.extend(quotes_in(block))
        lines.extend(map(words_of, block.splitlines()))
    quoted = " ".join(quotes)
    asked = words_of(prompt)

    def is_news(one: Passage) -> bool:
        return (
            is_informative(one.text)
            and REDACTION_MARK not in one.text  # it was about a secret
            and not (quoted and plain(one.text) in quoted)
            and not is_echo(one.text, lines)
            and not words_of(one.text) <= asked  # an earlier question of the same kind says nothing about it
        )

    return is_news


def _explain(
    quotes: Quotes, chosen: Sequence[Passage], turns: Mapping[int, Turn], numbers: Mapping[str, float]
) -> Quotes:
    """Add the reasons: the numbers of the prompt, and of each turn those of its best passage."""
    best: dict[tuple[SessionId, MessageId], Passage] = {}
    for passage in sorted(chosen, key=lambda one: one.fit):
        turn = turns[passage.turn]
        best[turn.session, turn.message] = passage

    def with_reasons(one: QuotedTurn) -> QuotedTurn:
        passage = best[one.session, one.message]
        reasons = {**numbers, "words": passage.asked}
        if passage.cosine is not None:
            reasons["meaning"] = passage.cosine
        return replace(one, reasons={name: round(value, LOG_DIGITS) for name, value in reasons.items()})

    return replace(quotes, turns=tuple(map(with_reasons, quotes.turns)))


def _redact_turns(turns: Mapping[int, Turn], positions: Collection[int]) -> dict[int, Turn]:
    """Redact turns that an older version stored with a secret, which may go over many lines. Return those only."""
    unsafe: dict[int, Turn] = {}
    for at in sorted(positions):
        text = redact_text(turns[at].text)[:MAX_QUOTED_CHARS]
        if text != turns[at].text:
            unsafe[at] = replace(turns[at], text=text)
    return unsafe


def topic_signs(prompt: str, found: TurnSearch) -> tuple[float | None, float]:
    """Return two signs that the prompt is about what was said in this project: the cosine of the nearest passage, and
    the largest share of the prompt's words, by rarity, that one turn has."""
    turns = found.turns
    here = project_words(turns.project or "")
    words = [word for word in content_words(prompt) if word not in here]
    weight = rarity({word: len(turns.positions_by_word.get(word, ())) for word in words}, len(turns.numbers))
    shared = found.ranked.words * 0
    times = shared.copy()
    for word in words:
        if word in turns.positions_by_word:
            shared[turns.positions_by_word[word]] += weight[word]
            times[turns.positions_by_word[word]] += 1
    if len(words) >= MIN_SHARED_WORDS:
        shared[times < MIN_SHARED_WORDS] = 0  # "rename the variable in ...": some turn has one of these words
    share = float(shared.max(initial=0.0)) / (sum(weight.values()) or 1.0)
    if found.cosine is None:
        return None, share
    return max((max(cosines) for cosines in found.passages.values() if cosines), default=0.0), share


def _exchanges(found: TurnSearch) -> Iterator[tuple[int, int]]:
    """For each turn of the best exchanges, its position and that of the user's turn that began the exchange."""
    turns, seen = found.turns, set[int]()
    for position in found.ranked.best(POOL).tolist():
        first = position
        while first and not turns.from_user[first] and turns.sessions[first - 1] == turns.sessions[position]:
            first -= 1
        if first in seen:
            continue
        seen.add(first)
        yield first, first
        for reply in range(first + 1, min(first + 1 + MAX_REPLIES, len(turns.numbers))):
            if turns.from_user[reply] or turns.sessions[reply] != turns.sessions[first]:
                break
            yield reply, first
        if len(seen) == MAX_EXCHANGES:
            break


def _load_turns(archive: KeepsTurns, found: TurnSearch, positions: Collection[int], project: str) -> dict[int, Turn]:
    """Load the turns that a person or an agent said, by position."""
    ordered = sorted(positions)
    rows = archive.turns([int(found.turns.numbers[position]) for position in ordered])
    turns: dict[int, Turn] = {}
    for position, turn in zip(ordered, rows, strict=True):
        if turn is None or turn.project != project:
            continue
        if turn.origin in SPEAKERS and len(turn.text) <= MAX_QUOTED_CHARS:
            turns[position] = turn
    return turns


def _find_outdated(memories: KeepsMemories, turns: Mapping[int, Turn]) -> list[Memory]:
    """Memories from the sessions of these turns that are no longer valid, without candidates that merely faded."""
    ended = memories.find_ended_in_sessions({turn.session for turn in turns.values()})
    return [memory for memory in ended if memory.tier is not Tier.CANDIDATE or _was_rejected(memory)]


def _was_rejected(memory: Memory) -> bool:
    return memory.superseded_by is not None or memory.forgotten_at is not None


def _without_sources_of(outdated: Sequence[Memory], turns: Mapping[int, Turn]) -> dict[int, Turn]:
    """Drop the turns in which an outdated memory was said."""
    places: set[tuple[SessionId | None, MessageId | None]] = set()
    for memory in outdated:
        places.add((memory.source.session, memory.source.message))
        places.update((mention.session, mention.message) for mention in memory.mentions)
    return {at: turn for at, turn in turns.items() if (turn.session, turn.message) not in places}


def _lines_with_end(outdated: Sequence[Memory]) -> Iterator[tuple[frozenset[str], datetime]]:
    """The words of each sentence, and until when it was valid."""
    for memory in outdated:
        until = memory.valid_to or memory.forgotten_at
        if until is not None:
            for sentence in sentences(memory.text):
                yield words_of(sentence), until


def _repeats_outdated(text: str, at: datetime, outdated: Sequence[tuple[frozenset[str], datetime]]) -> bool:
    """It repeats something outdated from the time when that was valid: a reply repeats what its user said."""
    lines = [words for words, until in outdated if at < until]
    return bool(lines) and any(is_echo(line, lines) for line in sentences(text))


def _passages(turns: Mapping[int, Turn], found: TurnSearch, exchanges: Mapping[int, int]) -> Iterator[Passage]:
    score = {position: max(0.0, float(found.ranked.score[position])) for position in turns}
    best: dict[int, float] = {}
    for position in turns:
        first = exchanges[position]
        best[first] = max(best.get(first, 0.0), score[position])
    asked = sum(found.worth.values()) or 1.0
    for position, turn in turns.items():
        cosines = _passage_cosines(found, position)
        for place, (text, words) in enumerate(_split_passages(turn.text, _speaker(turn) == "user")):
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
                cosine=cosines[min(place, len(cosines) - 1)],
            )


def _speaker(turn: Turn) -> str:
    return SPEAKERS[turn.origin or Origin.USER]


@lru_cache(maxsize=256)  # 9 KB each, more of long turns; the same turns are near again and again
def _split_passages(text: str, is_of_user: bool) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the passages of a turn with their words. Pasted ones are empty, so that the others keep their places."""
    passages = (
        map(_without_pastes, quotable_passages(blank_shown_text(text))) if is_of_user else quotable_passages(text)
    )
    return tuple((passage, frozenset(index_words(passage))) for passage in passages)


def _without_pastes(passage: str) -> str:
    if BLANK not in passage:
        return passage
    left = [word for word in passage.split() if BLANK not in word and any(map(str.isalnum, word))]
    if len(left) < MIN_WORDS_LEFT or left[-1].endswith(":"):
        return ""
    return " ".join(left)


def _passage_cosines(found: TurnSearch, position: int) -> Sequence[float | None]:
    """The cosine of each passage of a turn; the last one is for all further passages, which have no vectors."""
    cosines = found.passages.get(position)
    if cosines:
        return [*cosines, sum(cosines) / len(cosines)]
    if found.cosine is None or isnan(found.cosine[position]):
        return [None]
    return [float(found.cosine[position])]


def _quote(chosen: Sequence[Passage], turns: Mapping[int, Turn], read: Callable[[str], str]) -> Quotes:
    """One line for each exchange, newest first: of two versions of a thing, the valid one comes first."""
    ordered = sorted(chosen, key=lambda passage: (passage.turn, passage.place))
    exchanges = []
    for first, of_exchange in groupby(ordered, key=lambda passage: passage.exchange):
        spoken = [(turns[at], _join(list(said))) for at, said in groupby(of_exchange, key=lambda passage: passage.turn)]
        exchanges.append((spoken[0][0].at, first, spoken))
    exchanges.sort(key=lambda exchange: exchange[:2], reverse=True)
    lines: list[str] = []
    quoted: list[QuotedTurn] = []
    for at, _, spoken in exchanges:
        parts = [(_speaker(turn), read(text)) for turn, text in spoken]
        lines.append(quote_line_of(parts, at, spoken[0][0].session))
        quoted.extend(QuotedTurn(session=turn.session, message=turn.message) for turn, _ in spoken)
    return Quotes(lines=tuple(lines), turns=tuple(quoted))


def _join(passages: Sequence[Passage]) -> str:
    """With a mark where something between two passages is left out."""
    text, last = passages[0].text, passages[0].place
    for passage in passages[1:]:
        text += (" " if passage.place == last + 1 else CUT) + passage.text
        last = passage.place
    return text
