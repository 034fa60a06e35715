import itertools
from collections.abc import Callable

import pytest

from recollect.domain.event import Compacted, StartSource
from recollect.domain.memory import Kind, MessageId, SessionId, Viewer
from recollect.domain.settings import Budgets, Kinds, Settings, Start, TurnSettings
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_prompt, a_start
from tests.driver import Engine
from tests.flows.conftest import all_kinds_but, engine_on
from tests.requirements import covers


def test_a_prompt_on_topic_gets_what_fits_and_nothing_else(engine: Engine) -> None:
    engine.remember(a_draft("Auth uses JWT in httpOnly cookies.", days_old=90))
    engine.remember(a_draft("Deployment is Kubernetes with Helm.", days_old=90))
    injection = engine.handle(a_prompt("How is auth handled with JWT?"))
    assert "httpOnly" in injection.block
    assert "Helm" not in injection.block
    assert injection.placement == "message"


@covers("SCN-A2")
def test_a_prompt_off_topic_gets_silence(engine: Engine) -> None:
    engine.remember(a_draft("Use Redis for caching"))
    assert engine.handle(a_prompt("How do I parse JSON?")).block == ""


@pytest.mark.parametrize("prompt", ["ok", "thanks!", "continue", "", "cache?"])
def test_an_idle_prompt_gets_silence(engine: Engine, prompt: str) -> None:
    engine.remember(a_draft("Use Redis for caching"))
    assert engine.handle(a_prompt(prompt)).block == ""


@covers("SCN-A7")
def test_a_memory_is_shown_once_in_a_live_context(engine: Engine) -> None:
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    first = engine.handle(a_prompt("Fix auth token handling", message="m1"))
    again = engine.handle(a_prompt("Fix auth token handling again", message="m2"))
    assert ("refresh" in first.block, again.block) == (True, "")


def test_what_is_in_the_start_block_is_not_said_again_in_a_turn(engine: Engine) -> None:
    engine.remember(a_draft("Auth needs a token refresh."))
    assert "refresh" in engine.handle(a_start()).block
    assert engine.handle(a_prompt("Fix auth token handling")).block == ""


def test_a_session_that_was_never_given_its_start_block_is_told_in_the_turn(engine: Engine) -> None:
    engine.remember(a_draft("Auth needs a token refresh."))
    assert "refresh" in engine.handle(a_prompt("Fix auth token handling")).block


@covers("INJ-5")
@pytest.mark.parametrize(
    "forget",
    [
        lambda engine: engine.handle(Compacted(session=SessionId("s1"), at=NOW)),
        lambda engine: engine.handle(a_start(source=StartSource.CLEAR)),
    ],
)
def test_after_the_model_forgot_a_memory_may_be_shown_again(engine: Engine, forget: Callable[[Engine], object]) -> None:
    engine.remember(a_draft("Auth needs a token refresh.", kind=Kind.ERROR_PATTERN))  # no start block has it
    engine.handle(a_prompt("Fix auth token handling", message="m1"))
    forget(engine)
    assert "refresh" in engine.handle(a_prompt("Fix auth token handling", message="m2")).block


@covers("SCN-C5")
def test_interleaved_sessions_do_not_see_each_others_turns(engine: Engine) -> None:
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    for session in ("a", "b", "c"):
        assert engine.handle(a_prompt("Fix auth token handling", session=session)).block
    assert engine.replay(SessionId("a"), [MessageId("m1")]) == engine.replay(SessionId("b"), [MessageId("m1")])
    assert engine.replay(SessionId("d"), [MessageId("m1")]) == {}


def test_a_message_asked_about_again_gets_the_same_bytes(engine: Engine) -> None:
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    first = engine.handle(a_prompt("Fix auth token handling"))
    engine.remember(a_draft("Auth tokens last an hour.", days_old=90))
    assert engine.handle(a_prompt("Fix auth token handling")) == first
    assert engine.replay(SessionId("s1"), [MessageId("m1")]) == {"m1": first.block}


