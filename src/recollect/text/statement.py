"""What a statement says, taken apart: what it speaks of, the values that it gives, what it says is over. Pure.

Nothing here understands a sentence. It finds numbers with their units, versions, dates, paths, names from code,
technologies that are alternatives to each other, negation, and the words with which developers tell of a change.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, takewhile

from recollect.text import statement_words as known
from recollect.text.alternatives import says_where
from recollect.text.statement_tokens import NAME, Token, tokens_of
from recollect.text.words import index_words

MAX_CHARS = 2000  # of a long text, what it begins with says what it is about
_PARTS = re.compile(r"[^\w.]+")
NAMES = ([NAME], ["alternative"])
NAMING = (NAME, "alternative", "person")
ENDED_WORDS = 5  # what is over is named in so many words


@dataclass(frozen=True, slots=True)
class Clause:
    words: frozenset[str]
    negated: bool
    reasons: frozenset[str]
    about: frozenset[str]  # what `it` and `them` stand for


@dataclass(frozen=True, slots=True)
class Statement:
    words: frozenset[str]  # what it speaks of: without values, cues, reasons, and words that say nothing
    reasons: frozenset[str]  # the words of its reasons
    order: tuple[str, ...]  # words and values as they come; "" where other words stand between them
    values: dict[str, frozenset[str]]  # by class
    maybe: dict[str, frozenset[str]]  # plain words that may be values, by class
    predicates: frozenset[str]  # names that are said of something
    conditions: frozenset[str]  # what comes after `in`, `for`, `when` ...: where or when it holds
    directed: frozenset[str]  # what comes after `over`, `before`, `from` ...
    subject: str  # the noun that it begins with; "" if it begins with a verb, `we` or a condition
    is_passive: bool  # something is done `by` something
    ended: frozenset[str]  # what it says is over
    moved: frozenset[str]  # of what it tells that it became something else
    clauses: tuple[Clause, ...]
    object: str  # what its first clause ends with, as in `... go to Segment`; "" if it does not
    gaps: frozenset[str]  # words that stand where a value stands: behind `with`, `in`, `is`, `use` ...
    bounds: frozenset[str]  # whether it gives the least or the most of something
    named: frozenset[str]  # whatever is written like a name
    changes: bool  # it tells of a change
    adds: bool  # it says that it says more
    corrects: bool  # it says that something was wrong
    is_past: bool  # it tells of what was

    @property
    def all_values(self) -> frozenset[str]:
        return frozenset().union(*self.values.values())

    @property
    def tells(self) -> bool:
        """Of something that came to an end, changed, or was wrong: it may share few words with what it speaks of."""
        return bool(self.changes or self.corrects or self.ended or self.moved or self.is_past)

    @property
    def content(self) -> frozenset[str]:
        return self.words | self.all_values

    @property
    def names(self) -> frozenset[str]:
        """Values that stand for one thing: files, technologies, people; a number may be anything's."""
        named = (values for name, values in self.values.items() if name.split()[0] in NAMING)
        return frozenset().union(*named)

    @property
    def name_parts(self) -> frozenset[str]:
        """By what a file or a command is also called: its last part, its words."""
        names = self.values.get(NAME, frozenset())
        files = (name.rpartition("/")[2] for name in names if "/" in name)
        words = (stem for name in names if " " in name for stem in index_words(name))
        return frozenset((*files, *words)) - {""}

    @property
    def words_in_order(self) -> tuple[str, ...]:
        return tuple(word for word in self.order if word)

    @property
    def numbers(self) -> frozenset[str]:
        return self.all_values - self.names

    @property
    def negated(self) -> bool:
        return sum(clause.negated for clause in self.clauses) % 2 == 1

    @property
    def value_parts(self) -> frozenset[str]:
        parts = (stem for value in self.all_values for part in _PARTS.split(value) for stem in index_words(part))
        return frozenset(known.SAME_WORDS.get(part, part) for part in parts)

    @property
    def flat(self) -> frozenset[str]:
        """All of it, with names from code in their parts: however it is written, it is the same."""
        return self.words | self.reasons | self.value_parts


