"""Synthetic memories, prompts and turns in the language of developers. Repeatable.

Each draft has its own time, so `number_of` needs no table of a million texts.
"""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from bench.vocabulary import NOUNS, PLACES, QUALITIES, TECHNOLOGIES, VERBS, Words, names
from recollect.domain.memory import Draft, Kind, MemoryId, MessageId, ProjectId, Role, Scope, SessionId, Source
from recollect.domain.session import Turn

SOURCE = Source(role=Role.IMPORT, host="bench")
PROJECTS = 50
NOW = datetime(2026, 2, 1, tzinfo=UTC)
BETWEEN_DRAFTS = timedelta(seconds=30)  # a million drafts cover a year
TURNS_PER_SESSION = 40

_NOUNS, _VERBS, _QUALITIES = Words(NOUNS), Words(VERBS), Words(QUALITIES)
_TECHNOLOGIES, _PLACES, _NAMES = Words(TECHNOLOGIES), Words(PLACES), Words(names())
_DETAILS = "with a timeout of {} seconds|since release {}|on port {}|for tenant {}|see ticket {}".split("|")


def drafts(count: int, seed: int = 1, projects: int = PROJECTS) -> Iterator[Draft]:
    chance = random.Random(seed)
    kinds = list(Kind)
    scopes = [Scope.project(project(number)) for number in range(projects)]
    for number in range(count):
        yield Draft(
            id=MemoryId(f"{seed}-{number}"),
            text=sentence(chance, number),
            kind=chance.choice(kinds),
            scope=scopes[number % projects],
            at=NOW - (number + 1) * BETWEEN_DRAFTS,
            source=SOURCE,
        )


def number_of(said: datetime) -> int:
    """Return the number of the draft with this time."""
    return round((NOW - said) / BETWEEN_DRAFTS) - 1


def prompts(count: int, seed: int = 2) -> list[str]:
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        noun, other = _NOUNS.some(chance, 2)
        (verb,), (technology,), (name,) = (each.some(chance, 1) for each in (_VERBS, _TECHNOLOGIES, _NAMES))
        found.append(f"How does the {noun} of the {other} {verb} {technology} here, and is {name} part of it?")
    return found


def errors(count: int, seed: int = 11) -> list[str]:
    """Return outputs of failed tools."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        noun, other = _NOUNS.some(chance, 2)
        (verb,), (technology,), (name,) = (each.some(chance, 1) for each in (_VERBS, _TECHNOLOGIES, _NAMES))
        found.append(
            "Traceback (most recent call last):\n"
            f'  File "src/{noun}/{other}.py", line {chance.randrange(1000)}, in <module>\n    {other}.run()\n'
            f"{technology.title()}Error: the {noun} {verb} no {other} in {name}\n"
        )
    return found


def sentences(count: int, seed: str) -> list[str]:
    chance = random.Random(seed)
    return [sentence(chance, number) for number in range(count)]


def turns(count: int, seed: int = 4) -> Iterator[Turn]:
    """Yield turns of one project, session by session, by user and agent alternately; each has a few sentences."""
    chance = random.Random(seed)
    for number in range(count):
        said = " ".join(sentence(chance, number) for _ in range(chance.randint(1, 4)))
        yield Turn(
            session=SessionId(f"session-{number // TURNS_PER_SESSION}"),
            message=MessageId(f"message-{number}"),
            project=project(0),
            role=Role.ASSISTANT if number % 2 else Role.USER,
            text=said,
            at=NOW - (count - number) * BETWEEN_DRAFTS,
        )


def project(number: int) -> ProjectId:
    return ProjectId(f"git:example.org/bench/p{number}")


def sentence(chance: random.Random, number: int) -> str:
    noun, other, third = _NOUNS.some(chance, 3)
    verb, then = _VERBS.some(chance, 2)
    quality, technology, place, name = (
        each.some(chance, 1)[0] for each in (_QUALITIES, _TECHNOLOGIES, _PLACES, _NAMES)
    )
    detail = chance.choice(_DETAILS).format(number)
    return f"The {quality} {noun} {verb} {technology} in {place} {detail}; {name} {then} the {other} of the {third}."