def test_what_a_host_was_offered_and_did_not_confirm_is_not_replayed(engine: Engine) -> None:
    """The answer came after the host's deadline: the message went out bare, and stays so after a restart."""
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    ask = "Fix auth token handling"
    late = engine.handle(a_prompt(ask, message="late", confirms=True, live=()))
    sent = engine.handle(a_prompt(ask, message="sent", confirms=True, live=()))
    assert late.block == sent.block != ""
    engine.store.confirm(SessionId("s1"), [MessageId("sent")])
    assert engine.replay(SessionId("s1"), [MessageId("late"), MessageId("sent")]) == {"sent": sent.block}


def test_what_was_never_confirmed_is_not_live_where_the_host_does_not_say(engine: Engine) -> None:
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    engine.handle(a_prompt("Fix auth token handling", message="late", confirms=True))
    assert engine.handle(a_prompt("Fix auth token handling", message="m2", confirms=True)).block


def test_a_start_block_that_a_host_says_it_has_is_not_repeated(engine: Engine) -> None:
    engine.remember(a_draft("Auth needs a token refresh."))
    engine.handle(a_start(confirms=True))
    with_it = a_prompt("Fix auth token handling", message="m1", live=(None,))
    without_it = a_prompt("Fix auth token handling", message="m2", live=())
    assert engine.handle(with_it).block == ""
    assert "refresh" in engine.handle(without_it).block


def test_only_what_the_model_still_has_counts_as_shown(engine: Engine) -> None:
    """After an undo the message that carried a memory is gone from the request, and the memory with it."""
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    ask = "Fix auth token handling"
    assert engine.handle(a_prompt(ask, message="m1", live=())).block
    assert engine.handle(a_prompt(ask, message="m2", live=(MessageId("m1"),))).block == ""
    assert "refresh" in engine.handle(a_prompt(ask, message="m3", live=(MessageId("m2"),))).block


def test_what_others_remember_does_not_silence_what_is_known_here(engine: Engine) -> None:
    engine.remember(a_draft("Deployment runs through the Helm chart in deploy/chart.", days_old=90))
    before = engine.handle(a_prompt("How does the Helm deployment work?", session="a")).block
    for n in range(300):
        engine.remember(a_draft(f"Helm deployment note {n}.", scope=f"project:{OTHER_PROJECT}"))
    assert engine.handle(a_prompt("How does the Helm deployment work?", session="b")).block == before != ""


def test_a_memory_is_meant_when_it_is_called_by_its_title(engine: Engine) -> None:
    engine.remember(a_draft("Tag, wait for CI, publish.", title="The release process", days_old=90))
    assert engine.handle(a_prompt("What is our release process for hot patches on Fridays?")).block


@pytest.mark.parametrize("prompt", ["GraphQL?", "graphql schema", "what about graphql"])
def test_a_few_words_are_enough_to_call_a_memory_by_its_name(engine: Engine, prompt: str) -> None:
    engine.remember(
        a_draft("The gateway is generated from schema.graphqls.", title="GraphQL gateway", aliases=("GraphQL",))
    )
    assert "generated" in engine.handle(a_prompt(prompt)).block


def test_a_few_words_that_call_nothing_by_its_name_get_silence(engine: Engine) -> None:
    engine.remember(a_draft("The gateway is generated from schema.graphqls.", aliases=("GraphQL",)))
    assert engine.handle(a_prompt("gateway schema")).block == ""


def test_memories_of_another_project_stay_there(engine: Engine) -> None:
    engine.remember(a_draft("Auth needs a token refresh.", scope=f"project:{OTHER_PROJECT}"))
    assert engine.handle(a_prompt("Fix auth token handling")).block == ""
    assert engine.handle(a_prompt("Fix auth token handling", session="s2", project=OTHER_PROJECT)).block


@covers("SCN-D6")
def test_turns_can_be_switched_off(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(turn=TurnSettings(enabled=False)))
    engine.remember(a_draft("Auth needs a token refresh."))
    assert engine.handle(a_start()).block
    assert engine.handle(a_prompt("Fix auth token handling", session="s2")).block == ""