@lru_cache(maxsize=4096)
def statement(text: str) -> Statement:
    tokens = _with_people(tokens_of(text[:MAX_CHARS]))
    clauses = tuple(_clauses(tokens))
    values = _by_class([*_without_reasons(tokens)], lambda token: token.value)
    all_values = frozenset().union(*values.values())
    texts = [token.text for token in tokens]
    return Statement(
        words=frozenset().union(*(clause.words for clause in clauses)) - all_values,
        reasons=frozenset().union(*(clause.reasons for clause in clauses)) - all_values,
        order=tuple(_order(tokens)),
        values=values,
        maybe=_by_class(tokens, lambda token: token.maybe),
        predicates=frozenset(_predicates(tokens)),
        conditions=frozenset(_conditions(tokens)),
        directed=frozenset(_directed(tokens)),
        subject=_subject(tokens),
        is_passive=_is_passive(texts),
        ended=frozenset(_ended(tokens)),
        moved=frozenset(_moved(tokens)),
        clauses=clauses,
        changes=not known.CHANGES.isdisjoint(texts) or texts[:1] == ["since"] or _has_phrase(texts),
        object=_object(tokens),
        gaps=frozenset(_gaps(tokens)),
        named=frozenset(token.stem for token in tokens if token.is_name or token.value.split()[:1] in NAMES),
        bounds=frozenset(known.BOUNDS[text] for text in texts if text in known.BOUNDS),
        adds=_adds(tokens),
        corrects=not known.CORRECTS.isdisjoint(texts) or any(_objects(tokens, i) for i in range(len(tokens))),
        is_past=not known.PAST.isdisjoint(texts),
    )


@lru_cache(maxsize=4096)
def telling_words(text: str) -> frozenset[str]:
    """The words of the index that a statement shares with whatever says the same of the same thing, or another."""
    words = frozenset(word for word in index_words(text[:MAX_CHARS]) if word not in known.LIGHT_IN_INDEX)
    return words.union(*(_also().get(word, ()) for word in words))


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
    if known.OWNS.isdisjoint(token.stem for token in tokens):
        return list(tokens)
    not_people = known.OWNS.union(*known.PLACES)
    found = []
    for token, after in zip(tokens, [*tokens[1:], Token("", "")], strict=True):
        is_person = token.is_name and not token.value and token.text not in known.LIGHT and token.stem not in not_people
        if token.starts and not (after.stem in known.OWNS or after.text in ("is", "took", "'s", "does")):
            is_person = False
        found.append(Token(token.text, token.stem, "person") if is_person else token)
    return found


def _without_reasons(tokens: Sequence[Token]) -> Iterator[Token]:
    gives_reason, says = False, False
    for i, token in enumerate(tokens):
        if _ends_clause(token):
            gives_reason = False
        gives_reason = gives_reason or (says and _gives_reason(tokens, i))
        says = says or bool(token.stem)
        if not gives_reason:
            yield token


def _gives_reason(tokens: Sequence[Token], i: int) -> bool:
    text = tokens[i].text
    return text in known.REASONS or (text == "so" and i + 1 < len(tokens) and tokens[i + 1].text == "that")


def _order(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if _says_something(token):
            yield token.stem
        elif token.text not in known.DETERMINERS:
            yield ""


def _says_something(token: Token) -> bool:
    if token.value:
        return True
    light = token.text in known.LIGHT or token.stem in known.LIGHT_STEMS or token.text in known.CHANGES
    return bool(token.stem) and not light


def _clauses(tokens: Sequence[Token]) -> Iterator[Clause]:
    clause, before = _Clause(), frozenset[str]()
    for i, token in enumerate([*tokens, Token(".", "")]):
        if _ends_clause(token):
            if clause.words or clause.reasons:
                said = frozenset(clause.words)
                yield Clause(
                    said, clause.negations % 2 == 1, frozenset(clause.reasons), before if clause.refers else said
                )
                before = said
            clause = _Clause()
        elif _negates(token):
            clause.negations += not (_contrasts(tokens, i) or _objects(tokens, i) or clause.is_why)
        elif (clause.words or before) and _gives_reason(tokens, i):
            clause.gives_reason = clause.is_why = True
        elif token.text == "so" and [later.text for later in tokens[i + 1 : i + 2]] != ["not"]:
            clause.is_why = True
        elif _says_something(token):
            (clause.reasons if clause.gives_reason else clause.words).add(token.stem)
        clause.refers = clause.refers or token.text in known.PRONOUNS


@dataclass(slots=True)
class _Clause:
    """One that is being read."""

    words: set[str] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)
    negations: int = 0
    gives_reason: bool = False
    is_why: bool = False  # what is denied there is not what the statement denies
    refers: bool = False


