"""Finds which phrases a sentence has, quickly: each is tried only where a word begins as it does. Pure.

A phrase is a regular expression of letters, groups `(?:a|b)`, classes and counts; `^` only as its first sign.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

LETTERS = 2  # by so many a word is looked up

Key = TypeVar("Key", bound=Hashable)
_ANY = "\0"  # stands for every sign
_WORD = re.compile(r"(?<![\w-])[^\s]")
_CLOSED = re.compile(r"\?|\*|\{0,\d*\}")
_COUNTED = re.compile(r"\+|\{\d+(?:,\d*)?\}")


class Phrases(Generic[Key]):
    def __init__(self, phrases: Mapping[Key, Iterable[str]]) -> None:
        beginning: dict[str, dict[Key, list[str]]] = {}
        for key, of_key in phrases.items():
            for phrase in of_key:
                for start in starts(phrase.removeprefix("^")):
                    beginning.setdefault(start, {}).setdefault(key, []).append(_at_place(phrase))
        self._by_start = {
            start: [(key, re.compile(f"(?:{'|'.join(found)})(?![\\w-])").match) for key, found in keys.items()]
            for start, keys in beginning.items()
        }
        self._lengths = sorted({len(start) for start in beginning})

    def found(self, sentence: str) -> frozenset[Key]:
        lowered = sentence.lower()
        found = set[Key]()
        for word in _WORD.finditer(lowered):
            at = word.start()
            for length in self._lengths:
                for key, matches in self._by_start.get(lowered[at : at + length], ()):
                    if key not in found and matches(lowered, at):
                        found.add(key)
        return frozenset(found)


def _at_place(phrase: str) -> str:
    return rf"(?<!.){phrase[1:]}" if phrase.startswith("^") else phrase


def starts(phrase: str) -> set[str]:
    """What a match can begin with: two letters, fewer where it is shorter, none where it may be anything."""
    found, _ = _sequence(phrase, 0)
    return {start.split(_ANY)[0][:LETTERS] for start in found}


def _sequence(phrase: str, at: int) -> tuple[set[str], int]:
    """The beginnings of all alternatives up to the bracket that closes them."""
    whole, begun = set[str](), {""}
    while at < len(phrase) and phrase[at] != ")":
        if phrase[at] == "|":
            whole, begun, at = whole | begun, {""}, at + 1
            continue
        atoms, at = _atom(phrase, at)
        optional = _CLOSED.match(phrase, at)
        counted = optional or _COUNTED.match(phrase, at)
        at = counted.end() if counted else at
        if counted and phrase[at - 1] in "*+}" and atoms != {""}:
            atoms = {atom + _ANY for atom in atoms}
        begun = (begun if optional else set()) | {
            one if len(one) >= LETTERS or _ANY in one else one + atom for one in begun for atom in atoms
        }
    return whole | begun, at


def _atom(phrase: str, at: int) -> tuple[set[str], int]:
    sign = phrase[at]
    if phrase.startswith("(?:", at):
        found, end = _sequence(phrase, at + 3)
        return found, end + 1
    if sign == "(":  # looks ahead or back: nothing of it is read
        depth, end = 1, at + 1
        while depth:
            depth += (phrase[end] == "(") - (phrase[end] == ")")
            end += 1
        return {""}, end
    if sign == "[":
        end = phrase.index("]", at + 1)
        inside = phrase[at + 1 : end]
        return (set(inside) if inside.isalpha() else {_ANY}), end + 1
    if sign == "\\":
        return ({_ANY} if phrase[at + 1] in "wSsdD" else {phrase[at + 1]}), at + 2
    return ({_ANY} if sign == "." else {sign}), at + 1
