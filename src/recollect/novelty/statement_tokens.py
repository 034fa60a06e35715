"""Statements in pieces: words, and values of every class that developers speak of. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recollect.novelty import statement_words as known
from recollect.novelty.alternatives import canonical_name, is_plain_word, row_of, two_word_name
from recollect.text.words import index_words

NAME = "name"  # the class of files, URLs, commands, and what else has a name in code
QUOTE = "quote"

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
    text: str  # written small
    stem: str  # "" for what ends a clause
    value_class: str = ""  # the class of what it is a value of; "" for a word
    possible_class: str = ""  # the class of which a plain word may be a value
    is_capitalised: bool = False  # begins with a capital
    starts_sentence: bool = False  # a sentence


def tokens_of(text: str) -> list[Token]:
    found: list[Token] = []
    plain = _ORDINAL.sub(r"\1", text.replace("’", "'")).replace("out of the box", "")
    plain = _RATE.sub(r"\1 per \2", plain)
    for match in _TOKEN.finditer(plain):
        found += _read(match, found)
    return _joined(found)


def _read(match: re.Match[str], before: Sequence[Token]) -> Iterator[Token]:
    kind, text = match.lastgroup, match[0]
    if kind == "unit":
        kind = "number"
    match kind:
        case "url":
            yield Token(text.lower(), text.lower().rstrip("/."), NAME)
        case "code":
            yield from _code(match["code"])
        case "quote":
            yield Token(text.lower(), " ".join(index_words(match["quote"])), QUOTE)
        case "address":
            yield Token(text.lower(), text.lower(), "number")
        case "clock":
            yield Token(text.lower(), text.lower().replace(" ", ""), "time")
        case "day":
            yield Token(text, text, "date")
        case "version":
            yield Token(text, text.lower().lstrip("v"), "version")
        case "number":
            yield from _number(match, before)
        case "path" | "dotfile":
            yield _path(text)
        case "option" | "handle" | "image":
            yield Token(text, text.lower(), NAME)
        case "word":
            yield from _word(text, before)
        case _:
            yield Token(text.strip(), "")


def _code(code: str) -> Iterator[Token]:
    name = code.strip().lower()
    if row_of(name) is not None:
        yield Token(name, canonical_name(name), f"alternative {row_of(name)}")
    elif "/" in name and " " not in name:
        yield _path(code.strip())
    elif name.isalpha() and name not in known.LIGHT_WORDS and name not in known.NEGATIONS:
        yield from _plain(name, name, starts=False)
    else:
        yield Token(name, name, NAME)


def _path(text: str) -> Token:
    name = text.rstrip(".,")
    ending = name.rpartition(".")[2].lower()
    lowered = name.lower()
    if row_of(lowered) is not None:
        return Token(lowered, canonical_name(lowered), f"alternative {row_of(lowered)}")
    if "/" not in name and ending not in _FILE_ENDINGS and not name.startswith("."):
        return Token(lowered, lowered, NAME)
    return Token(lowered, lowered.removeprefix("./").rstrip("/"), NAME)


def _number(match: re.Match[str], before: Sequence[Token]) -> Iterator[Token]:
    digits, unit = match["number"].replace(",", ""), (match["unit"] or "").lower()
    last = before[-1] if before else Token("", "")
    if unit in known.UNITS:
        name, factor = known.UNITS[unit]
        yield Token(match[0].lower(), _amount(digits, name, factor), name)
        return
    if unit in known.MONTHS or last.stem in known.MONTHS:
        month = unit if unit in known.MONTHS else last.stem
        yield Token(match[0].lower(), f"{known.MONTHS[month]}-{digits}", "date")
    elif (
        last.value_class.startswith("alternative")
        or last.stem in known.VERSIONED
        or (last.is_capitalised and not last.starts_sentence)
    ):
        yield Token(digits, digits, f"version {last.stem}")
    elif unit and unit not in known.LIGHT_WORDS and unit not in known.CHANGE_WORDS:
        (counted, *_) = index_words(unit) or [unit]
        yield Token(digits, digits, f"count {counted}")
        yield Token(unit, counted)
        return
    elif last.stem and not last.value_class and is_content(last) and last.stem not in known.MEASURED_STEMS:
        yield Token(f"{last.text} {digits}", f"{last.stem} {digits}", NAME)  # `tenant 12`: it tells which, not how much
    else:
        yield Token(digits, digits, "number")
    if unit and unit not in known.MONTHS:
        yield from _word(match["unit"], ())


def _amount(digits: str, name: str, factor: float) -> str:
    return digits if name in known.UNITS_OFTEN_OMITTED else f"{float(digits) * factor:g} {name}"


def _word(text: str, before: Sequence[Token]) -> Iterator[Token]:
    raw, _, ending = text.partition("'")
    name = raw.lower()
    if ending == "t" or name in known.NEGATIONS:
        yield Token(text.lower(), "")
        return
    if name == "go" and before and before[-1].text in ("in", "with", "using"):
        raw = "Go"
    yield from _plain(raw, name, not before or before[-1].text in (".", "!", "?", ":", ";"))
    if ending == "s":
        yield Token("'s", "")


def _plain(raw: str, name: str, starts: bool) -> Iterator[Token]:
    if name in known.NUMBER_WORDS:
        yield Token(name, known.NUMBER_WORDS[name], "number word")
        return
    if raw == "US" or (len(raw) == 1 and raw.isupper() and not starts and raw != "I"):  # a country; `service A`
        yield Token(name, raw, NAME)
        return
    row = row_of(name)
    if row is not None and (not is_plain_word(name) or (raw[:1].isupper() and not starts)):
        yield Token(name, canonical_name(name), f"alternative {row}")
        return
    parts = name.split("-")
    if len(parts) == 2 and (parts[0], parts[1]) in known.TWO_WORDS:
        joined = known.TWO_WORDS[parts[0], parts[1]]
        yield Token(joined, joined)
        return
    if len(parts) == 2 and (parts[0] == "non" or parts[1] == "free"):
        yield Token("non", "")
        yield from _plain(raw, parts[1] if parts[0] == "non" else parts[0], starts)
        return
    is_tool = len(parts) > 1 and any(row_of(part) is not None and not is_plain_word(part) for part in parts)
    if is_tool or re.search(r"_|\d|[a-z][A-Z]|[a-z]-[a-z].*-|\w\.\w", raw):
        yield Token(name, name, NAME)
        return
    stems = index_words(name)
    for stem in (stems[:-1] if "-" in name and len(stems) > 1 else stems) or [name]:
        also = "" if row is None else f"alternative {row}"
        yield Token(
            name,
            known.SAME_WORDS.get(stem, stem),
            possible_class=also,
            is_capitalised=raw[:1].isupper(),
            starts_sentence=starts,
        )


def _joined(tokens: Sequence[Token]) -> list[Token]:
    """Names of two words become one, and number words count what comes after them."""
    found: list[Token] = []
    for token in tokens:
        last = found[-1] if found else None
        if last is not None:
            joined = known.TWO_WORDS.get((last.text, token.text))
            if joined is not None:
                found[-1] = Token(joined, "" if joined in known.NEGATIONS else joined)
                continue
            if last.stem in known.MONTHS and not last.value_class and token.value_class == "date":
                found[-1] = token
                continue
            together = two_word_name(last.text, token.text)
            if together is not None:
                found[-1] = Token(together, together, f"alternative {row_of(together)}")
                continue
            if last.text in known.HTTP_METHODS and last.is_capitalised and token.value_class == NAME:
                found[-1] = Token(token.text, f"{last.text} {token.stem}", NAME)
                continue
            if (
                last.value_class == "number word"
                and token.stem
                and (not token.value_class or token.value_class.startswith("alternative"))
            ):
                name, factor = known.UNITS.get(token.text, ("", 1.0))
                if name:
                    found[-1] = Token(last.text, _amount(last.stem, name, factor), name)
                    continue
                found[-1] = Token(last.text, last.stem, f"count {token.stem}")
            elif (
                token.value_class == "version"
                and last.stem
                and (last.value_class or (last.is_capitalised and not last.starts_sentence))
            ):
                found.append(Token(token.text, token.stem, f"version {last.stem}"))
                continue
        found.append(token)
    return [*_counted(found)]


def _counted(tokens: Sequence[Token]) -> Iterator[Token]:
    """A number word that counts nothing tells which one is meant: `phase one`."""
    for before, token in pairwise((Token("", ""), *tokens)):
        if token.value_class != "number word":
            yield token
        elif is_content(before) and not before.value_class:
            yield Token(token.text, f"{before.stem} {token.stem}", NAME)
        else:
            yield Token(token.text, token.stem, "number")


def is_content(token: Token) -> bool:
    if token.value_class:
        return True
    is_light = token.stem in known.LIGHT_STEMS and "-" not in token.text  # `ml-serving` is a name
    return bool(token.stem) and not (is_light or token.text in known.LIGHT_WORDS or token.text in known.CHANGE_WORDS)


def ends_clause(token: Token) -> bool:
    if token.text == "but":
        return True
    return not (token.stem or token.text.isalpha() or "'" in token.text or negates(token))


def negates(token: Token) -> bool:
    return token.text in known.NEGATIONS or token.text.endswith("n't")