def _ends_clause(token: Token) -> bool:
    if token.text == "but":
        return True
    return not (token.stem or token.text.isalpha() or "'" in token.text or _negates(token))


def _negates(token: Token) -> bool:
    return token.text in known.NEGATIONS or token.text.endswith("n't")


def _has_phrase(texts: Sequence[str]) -> bool:
    said = " ".join(texts)
    return any(f" {phrase} " in f" {said} " for phrase in known.CHANGE_PHRASES)


def _ended(tokens: Sequence[Token]) -> Iterator[str]:
    """What the statement says is over, by the words around it."""
    texts = [token.text for token in tokens]
    for i, text in enumerate(texts):
        for phrase in known.ENDS_AFTER.get(text, ()):
            if tuple(texts[i : i + len(phrase)]) == phrase:
                yield from _after(tokens, i + len(phrase))
        if _contrasts(tokens, i) or (text == "from" and _has_moved(tokens, i)):
            yield from _after(tokens, i + 1)
        if text in known.ENDS_WHAT_PRECEDES and _is_told_of(tokens, i):
            yield from _before(tokens, i)
        if tuple(texts[i : i + 2]) == ("no", "longer") and texts[i + 2 : i + 3] and texts[i + 2] in known.NO_LONGER_SO:
            yield from _before(tokens, i)
        if text == "anymore" or tuple(texts[i : i + 2]) == ("any", "more"):
            yield from _clause_around(tokens, i)
        if text == "place" and texts[i - 1 : i] == ["'s"]:
            yield tokens[i - 2].stem
        if text == "left":
            before = tokens[max(0, i - 2) : i]
            yield from (token.stem for token in before if token.is_name or token.value == "person")


def _has_moved(tokens: Sequence[Token], i: int) -> bool:
    """`moved from X`, `took over Y from X`."""
    before = [token.text for token in tokens[:i]]
    return not known.MOVES.isdisjoint(before) or "took over" in " ".join(before)


def _subject(tokens: Sequence[Token]) -> str:
    first = next((token for token in tokens if token.text not in known.BEFORE_NOUNS), None)
    return first.stem if first is not None and not first.value and _says_something(first) else ""


def _is_passive(texts: Sequence[str]) -> bool:
    done = any(be in known.FORMS_OF_BE and (verb.endswith("ed") or verb in known.DONE) for be, verb in pairwise(texts))
    return done or "by" in texts


def _first_clause(tokens: Sequence[Token]) -> list[Token]:
    return list(takewhile(lambda token: not _ends_clause(token), tokens))


def _adds(tokens: Sequence[Token]) -> bool:
    texts = [token.text for token in _first_clause(tokens)]
    return not known.ADDS.isdisjoint(texts) or texts[-1:] == ["too"] or texts[-2:] == ["as", "well"]


def _object(tokens: Sequence[Token]) -> str:
    clause = _first_clause(tokens)
    said = [i for i, token in enumerate(clause) if _says_something(token)]
    if len(said) < 2:
        return ""
    between = [token.text for token in clause[said[-2] + 1 : said[-1]]]
    return "" if known.PREDICATES.isdisjoint(between) else clause[said[-1]].stem


def _gaps(tokens: Sequence[Token]) -> Iterator[str]:
    for i, token in enumerate(tokens):
        if _says_something(token):
            before = next((t.text for t in reversed(tokens[:i]) if t.text not in ("the", "a", "an", "our")), "")
            if before in known.PREDICATES or before in known.USES:
                yield token.stem


