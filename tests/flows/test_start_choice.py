"""What a start block in the style `full` takes when there is more than it has room for, and in which order."""

from collections.abc import Sequence
from typing import Any

import pytest

from recollect.domain.injection import Verdict
from recollect.domain.memory import Kind, Sensitivity
from recollect.domain.session import Summary
from recollect.domain.settings import Budgets, InjectSettings, Mode, Settings, Start, StartStyle
from recollect.engine.moments.continuity import LAST, SESSIONS
from recollect.engine.moments.full_start import DECISIONS, ERRORS, FILES, INDEX
from recollect.store.sqlite.store import SqliteStore
from tests.builders import OTHER_PROJECT, a_draft, a_question, a_start, an_end
from tests.driver import Engine
from tests.flows.blocks import ids_in, items, priced, said, section
from tests.flows.conftest import engine_on
from tests.requirements import covers

# Of about the same length, and about things that nobody would take for one another.
AREAS = [
    "parser", "ledger", "mailer", "scheduler", "importer", "gateway", "renderer", "tracker", "indexer", "uploader",
    "notifier", "archiver", "compiler", "balancer", "validator", "exporter", "monitor", "resolver", "sampler", "router",
    "billing", "catalogue", "checkout", "dashboard", "editor", "firewall", "geocoder", "harvester", "installer",
    "journal", "keyring", "launcher", "migrator", "navigator", "optimiser", "profiler", "queue", "reporter", "scanner",
    "terminal", "updater", "vault", "watcher", "yardstick", "zipper", "crawler", "debugger", "emulator", "formatter",
    "generator",
]  # fmt: skip


FULL = Start(style=StartStyle.FULL)


@pytest.fixture
def engine(store: SqliteStore) -> Engine:
    return engine_on(store, Settings(start=FULL))


def rules(
    count: int, sentence: str = "never touches what the others own and answers within its own deadline"
) -> list[str]:
    return [f"The {area} {sentence}." for area in AREAS[:count]]


def taught(engine: Engine, texts: Sequence[str], **fields: Any) -> None:
    for text in texts:
        engine.remember(a_draft(text, **fields))


@covers("SCN-B3", "BUD-2", "SCO-2")
def test_of_fifty_rules_the_best_by_score_are_shown_whole_within_the_budget(store: SqliteStore) -> None:
    engine = engine_on(
        store, Settings(budgets=Budgets(start_tokens=3000), start=Start(style=StartStyle.FULL, preferences=50))
    )
    texts = rules(50, "never touches what the others own, " * 12 + "and answers within its own deadline")
    taught(engine, texts, kind=Kind.RULE)
    for text in texts[-5:]:  # said again: these score higher
        engine.remember(a_draft(text, kind=Kind.RULE))
    injection = engine.handle(a_start())
    whole = [line for line in said(injection.block) if line in texts]
    assert priced(injection.block) <= injection.tokens <= 3000
    assert whole[:5] == sorted(texts[-5:], key=lambda text: whole.index(text))
    assert set(texts[-5:]) <= set(whole)
    assert 10 < len(whole) < 50
    assert all(line in texts for line in said(injection.block)), "something was cut"


@covers("SCN-A3", "BUD-1")
@pytest.mark.parametrize("mode", list(Mode))
def test_fifty_decisions_cost_five_hundred_real_tokens_at_most(store: SqliteStore, mode: Mode) -> None:
    settings = Settings(
        budgets=Budgets(start_tokens=500),
        start=Start(style=StartStyle.FULL, decisions=50),
        inject=InjectSettings(mode=mode),
    )
    engine = engine_on(store, settings)
    taught(engine, rules(50))
    block = engine.handle(a_start()).block
    assert priced(block) <= 500
    assert len(said(block)) >= 8


@covers("SCN-B11", "SCO-3")
def test_of_equal_memories_the_newer_comes_first(engine: Engine) -> None:
    ages = (120, 3, 300, 20, 60)
    for age, text in zip(ages, rules(5), strict=True):
        engine.remember(a_draft(text, kind=Kind.FILE_CONTEXT, days_old=age))
    by_age = [text for _, text in sorted(zip(ages, rules(5), strict=True))]
    injection = engine.handle(a_start())
    assert said(injection.block) == by_age
    recency = [choice.factors["recency"] for choice in injection.choices]
    assert recency == pytest.approx([0.5 ** (age / 90) for age in sorted(ages)], abs=0.001)


@covers("SCN-B12", "SCO-1")
def test_what_was_corrected_more_often_comes_first(engine: Engine) -> None:
    texts = rules(3)
    for times, text in zip((5, 1, 10), texts, strict=True):
        for _ in range(times):
            engine.remember(a_draft(text, kind=Kind.CORRECTION))
    assert said(engine.handle(a_start()).block) == [texts[2], texts[0], texts[1]]


