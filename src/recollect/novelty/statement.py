"""Parse a statement: its topic, the values that it gives, and what it says is over. Pure.

Nothing here understands a sentence. It finds numbers with their units, versions, dates, paths, names from code,
technologies that are alternatives to each other, negation, and the words with which developers report a change.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from operator import attrgetter

from recollect.novelty import statement_cues as cues
from recollect.novelty import statement_words as known
from recollect.novelty.alternatives import alternatives_to
from recollect.novelty.statement_tokens import (
    ALTERNATIVE,
    NAME,
    NO_TOKEN,
    Token,
    ends_clause,
    is_content,
    negates,
    tokens_of,
)
from recollect.text.words import index_words

MAX_CHARS = 2000  # the beginning of a long text shows its topic
_PARTS = re.compile(r"[^\w.]+")
FEW_WORDS = 2  # a statement of so few words is hardly more than a name


@dataclass(frozen=True)  # without slots: what is asked of it again and again is computed once
class Statement:
    words: frozenset[str]  # its topic: without values, cues, reasons and light words
    reasons: frozenset[str]  # the words of its reasons
    order: tuple[str, ...]  # words and values in order; "" for other words between them
    values: dict[str, frozenset[str]]  # by class
    possible_values: dict[str, frozenset[str]]  # plain words that may be values, by class
    conditions: frozenset[str]  # after `in`, `for`, `when` ...: where or when it is true
    put_second: frozenset[str]  # after `over`, `before`, `from` ...
    subject: str  # the noun at its start; "": it starts with a verb, `we` or a condition
    is_passive: bool  # something is done `by` something
    ended: frozenset[str]  # what it says is over
    moved: frozenset[str]  # what became something else
    is_negated: bool
    directions: frozenset[str]  # small words that separate it from its opposite
    bounds: frozenset[str]  # whether it gives the least or the most of something
    name_like: frozenset[str]  # all that is written like a name
    has_change_word: bool
    is_addition: bool
    is_correction: bool
    is_past: bool
    given: frozenset[str]  # what it gives as a value of something: `... is 8080`, `... with ESLint`
    verbs: frozenset[str]  # `managed`, in `X is managed by Y`
    equated: frozenset[str]  # what something `is`
    goals: frozenset[str]  # given values that something is or became: after `to`, `with`, `by`, `is`
    parts: tuple["Statement", ...] = ()  # its sentences, also without their end; last the whole

    @cached_property
    def all_values(self) -> frozenset[str]:
        return frozenset().union(*self.values.values())

    @property
    def reports_change(self) -> bool:
        """True if something ended, changed or was wrong: such a statement may share few words with the one it changes."""
        return bool(self.has_change_word or self.is_correction or self.ended or self.moved or self.is_past)

    @cached_property
    def content(self) -> frozenset[str]:
        return self.words | self.all_values

    @property
    def names(self) -> frozenset[str]:
        """Values that identify one thing: files, technologies, people. A number may belong to anything."""
        names: set[str] = set()
        for value_class, values in self.values.items():
            if value_class.split()[0] in (NAME, ALTERNATIVE, "person"):
                names |= values
        return frozenset(names)

    @property
    def words_in_order(self) -> tuple[str, ...]:
        return tuple(filter(None, self.order))

    @property
    def numbers(self) -> frozenset[str]:
        return self.all_values - self.names

    @property
    def value_parts(self) -> frozenset[str]:
        stems = index_words(" ".join(part for value in self.all_values for part in _PARTS.split(value)))
        return frozenset(known.SAME_WORDS.get(stem, stem) for stem in stems)

    @cached_property
    def kinds(self) -> dict[str, frozenset[str]]:
        """The classes of each value; alternatives with their row."""
        found: dict[str, set[str]] = {}
        for name, stems in {**self.possible_values, **self.values}.items():
            kind = name if name[0] == "a" else name.split()[0]
            for stem in stems:
                found.setdefault(stem, set()).add(kind)
        return {stem: frozenset(kinds) for stem, kinds in found.items()}

    @cached_property
    def all_words(self) -> frozenset[str]:
        """Topic, reasons, and values in their parts: the same however a name is written."""
        return self.words | self.reasons | self.value_parts


@lru_cache(maxsize=128)  # 18 KB each; only the few that a draft is compared with come again
def parse_statement(text: str) -> Statement:
    tokens = _mark_people(tokens_of(text[:MAX_CHARS]))
    whole = _statement(tokens)
    parts = [_statement(part) for part in cues.find_parts(tokens) if len(part) < len(tokens)]
    return replace(whole, parts=(*parts, whole))


def _statement(tokens: Sequence[Token]) -> Statement:
    words, reasons, is_negated = set[str](), set[str](), False
    for clause in _clauses(tokens):
        words |= clause.words
        reasons |= clause.reasons
        is_negated ^= clause.is_negated
    main = _without_reasons(tokens)
    values = _by_class(main, attrgetter("value_class"))
    all_values = frozenset().union(*values.values())
    texts = [token.text for token in tokens]
    names = [token for token in tokens if token.is_capitalised or token.kind in (NAME, ALTERNATIVE)]
    directions = [known.DIRECTION_WORDS[text] for text in texts if text in known.DIRECTION_WORDS]
    return Statement(
        words=frozenset(words - all_values),
        reasons=frozenset(reasons - all_values),
        order=tuple(cues.word_order(tokens)),
        values=values,
        possible_values=_by_class(tokens, attrgetter("possible_class")),
        conditions=frozenset(cues.find_conditions(tokens)),
        put_second=frozenset(cues.find_put_second(tokens)),
        subject=cues.find_subject(tokens),
        is_passive=cues.is_passive(texts),
        ended=frozenset(cues.find_ended(tokens)),
        moved=frozenset(cues.find_moved(main)),
        is_negated=is_negated,
        has_change_word=cues.has_change_word(tokens),
        name_like=frozenset(token.stem for token in names),
        directions=frozenset(directions) | cues.one_direction(texts),
        bounds=frozenset(known.BOUNDS[text] for text in texts if text in known.BOUNDS),
        is_addition=cues.is_addition(tokens),
        is_correction=cues.is_correction(tokens),
        is_past=not known.PAST_WORDS.isdisjoint(texts),
        given=frozenset(cues.find_given(main)),
        equated=frozenset(cues.find_equated(main)),
        goals=frozenset(cues.find_given(main, known.BEFORE_RESULT)),
        verbs=frozenset(cues.find_verbs(main)),
    )


def mentions_change(text: str) -> bool:
    """Check quickly for `now`, `no longer`, `switched` ..."""
    words = text[:MAX_CHARS].casefold().replace(",", " ").replace(".", " ").split()
    return not known.CHANGE_WORDS.isdisjoint(words) or cues.has_change_phrase(words)


@lru_cache(maxsize=256)
def topic_words(text: str) -> frozenset[str]:
    """Return the index words that a statement shares with others on the same topic."""
    words = frozenset(index_words(text[:MAX_CHARS])) - known.LIGHT_IN_INDEX
    return words.union(*(_synonyms().get(word, ()) for word in words))


def lookup_words(text: str) -> frozenset[str]:
    """Return the topic words; for a statement that is hardly more than a name, also its alternatives."""
    parsed, words = parse_statement(text), topic_words(text)
    if len(parsed.content) > FEW_WORDS:
        return words
    for value_class, names in parsed.values.items():
        if value_class.startswith(ALTERNATIVE):
            for name in names:
                words = words.union(index_words(" ".join(alternatives_to(name))))
    return words


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for word, same in known.SAME_WORDS.items():
        found.setdefault(same, {same}).add(word)
    return {word: words for words in found.values() for word in words}


def _by_class(tokens: Sequence[Token], class_of: Callable[[Token], str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for token in tokens:
        if name := class_of(token):
            found.setdefault(name, set()).add(token.stem)
    return {name: frozenset(stems) for name, stems in found.items()}


def _mark_people(tokens: Sequence[Token]) -> list[Token]:
    """A person who owns, reviews or answers for something is a value of it."""
    if known.OWNERSHIP.isdisjoint(token.stem for token in tokens):
        return list(tokens)
    neighbours = zip([NO_TOKEN, *tokens], tokens, [*tokens[1:], NO_TOKEN], strict=False)
    return [
        Token(token.text, token.stem, "person") if _is_person(before, token, after) else token
        for before, token, after in neighbours
    ]


def _is_person(before: Token, token: Token, after: Token) -> bool:
    if not token.is_capitalised or token.value_class or token.text in known.LIGHT_WORDS:
        return False
    if token.stem in known.OWNERSHIP or any(token.stem in places for places in known.PLACES):
        return False
    if token.starts_sentence or ends_clause(before):
        return after.stem in known.OWNERSHIP or after.text in ("is", "took", "'s", "does", "left")
    return before.text in known.BEFORE_PERSON


def _without_reasons(tokens: Sequence[Token]) -> list[Token]:
    main: list[Token] = []
    is_reason, has_content = False, False
    for i, token in enumerate(tokens):
        if ends_clause(token):
            is_reason = False
        is_reason = is_reason or (has_content and cues.starts_reason(tokens, i))
        has_content = has_content or bool(token.stem)
        if not is_reason:
            main.append(token)
    return main


@dataclass(slots=True)
class _Clause:
    words: set[str] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)
    is_negated: bool = False
    gives_reason: bool = False
    is_why: bool = False  # its negations are not those of the statement


def _clauses(tokens: Sequence[Token]) -> Iterator[_Clause]:
    clause, has_begun = _Clause(), False
    for i, token in enumerate([*tokens, Token(".", "")]):
        if ends_clause(token):
            if clause.words or clause.reasons:
                yield clause
                has_begun = True
            clause = _Clause()
        elif negates(token):
            if not (cues.is_contrast(tokens, i) or cues.is_objection(tokens, i) or clause.is_why):
                clause.is_negated = not clause.is_negated
        elif (clause.words or has_begun) and cues.starts_reason(tokens, i):
            clause.gives_reason = clause.is_why = True
        elif token.text == "so" and [after.text for after in tokens[i + 1 : i + 2]] != ["not"]:
            clause.is_why = True
        elif is_content(token):
            (clause.reasons if clause.gives_reason else clause.words).add(token.stem)
