"""Find out from the words around it what a statement says of a thing: it is over, moved, denied, or a value. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile

from recollect.novelty import statement_words as known
from recollect.novelty.alternatives import names_places
from recollect.novelty.statement_tokens import ALTERNATIVE, Token, ends_clause, is_content, negates

MAX_ENDED_WORDS = 5  # that name what is over
_CHANGE_PHRASES = tuple(f" {phrase} " for phrase in known.CHANGE_PHRASES)
_FORMER = ("was", "previously", "formerly")
_MAY_END = (
    frozenset(known.ENDS_AFTER) | known.ENDS_WHAT_PRECEDES | {*_FORMER, *"not from no anymore any place left".split()}
)


def word_order(tokens: Sequence[Token]) -> list[str]:
    order: list[str] = []
    for token in tokens:
        if is_content(token):
            order.append(token.stem)
        elif token.text not in known.DETERMINERS:
            order.append("")
    return order


def starts_reason(tokens: Sequence[Token], i: int) -> bool:
    """Return True if the next words say why it is so, or since when."""
    text = tokens[i].text
    if text in ("so", "as"):
        return _texts(tokens[i : i + 2]) in (["so", "that"], ["as", "of"])
    return text in known.REASONS


def one_direction(texts: Sequence[str]) -> set[str]:
    """Return `from` or `to`, if the statement has only one of them."""
    found = {"from", "to"}.intersection(texts)
    return found if len(found) == 1 else set()


def has_change_phrase(texts: Sequence[str]) -> bool:
    return any(map(f" {' '.join(texts)} ".__contains__, _CHANGE_PHRASES))


def find_ended(tokens: Sequence[Token]) -> Iterator[str]:
    texts = _texts(tokens)
    for i, text in enumerate(texts):
        if text not in _MAY_END:
            continue
        for phrase in known.ENDS_AFTER.get(text, ()):
            if tuple(texts[i : i + len(phrase)]) == phrase:
                yield from _after(tokens, i + len(phrase))
        if is_contrast(tokens, i) or _is_origin(texts, i) or _is_former(texts, i):
            yield from _after(tokens, i + 1)
        if _ends_subject(tokens, i):
            yield from _before(tokens, i)
        if text == "anymore" or texts[i : i + 2] == ["any", "more"]:
            yield from _name_stems(takewhile(lambda token: not ends_clause(token), reversed(tokens[:i])))
        if text == "place" and texts[i - 1 : i] == ["'s"]:  # `took X's place`
            yield tokens[i - 2].stem
        if text == "left":
            for token in tokens[max(0, i - 2) : i]:
                if token.is_capitalised or token.value_class == "person":
                    yield token.stem


def _is_origin(texts: Sequence[str], i: int) -> bool:
    """`moved from X`, `took over Y from X`."""
    before = texts[:i]
    return texts[i] == "from" and (not known.MOVE_WORDS.isdisjoint(before) or "took over" in " ".join(before))


def _is_former(texts: Sequence[str], i: int) -> bool:
    """`Y (was X)`, `Y, previously X`."""
    return texts[i] in _FORMER and texts[i - 1 : i] in (["("], [","])


def _ends_subject(tokens: Sequence[Token], i: int) -> bool:
    """`X is gone`, `X is no longer used`; not `X is dead code`."""
    text = tokens[i].text
    if text == "no":
        after = _texts(tokens[i + 1 : i + 3])
        return after[:1] == ["longer"] and not known.AFTER_NO_LONGER.isdisjoint(after[1:])
    if text not in known.ENDS_WHAT_PRECEDES or any(map(is_content, tokens[i + 1 : i + 2])):
        return False
    before = tokens[max(0, i - 4) : i]
    return not known.FORMS_OF_BE.isdisjoint(_texts(before)) and not any(map(negates, before))


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [token.text for token in tokens]


def is_addition(tokens: Sequence[Token]) -> bool:
    texts = _texts([*takewhile(lambda token: not ends_clause(token), tokens)])
    return not known.ADDITION_WORDS.isdisjoint(texts) or "too" in texts[-2:] or texts[-2:] == ["as", "well"]


def find_parts(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield each sentence; and its start, if the words after a comma do not say when or where it is true."""
    start = 0
    for i, token in enumerate([*tokens, Token(".", "")]):
        is_end = token.text in known.SENTENCE_ENDS or (token.text and not token.text.strip("-–—"))
        after = tokens[i + 1].text if i + 1 < len(tokens) else ""
        says_more = token.text in (",", "(") and after not in known.CONDITIONS and after not in known.EXCEPTIONS
        if i > start and (is_end or says_more):
            yield tokens[start:i]
        if is_end:
            start = i + 1


