"""One memory to forget, among many others, and what is left of it in files."""

import itertools
import random
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from recollect.domain.injection import Choice, Injection, LogEntry, Placement
from recollect.domain.memory import Kind, Memory, MemoryId, MessageId, Role, SessionId, Source, Viewer
from recollect.domain.session import Note, NoteCode, Recap
from recollect.domain.settings import ForgetSettings, Settings
from recollect.rank.budget import BlockItem, fill, item_for_memory
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.store import SqliteStore
from recollect.text.words import index_words
from recollect.workspace import git
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_memory, a_turn
from tests.driver import Engine

HERE = Viewer(project=PROJECT, session=SessionId("s1"))
VICTIM = MemoryId("victim")
OTHERS = 2_000
SAID_IN = Source(role=Role.USER, host="opencode", session=SessionId("s1"), message=MessageId("said"))

TEXTS = {
    "a sentence": "The quokka password hides behind the marmot painting.",
    "a long one": "quokka " + " ".join(f"marmot{n}zq" for n in range(1_300)) + " painting",
    "quotes and operators": "quokka \"marmot\" (.*)[a-z]+ \\d $^ 100% {x} 'painting' AND NEAR(",
    "several lines": "quokka first\n\tmarmot second\r\npainting third",
    "Chinese": "密碼藏在短尾矮袋鼠的畫後面",
    "names from code": "quokka_marmot in src/quokka/painting.py raises E90417zq",
}


def distinctive(memory: Memory) -> set[bytes]:
    """Every word of it that no other memory has, as it stands there and as the index has it."""
    said = [memory.text, memory.title or "", *memory.aliases, *memory.evidence]
    words = {word for text in said for word in (*text.split(), *index_words(text))}
    known = {word for text in COMMON for word in (*text.split(), *index_words(text))}
    return {word.encode() for word in words - known if len(word) > 3 or not word.isascii()}


COMMON = ("As you said: He said: behind the cache and that it raises.",)
WORDS = "alpha beta gamma delta cache index deploy token retry queue".split()


def engine_on(store: SqliteStore, *, undo_hours: float = 24.0) -> Engine:
    ticks = itertools.count()
    settings = Settings(forget=ForgetSettings(undo_hours=undo_hours))
    return Engine(store, lambda _: settings, git, lambda: next(ticks) / 1000)


def the_victim(text: str = TEXTS["a sentence"]) -> Memory:
    return a_memory(
        text,
        id=VICTIM,
        title="Whereabouts wombatzq",
        aliases=("numbatzq", "短尾矮袋鼠"),
        evidence=('He said: the "bilbyzq" knows it.',),
        source=SAID_IN,
    )


def among_others(store: SqliteStore, victim: Memory, others: int = OTHERS) -> None:
    """The victim in the middle of many, so that its words share pages and segments with theirs."""
    chance = random.Random(7)
    with store.transaction():
        for n in range(others):
            words = " ".join(chance.choices(WORDS, k=chance.randint(3, 60)))
            store.add(a_memory(f"{words} {n}.", id=MemoryId(f"{chance.getrandbits(48):012x}")))
            if n == others // 2:
                store.add(victim)


def quoted_everywhere(store: SqliteStore, victim: Memory) -> None:
    store.add_turns(
        [
            a_turn(f"Note this. {victim.text} Understood?", message="said"),
            a_turn(f"As you said: {victim.text}", message="again", role=Role.ASSISTANT),
            a_turn(f"And {victim.evidence[0].upper()}", message="evidence", project=OTHER_PROJECT),
            a_turn("Something else, about the cache.", message="else"),
        ]
    )
    other = a_memory("The cache is Redis.", id=MemoryId("other"))
    blocks = filled([item_for_memory(other), item_for_memory(victim)], Placement.MESSAGE, budget_tokens=20_000)
    titles = filled([item_for_memory(victim)], Placement.SYSTEM, budget_tokens=120)
    for message, block in ((MessageId("turn"), blocks), (None, titles)):
        store.record(
            LogEntry(session=SessionId("s1"), context=0, message=message, injection=block, at=NOW, took_ms=1.0)
        )
    notes = (Note(code=NoteCode.DEC, text=" ".join(victim.text.split())[:400]), Note(code=NoteCode.NEXT, text="Go on."))
    store.keep_recap(Recap(session=SessionId("s1"), project=PROJECT, at=NOW, notes=notes))
    engine = engine_on(store)
    engine.remember(a_draft(victim.text, source=victim.source))  # seen again: its state before stands in the history


def filled(offers: Sequence[BlockItem], placement: Placement, **how: Any) -> Injection:
    """As the log has it, with the reasons."""
    done = fill(offers, **how)
    reasons = [
        Choice(id=memory, kind=Kind.DECISION, verdict=verdict, relevance=1.0, score=1.0)
        for memory, verdict in done.verdicts.items()
    ]
    return Injection(
        placement=placement, block=done.block, tokens=done.tokens, ids=done.shown_whole, choices=tuple(reasons)
    )


def back_up(path: Path, name: str) -> None:
    opened = Database(path)
    with opened.read() as connection:
        opened.back_up(name, connection)
    opened.close()


def left_of(victim: Memory, folder: Path) -> set[tuple[str, bytes]]:
    words = distinctive(victim)
    assert words
    return left_in(folder, words)


def left_in(folder: Path, pieces: Collection[bytes]) -> set[tuple[str, bytes]]:
    """Read while others may write: a file that is gone meanwhile has nothing left."""
    found = set()
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):
            data = file.read_bytes() if file.is_file() else b""
            found |= {(file.name, piece) for piece in pieces if piece in data}
    return found
