"""Whoever wants to be left alone is: for a prompt, a session, a project, or everywhere."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from recollect.daemon.settings import LiveSettings
from recollect.domain.event import Event, StartSource
from recollect.domain.injection import QuietReason
from recollect.domain.memory import Kind, SessionId
from recollect.domain.settings import InjectSettings, Settings
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.builders import (
    PROJECT,
    a_draft,
    a_failure,
    a_prompt,
    a_question,
    a_reply,
    a_start,
    an_end,
    compacted,
    compacting,
)
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.flows.test_tool_error import FAILED, a_fix
from tests.requirements import covers

ASK = "Fix auth token handling"


@pytest.fixture
def taught(engine: Engine) -> Engine:
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    engine.remember(a_fix())
    return engine


@covers("INJ-8")
@pytest.mark.parametrize("marker", ["no-recall", "#no-memory", "[no-recall]", "@no-memory"])
def test_a_prompt_with_a_marker_gets_nothing_and_the_next_one_does(taught: Engine, marker: str) -> None:
    quiet = taught.handle(a_prompt(f"{marker} {ASK}", message="m1"))
    assert (quiet.block, quiet.quiet) == ("", QuietReason.OPTED_OUT)
    assert taught.handle(a_prompt(ASK, message="m2")).block


@covers("INJ-8")
@pytest.mark.parametrize("prompt", [f"{ASK}, no-capture", f"{ASK} with `no-recall`", f"{ASK}, see docs/no-recall.md"])
def test_other_words_are_no_marker(taught: Engine, prompt: str) -> None:
    assert taught.handle(a_prompt(prompt)).block


@covers("INJ-8")
@pytest.mark.parametrize("marker", ["no-recall-session", "no-memory-session"])
def test_a_session_with_a_marker_is_left_alone_at_every_moment_until_it_ends(taught: Engine, marker: str) -> None:
    assert taught.handle(a_prompt(f"{marker} {ASK}", message="m1")).block == ""
    later = [
        taught.handle(a_prompt(ASK, message="m2")),
        taught.handle(a_failure(FAILED)),
        taught.handle(compacting()),
        taught.handle(compacted()),
        taught.handle(a_start(source=StartSource.COMPACT)),
        taught.handle(a_start(source=StartSource.RESUME)),
        taught.handle(a_prompt(ASK, message="m3")),
    ]
    assert [moment.block for moment in later] == [""] * 7
    assert taught.handle(a_question("auth token refresh")).block, "who asks is answered"
    assert taught.handle(a_start("s2")).block


@covers("INJ-8")
def test_a_session_can_be_left_alone_from_its_start(taught: Engine) -> None:
    assert taught.handle(a_start(recalls=False)).block == ""
    assert taught.handle(a_prompt(ASK)).quiet is QuietReason.OPTED_OUT
    assert taught.handle(a_start(source=StartSource.RESUME)).block == ""


@covers("INJ-8")
def test_what_a_session_does_not_want_its_subagents_and_forks_do_not_either(taught: Engine, store: SqliteStore) -> None:
    taught.handle(a_prompt(f"no-memory-session {ASK}", session="parent"))
    child = taught.handle(a_start("child", project=None, parent=SessionId("parent")))
    fork = taught.handle(a_start("fork", parent=SessionId("parent"), source=StartSource.FORK))
    assert (child.block, fork.block) == ("", "")
    for session in ("child", "fork"):
        known = store.session(SessionId(session))
        assert known is not None
        assert (known.recalls, known.captures) == (False, False)
        assert taught.handle(a_prompt(ASK, session=session, project=None, message="m9")).block == ""


@covers("INJ-8", "MEM-6")
@pytest.mark.parametrize("how", ["by the host", "by a marker"])
def test_nothing_is_kept_of_a_session_that_wants_it_so(taught: Engine, store: SqliteStore, how: str) -> None:
    taught.handle(a_start(captures=how != "by the host"))
    if how == "by a marker":
        assert taught.handle(a_prompt(f"no-capture-session {ASK}")).block, "only nothing is learnt"
    taught.handle(an_end("s1", "next: ship it"))
    assert store.recap(SessionId("s1")) is None
    assert "ship it" not in taught.handle(a_start("s2")).block


@covers("INJ-8", "CFG-1")
@pytest.mark.parametrize("by", ["user", "project", "environment"])
def test_injection_can_be_switched_off_by_a_project_and_by_the_user(
    store: SqliteStore, tmp_path: Path, by: str
) -> None:
    (tmp_path / "quiet").mkdir()
    (tmp_path / "loud").mkdir()
    off = "[inject]\nenabled = false\n"
    if by != "environment":
        (tmp_path / ("config.toml" if by == "user" else "quiet/.recollect.toml")).write_text(off)
    environment = {"RECOLLECT_INJECT__ENABLED": "false"} if by == "environment" else {}
    engine = Engine(store, LiveSettings(tmp_path / "config.toml", environment), git, itertools.count().__next__)
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    engine.remember(a_fix())
    for folder, quiet in (("quiet", True), ("loud", by != "project")):
        about: dict[str, Any] = {"session": folder, "folder": str(tmp_path / folder), "project": PROJECT}
        moments: list[Event] = [
            a_start(**about),
            a_prompt(ASK, **about),
            a_failure(FAILED, **about),
            compacting(**about),
            a_question("auth token refresh", **about),
        ]
        assert [bool(engine.handle(moment).block) for moment in moments] == [not quiet] * 5


@covers("INJ-8")
def test_an_opt_out_counts_also_if_a_reply_is_asked_about_at_the_same_time() -> None:
    class PromptsMeanwhile(SqliteStore):
        is_asked = False

        def past_events(self, session: SessionId, **how: Any) -> list[Event]:
            past = super().past_events(session, **how)
            if not self.is_asked:
                self.is_asked = True
                restarted.handle(a_prompt("[no-capture] Where is the quokka?", message="m2"))
            return past

    store = PromptsMeanwhile(None)
    engine_on(store).handle(a_prompt("Look at the pager.", message="m1"))
    restarted = engine_on(store)
    restarted.handle(a_reply("The pager is fine.", message="r1"))
    restarted.handle(a_reply("The quokka sleeps.", message="r2"))
    heard = SqliteStore.past_events(store, SessionId("s1"), limit=10, waiting=True)
    assert "quokka" not in str(heard)
    store.close()


def test_what_was_sent_before_is_replayed_after_injection_was_switched_off(store: SqliteStore) -> None:
    """To take it back would rewrite the prefix of every later request."""
    engine = engine_on(store)
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    start = engine.handle(a_start()).block
    assert engine_on(store, Settings(inject=InjectSettings(enabled=False))).handle(a_start()).block == start != ""
