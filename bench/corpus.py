"""Memories and prompts for measuring: made up, repeatable, in the language of developers."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from recollect.domain.memory import Draft, Kind, ProjectId, Role, Scope, Source

SUBJECTS = "auth cache queue worker gateway invoice ledger search billing webhook session scheduler importer".split()
VERBS = "uses needs breaks without retries through waits for depends on reads from writes to".split(" ")
OBJECTS = "Redis Postgres Kafka JWT Helm Terraform gRPC OpenAPI pytest Vite Docker nginx S3 SQLite RabbitMQ".split()
DETAILS = "in staging|behind a feature flag|with a timeout of {} seconds|since release {}|on port {}|for tenant {}"

SOURCE = Source(role=Role.IMPORT, host="bench")
PROJECTS = 50
NOW = datetime(2026, 2, 1, tzinfo=UTC)


def drafts(count: int, seed: int = 1) -> Iterator[Draft]:
    chance = random.Random(seed)
    kinds = list(Kind)
    for number in range(count):
        yield Draft(
            text=sentence(chance, number),
            kind=chance.choice(kinds),
            scope=Scope.project(project(number % PROJECTS)),
            at=NOW - timedelta(minutes=number % 60_000 + 1),
            source=SOURCE,
        )


def prompts(count: int, seed: int = 2) -> list[str]:
    chance = random.Random(seed)
    return [
        f"How does the {chance.choice(SUBJECTS)} {chance.choice(VERBS)} {chance.choice(OBJECTS)} here?"
        for _ in range(count)
    ]


def project(number: int) -> ProjectId:
    return ProjectId(f"git:example.org/bench/p{number}")


def sentence(chance: random.Random, number: int) -> str:
    detail = chance.choice(DETAILS.split("|")).format(number)
    return f"The {chance.choice(SUBJECTS)} {chance.choice(VERBS)} {chance.choice(OBJECTS)} {detail}."
