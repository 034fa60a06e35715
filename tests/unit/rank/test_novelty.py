"""A new statement is told apart from a known one. The pairs of `bench/novelty` say how surely, single cases say how."""

import pytest
from bench.novelty.judge import alone, crowd
from bench.novelty.pairs import SETS, pairs
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.memory import Kind
from recollect.rank.novelty import Verdict, verdict_of
from recollect.text.statement import statement
from tests.requirements import covers

ALL = [pair for name in SETS for pair in pairs(name)]


def verdict(old: str, new: str, kind: Kind = Kind.DECISION) -> Verdict:
    return verdict_of(old, new, kind, kind)


@covers("CAP-9", "CAP-10")
def test_of_all_pairs_hardly_one_is_merged_wrongly_and_most_updates_are_found() -> None:
    found = alone(ALL)
    assert len(ALL) >= 120
    assert found.wrong_merges <= 0.01
    assert found.recall(Verdict.UPDATES) >= 0.85
    assert found.called(Verdict.UNRELATED, Verdict.UPDATES) <= 0.03
    assert found.recall(Verdict.SAME) >= 0.85
    assert found.recall(Verdict.CONTRADICTS) >= 0.75


@pytest.mark.parametrize("name", SETS)
def test_among_all_that_a_project_knows_few_others_are_touched(name: str) -> None:
    found = crowd(pairs(name))
    assert found.wrong <= found.statements * 0.06
    assert found.right >= found.expected * 0.75


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
    assert verdict(old, new) is Verdict.SAME


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
        ("Analytics events go to Segment.", "Analytics events go to RudderStack."),
        ("CI runs on Jenkins.", "jenkins is history, everything is on github actions"),
        ("utils/date.js formats dates.", "utils/date.js was renamed to lib/time.js."),
    ],
)
def test_what_replaces_the_other_is_an_update(old: str, new: str) -> None:
    assert verdict(old, new) is Verdict.UPDATES


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
    assert verdict(old, new) is Verdict.CONTRADICTS


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
    assert verdict(old, new) is Verdict.UNRELATED


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
    assert verdict(old, new) is not Verdict.SAME


@pytest.mark.parametrize("said", ["The pool size is now {}.", "Port is now {}.", "The batch size is {} now."])
def test_a_bare_number_is_a_value_where_something_is_measured(said: str) -> None:
    assert verdict(said.replace(" now", "").format(5), said.format(10)) is Verdict.UPDATES


def test_the_same_words_of_another_kind_are_another_memory() -> None:
    assert verdict_of("Use tabs.", "Use tabs.", Kind.RULE, Kind.PREFERENCE) is Verdict.UNRELATED


WORDS = st.sampled_from(
    'use the not never instead of API port 8080 Redis `x` src/a.py is moved to 3.12 "err" - , . ; longer 漢字'.split()
)


@given(st.lists(WORDS | st.text(max_size=8), max_size=25).map(" ".join), st.text(max_size=200))
def test_any_two_texts_can_be_compared_and_a_text_is_never_an_update_of_itself(text: str, other: str) -> None:
    assert verdict(text, text) in (Verdict.SAME, Verdict.UNRELATED)
    assert verdict(text, other) in Verdict


@pytest.mark.parametrize("piece", ["a", "not ", "`", '"', "/a", "0x", "1.", "-a ", "moved to ", "a-", "#a ", "v1."])
def test_a_long_text_is_taken_apart_in_bounded_work(piece: str) -> None:
    """Whatever stands behind the beginning is not looked at: more of it gives the same."""
    assert statement(piece * 20_000) == statement(piece * 40_000)
