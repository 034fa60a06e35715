"""Split statements into words and values of every class that developers mention. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recollect.novelty import statement_words as known
from recollect.novelty.alternatives import canonical_name, is_plain_word, row_of, two_word_name
from recollect.text.words import index_words

NAME = "name"  # the class of files, URLs, commands and other names from code
QUOTE = "quote"
ALTERNATIVE = "alternative"  # followed by its row
NUMBER_WORD = "number word"

_TOKEN = re.compile(
    r"""
    (?P<url>https?://[^\s`'"),]{1,300})
    | `(?P<code>[^`\n]{1,200})`
    | "(?P<quote>[^"\n]{1,200})"
    | (?P<address>\b0x[0-9A-Fa-f_]+\b)
    | (?P<clock>\b\d{1,2}:\d{2}\b(?:\s?[ap]m\b)?|\b\d{1,2}\s?[ap]m\b)
    | (?P<day>\b\d{4}-\d{2}(?:-\d{2})?\b)
    | (?P<version>\b(?:v\d+(?:\.\d+){0,3}|\d+(?:\.\d+){1,3})(?:-[\w.]+)?\b
        (?!\s?(?:%|[kmgt]i?b\b|ms\b|s\b|sec|min|hour|day|gigs?\b|cpu|x\b)))
    | (?P<number>(?<![\w.])\d+(?:[.,]\d+)*)(?:\s?(?P<unit>%|[A-Za-z]+))?
    | (?P<dotfile>(?<![\w.])\.[A-Za-z][\w.-]*\w)
    | (?P<path>(?:~|\.{1,2})?/?(?:[\w@.*{}<>:-]+/)+[\w@.*{}<>-]*|/[\w@.{}-]+|\.{1,2}/[\w.-]+
        |[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}\b)
    | (?P<image>\b[a-z][\w./-]*\w:[a-z0-9][\w.-]*\w\b)
    | (?<![\w&])(?P<handle>[#@][A-Za-z][\w/.-]*\w|\#\d+)
    | (?<!\S)(?P<option>--?[A-Za-z][\w-]*)
    | (?P<word>[Cc]\+\+|[CFcf]\#|[^\W\d_]\w*(?:[-.'_]\w+)*)
    | (?P<end>[.;:!?,()\[\]]|\s[-–—]+\s|→|->)
    """,
    re.VERBOSE,
)
_RATE = re.compile(r"\b([A-Za-z]+)/(s|sec|min|minute|h|hour|day|month)\b")
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b(?: of\b)?")
_FILE_ENDINGS = frozenset(known.FILE_ENDINGS)


@dataclass(frozen=True, slots=True)
class Token:
    text: str  # in small letters
    stem: str  # "": it ends a clause
    value_class: str = ""  # "": a word
    possible_class: str = ""  # of a plain word that may be a value
    is_capitalised: bool = False
    starts_sentence: bool = False

    @property
    def kind(self) -> str:
        """The class without its detail: `version` of `version node`."""
        return self.value_class.partition(" ")[0]


NO_TOKEN = Token("", "")


def tokens_of(text: str) -> list[Token]:
    found: list[Token] = []
    plain = _ORDINAL.sub(r"\1", text.replace("’", "'")).replace("out of the box", "")
    plain = _RATE.sub(r"\1 per \2", plain)
    for match in _TOKEN.finditer(plain):
        found += _read(match, found)
    return [*_resolve_number_words(_join(found))]


def _read(match: re.Match[str], before: Sequence[Token]) -> Iterator[Token]:
    text, lowered = match[0], match[0].lower()
    match match.lastgroup:
        case "url":
            yield Token(lowered, lowered.rstrip("/."), NAME)
        case "code":
            yield from _code(match["code"])
        case "quote":
            yield Token(lowered, " ".join(index_words(match["quote"])), QUOTE)
        case "address":
            yield Token(lowered, lowered, "number")
        case "clock":
            yield Token(lowered, lowered.replace(" ", ""), "time")
        case "day":
            yield Token(text, text, "date")
        case "version":
            yield Token(text, lowered.lstrip("v"), "version")
        case "number" | "unit":
            yield from _number(match, before)
        case "path" | "dotfile":
            yield _path(text)
        case "option" | "handle" | "image":
            yield Token(text, lowered, NAME)
        case "word":
            yield from _word(text, before)
        case _:
            yield Token(text.strip(), "")


def _alternative(name: str) -> Token | None:
    row = row_of(name)
    return None if row is None else Token(name, canonical_name(name), f"{ALTERNATIVE} {row}")


def _code(code: str) -> Iterator[Token]:
    name = code.strip().lower()
    if alternative := _alternative(name):
        yield alternative
    elif "/" in name and " " not in name:
        yield _path(code.strip())
    elif name.isalpha() and name not in known.LIGHT_WORDS and name not in known.NEGATIONS:
        yield from _plain(name, name, starts_sentence=False)
    else:
        yield Token(name, name, NAME)


def _path(text: str) -> Token:
    name = text.rstrip(".,").lower()
    if alternative := _alternative(name):
        return alternative
    if "/" not in name and name.rpartition(".")[2] not in _FILE_ENDINGS and not name.startswith("."):
        return Token(name, name, NAME)
    return Token(name, name.removeprefix("./").rstrip("/"), NAME)


def _number(match: re.Match[str], before: Sequence[Token]) -> Iterator[Token]:
    digits, unit = match["number"].replace(",", ""), (match["unit"] or "").lower()
    last = before[-1] if before else NO_TOKEN
    if unit in known.UNITS:
        yield _amount(match[0].lower(), digits, unit)
        return
    if unit in known.MONTHS or last.stem in known.MONTHS:
        month = unit if unit in known.MONTHS else last.stem
        yield Token(match[0].lower(), f"{known.MONTHS[month]}-{digits}", "date")
    elif last.kind == ALTERNATIVE or last.stem in known.VERSIONED or _is_name_in_sentence(last):
        yield Token(digits, digits, f"version {last.stem}")
    elif unit and unit not in known.LIGHT_WORDS and unit not in known.CHANGE_WORDS:
        (counted, *_) = index_words(unit) or [unit]
        yield Token(digits, digits, f"count {counted}")
        yield Token(unit, counted)
        return
    elif last.stem and not last.value_class and is_content(last) and last.stem not in known.MEASURED_STEMS:
        yield Token(f"{last.text} {digits}", f"{last.stem} {digits}", NAME)  # `tenant 12`: which one, not how many
    else:
        yield Token(digits, digits, "number")
    if unit and unit not in known.MONTHS:
        yield from _word(match["unit"], ())


def _is_name_in_sentence(token: Token) -> bool:
    return token.is_capitalised and not token.starts_sentence


def _amount(text: str, digits: str, unit: str) -> Token:
    name, factor = known.UNITS[unit]
    if name in known.UNITS_OFTEN_OMITTED:
        return Token(text, digits, name)
    return Token(text, f"{float(digits) * factor:g} {name}", name)


def _word(text: str, before: Sequence[Token]) -> Iterator[Token]:
    raw, _, ending = text.partition("'")
    name = raw.lower()
    if ending == "t" or name in known.NEGATIONS:
        yield Token(text.lower(), "")
        return
    if name == "go" and before and before[-1].text in ("in", "with", "using"):
        raw = "Go"
    yield from _plain(raw, name, starts_sentence=not before or before[-1].text in (".", "!", "?", ":", ";"))
    if ending == "s":
        yield Token("'s", "")


def _plain(raw: str, name: str, *, starts_sentence: bool) -> Iterator[Token]:
    is_capitalised = raw[:1].isupper()
    if name in known.NUMBER_WORDS:
        yield Token(name, known.NUMBER_WORDS[name], NUMBER_WORD)
        return
    if raw == "US" or (len(raw) == 1 and is_capitalised and not starts_sentence and raw != "I"):  # or `service A`
        yield Token(name, raw, NAME)
        return
    alternative = _alternative(name)
    if alternative and (not is_plain_word(name) or (is_capitalised and not starts_sentence)):
        yield alternative
        return
    parts = tuple(name.split("-"))
    if joined := known.TWO_WORDS.get(parts):
        yield Token(joined, joined)
        return
    if len(parts) == 2 and (parts[0] == "non" or parts[1] == "free"):
        yield Token("non", "")
        yield from _plain(raw, parts[1] if parts[0] == "non" else parts[0], starts_sentence=starts_sentence)
        return
    is_tool = len(parts) > 1 and any(row_of(part) is not None and not is_plain_word(part) for part in parts)
    if is_tool or re.search(r"_|\d|[a-z][A-Z]|[a-z]-[a-z].*-|\w\.\w", raw):
        yield Token(name, name, NAME)
        return
    stems = index_words(name)
    if "-" in name and len(stems) > 1:
        stems.pop()  # the whole name
    possible_class = alternative.value_class if alternative else ""
    for stem in stems or [name]:
        same = known.SAME_WORDS.get(stem, stem)
        yield Token(name, same, "", possible_class, is_capitalised, starts_sentence)


def _join(tokens: Sequence[Token]) -> list[Token]:
    """Join names of two words, and give number words what they count."""
    found: list[Token] = []
    for token in tokens:
        last = found[-1] if found else NO_TOKEN
        if joined := _join_two(last, token):
            found[-1] = joined
            continue
        if _may_count(last, token):
            found[-1] = Token(last.text, last.stem, f"count {token.stem}")
        elif token.value_class == "version" and last.stem and (last.value_class or _is_name_in_sentence(last)):
            token = Token(token.text, token.stem, f"version {last.stem}")
        found.append(token)
    return found


def _join_two(last: Token, token: Token) -> Token | None:
    if joined := known.TWO_WORDS.get((last.text, token.text)):
        return Token(joined, "" if joined in known.NEGATIONS else joined)
    if last.stem in known.MONTHS and not last.value_class and token.value_class == "date":
        return token
    if name := two_word_name(last.text, token.text):
        return _alternative(name)
    if last.text in known.HTTP_METHODS and last.is_capitalised and token.value_class == NAME:
        return Token(token.text, f"{last.text} {token.stem}", NAME)
    if _may_count(last, token) and token.text in known.UNITS:
        return _amount(last.text, last.stem, token.text)
    return None


def _may_count(last: Token, token: Token) -> bool:
    return last.value_class == NUMBER_WORD and bool(token.stem) and token.kind in ("", ALTERNATIVE)


def _resolve_number_words(tokens: Sequence[Token]) -> Iterator[Token]:
    """A number word that counts nothing says which one is meant: `phase one`."""
    for before, token in pairwise((NO_TOKEN, *tokens)):
        if token.value_class != NUMBER_WORD:
            yield token
        elif is_content(before) and not before.value_class:
            yield Token(token.text, f"{before.stem} {token.stem}", NAME)
        else:
            yield Token(token.text, token.stem, "number")


def is_content(token: Token) -> bool:
    """Return True for a value, or a word that says something about the topic."""
    if token.value_class:
        return True
    if token.text in known.LIGHT_WORDS or token.text in known.CHANGE_WORDS:
        return False
    if token.stem in known.LIGHT_STEMS and "-" not in token.text:  # `ml-serving` is a name
        return False
    return bool(token.stem)


def ends_clause(token: Token) -> bool:
    if token.text == "but":
        return True
    return not (token.stem or token.text.isalpha() or "'" in token.text or negates(token))


def negates(token: Token) -> bool:
    return token.text in known.NEGATIONS or token.text.endswith("n't")
