"""Through whatever door a secret comes in: no byte of it is kept."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from string import ascii_letters, ascii_lowercase, digits
from typing import Any
from uuid import UUID

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from recollect.domain.errors import InvalidValue, RecollectError
from recollect.domain.event import Reply, ToolFailed, ToolSucceeded
from recollect.domain.memory import (
    Anchor,
    Draft,
    Memory,
    MemoryId,
    Mention,
    MessageId,
    ProjectId,
    Role,
    Scope,
    ScopeLevel,
    SessionId,
    Source,
    Viewer,
)
from recollect.domain.outcome import Refused, Same
from recollect.privacy.secrets import redact
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_prompt, a_start, a_turn
from tests.counting import count_turns
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.planted import Planted, found_below, found_in, of_every_sort, of_every_vendor, vendor_secret
from tests.repositories import a_repository
from tests.requirements import covers
from tests.unit.privacy.keys import HEX, VENDOR_KEYS
from tests.unit.privacy.test_secret_properties import TEXTS

HERE = Viewer(project=PROJECT)
Door = Callable[[Engine, Planted], object]


def source(**names: str) -> Source:
    return Source(role=Role.ASSISTANT, **names)  # type: ignore[arg-type]


def draft_with(said: Planted, where: str) -> Draft:
    """A draft that has it in one of its fields."""
    text, name = said.text, said.name
    fields: dict[str, Any] = {
        "title": {"title": text if len(text) <= 300 else name[:300]},
        "aliases": {"aliases": (name, " ".join(text.split())[:500])},
        "evidence": {"evidence": ("He said so.", text)},
        "anchors": {"anchors": (Anchor(f"deploy/{said.name}/values.yaml"),)},
        "hash": {"anchors": (Anchor("deploy/values.yaml", name),)},
        "host": {"source": source(host=name)},
        "session": {"source": source(session=name)},
        "message": {"source": source(session="s1", message=name)},
        "agent": {"source": source(agent=name)},
        "id": {"id": MemoryId(name)},
        "scope": {"scope": Scope.project(ProjectId(f"path:/srv/{said.name}/shop"))},
        "language": {"scope": Scope(ScopeLevel.LANGUAGE, name)},
        "mentions": {"mentions": (Mention.of(source(session=name), NOW),)},
        "flag": {"flag": name},
        "conflicts": {"conflicts": (MemoryId(name),)},
        "superseded_by": {"superseded_by": MemoryId(name)},
    }
    return replace(a_draft("We deploy with Helm."), **fields[where])


FIELDS = (
    *("title", "aliases", "evidence", "anchors", "hash", "host", "session", "message", "agent", "id", "scope"),
    *("language", "mentions", "flag", "conflicts", "superseded_by"),
)


def remembering(field: str) -> Door:
    return lambda engine, said: engine.remember(draft_with(said, field))


def importing(field: str) -> Door:
    return lambda engine, said: engine.bring_back([draft_with(said, field)], at=NOW, by="cli")


DOORS: dict[str, Door] = {
    "remember": lambda engine, said: engine.remember(a_draft(said.text)),
    "remember again": lambda engine, said: [engine.remember(a_draft(said.text, days_old=n)) for n in (2, 1)],
    "remember in other words": lambda engine, said: [
        engine.remember(a_draft(f"{said.text}{end}", evidence=(said.text,))) for end in ("", " Really.")
    ],
    **{f"remember: {field}": remembering(field) for field in FIELDS},
    "import": lambda engine, said: engine.bring_back([a_draft(said.text)], at=NOW, by="cli"),
    **{f"import: {field}": importing(field) for field in FIELDS},
    "archive": lambda engine, said: engine.archive([a_turn(said.text)]),
    "archive: session": lambda engine, said: engine.archive([a_turn("Hello.", session=said.name)]),
    "archive: message": lambda engine, said: engine.archive([a_turn("Hello.", message=said.name)]),
    "archive: project": lambda engine, said: engine.archive([a_turn("Hello.", project=ProjectId(said.name))]),
    "start: session": lambda engine, said: engine.handle(a_start(session=said.name)),
    "start: project": lambda engine, said: engine.handle(a_start(project=ProjectId(said.name))),
    "start: language": lambda engine, said: engine.handle(a_start(language=said.name)),
    "start: host": lambda engine, said: engine.handle(a_start(host=said.name)),
    "start: agent": lambda engine, said: engine.handle(a_start(agent=said.name)),
    "start: folder": lambda engine, said: engine.handle(a_start(project=None, folder=f"/srv/{said.name}/shop")),
    "prompt": lambda engine, said: engine.handle(a_prompt(said.text)),
    "prompt: message": lambda engine, said: engine.handle(a_prompt("How do we deploy?", message=said.name)),
    "reply": lambda engine, said: engine.handle(
        Reply(session=SessionId("s1"), at=NOW, message=MessageId("r1"), text=said.text)
    ),
    "tool": lambda engine, said: engine.handle(
        ToolSucceeded(
            session=SessionId("s1"), at=NOW, tool=said.name, input={"path": said.name, "x": said.text}, output=said.text
        )
    ),
    "tool that fails": lambda engine, said: engine.handle(
        ToolFailed(session=SessionId("s1"), at=NOW, tool="bash", input={"command": said.text}, error=said.text)
    ),
    "confirm": lambda engine, said: engine.store.confirm(SessionId(said.name), [MessageId(said.name)]),
    "question": lambda engine, said: engine.recall(said.text, HERE, limit=5, now=NOW),
    "question about turns": lambda engine, said: engine.recall_turns(said.text, PROJECT, limit=5),
    "join": lambda engine, said: engine.join(PROJECT, ProjectId(said.name), at=NOW, by="cli"),
}


AS_A_FOLDER = ("remember: anchors", "remember: scope", "import: anchors", "import: scope", "start: folder")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


def knocked(engine: Engine, door: Door, said: Planted) -> None:
    engine.remember(a_draft("The cache is Redis."))
    with suppress(RecollectError):
        door(engine, said)


@covers("PRI-1")
@pytest.mark.parametrize("door", DOORS)
def test_no_secret_gets_into_the_database_through(door: str, path: Path) -> None:
    store, planted = SqliteStore(path), of_every_sort()
    for said in planted:
        knocked(engine_on(store), DOORS[door], said)
        assert found_below(path.parent, planted) == set(), "with its log, before anything is tidied"
    store.close()
    assert found_below(path.parent, planted) == set()


@covers("PRI-1")
def test_a_key_of_every_vendor_is_taken_out_of_what_is_remembered_imported_and_archived(path: Path) -> None:
    store, planted = SqliteStore(path), of_every_vendor()
    engine = engine_on(store)
    for n, said in enumerate(planted):
        engine.remember(a_draft(f"Number {n}: {said.text}", evidence=(said.text,)))
        engine.bring_back([a_draft(f"Read as {n}: {said.text}", scope="universal")], at=NOW, by="cli")
        engine.archive([a_turn(said.text, message=f"m{n}")])
    assert found_below(path.parent, planted) == set()
    kept = [memory.text for memory in engine.all_memories()]
    assert sum("[redacted:" in text for text in kept) >= len(planted)
    store.close()


def bytes_of(store: SqliteStore) -> bytes:
    with store._database.read() as connection:
        return connection.serialize()


@covers("PRI-1")
@given(
    row=st.sampled_from(VENDOR_KEYS),
    seed=st.integers(0, 10**6),
    door=st.sampled_from(sorted(DOORS)),
    before=TEXTS,
    after=TEXTS,
)
@settings(max_examples=150, deadline=None)
def test_no_text_around_it_carries_a_secret_in(
    row: tuple[str, str, str], seed: int, door: str, before: str, after: str
) -> None:
    key = vendor_secret(row, seed)
    assume(key.name not in redact(key.name).text)  # by chance, one may be too plain for any rule
    assume("/" not in key.name or door not in AS_A_FOLDER)  # which would be several folders
    said = replace(key, text=f"{before}\n{key.name}\n{after}")
    store = SqliteStore(None)
    try:
        knocked(engine_on(store), DOORS[door], said)
        assert found_in(bytes_of(store), [said]) == set()
    finally:
        store.close()


def state(engine: Engine, store: SqliteStore) -> tuple[list[Memory], list[MemoryId]]:
    """What is kept, without what counts how often; and what is found."""
    kept = [replace(memory, seen=1, mentions=(), importance=1.0) for memory in store.everything()]
    found = [hit.memory.id for hit in engine.recall("deployment token password", HERE, limit=9, now=NOW)]
    return kept, found


@given(before=TEXTS, after=TEXTS, seed=st.integers(0, 10**6), row=st.sampled_from(VENDOR_KEYS))
@settings(max_examples=60, deadline=None)
def test_what_is_said_twice_is_kept_once(before: str, after: str, seed: int, row: tuple[str, str, str]) -> None:
    draft = a_draft(f"The deployment token {before} {vendor_secret(row, seed).name} {after}"[:9000].replace("\0", " "))
    store = SqliteStore(None)
    try:
        engine = engine_on(store)
        (first,) = engine.remember_all([draft])
        once = state(engine, store)
        (second,) = engine.remember_all([draft])
        assert state(engine, store) == once
        if not isinstance(first, Refused):
            assert isinstance(second, Same)
            assert (second.memory.id, second.memory.seen) == (first.memory.id, 2)
            assert second.memory.importance >= first.memory.importance
    finally:
        store.close()


def test_what_is_refused_leaves_nothing_behind_not_even_a_deed(engine: Engine, store: SqliteStore) -> None:
    (said,) = of_every_sort()[:1]
    with pytest.raises(InvalidValue, match="The host looks like a secret"):
        engine.remember(draft_with(said, "host"))
    assert store.recent_changes(limit=9) == []


@pytest.mark.parametrize("field", ["id", "session", "message", "scope", "hash"])
def test_a_name_that_looks_like_a_secret_is_refused_and_not_quoted(engine: Engine, field: str) -> None:
    (said,) = of_every_sort()[:1]
    with pytest.raises(InvalidValue, match="looks like a secret") as refusal:
        engine.remember(draft_with(said, field))
    assert said.name not in str(refusal.value)


def of(chance: random.Random, length: int, alphabet: str) -> str:
    return "".join(chance.choices(alphabet, k=length))


BASE62, CROCKFORD = ascii_letters + digits, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
NAMES: dict[str, Callable[[random.Random], str]] = {
    "OpenCode session": lambda r: f"ses_{of(r, 12, HEX)}{of(r, 14, BASE62)}",
    "OpenCode message": lambda r: f"msg_{of(r, 12, HEX)}{of(r, 14, BASE62)}",
    "OpenCode part": lambda r: f"prt_{of(r, 12, HEX)}{of(r, 14, BASE62)}",
    "message of a model": lambda r: f"msg_01{of(r, 22, BASE62)}",
    "call of a tool": lambda r: r.choice(["toolu_01", "call_"]) + of(r, 22, BASE62),
    "UUID": lambda r: str(UUID(int=r.getrandbits(128), version=4)),
    "UUID without hyphens": lambda r: of(r, 32, HEX),
    "UUID of the time": lambda r: f"0199{of(r, 4, HEX)}-7000-7{of(r, 3, HEX)}-a{of(r, 3, HEX)}-{of(r, 12, HEX)}",
    "file of Codex": lambda r: f"rollout-2026-01-02T03-04-05-{UUID(int=r.getrandbits(128), version=4)}",
    "ULID": lambda r: f"01{of(r, 24, CROCKFORD)}",
    "base 62": lambda r: of(r, r.randint(20, 30), BASE62),
    "nano id": lambda r: of(r, 21, BASE62 + "_-"),
    "git blob": lambda r: of(r, r.choice([40, 64]), HEX),
    "root commit": lambda r: f"root:{of(r, 40, HEX)}",
    "remote": lambda r: f"git:github.com/{of(r, 9, ascii_letters)}/{of(r, r.randint(3, 20), ascii_lowercase + '-_.')}",
    "path": lambda r: f"path:/home/{of(r, 6, ascii_lowercase)}/src/{of(r, 12, BASE62)}/{of(r, 20, BASE62 + '-_')}",
    "path in a store": lambda r: f"path:/nix/store/{of(r, 32, ascii_lowercase + digits)}-source",
    "worktree": lambda r: f"path:/home/u/.local/share/opencode/worktree/{of(r, 40, HEX)}/{of(r, 9, ascii_lowercase)}",
    "path about secrets": lambda r: f"path:/home/u/{r.choice(['token', 'secrets'])}/{of(r, 9, ascii_lowercase)}",
}


@pytest.mark.parametrize("kind", NAMES)
def test_ordinary_names_are_never_refused(kind: str) -> None:
    chance, made = random.Random(kind), NAMES[kind]
    store = SqliteStore(None)
    engine = engine_on(store)
    turns = [
        a_turn("Hello.", session=made(chance), message=made(chance), project=ProjectId(made(chance)))
        for _ in range(1000)
    ]
    engine.archive(turns)
    assert count_turns(store) == 1000
    outcomes = engine.remember_all(
        [
            a_draft(
                f"Fact {n}.",
                id=MemoryId(made(chance)),
                scope=Scope.project(ProjectId(made(chance))),
                source=source(session=made(chance), message=made(chance), agent="build", host="opencode"),
                anchors=(Anchor("src/a.py", NAMES["git blob"](chance)),),
            )
            for n in range(50)
        ]
    )
    assert [outcome for outcome in outcomes if isinstance(outcome, Refused)] == []
    store.close()


@covers("PRI-1")
def test_a_folder_and_a_remote_with_a_secret_in_their_names_are_kept_without_it(tmp_path: Path) -> None:
    token = vendor_secret(next(row for row in VENDOR_KEYS if row[0] == "ghp_"))
    store = SqliteStore(tmp_path / "data" / "recollect.db")
    engine = engine_on(store)
    plain = tmp_path / "work" / token.name / "shop"
    plain.mkdir(parents=True)
    cloned = a_repository(tmp_path / "clone", remote=f"https://x:{token.name}@example.org/{token.name}/shop.git")
    for folder in (plain, cloned):
        project = engine.enter_project(str(folder), NOW)
        assert project == engine.resolve(str(folder)).project, "the same each time"
        engine.remember(a_draft("Tabs.", scope=Scope.project(project)))
        engine.handle(a_start(session=f"in {folder.name}", project=None, folder=str(folder)))
    assert found_below(tmp_path / "data", [token]) == set()
    assert len(engine.store.projects()) == 2
    store.close()


def test_two_folders_that_differ_in_a_secret_alone_are_two_projects(tmp_path: Path) -> None:
    row = next(row for row in VENDOR_KEYS if row[0] == "ghp_")
    places = [git.place_of(str(tmp_path / vendor_secret(row, seed).name / "shop")).path for seed in (1, 2)]
    assert len(set(places)) == 2
    assert all("[redacted:" in place and place.endswith("/shop") for place in places)


@covers("PRI-2")
@pytest.mark.parametrize("tag", ["private", "PRIVATE", " private "])
def test_private_parts_never_reach_the_bytes(path: Path, tag: str) -> None:
    store = SqliteStore(path)
    engine = engine_on(store)
    said = f"The cache is Redis. <{tag}>The quokka sleeps in Bern.</{tag}> It is fast."
    engine.remember(a_draft(said, title=said, evidence=(said,), aliases=("cache", "<private>quokka</private>")))
    engine.bring_back([a_draft(said, scope="universal")], at=NOW, by="cli")
    engine.archive([a_turn(said), a_turn(f"<{tag}>The quokka alone", message="m2")])
    engine.handle(a_start(session="s2"))
    engine.handle(a_prompt(said, session="s2"))
    engine.handle(Reply(session=SessionId("s2"), at=NOW, message=MessageId("r1"), text=said))
    engine.handle(ToolSucceeded(session=SessionId("s2"), at=NOW, tool="bash", output=said))
    with pytest.raises(InvalidValue, match="marked as private"):
        engine.remember(a_draft(f"<{tag}>The quokka sleeps in Bern.</{tag}>"))
    assert [memory.text for memory in engine.all_memories()] == ["The cache is Redis. It is fast."] * 2
    store.close()
    for file in path.parent.rglob("*"):
        assert not file.is_file() or b"quokka" not in file.read_bytes().lower(), file


@covers("PRI-2")
def test_what_speaks_of_an_ignored_file_is_refused_through_every_door(engine: Engine, store: SqliteStore) -> None:
    draft = a_draft("The key lies there.", anchors=(Anchor("config/.env"),))
    with pytest.raises(InvalidValue, match="ignored"):
        engine.remember(draft)
    _, (imported,) = engine.bring_back([draft], at=NOW, by="cli")
    assert isinstance(imported, InvalidValue)
    assert store.count() == 0


def test_projects_are_not_mixed_up_by_any_of_this(engine: Engine) -> None:
    engine.remember(a_draft("Foreign.", scope=Scope.project(OTHER_PROJECT)))
    assert engine.recall("foreign", HERE, limit=5, now=NOW) == []


@covers("PRI-1")
def test_a_secret_of_one_part_is_one_in_every_part(engine: Engine) -> None:
    secret = "hunter2!x9Q"
    draft = a_draft(
        f"The db password is {secret}.", title=f"db {secret}", aliases=(secret,), evidence=(f"it is {secret}",)
    )
    memory = engine.remember(draft).memory
    assert secret not in repr(memory)
    assert memory.title == "db [redacted:password]"
