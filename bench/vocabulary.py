"""Words as developers use them: a few very often, most of them rarely. Repeatable."""

import random
from collections.abc import Sequence
from itertools import accumulate

NOUNS = """
    service test request user error data file cache queue worker session token index build config schema event job
    message client server gateway migration endpoint database handler timeout invoice payment ledger report release
    branch pipeline deployment cluster container image volume secret certificate header cookie route controller view
    template component hook store model query transaction lock thread process socket stream buffer parser lexer
    compiler linker package module dependency version license changelog fixture mock snapshot benchmark profile metric
    trace log alert dashboard runbook incident tenant account permission role policy audit webhook callback scheduler
    cron importer exporter adapter proxy balancer replica shard partition topic offset consumer producer broker retry
    backoff circuit bucket object blob upload download thumbnail invitation notification email subscription coupon
    discount cart checkout order shipment refund currency exchange rate tax region locale translation font icon theme
    layout grid modal tooltip form field validation sanitizer encoder decoder cipher signature hash salt nonce quota
    limit throttle window histogram percentile outlier forecast feature embedding classifier dataset label notebook
    experiment checkpoint gradient tokenizer prompt completion agent tool memory block budget archive passage turn
    workspace editor terminal shell script makefile lockfile artifact registry mirror vault gist patch diff commit
    rebase merge conflict review approval milestone ticket epic sprint retrospective onboarding handbook glossary
""".split()
VERBS = """
    uses reads writes calls returns needs sends checks loads keeps skips drops retries wraps parses validates caches
    expects rejects opens closes starts stops waits blocks locks publishes consumes emits handles maps merges splits
    sorts filters groups counts limits encrypts signs verifies rotates expires refreshes invalidates rebuilds migrates
    deploys restarts scales monitors alerts truncates compresses streams buffers batches schedules polls
""".split()
QUALITIES = """
    slow old internal public nightly flaky shared remote local async legacy stale large daily strict optional weekly
    broken signed hidden empty global nested virtual static dynamic generated manual automatic primary secondary
    temporary permanent encrypted compressed cached lazy eager idempotent stateless
""".split()
TECHNOLOGIES = """
    Postgres Redis Docker pytest Kubernetes Kafka TypeScript React Python Terraform GitHub Helm nginx gRPC GraphQL
    SQLite S3 JWT OAuth OpenAPI Rust Go Vite RabbitMQ Prometheus Grafana Sentry Celery FastAPI Django Flask Svelte
    webpack ESLint Prettier mypy ruff Poetry Gradle Maven Kotlin Swift Elasticsearch ClickHouse DynamoDB Lambda
    CloudFront Vault Consul Nomad Ansible Packer Jenkins CircleCI Argo Istio Envoy Jaeger OpenTelemetry protobuf Avro
    Parquet Spark Airflow dbt Snowflake BigQuery Looker Playwright Cypress Jest Vitest Storybook Tailwind Figma
""".split()
PLACES = """
    staging production CI tests main development review sandbox canary demo
""".split()
NAMES = 3000  # code names, made of the words above


class Words:
    """Draws from a list by Zipf's law: the nth word about n times less often than the first."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._weights = list(accumulate(1 / (place + 2) for place in range(len(words))))

    def some(self, chance: random.Random, count: int) -> list[str]:
        return chance.choices(self._words, cum_weights=self._weights, k=count)


def names() -> list[str]:
    """Return names like `parse_invoice`, `InvoiceParser`, `src/invoice/parser.py` and `E1234`, in random order."""
    chance = random.Random(0)
    found: dict[str, None] = {}
    while len(found) < NAMES:
        one, other, verb = chance.choice(NOUNS), chance.choice(NOUNS), chance.choice(VERBS).rstrip("s")
        shapes = (
            f"{verb}_{one}",
            f"{one.title()}{other.title()}",
            f"src/{one}/{other}.py",
            f"E{chance.randrange(1000, 9999)}",
        )
        found[chance.choice(shapes)] = None
    return list(found)
