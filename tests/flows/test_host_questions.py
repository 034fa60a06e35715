"""The host's own model is asked once about a session: which one, when, and what becomes of the answer."""

import itertools
import os
import subprocess
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.domain.event import Event
from recollect.domain.extraction import Question
from recollect.domain.memory import Memory, Role, SessionId, Tier
from recollect.domain.settings import ExtractorSettings, Provider, Settings
from recollect.engine.learning.host_model_questions import MAX_AGE, SOON, answer_question, next_question
from recollect.store.sqlite.store import SqliteStore
from recollect.wiring import FollowedExtractor
from recollect.workspace import git
from tests.builders import NOW, a_deletion, a_draft, a_prompt, a_reply, a_start, an_end
from tests.driver import Engine
from tests.exchanges import RULE, an_item, answered
from tests.requirements import covers

HOST = "opencode"
S1, S2 = SessionId("s1"), SessionId("s2")
LATER = NOW + timedelta(minutes=11)


class Stage:
    def __init__(self, store: SqliteStore, folder: Path) -> None:
        self.store = store
        self.folder = str(folder)
        self.settings = Settings(extractor=ExtractorSettings(provider=Provider.HOST))
        ticks = itertools.count()
        extractor = FollowedExtractor(self.settings_for, store)
        self.engine = Engine(store, self.settings_for, git, lambda: next(ticks) / 1000, extractor=extractor)

    def settings_for(self, folder: str | None) -> Settings:  # noqa: ARG002
        return self.settings

    def hear(self, *events: Event) -> None:
        for event in events:
            self.engine.handle(replace(event, host=HOST, folder=self.folder, project=None))
        while self.engine.learn_some():
            pass

    def session(self, session: str = "s1", **fields: Any) -> None:
        self.hear(
            a_start(session, **fields),
            a_prompt(f"Fix the pager of the invoices. {RULE}", session=session, message=f"{session}-m1"),
            a_reply("Done.", session=session),
        )

    def ask(
        self, session: SessionId | None = None, now: datetime = LATER, client: int | None = None
    ) -> Question | timedelta | None:
        return next_question(self.engine.context(self.folder, now), HOST, session, client=client)

    def due(self, session: SessionId | None = None, now: datetime = LATER, client: int | None = None) -> Question:
        question = self.ask(session, now, client)
        assert isinstance(question, Question), question
        return question

    def answer(self, question: Question, text: str) -> int:
        return answer_question(self.engine.context(self.folder, LATER), question.id, text, 700)

    def known(self) -> list[Memory]:
        return list(self.engine.all_memories())


@pytest.fixture
def stage(store: SqliteStore, tmp_path: Path) -> Stage:
    return Stage(store, tmp_path)


@covers("WOR-3", "CAP-12")
def test_a_session_is_asked_about_once_when_it_is_quiet(stage: Stage) -> None:
    stage.session()
    assert stage.ask(S1, NOW) == timedelta(minutes=10)
    question = stage.due(S1)
    assert question.session == S1
    assert RULE in question.text
    assert stage.ask(S1) is None
    stage.answer(question, "[]")
    assert stage.ask(S1) is None


def test_a_session_that_has_ended_is_asked_about_at_the_next_start(stage: Stage) -> None:
    stage.session()
    stage.hear(an_end("s1"))
    assert stage.due(now=NOW + timedelta(minutes=1)).session == S1


def test_a_client_that_ends_is_not_given_the_question_about_its_own_session(stage: Stage) -> None:
    stage.session()
    stage.hear(an_end("s1"))
    assert stage.ask(S1, NOW) == timedelta(minutes=10)
    assert stage.due(now=NOW).session == S1


def test_one_whose_end_never_came_is_asked_about_when_it_is_quiet(stage: Stage) -> None:
    stage.session()
    assert stage.ask(now=NOW) is None
    assert stage.due().session == S1


def test_one_in_which_the_model_is_at_work_is_not_asked_about(stage: Stage) -> None:
    stage.session()
    assert next_question(stage.engine.context(stage.folder, LATER), HOST, None, working=[S1]) is None


def test_what_another_session_still_has_to_be_learnt_from_holds_up_nothing(stage: Stage) -> None:
    stage.session()
    stage.engine.handle(replace(a_prompt(RULE, session="s2"), host=HOST, folder=stage.folder, project=None))
    assert stage.due().session == S1