def test_a_kind_that_is_switched_off_is_found_when_asked_for_and_not_injected(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(kinds=Kinds(injected=all_kinds_but(Kind.RESEARCH))))
    engine.remember(a_draft("Auth tokens are refreshed hourly.", kind=Kind.RESEARCH))
    engine.remember(a_draft("Auth tokens lie in cookies.", days_old=90))
    block = engine.handle(a_prompt("Fix auth token handling")).block
    assert ("cookies" in block, "hourly" in block) == (True, False)
    assert len(engine.recall("auth tokens", Viewer(project=PROJECT), limit=5, now=NOW)) == 2


def test_the_settings_are_those_of_the_folder_that_an_event_comes_from(store: SqliteStore) -> None:
    def settings_for(folder: str | None) -> Settings:
        return Settings(turn=TurnSettings(enabled=folder != "/quiet"), start=Start(enabled=folder != "/quiet"))

    engine = Engine(store, settings_for, git, itertools.count().__next__)
    engine.remember(a_draft("Auth needs a token refresh."))
    for folder, spoken in (("/quiet", False), ("/other", True), (None, True)):
        prompt = a_prompt("Fix auth token handling", session=f"turn {folder}", folder=folder)
        assert bool(engine.handle(prompt).block) is spoken
        assert bool(engine.handle(a_start(session=f"start {folder}", folder=folder)).block) is spoken


def test_lines_and_tokens_are_limited(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(budgets=Budgets(turn_tokens=200, turn_lines_first=3, turn_lines_later=1)))
    for n in range(12):
        engine.remember(a_draft(f"Auth token rule number {n}.", days_old=90))
    first = engine.handle(a_prompt("Which auth token rule holds?", message="m1"))
    later = engine.handle(a_prompt("Which auth token rule holds?", message="m2"))
    assert (len(first.ids), len(later.ids)) == (3, 1)
    assert max(first.tokens, later.tokens) <= 200


def test_the_better_hit_comes_first_and_the_far_worse_is_dropped(engine: Engine) -> None:
    engine.remember(a_draft("Token refresh in auth runs hourly.", days_old=90))
    engine.remember(a_draft("Cookies carry the auth token.", days_old=90))
    engine.remember(a_draft("Auth was hard in the old monolith.", days_old=90))
    block = engine.handle(a_prompt("How does auth token refresh go?")).block
    assert block.index("hourly") < block.index("Cookies")
    assert "monolith" not in block


def test_what_is_called_by_its_name_is_not_dropped_beside_a_better_hit(engine: Engine) -> None:
    engine.remember(a_draft("Deploy the gateway with Helm.", days_old=90))
    engine.remember(a_draft("Only ciphertext passes through it, see docs.", aliases=("relay",), days_old=90))
    block = engine.handle(a_prompt("Deploy the gateway with Helm beside the relay")).block
    assert ("gateway" in block, "ciphertext" in block) == (True, True)


def test_the_name_of_the_project_calls_no_memory(engine: Engine) -> None:
    name = PROJECT.rpartition("/")[2].rpartition(":")[2]
    engine.remember(a_draft("Only ciphertext passes through it, see docs.", aliases=(name,), days_old=90))
    assert engine.handle(a_prompt(f"Why are the tests of {name} so slow today?")).block == ""


def test_a_choice_about_a_detail_is_told_to_questions_about_it_not_to_every_task_near_it(engine: Engine) -> None:
    chose = "Which colour should the badge of unbound teams have? The user chose Amber (as elsewhere), not Red."
    engine.remember(a_draft(chose, kind=Kind.DECISION, days_old=90))
    assert "Amber" in engine.handle(a_prompt("Which colour has the badge of unbound teams?", session="s1")).block
    assert engine.handle(a_prompt("Put the badge between the hero text and the fold.", session="s2")).block == ""
