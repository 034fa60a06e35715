"""An embedder that is told beforehand: the same vectors, each made once."""

from collections import Counter
from threading import Event
from typing import cast

from recollect.domain.vector import ModelId, Vector
from recollect.embed.cached import CachedEmbedder
from recollect.embed.minilm import MiniLm
from recollect.embed.prefetch import PrefetchingEmbedder


class Slow:
    """Makes nothing before it may; counts what it makes."""

    model = ModelId("slow")

    def __init__(self) -> None:
        self.may, self.began = Event(), Event()
        self.made: Counter[str] = Counter()

    def embed(self, text: str) -> Vector:
        self.made[text] += 1
        if text == "first":
            self.began.set()
            assert self.may.wait(10)
        return Vector(text.encode())

    def knows(self, word: str) -> bool:
        return bool(word)


def test_what_is_expected_is_embedded_once_and_who_asks_waits_for_no_queue() -> None:
    model = Slow()
    ahead = PrefetchingEmbedder(CachedEmbedder(cast(MiniLm, model), lambda: 0.0))
    ahead.expect(["first", *map(str, range(20)), "first"])
    assert model.began.wait(10)
    assert [ahead.embed(str(number)) for number in range(20)] == [str(number).encode() for number in range(20)]
    model.may.set()
    assert ahead.embed("first") == b"first"
    assert ahead.embed("never expected") == b"never expected"
    ahead.close()
    assert set(model.made.values()) == {1}


def test_what_is_never_asked_for_is_dropped() -> None:
    model = Slow()
    ahead = PrefetchingEmbedder(CachedEmbedder(cast(MiniLm, model), lambda: 0.0))
    ahead.expect(["first", *map(str, range(1000))])
    assert model.began.wait(10)
    model.may.set()
    ahead.close()
    assert len(model.made) < 1001
