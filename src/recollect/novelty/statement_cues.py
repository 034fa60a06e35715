"""What the words around it say of a thing: that it is over, moved, denied, a value, or where something holds. Pure."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from recollect.novelty import statement_words as known
from recollect.novelty.alternatives import names_places
from recollect.novelty.statement_tokens import Token, ends_clause, is_content, negates

ENDED_WORDS = 5  # what is over is named in so many words


def word_order(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if is_content(token):
            yield token.stem
        elif token.text not in known.DETERMINERS:
            yield ""


def starts_reason(tokens: Sequence[Token], i: int) -> bool:
    """Or from when on it is so."""
    text, after = tokens[i].text, tokens[i + 1].text if i + 1 < len(tokens) else ""
    return text in known.REASONS or (text, after) in (("so", "that"), ("as", "of"))


def one_direction(texts: Sequence[str]) -> Iterator[str]:
    """Whether it is only `from` something, or only `to` something."""
    found = {"from", "to"}.intersection(texts)
    if len(found) == 1:
        yield from found


def has_change_phrase(texts: Sequence[str]) -> bool:
    said = " ".join(texts)
    return any(f" {phrase} " in f" {said} " for phrase in known.CHANGE_PHRASES)


def find_ended(tokens: Sequence[Token]) -> Iterator[str]:
    """What the statement says is over, by the words around it."""
    texts = [token.text for token in tokens]
    for i, text in enumerate(texts):
        for phrase in known.ENDS_AFTER.get(text, ()):
            if tuple(texts[i : i + len(phrase)]) == phrase:
                yield from _after(tokens, i + len(phrase))
        if is_contrast(tokens, i) or (text == "from" and _has_moved(tokens, i)):
            yield from _after(tokens, i + 1)
        if text in known.ENDS_WHAT_PRECEDES and _is_told_of(tokens, i):
            yield from _before(tokens, i)
        if (
            tuple(texts[i : i + 2]) == ("no", "longer")
            and texts[i + 2 : i + 3]
            and texts[i + 2] in known.AFTER_NO_LONGER
        ):
            yield from _before(tokens, i)
        if text == "anymore" or tuple(texts[i : i + 2]) == ("any", "more"):
            yield from _clause_around(tokens, i)
        if text in ("was", "previously", "formerly") and texts[i - 1 : i] in (["("], [","]):
            yield from _after(tokens, i + 1)
        if text == "place" and texts[i - 1 : i] == ["'s"]:
            yield tokens[i - 2].stem
        if text == "left":
            before = tokens[max(0, i - 2) : i]
            yield from (token.stem for token in before if token.is_capitalised or token.value_class == "person")


def _has_moved(tokens: Sequence[Token], i: int) -> bool:
    """`moved from X`, `took over Y from X`."""
    before = [token.text for token in tokens[:i]]
    return not known.MOVE_WORDS.isdisjoint(before) or "took over" in " ".join(before)


def _first_clause(tokens: Sequence[Token]) -> list[Token]:
    return list(takewhile(lambda token: not ends_clause(token), tokens))


def is_addition(tokens: Sequence[Token]) -> bool:
    texts = [token.text for token in _first_clause(tokens)]
    return not known.ADDITION_WORDS.isdisjoint(texts) or "too" in texts[-2:] or texts[-2:] == ["as", "well"]


def split_parts(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Each sentence; and its beginning, where what follows a comma does not say when or where it is so."""
    start = 0
    for i, token in enumerate([*tokens, Token(".", "")]):
        is_end = token.text in known.SENTENCE_ENDS or (token.text and not token.text.strip("-–—"))
        after = tokens[i + 1].text if i + 1 < len(tokens) else ""
        tells_more = token.text in (",", "(") and after not in known.CONDITIONS and after not in known.EXCEPTIONS
        if i > start and (is_end or tells_more):
            yield tokens[start:i]
        if is_end:
            start = i + 1


def find_given(tokens: Sequence[Token], givers: frozenset[str] = known.BEFORE_VALUE | known.USE_WORDS) -> Iterator[str]:
    """Values behind a word that gives one: `is 8080`, `on port 8080`, `use ESLint`, `owned by Mia`; not what a sentence
    begins with, nor what only tells which one is meant: `nightly builds`, `the tests in src/a.py are slow`."""
    has_begun, giver = False, ""
    verb = max((i for i, token in enumerate(tokens) if token.text in known.FORMS_OF_BE), default=-1)
    for i, token in enumerate(tokens):
        if is_content(token):
            is_amount = bool(token.value_class) and token.value_class.split()[0] not in known.NAME_CLASSES
            is_word = not token.value_class or token.value_class.startswith("alternative")
            is_modifier = (
                givers is not known.BEFORE_RESULT
                and is_word
                and i + 1 < len(tokens)
                and is_content(tokens[i + 1])
                and not tokens[i + 1].value_class
            )
            gives = giver in givers and (
                is_amount or (giver not in known.BEFORE_QUALIFIER and i > verb and not is_modifier)
            )
            if token.value_class == "person" or gives:
                yield token.stem
            has_begun = True
        elif token.text in givers:
            giver = token.text if has_begun or token.text in known.USE_WORDS else ""
        elif token.text not in known.BEFORE_NOUNS and token.text not in known.CHANGE_WORDS:
            giver = ""
        has_begun = has_begun or token.text in known.SPEAKERS


def find_equated(tokens: Sequence[Token]) -> Iterator[str]:
    """`X is Y`, `X is in Y`: the Y."""
    is_so = False
    for token in tokens:
        if is_so and is_content(token):
            yield token.stem
        if token.text in ("is", "are", "'s"):
            is_so = True
        elif token.text not in known.BEFORE_NOUNS | known.BEFORE_VALUE | known.CHANGE_WORDS:
            is_so = False