def _predicates(tokens: Sequence[Token]) -> Iterator[str]:
    for before, token in pairwise(tokens):
        if token.value == NAME and before.text in known.PREDICATES:
            yield token.stem


def _directed(tokens: Sequence[Token]) -> Iterator[str]:
    """What a sentence puts second: `X over Y`, `X before Y`."""
    points = False
    for token in tokens:
        if token.text in known.DIRECTIONS:
            points = True
        elif _ends_clause(token) or token.text == "to":
            points = False
        elif points and _says_something(token):
            yield token.stem


def _conditions(tokens: Sequence[Token]) -> Iterator[str]:
    """`in YAML`, `for the web client`, `when it fails`; not the phrase that gives a value."""
    phrase: list[Token] | None = None
    for token in [*tokens, Token(".", "")]:
        if token.text in known.CONDITIONS or token.text in known.PREDICATES or _ends_clause(token):
            if phrase and not any(said.value for said in phrase[1:]) and not _is_value(phrase[0]):
                yield from (said.stem for said in phrase)
            phrase = [] if token.text in known.CONDITIONS else None
        elif phrase is not None and _says_something(token):
            phrase.append(token)


def _is_value(token: Token) -> bool:
    """Apart from languages and systems, which say where something holds."""
    return bool(token.value) and not (token.value.startswith("alternative") and says_where(int(token.value.split()[1])))


def _objects(tokens: Sequence[Token], i: int) -> bool:
    """`No, it is ...`"""
    return tokens[i].text == "no" and i + 1 < len(tokens) and tokens[i + 1].text == ","


def _contrasts(tokens: Sequence[Token], i: int) -> bool:
    """`X, not Y`, `not Y but X`: it says what holds instead."""
    if tokens[i].text != "not":
        return False
    if i == 0 and any(token.text in ("all", "every", "everything", "everyone") for token in tokens[1:2]):
        return False
    return (
        i == 0
        or _ends_clause(tokens[i - 1])
        or tokens[i - 1].text == "and"
        or "but" in [token.text for token in tokens[i + 1 : i + 8]]
    )


def _moved(tokens: Sequence[Token]) -> Iterator[str]:
    """`we moved X to Y`, `X was renamed to Y`: the X."""
    for i, token in enumerate(tokens):
        if token.text not in known.MOVES:
            continue
        after = [*_until_goal(tokens[i + 1 :])]
        if after:
            yield from after
        else:
            yield from _before(tokens, i)


def _until_goal(tokens: Sequence[Token]) -> Iterator[str]:
    found: list[str] = []
    for token in tokens:
        if token.text in known.GOALS:
            yield from found
            return
        if _ends_clause(token):
            return
        if token.stem and token.text not in known.LIGHT:
            found.append(token.stem)


def _is_told_of(tokens: Sequence[Token], i: int) -> bool:
    """`X is gone`, not `X is dead code`."""
    at_end = i + 1 == len(tokens) or not _says_something(tokens[i + 1])
    before = tokens[max(0, i - 4) : i]
    return at_end and any(token.text in known.FORMS_OF_BE for token in before) and not any(map(_negates, before))


def _after(tokens: Sequence[Token], start: int) -> Iterator[str]:
    taken = 0
    for token in tokens[start:]:
        if _ends_clause(token) or (taken and token.text in known.BEYOND) or taken == ENDED_WORDS:
            return
        if token.stem and token.text not in known.LIGHT and not _negates(token):
            taken += 1
            yield token.stem


def _before(tokens: Sequence[Token], end: int) -> Iterator[str]:
    taken = 0
    for token in reversed(tokens[:end]):
        if _ends_clause(token) or taken == ENDED_WORDS:
            return
        if token.stem and token.text not in known.LIGHT and token.text not in known.FORMS_OF_BE:
            taken += 1
            yield token.stem


def _clause_around(tokens: Sequence[Token], i: int) -> Iterator[str]:
    start = max((n + 1 for n in range(i) if _ends_clause(tokens[n])), default=0)
    yield from (
        token.stem for token in tokens[start:i] if token.stem and token.text not in known.LIGHT and not _negates(token)
    )
