"""A new statement is told apart from a known one. The pairs of `bench/novelty` say how surely, single cases say how."""

import pytest
from bench.novelty.judge import judge_alone, judge_in_crowd
from bench.novelty.pairs import SETS, pairs
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.memory import Kind
from recollect.novelty.compare import Relation, relation_between
from recollect.novelty.statement import parse_statement
from tests.requirements import covers

ALL = [pair for name in SETS for pair in pairs(name)]


def verdict(old: str, new: str, kind: Kind = Kind.DECISION) -> Relation:
    return relation_between(old, new, kind, kind)


@covers("CAP-9", "CAP-10")
def test_of_all_pairs_hardly_one_is_merged_or_ended_wrongly_and_plain_updates_are_found() -> None:
    found = judge_alone(ALL)
    assert len(ALL) >= 120
    assert found.wrong_merges <= 0.01
    assert found.share_called(Relation.UNRELATED, Relation.UPDATES) <= 0.003
    assert found.precision(Relation.UPDATES) >= 0.98
    assert found.recall(Relation.UPDATES) >= 0.35
    assert found.recall(Relation.SAME) >= 0.78
    assert found.recall(Relation.CONTRADICTS) >= 0.4


@pytest.mark.parametrize("name", SETS[-2:])
def test_among_all_that_a_project_knows_hardly_another_is_touched(name: str) -> None:
    found = judge_in_crowd(pairs(name))
    assert found.wrong <= found.statements * 0.005
    assert found.right >= found.expected * 0.45


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use pnpm, not npm.", "Always use pnpm instead of npm!"),
        ("Marta owns the payments service.", "The payments service is owned by Marta."),
        ("Do not add dependencies without asking me.", "Ask me before adding dependencies."),
        ("The request timeout is 60 s.", "Request timeout: one minute"),
        ("Run `cargo fmt` before every commit.", "before each commit, run cargo fmt"),
    ],
)
def test_what_says_the_same_is_the_same(old: str, new: str) -> None:
    assert verdict(old, new) is Relation.SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The API listens on port 8080.", "The API listens on port 9090."),
        ("We use webpack for the frontend.", "nah, we're on vite now, not webpack"),
        ("The schema is in api/schema.graphql.", "The schema has moved to packages/schema/root.graphql."),
        ("Line length is 88.", "Line length is 120 characters."),
        ("Jonas owns the search cluster.", "Priya took over the search cluster from Jonas."),
        ("The beta starts on June 1.", "Beta start slipped to June 15."),
        ("Sessions are stored in Postgres.", "Actually, sessions are stored in Redis."),
        ("Analytics events go to Segment.", "We switched from Segment to RudderStack for analytics events."),
        ("The worker retries failed jobs.", "The worker no longer retries failed jobs."),
        ("CI runs on Jenkins.", "jenkins is history, everything is on github actions"),
    ],
)
def test_what_replaces_the_other_is_an_update(old: str, new: str) -> None:
    assert verdict(old, new) is Relation.UPDATES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Always use semicolons.", "Do not use semicolons."),
        ("Integration tests may use the staging database.", "Integration tests must never use the staging database."),
        ("The parser is thread-safe.", "The parser is not thread-safe."),
        ("Float16 inference is accurate enough.", "Float16 inference is inaccurate."),
        ("Prefer classes over functions for services.", "Prefer functions over classes for services."),
    ],
)
def test_what_cannot_hold_together_contradicts(old: str, new: str) -> None:
    assert verdict(old, new) is Relation.CONTRADICTS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The API listens on port 8080.", "The admin UI listens on port 9090."),
        ("Staging uses PostgreSQL 15.", "Production uses PostgreSQL 16."),
        ("We use Redis for caching.", "We use Redis for sessions."),
        ("Use tabs in Makefiles.", "Use spaces in Python."),
        ("GET /users is limited to 100 requests a minute.", "POST /users is limited to 10 requests a minute."),
        ("The minimum interval is 10 seconds.", "The maximum interval is 60 seconds."),
        ("Set SENTRY_DSN in production.", "Set SENTRY_ENVIRONMENT in production."),
        ("We publish the library to PyPI.", "We publish the library to conda-forge as well."),
        ('make fails with "no rule": run configure.', 'make fails with "disk full": clean the cache.'),
        ("The gateway calls the auth service.", "The auth service calls the gateway."),
        ("The read timeout is 5 seconds.", "The write timeout is 5 seconds."),
        ("Rule number 7 is about naming.", "Rule number 8 is about naming."),
        ("Shard-1 lives in Frankfurt.", "Shard-2 lives in Frankfurt."),
        ("Never commit to main.", "Never commit to main, because the bot tags every commit there."),
        ("Kafka retention is 14 days.", "Kafka retention of the audit topic is 365 days."),
        ("PRs need two approvals.", "PRs to the infra repo need one approval."),
        ("The build takes 5 minutes.", "The Docker build takes 9 minutes."),
        ("We deploy on Tuesdays.", "We don't deploy on Fridays."),
        ("v1 of the API is deprecated.", "v2 of the API is not deprecated."),
        ("Alice reviews Bob's code.", "Bob reviews Alice's code."),
        ("src/a.py imports src/b.py", "src/b.py imports src/a.py"),
        ("Refunds over 200 EUR need a manager.", "Refunds under 20 EUR are automatic."),
        ("On 2026-01-05 we had an outage because of DNS.", "On 2026-02-07 we had an outage because of disk space."),
        ("Use feature flags.", "Don't use feature flags for bug fixes."),
    ],
)
def test_what_speaks_of_something_else_or_says_more_is_another_matter(old: str, new: str) -> None:
    assert verdict(old, new) is Relation.UNRELATED


