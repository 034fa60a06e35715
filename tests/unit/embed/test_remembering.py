"""The cache of questions, with a clock of our own and an embedder that counts."""

import threading
from typing import cast

import pytest

from recollect.domain.vector import ModelId, Vector
from recollect.embed.cached import LIFETIME_SECONDS, MAX_CHARS, MAX_ENTRIES, CachedEmbedder
from recollect.embed.minilm import MiniLm
from tests.requirements import covers


class Counting:
    def __init__(self) -> None:
        self.model = ModelId("counting")
        self.embedded: list[str] = []

    def embed(self, text: str) -> Vector:
        self.embedded.append(text)
        return Vector(text.encode())

    def knows(self, word: str) -> bool:
        return word in self.embedded


class Room:
    """An embedder, a clock, and what remembers between them."""

    def __init__(self, **limits: int) -> None:
        self.now = 1000.0
        self.embedder = Counting()
        self.remembering = CachedEmbedder(cast(MiniLm, self.embedder), lambda: self.now, **limits)

    def ask(self, *texts: str) -> list[str]:
        """Those that had to be embedded."""
        already = len(self.embedder.embedded)
        for text in texts:
            assert self.remembering.embed_question(text) == text.encode()
        return self.embedder.embedded[already:]


@covers("RET-3")
def test_a_thousand_questions_are_remembered_for_an_hour() -> None:
    assert (MAX_ENTRIES, LIFETIME_SECONDS) == (1000, 3600)
    room = Room()
    questions = [f"question {n}" for n in range(1000)]
    assert room.ask(*questions) == questions
    room.now += 3599
    assert room.ask(*questions) == []
    room.now += 1
    assert room.ask("question 0") == ["question 0"]
    room.now += 3599
    assert room.ask("question 0") == [], "its hour began anew"


def test_what_was_not_asked_for_longest_goes_first() -> None:
    room = Room(max_entries=3)
    room.ask("a", "b", "c", "a", "d")
    assert room.ask("a", "c", "d") == []
    assert room.ask("b") == ["b"]


def test_asking_again_does_not_make_a_vector_younger() -> None:
    room = Room()
    room.ask("a")
    room.now += 3000
    assert room.ask("a") == []
    room.now += 600
    assert room.ask("a") == ["a"]


def test_what_is_kept_for_good_and_what_is_very_long_is_not_remembered() -> None:
    room = Room()
    room.remembering.embed("kept")
    assert room.ask("kept") == ["kept"]
    long = "x" * (MAX_CHARS + 1)
    assert room.ask(long, long) == [long, long]
    assert room.remembering.model == "counting"


def test_threads_get_the_right_answers_and_leave_no_more_than_the_limit() -> None:
    room, wrong = Room(max_entries=20), list[str]()

    def ask(seed: int) -> None:
        for n in range(500):
            text = f"question {(n * seed) % 37}"
            if room.remembering.embed_question(text) != text.encode():
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in (1, 3, 5, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert wrong == []
    assert len(room.remembering._known) == 20


@pytest.mark.parametrize("text", ["", " ", "\ud800"])
def test_any_text_is_a_question(text: str) -> None:
    room = Room()
    room.remembering.embed_question(text.encode("utf-8", "replace").decode())
    assert len(room.embedder.embedded) == 1
