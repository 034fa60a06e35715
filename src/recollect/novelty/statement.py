"""What a statement says, taken apart: what it speaks of, the values that it gives, what it says is over. Pure.

Nothing here understands a sentence. It finds numbers with their units, versions, dates, paths, names from code,
technologies that are alternatives to each other, negation, and the words with which developers tell of a change.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from recollect.novelty import statement_cues as cues
from recollect.novelty import statement_words as known
from recollect.novelty.alternatives import alternatives_to
from recollect.novelty.statement_tokens import NAME, Token, ends_clause, is_content, negates, tokens_of
from recollect.text.words import index_words

MAX_CHARS = 2000  # of a long text, what it begins with says what it is about
_PARTS = re.compile(r"[^\w.]+")
NAMES = ([NAME], ["alternative"])
NAMING = (NAME, "alternative", "person")
SHORT = 2  # words that a statement has which hardly says more than a name


@dataclass(frozen=True, slots=True)
class Clause:
    words: frozenset[str]
    is_negated: bool
    reasons: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    words: frozenset[str]  # what it speaks of: without values, cues, reasons, and words that say nothing
    reasons: frozenset[str]  # the words of its reasons
    order: tuple[str, ...]  # words and values as they come; "" where other words stand between them
    values: dict[str, frozenset[str]]  # by class
    possible_values: dict[str, frozenset[str]]  # plain words that may be values, by class
    conditions: frozenset[str]  # what comes after `in`, `for`, `when` ...: where or when it holds
    put_second: frozenset[str]  # what comes after `over`, `before`, `from` ...
    subject: str  # the noun that it begins with; "" if it begins with a verb, `we` or a condition
    is_passive: bool  # something is done `by` something
    ended: frozenset[str]  # what it says is over
    moved: frozenset[str]  # of what it tells that it became something else
    clauses: tuple[Clause, ...]
    directions: frozenset[str]  # small words by which it says this and not the opposite
    bounds: frozenset[str]  # whether it gives the least or the most of something
    name_like: frozenset[str]  # whatever is written like a name
    has_change_word: bool  # it tells of a change
    is_addition: bool  # it says that it says more
    is_correction: bool  # it says that something was wrong
    is_past: bool  # it tells of what was
    given: frozenset[str]  # what it gives as a value of something: `... is 8080`, `... with ESLint`
    verbs: frozenset[str]  # `managed`, in `X is managed by Y`
    equated: frozenset[str]  # what something `is`
    goals: frozenset[str]  # of these, what something is or became: behind `to`, `with`, `by`, `is`
    parts: tuple["Statement", ...] = ()  # its sentences, each with what may be told without its end; last the whole

    @property
    def all_values(self) -> frozenset[str]:
        return frozenset().union(*self.values.values())

    @property
    def reports_change(self) -> bool:
        """Of something that came to an end, changed, or was wrong: it may share few words with what it speaks of."""
        return bool(self.has_change_word or self.is_correction or self.ended or self.moved or self.is_past)

    @property
    def content(self) -> frozenset[str]:
        return self.words | self.all_values

    @property
    def names(self) -> frozenset[str]:
        """Values that stand for one thing: files, technologies, people; a number may be anything's."""
        named = (values for name, values in self.values.items() if name.split()[0] in NAMING)
        return frozenset().union(*named)

    @property
    def words_in_order(self) -> tuple[str, ...]:
        return tuple(word for word in self.order if word)

    @property
    def numbers(self) -> frozenset[str]:
        return self.all_values - self.names

    @property
    def is_negated(self) -> bool:
        return sum(clause.is_negated for clause in self.clauses) % 2 == 1

    @property
    def value_parts(self) -> frozenset[str]:
        parts = (stem for value in self.all_values for part in _PARTS.split(value) for stem in index_words(part))
        return frozenset(known.SAME_WORDS.get(part, part) for part in parts)

    @property
    def all_words(self) -> frozenset[str]:
        """All of it, with names from code in their parts: however it is written, it is the same."""
        return self.words | self.reasons | self.value_parts


@lru_cache(maxsize=192)  # 6 KB each; only the few that a draft is compared with come again
def statement(text: str) -> Statement:
    tokens = _with_people(tokens_of(text[:MAX_CHARS]))
    whole = _statement(tokens)
    parts = (_statement(part) for part in cues.split_parts(tokens) if len(part) < len(tokens))
    return replace(whole, parts=(*parts, whole))