MOVED = "The cache was moved out of the billing service; retries now go through the gateway."


@covers("CAP-10")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The billing service is written in Kotlin.", MOVED),
        ("The billing service listens on port 8080.", MOVED),
        ("Redis holds the session data.", "Redis was upgraded to 7.2."),
        ("utils/date.js formats dates.", "utils/date.js was renamed to lib/time.js."),
        ("The regex in src/a.py was replaced by a scanner.", "The regex in src/b.py was replaced by a scanner."),
        ("There are no longer any prints in src/a.py", "there are no longer any prints in src/b.py"),
        ("The export was removed from @acme/retry.", "The export was removed from @acme/config."),
        ("The bookmark to Docker was replaced.", "The bookmark to Podman was replaced."),
        ("Login to Airflow goes through a local account.", "Login to Dagster goes through a local account."),
        ("The API listens on port 8080.", "In the staging cluster, the API now listens on port 9090."),
        ("The API listens on port 8080.", "The API now listens on port 9090, in staging."),
        ("We use Redis.", "We no longer use Redis for sessions."),
        ("The billing service uses Redis.", "We moved the search index of the billing service from Redis to Elastic."),
        ("The tax job was migrated from Spark to DuckDB.", "The logs of the tax job were switched to JSON."),
        ("The CLI is written in Rust.", "The CLI's config moved to ~/.config/acme."),
        ("The API is on port 8080, metrics are on port 9100.", "The API is on port 8081 now."),
    ],
)
def test_in_doubt_both_stay(old: str, new: str) -> None:
    """It names the same thing, but not the same side of it; or it says less, or more."""
    assert verdict(old, new) is Relation.UNRELATED


@covers("CAP-9")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Restart the worker before deploying the API", "Restart the worker after deploying the API"),
        ("Messages from Slack are archived in S3", "Messages to Slack are archived in S3"),
        ("Alice can deploy to production", "Only Alice can deploy to production"),
        ("The queue holds at least 100 jobs", "The queue holds at most 100 jobs"),
        ("You may push to main", "You must push to main"),
        ("All services log JSON to stdout", "Some services log JSON to stdout"),
        ("Tags in the ml-serving repo look like r-123", "Tags in the ml-training repo look like r-123."),
        ("The service retries failed webhook deliveries", "The service retries failed webhook deliveries twice"),
        ("The nightly job writes invoices to the archive", "The nightly job writes draft invoices to the archive"),
        ("PRs in the game-client repo need two approvals.", "PRs in the game-server repo need two approvals"),
    ],
)
def test_one_word_more_or_another_small_word_is_not_the_same(old: str, new: str) -> None:
    assert verdict(old, new) is Relation.UNRELATED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use tabs, not spaces.", "Use spaces, not tabs."),
        ("Dev runs on port 3000 and prod on port 80.", "Dev runs on port 80 and prod on port 3000."),
        ("Timeouts: connect 3 s, read 10 s.", "Timeouts: connect 10 s, read 3 s."),
        ("Use async for IO and threads for CPU.", "Use threads for IO and async for CPU."),
        ("Release 3.8 goes out on 2 September.", "Release 3.8 goes out on 9 September."),
    ],
)
def test_the_same_words_in_another_order_may_say_the_opposite(old: str, new: str) -> None:
    assert verdict(old, new) is not Relation.SAME


@pytest.mark.parametrize("said", ["The pool size is now {}.", "Port is now {}.", "The batch size is {} now."])
def test_a_bare_number_is_a_value_where_something_is_measured(said: str) -> None:
    assert verdict(said.replace(" now", "").format(5), said.format(10)) is Relation.UPDATES


def test_the_same_words_of_another_kind_are_another_memory() -> None:
    assert relation_between("Use tabs.", "Use tabs.", Kind.RULE, Kind.PREFERENCE) is Relation.UNRELATED


WORDS = st.sampled_from(
    'use the not never instead of API port 8080 Redis `x` src/a.py is moved to 3.12 "err" - , . ; longer 漢字'.split()
)


@given(st.lists(WORDS | st.text(max_size=8), max_size=25).map(" ".join), st.text(max_size=200))
def test_any_two_texts_can_be_compared_and_a_text_is_never_an_update_of_itself(text: str, other: str) -> None:
    assert verdict(text, text) in (Relation.SAME, Relation.UNRELATED)
    assert verdict(text, other) in Relation


@pytest.mark.parametrize("piece", ["a", "not ", "`", '"', "/a", "0x", "1.", "-a ", "moved to ", "a-", "#a ", "v1."])
def test_a_long_text_is_taken_apart_in_bounded_work(piece: str) -> None:
    """Whatever stands behind the beginning is not looked at: more of it gives the same."""
    assert parse_statement(piece * 20_000) == parse_statement(piece * 40_000)