def find_verbs(tokens: Sequence[Token]) -> Iterator[str]:
    """`X is managed by Y`: what is done with it."""
    for before, token in pairwise(token for token in tokens if token.text not in known.CHANGE_WORDS):
        if before.text in known.FORMS_OF_BE and (
            token.text.endswith("ed") or token.text in known.IRREGULAR_PARTICIPLES
        ):
            yield token.stem


def find_put_second(tokens: Sequence[Token]) -> Iterator[str]:
    """What a sentence puts second: `X over Y`, `X before Y`."""
    points = False
    for token in tokens:
        if token.text in known.BEFORE_SECOND:
            points = True
        elif ends_clause(token) or token.text == "to":
            points = False
        elif points and is_content(token):
            yield token.stem


def find_conditions(tokens: Sequence[Token]) -> Iterator[str]:
    """`in YAML`, `for the web client`, `of the audit topic`; not the phrase that gives a value."""
    phrase: list[Token] | None = None
    for token in [*tokens, Token(".", "")]:
        if phrase is not None and is_content(token):
            phrase.append(token)
        elif token.text not in known.BEFORE_NOUNS:
            if phrase and not any(map(_is_value, phrase)):
                yield from (said.stem for said in phrase)
            phrase = [] if token.text in known.CONDITIONS else None


def _is_value(token: Token) -> bool:
    """Apart from languages and systems, which say where something holds."""
    return bool(token.value_class) and not (
        token.value_class.startswith("alternative") and names_places(int(token.value_class.split()[1]))
    )


def is_correction(tokens: Sequence[Token]) -> bool:
    """`Actually, ...`, `no, it is ...`, `I was wrong`; not that something gives wrong results."""
    texts = [token.text for token in tokens]
    said_so = "wrong" in texts[:3] or "was wrong" in " ".join(texts)
    return (
        said_so
        or not known.CORRECTION_WORDS.isdisjoint(texts)
        or any(is_objection(tokens, i) for i in range(len(tokens)))
    )


def has_change_word(tokens: Sequence[Token]) -> bool:
    """Whether it tells of a change; `is not deprecated` tells of none."""
    texts = [token.text for token in tokens]
    told = any(
        text in known.CHANGE_WORDS and (text in known.NO_MORE or not any(map(negates, tokens[max(0, i - 2) : i])))
        for i, text in enumerate(texts)
    )
    return told or texts[:1] == ["since"] or has_change_phrase(texts)


def is_objection(tokens: Sequence[Token], i: int) -> bool:
    """`No, it is ...`"""
    return tokens[i].text == "no" and i + 1 < len(tokens) and tokens[i + 1].text == ","


def is_contrast(tokens: Sequence[Token], i: int) -> bool:
    """`X, not Y`, `X not Y`, `not Y but X`: it says what holds instead."""
    if tokens[i].text != "not":
        return False
    if (
        i
        and i + 1 < len(tokens)
        and tokens[i + 1].value_class
        and (tokens[i - 1].value_class or tokens[i - 1].text == "now")
    ):
        return True
    if i == 0 and any(token.text in ("all", "every", "everything", "everyone") for token in tokens[1:2]):
        return False
    return (
        i == 0
        or ends_clause(tokens[i - 1])
        or tokens[i - 1].text == "and"
        or "but" in [token.text for token in tokens[i + 1 : i + 8]]
    )


def find_moved(tokens: Sequence[Token]) -> Iterator[str]:
    """`we moved X to Y`, `X was renamed to Y`: the X."""
    for i, token in enumerate(tokens):
        if token.text not in known.MOVE_WORDS:
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
        if ends_clause(token):
            return
        if token.stem and token.text not in known.LIGHT_WORDS:
            found.append(token.stem)


def _is_told_of(tokens: Sequence[Token], i: int) -> bool:
    """`X is gone`, not `X is dead code`."""
    at_end = i + 1 == len(tokens) or not is_content(tokens[i + 1])
    before = tokens[max(0, i - 4) : i]
    return at_end and any(token.text in known.FORMS_OF_BE for token in before) and not any(map(negates, before))


def _after(tokens: Sequence[Token], start: int) -> Iterator[str]:
    taken = 0
    for token in tokens[start:]:
        if ends_clause(token) or token.text in known.PHRASE_ENDS or taken == ENDED_WORDS:
            return
        if token.stem and token.text not in known.LIGHT_WORDS and not negates(token):
            taken += 1
            yield token.stem


def _before(tokens: Sequence[Token], end: int) -> Iterator[str]:
    taken = 0
    for token in reversed(tokens[:end]):
        if ends_clause(token) or taken == ENDED_WORDS:
            return
        if token.stem and token.text not in known.LIGHT_WORDS and token.text not in known.FORMS_OF_BE:
            taken += 1
            yield token.stem


def _clause_around(tokens: Sequence[Token], i: int) -> Iterator[str]:
    start = max((n + 1 for n in range(i) if ends_clause(tokens[n])), default=0)
    yield from (
        token.stem
        for token in tokens[start:i]
        if token.stem and token.text not in known.LIGHT_WORDS and not negates(token)
    )


def find_subject(tokens: Sequence[Token]) -> str:
    first = next((token for token in tokens if token.text not in known.BEFORE_NOUNS), None)
    return first.stem if first is not None and not first.value_class and is_content(first) else ""


def is_passive(texts: Sequence[str]) -> bool:
    done = any(
        be in known.FORMS_OF_BE and (verb.endswith("ed") or verb in known.IRREGULAR_PARTICIPLES)
        for be, verb in pairwise(texts)
    )
    return done or "by" in texts