def find_given(tokens: Sequence[Token], givers: frozenset[str] = known.BEFORE_VALUE | known.USE_WORDS) -> Iterator[str]:
    """Yield values after a word that gives one: `is 8080`, `on port 8080`, `use ESLint`, `owned by Mia`. Not the start of a
    sentence, nor a word that says which one is meant: `nightly builds`, `the tests in src/a.py are slow`."""
    has_begun, giver = False, ""
    verb = max((i for i, token in enumerate(tokens) if token.text in known.FORMS_OF_BE), default=-1)
    for i, token in enumerate(tokens):
        if is_content(token):
            is_amount = bool(token.value_class) and token.kind not in known.NAME_CLASSES
            is_modifier = givers is not known.BEFORE_RESULT and _is_modifier(tokens, i)
            is_name = giver not in known.BEFORE_QUALIFIER and i > verb and not is_modifier
            if token.value_class == "person" or (giver and (is_amount or is_name)):
                yield token.stem
            has_begun = True
        elif token.text in givers:
            giver = token.text if has_begun or token.text in known.USE_WORDS else ""
        elif token.text not in known.BEFORE_NOUNS and token.text not in known.CHANGE_WORDS:
            giver = ""
        has_begun = has_begun or token.text in known.SPEAKERS


def _is_modifier(tokens: Sequence[Token], i: int) -> bool:
    """Return True for a word right before another word: `nightly builds`."""
    if tokens[i].kind not in ("", ALTERNATIVE):
        return False
    return any(is_content(after) and not after.value_class for after in tokens[i + 1 : i + 2])


def find_equated(tokens: Sequence[Token]) -> Iterator[str]:
    """`X is Y`, `X is in Y`: the Y."""
    follows_verb = False
    for token in tokens:
        if follows_verb and is_content(token):
            yield token.stem
        if token.text in ("is", "are", "'s"):
            follows_verb = True
        elif token.text not in known.BEFORE_NOUNS | known.BEFORE_VALUE | known.CHANGE_WORDS:
            follows_verb = False


def find_verbs(tokens: Sequence[Token]) -> Iterator[str]:
    """`X is managed by Y`: the participle."""
    for before, token in pairwise(token for token in tokens if token.text not in known.CHANGE_WORDS):
        if before.text in known.FORMS_OF_BE and _is_participle(token.text):
            yield token.stem


def _is_participle(text: str) -> bool:
    return text.endswith("ed") or text in known.IRREGULAR_PARTICIPLES


def is_passive(texts: Sequence[str]) -> bool:
    after_be = (text for before, text in pairwise(texts) if before in known.FORMS_OF_BE)
    return "by" in texts or any(map(_is_participle, after_be))


def find_put_second(tokens: Sequence[Token]) -> Iterator[str]:
    """`X over Y`, `X before Y`: the Y."""
    is_second = False
    for token in tokens:
        if token.text in known.BEFORE_SECOND:
            is_second = True
        elif ends_clause(token) or token.text == "to":
            is_second = False
        elif is_second and is_content(token):
            yield token.stem