def _statement(tokens: Sequence[Token]) -> Statement:
    clauses = tuple(_clauses(tokens))
    main = [*_without_reasons(tokens)]
    values = _by_class(main, lambda token: token.value_class)
    all_values = frozenset().union(*values.values())
    texts = [token.text for token in tokens]
    return Statement(
        words=frozenset().union(*(clause.words for clause in clauses)) - all_values,
        reasons=frozenset().union(*(clause.reasons for clause in clauses)) - all_values,
        order=tuple(cues.word_order(tokens)),
        values=values,
        possible_values=_by_class(tokens, lambda token: token.possible_class),
        conditions=frozenset(cues.find_conditions(tokens)),
        put_second=frozenset(cues.find_put_second(tokens)),
        subject=cues.find_subject(tokens),
        is_passive=cues.is_passive(texts),
        ended=frozenset(cues.find_ended(tokens)),
        moved=frozenset(cues.find_moved(main)),
        clauses=clauses,
        has_change_word=cues.has_change_word(tokens),
        name_like=frozenset(
            token.stem for token in tokens if token.is_capitalised or token.value_class.split()[:1] in NAMES
        ),
        directions=frozenset(
            (
                *(known.DIRECTION_WORDS[text] for text in texts if text in known.DIRECTION_WORDS),
                *cues.one_direction(texts),
            )
        ),
        bounds=frozenset(known.BOUNDS[text] for text in texts if text in known.BOUNDS),
        is_addition=cues.is_addition(tokens),
        is_correction=cues.is_correction(tokens),
        is_past=not known.PAST_WORDS.isdisjoint(texts),
        given=frozenset(cues.find_given(main)),
        equated=frozenset(cues.find_equated(main)),
        goals=frozenset(cues.find_given(main, known.BEFORE_RESULT)),
        verbs=frozenset(cues.find_verbs(main)),
    )


def tells_of_change(text: str) -> bool:
    """A quick look: `now`, `no longer`, `switched` ..."""
    words = text[:MAX_CHARS].casefold().replace(",", " ").replace(".", " ").split()
    return not known.CHANGE_WORDS.isdisjoint(words) or cues.has_change_phrase(words)


@lru_cache(maxsize=256)
def telling_words(text: str) -> frozenset[str]:
    """The words of the index that a statement shares with whatever says the same of the same thing, or another."""
    words = frozenset(word for word in index_words(text[:MAX_CHARS]) if word not in known.LIGHT_IN_INDEX)
    return words.union(*(_also().get(word, ()) for word in words))


def words_to_look_for(text: str) -> frozenset[str]:
    """The same; of a statement that hardly says more than a name, also those that may stand in its place."""
    said = statement(text)
    named = [name for cls, names in said.values.items() if cls.startswith("alternative") for name in names]
    if not named or len(said.content) > SHORT:
        return telling_words(text)
    others = (other for name in named for other in alternatives_to(name))
    return telling_words(text).union(word for other in others for word in index_words(other))


@lru_cache(maxsize=1)
def _also() -> dict[str, frozenset[str]]:
    """What else a word may be called."""
    found: dict[str, set[str]] = {}
    for word, meant in known.SAME_WORDS.items():
        found.setdefault(meant, {meant}).add(word)
    return {word: frozenset(row) for row in found.values() for word in row}


def _by_class(tokens: Sequence[Token], class_of: Callable[[Token], str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for token in tokens:
        if class_of(token):
            found.setdefault(class_of(token), set()).add(token.stem)
    return {name: frozenset(stems) for name, stems in found.items()}


def _with_people(tokens: Sequence[Token]) -> list[Token]:
    """Whoever owns, reviews or answers for something is a value of it."""
    if known.OWNERSHIP.isdisjoint(token.stem for token in tokens):
        return list(tokens)
    not_people = known.OWNERSHIP.union(*known.PLACES)
    found = []
    nothing = Token("", "")
    for before, token, after in zip([nothing, *tokens], tokens, [*tokens[1:], nothing], strict=False):
        is_person = (
            token.is_capitalised
            and not token.value_class
            and token.text not in known.LIGHT_WORDS
            and token.stem not in not_people
        )
        if token.starts_sentence or ends_clause(before):
            is_person = is_person and (
                after.stem in known.OWNERSHIP or after.text in ("is", "took", "'s", "does", "left")
            )
        else:
            is_person = is_person and before.text in known.BEFORE_PERSON
        found.append(Token(token.text, token.stem, "person") if is_person else token)
    return found


def _without_reasons(tokens: Sequence[Token]) -> Iterator[Token]:
    gives_reason, says = False, False
    for i, token in enumerate(tokens):
        if ends_clause(token):
            gives_reason = False
        gives_reason = gives_reason or (says and cues.starts_reason(tokens, i))
        says = says or bool(token.stem)
        if not gives_reason:
            yield token


def _clauses(tokens: Sequence[Token]) -> Iterator[Clause]:
    clause, has_begun = _Clause(), False
    for i, token in enumerate([*tokens, Token(".", "")]):
        if ends_clause(token):
            if clause.words or clause.reasons:
                yield Clause(frozenset(clause.words), clause.negations % 2 == 1, frozenset(clause.reasons))
                has_begun = True
            clause = _Clause()
        elif negates(token):
            clause.negations += not (cues.is_contrast(tokens, i) or cues.is_objection(tokens, i) or clause.is_why)
        elif (clause.words or has_begun) and cues.starts_reason(tokens, i):
            clause.gives_reason = clause.is_why = True
        elif token.text == "so" and [later.text for later in tokens[i + 1 : i + 2]] != ["not"]:
            clause.is_why = True
        elif is_content(token):
            (clause.reasons if clause.gives_reason else clause.words).add(token.stem)


@dataclass(slots=True)
class _Clause:
    """One that is being read."""

    words: set[str] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)
    negations: int = 0
    gives_reason: bool = False
    is_why: bool = False  # what is denied there is not what the statement denies