@covers("SCN-B13", "CTX-1", "SCO-2")
@pytest.mark.parametrize("task", ["debugging", "fix/login-timeout", "the build is broken"])
def test_in_a_session_of_debugging_what_is_known_of_errors_gains(engine: Engine, task: str) -> None:
    error = engine.remember(a_draft(rules(1)[0], kind=Kind.ERROR_PATTERN))
    engine.remember(a_draft(rules(2)[1], kind=Kind.RESEARCH))
    scores = {}
    for session, about in (("plain", None), ("task", task)):
        choices = engine.handle(a_start(session, task=about)).choices
        scores[session] = {choice.kind: choice.score for choice in choices}
    assert error
    assert scores["task"][Kind.ERROR_PATTERN] > scores["plain"][Kind.ERROR_PATTERN]
    assert scores["task"][Kind.RESEARCH] < scores["plain"][Kind.RESEARCH]


@covers("SCN-B13")
def test_what_the_last_session_left_open_tells_the_task(engine: Engine) -> None:
    engine.remember(a_draft(rules(1)[0], kind=Kind.ERROR_PATTERN))
    before = engine.handle(a_start("before")).choices[0].factors["task"]
    engine.handle(an_end("before", "next: debug the crash at login"))
    assert engine.handle(a_start("after")).choices[0].factors["task"] == 1.0 > before


@covers("SCN-B15", "SCO-6", "SCO-7")
def test_only_low_scores_bring_nothing_rather_than_noise(engine: Engine) -> None:
    """A file of another project, long ago, seen once."""
    there = f"project:{OTHER_PROJECT}"
    low = engine.remember(
        a_draft(rules(1)[0], kind=Kind.FILE_CONTEXT, scope=there, sensitivity=Sensitivity.PUBLIC, days_old=900)
    )
    injection = engine.handle(a_start())
    assert (injection.block, injection.considered) == ("", 1)
    assert [(choice.id, choice.verdict) for choice in injection.choices] == [(low.memory.id, Verdict.FLOOR)]
    assert engine.handle(a_question("How are database migrations tested?")).block == ""


@covers("SCO-6")
def test_preferences_rules_and_corrections_need_no_score(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(start=Start(style=StartStyle.FULL, floor=1.0)))
    for kind, text in zip((Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION, Kind.DECISION), rules(4), strict=True):
        engine.remember(a_draft(text, kind=kind))
    assert sorted(said(engine.handle(a_start()).block)) == sorted(rules(3))


@covers("SCN-C2", "INJ-9")
@pytest.mark.parametrize(("agent", "first"), [("plan", DECISIONS), ("build", FILES), ("Plan", DECISIONS)])
def test_plan_sees_decisions_first_and_build_files_and_both_see_everything(
    engine: Engine, agent: str, first: str
) -> None:
    taught(engine, rules(4)[:2], kind=Kind.DECISION)
    taught(engine, rules(4)[2:], kind=Kind.FILE_CONTEXT)
    block = engine.handle(a_start(agent=agent)).block
    headings = [line.removesuffix(":") for line in block.splitlines() if line.endswith(":")]
    assert headings[0] == first
    assert set(headings) == {DECISIONS, FILES}
    assert len(said(block)) == 4


@covers("SCN-C3", "BUD-6")
@pytest.mark.parametrize(("mode", "counts"), [(Mode.CONSERVATIVE, True), (Mode.AGGRESSIVE, False)])
def test_what_finds_no_room_is_counted_or_skipped_and_no_sentence_is_cut(
    store: SqliteStore, mode: Mode, counts: bool
) -> None:
    settings = Settings(
        budgets=Budgets(start_tokens=400),
        inject=InjectSettings(mode=mode),
        start=Start(style=StartStyle.FULL, index_entries=3),
    )
    engine = engine_on(store, settings)
    texts = [f"{rule} It was agreed on after the outage in spring." for rule in rules(30)]
    taught(engine, texts, kind=Kind.RULE)
    block = engine.handle(a_start()).block
    assert ("more not shown" in block) is counts
    for line in said(block):
        assert line in texts or f"{line.removesuffix(' …')} It was agreed on after the outage in spring." in texts


@covers("SCN-C3")
def test_the_number_of_what_was_left_out_is_right(store: SqliteStore) -> None:
    engine = engine_on(
        store, Settings(budgets=Budgets(start_tokens=400), start=Start(style=StartStyle.FULL, index_entries=3))
    )
    taught(engine, rules(20), kind=Kind.RULE)
    injection = engine.handle(a_start())
    told = len(said(injection.block))
    assert f"({20 - told} more not shown)" in injection.block