def find_conditions(tokens: Sequence[Token]) -> Iterator[str]:
    """`in YAML`, `for the web client`, `of the audit topic`; not the phrase that gives a value."""
    phrase: list[Token] | None = None
    for token in [*tokens, Token(".", "")]:
        if phrase is not None and is_content(token):
            phrase.append(token)
        elif token.text not in known.BEFORE_NOUNS:
            if phrase and not any(map(_is_value, phrase)):
                yield from (word.stem for word in phrase)
            phrase = [] if token.text in known.CONDITIONS else None


def _is_value(token: Token) -> bool:
    """Languages and systems do not count: they say where something is true."""
    if token.kind == ALTERNATIVE:
        return not names_places(int(token.value_class.split()[1]))
    return bool(token.value_class)


def is_correction(tokens: Sequence[Token]) -> bool:
    """`Actually, ...`, `no, it is ...`, `I was wrong`; not that something gives wrong results."""
    texts = _texts(tokens)
    if "wrong" in texts[:3] or "was wrong" in " ".join(texts) or not known.CORRECTION_WORDS.isdisjoint(texts):
        return True
    return "no" in texts and any(is_objection(tokens, i) for i in range(len(tokens)))


def has_change_word(tokens: Sequence[Token]) -> bool:
    """Return True if it reports a change; `is not deprecated` reports none."""
    texts = _texts(tokens)
    if texts[:1] == ["since"] or has_change_phrase(texts):
        return True
    for i, text in enumerate(texts):
        if text in known.NO_MORE:
            return True
        if text in known.CHANGE_WORDS and not any(map(negates, tokens[max(0, i - 2) : i])):
            return True
    return False


def is_objection(tokens: Sequence[Token], i: int) -> bool:
    """`No, it is ...`"""
    return tokens[i].text == "no" and _texts(tokens[i + 1 : i + 2]) == [","]


def is_contrast(tokens: Sequence[Token], i: int) -> bool:
    """`X, not Y`, `X not Y`, `not Y but X`: it says what is true instead."""
    if tokens[i].text != "not":
        return False
    after = tokens[i + 1 : i + 8]
    if i == 0:
        return not after or after[0].text not in ("all", "every", "everything", "everyone")
    before = tokens[i - 1]
    if after and after[0].value_class and (before.value_class or before.text == "now"):
        return True
    return ends_clause(before) or before.text == "and" or "but" in _texts(after)


def find_moved(tokens: Sequence[Token]) -> Iterator[str]:
    """`we moved X to Y`, `X was renamed to Y`: the X."""
    for i, token in enumerate(tokens):
        if token.text in known.MOVE_WORDS:
            yield from _until_goal(tokens[i + 1 :]) or _before(tokens, i)


def _until_goal(tokens: Sequence[Token]) -> list[str]:
    found: list[str] = []
    for token in tokens:
        if token.text in known.GOALS:
            return found
        if ends_clause(token):
            break
        if token.stem and token.text not in known.LIGHT_WORDS:
            found.append(token.stem)
    return []


def _after(tokens: Sequence[Token], start: int) -> list[str]:
    phrase = takewhile(lambda token: not ends_clause(token) and token.text not in known.PHRASE_ENDS, tokens[start:])
    return [*_name_stems(phrase)][:MAX_ENDED_WORDS]


def _before(tokens: Sequence[Token], end: int) -> list[str]:
    clause = takewhile(lambda token: not ends_clause(token), reversed(tokens[:end]))
    skipped = known.LIGHT_WORDS | known.FORMS_OF_BE
    return [token.stem for token in clause if token.stem and token.text not in skipped][:MAX_ENDED_WORDS]


def _name_stems(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.stem and token.text not in known.LIGHT_WORDS and not negates(token):
            yield token.stem


def find_subject(tokens: Sequence[Token]) -> str:
    for token in tokens:
        if token.text not in known.BEFORE_NOUNS:
            return token.stem if not token.value_class and is_content(token) else ""
    return ""