def test_the_newest_is_asked_about_first_and_none_from_long_ago(stage: Stage) -> None:
    stage.session("s1")
    stage.session("s2", at=NOW)
    stage.hear(a_prompt(f"Once more: {RULE}", session="s2", message="m9", at=NOW + timedelta(seconds=5)))
    assert [stage.due().session, stage.due().session, stage.ask()] == [S2, S1, None]
    stage.session("s3")
    assert stage.ask(now=NOW + MAX_AGE + timedelta(hours=1)) is None


def test_what_waits_to_be_learnt_from_is_waited_for(stage: Stage) -> None:
    stage.engine.handle(replace(a_prompt(RULE), host=HOST, folder=stage.folder, project=None))
    assert stage.ask(S1) == SOON


def test_without_an_answer_it_is_asked_about_once_more(stage: Stage) -> None:
    stage.session()
    stage.due(S1)
    again = Stage(stage.store, Path(stage.folder))  # the next daemon does not know of the first question
    again.due(S1)
    assert Stage(stage.store, Path(stage.folder)).ask(S1) is None


def test_a_question_is_free_again_once_its_client_has_ended(stage: Stage) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    stage.session("s1")
    stage.due(client=ended.pid)
    stage.session("s2", at=NOW + timedelta(seconds=5))
    question = stage.due(client=os.getpid())
    assert question.session == S1  # before the newest
    assert stage.due(client=os.getpid()).session == S2
    assert stage.ask(client=ended.pid) is None
    stage.answer(question, "[]")
    assert stage.ask() is None


@covers("CAP-13")
def test_a_find_is_confirmed_with_its_quote_and_counts_as_the_users_word(stage: Stage) -> None:
    stage.session()
    assert stage.answer(stage.due(S1), answered(an_item())) == 1
    (found,) = [one for one in stage.known() if an_item()["evidence"] in one.evidence]
    assert (found.tier, found.source.session, found.source.role) == (Tier.CONFIRMED, S1, Role.USER)


def test_what_the_answer_makes_up_is_not_kept(stage: Stage) -> None:
    stage.session()
    before = stage.known()
    assert stage.answer(stage.due(S1), answered(an_item(evidence="never ever touch the migrations again"))) == 0
    assert stage.known() == before


def test_a_session_that_is_deleted_meanwhile_leaves_nothing(stage: Stage) -> None:
    stage.session()
    question = stage.due(S1)
    stage.hear(a_deletion("s1"))
    assert stage.answer(question, answered(an_item())) == 0


@pytest.mark.parametrize(
    "about", [{"captures": False}, {"parent": SessionId("s0")}], ids=["opted out", "of a subagent"]
)
def test_what_is_not_a_talk_with_the_user_that_may_be_read_is_not_asked_about(
    stage: Stage, about: dict[str, Any]
) -> None:
    stage.session(**about)
    assert stage.ask(S1) is None


def test_off_nothing_is_asked(stage: Stage) -> None:
    stage.settings = Settings()
    stage.session()
    assert stage.ask(S1) is None


def test_a_day_without_tokens_asks_nothing_and_the_next_one_does(stage: Stage) -> None:
    stage.settings = Settings(extractor=ExtractorSettings(provider=Provider.HOST, tokens_per_day=100))
    stage.session()
    assert stage.ask(S1) is None
    stage.settings = Settings(extractor=ExtractorSettings(provider=Provider.HOST))
    assert stage.due(S1).session == S1


def test_something_is_forgotten_for_good_between_a_question_and_its_answer(stage: Stage) -> None:
    stage.session()
    gone = stage.engine.remember(a_draft("We deploy with Helm.")).memory
    question = stage.due(S1)
    stage.engine.forget_now([gone.id], at=LATER, by="cli")
    assert stage.answer(question, answered(an_item())) == 0
    assert stage.known() == []
    assert stage.answer(stage.due(S1), answered(an_item())) == 1, "asked once more, about what is left"


def test_an_answer_stays_good_when_another_session_is_deleted_meanwhile(stage: Stage) -> None:
    stage.session()
    stage.session("s2")
    question = stage.due(S1)
    stage.hear(a_deletion("s2"))
    assert stage.answer(question, answered(an_item())) == 1


@covers("PRI-7")
def test_an_answer_about_a_session_that_was_deleted_and_begun_again_is_not_used(stage: Stage) -> None:
    stage.session()
    question = stage.due(S1)
    stage.hear(a_deletion("s1"), a_start("s1", at=LATER))
    assert stage.answer(question, answered(an_item())) == 0
    assert stage.known() == []