@covers("SCN-E1", "FMT-2", "BUD-2")
def test_beyond_the_budget_summaries_come_before_index_lines(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(budgets=Budgets(start_tokens=700), start=FULL))
    taught(engine, rules(40), kind=Kind.DECISION)
    for n, area in enumerate(AREAS[:7]):
        engine.handle(a_start(f"s{n}"))
        engine.handle(an_end(f"s{n}", summary=Summary(asked=f"tidy the {area}", done=(f"the {area} is tidy",))))
    injection = engine.handle(a_start("next"))
    assert priced(injection.block) <= injection.tokens <= 700
    assert 1 <= len(section(injection.block, SESSIONS)) <= 5
    assert section(injection.block, INDEX)
    assert injection.block.index(SESSIONS) < injection.block.index(INDEX)


@covers("SCN-E1")
def test_at_most_five_sessions_are_told_of(engine: Engine) -> None:
    for n, area in enumerate(AREAS[:8]):
        engine.handle(a_start(f"s{n}"))
        engine.handle(an_end(f"s{n}", summary=Summary(done=(f"tidied the {area}",))))
    assert len(section(engine.handle(a_start("next")).block, SESSIONS)) == 5


@covers("SCN-E2", "FMT-2")
def test_an_index_line_names_the_id_by_which_the_whole_memory_opens(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(budgets=Budgets(start_tokens=500), start=FULL))
    for number, text in enumerate(rules(30)):
        long = f"{text} " + "It was agreed on after the outage in spring. " * 3
        engine.remember(a_draft(long, title=f"The {AREAS[number]}", evidence=(f"We said so of the {AREAS[number]}.",)))
    block = engine.handle(a_start()).block
    listed = section(block, INDEX)[0]
    title, memory_id = said(listed)[0], ids_in(listed)[0]
    assert memory_id not in engine.handle(a_start()).ids, "a title does not count as shown"
    opened = engine.handle(a_question(memory=engine.find(memory_id).id))
    assert said(opened.block)[0].startswith(f"{title} never touches")
    assert "spring. (" in opened.block
    assert items(opened.block)[-1:] == [f"We said so of {title[0].lower()}{title[1:]}."]
    assert opened.ids == (memory_id,)


@covers("SCN-B10", "FMT-2", "MEM-6", "INJ-6")
def test_a_full_start_has_all_codes_of_the_last_session(engine: Engine) -> None:
    engine.handle(a_start("first"))
    engine.handle(
        an_end("first", "impl: the parser reads tabs", "dec: keep the old format", "block: no staging", "next: ship it")
    )
    block = engine.handle(a_start("second")).block
    assert items(block) == [
        "next: ship it",
        "block: no staging",
        "dec: keep the old format",
        "impl: the parser reads tabs",
    ]
    assert section(block, LAST)


@covers("SCN-B10", "BUD-2")
def test_each_code_stays_within_its_share_where_all_are_long(store: SqliteStore) -> None:
    """450 tokens as done 3 : decided 2 : open 3, where memories take the rest."""
    engine = engine_on(store, Settings(start=FULL))
    taught(engine, rules(50, "never touches what the others own, " * 14 + "and answers in time"), kind=Kind.DECISION)
    taught(engine, [f"{rule} Always." for rule in rules(50, "is written by hand, " * 14)], kind=Kind.RULE)
    taught(
        engine, [f"{rule} See there." for rule in rules(50, "lies in its own folder, " * 14)], kind=Kind.FILE_CONTEXT
    )
    engine.handle(a_start("first"))
    notes = [f"{code}: {area} {'again and ' * 8}again" for code in ("impl", "dec", "next") for area in AREAS[:15]]
    engine.handle(an_end("first", *notes))
    injection = engine.handle(a_start("second"))
    codes = {
        code: [line for line in items(injection.block) if line.startswith(code)] for code in ("impl", "dec", "next")
    }
    cost = {code: sum(priced(f"- {line}\n") for line in lines) for code, lines in codes.items()}
    assert all(codes.values())
    assert priced(injection.block) <= 2000
    assert sum(cost.values()) <= 800
    assert cost["dec"] < cost["impl"]


@covers("SCN-E3", "INJ-8")
def test_where_injection_is_switched_off_every_moment_is_silent(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(inject=InjectSettings(enabled=False)))
    taught(engine, rules(2), kind=Kind.RULE)
    engine.handle(an_end("s0", "next: ship it"))
    assert engine.handle(a_start()).block == ""
    assert engine.handle(a_question("What does the parser own?")).block == ""


def test_known_errors_have_a_heading_of_their_own(engine: Engine) -> None:
    engine.remember(a_draft("Retry after 2 s.", title="The pool is exhausted", kind=Kind.ERROR_PATTERN))
    assert section(engine.handle(a_start()).block, ERRORS)


@covers("BUD-2")
def test_where_there_is_nothing_to_list_the_room_for_it_goes_to_the_notes(engine: Engine) -> None:
    engine.handle(a_start("first"))
    engine.handle(an_end("first", *(f"next: {area} {'again and ' * 20}again" for area in AREAS)))
    block = engine.handle(a_start("second")).block
    assert 1850 < priced(block) <= 2000
