"""The real model: what it says is stable, and means something."""

import json
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from recollect.domain.vector import DIMENSIONS, Vector
from recollect.embed.convert import MIN_COSINE
from recollect.embed.manifest import MANIFEST
from recollect.embed.minilm import MiniLm, load

TEXTS = (
    "",
    "ok",
    "We deploy with Helm.",
    "部署使用 Helm。",
    "def f(x):\n    return x + 1",
    "long " * 400,
    "🚀 \0 \ud800 x",
)


@pytest.fixture(scope="module")
def minilm(model_folder: Path) -> MiniLm:
    return load(model_folder)


def numbers(vector: Vector) -> Sequence[float]:
    return struct.unpack(f"<{DIMENSIONS}f", vector)


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(numbers(one), numbers(other), strict=True))


@pytest.mark.parametrize("text", [*TEXTS, "x" * 100_000, "one two three " * 7_000, " " * 100_000])
def test_any_text_has_a_vector_of_length_one(minilm: MiniLm, text: str) -> None:
    vector = minilm.embed(text)
    assert len(vector) == 4 * DIMENSIONS
    assert cosine(vector, vector) == pytest.approx(1, abs=1e-5)


def test_the_same_text_has_the_same_bytes_whatever_came_before(minilm: MiniLm, model_folder: Path) -> None:
    alone = {text: load(model_folder).embed(text) for text in TEXTS}
    for text in (*TEXTS, *reversed(TEXTS)):
        assert minilm.embed(text) == alone[text]


def test_threads_do_not_disturb_each_other(minilm: MiniLm) -> None:
    expected = {text: minilm.embed(text) for text in TEXTS}
    wrong: list[str] = []

    def work() -> None:
        wrong.extend(text for text in TEXTS * 3 if minilm.embed(text) != expected[text])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("kubernetes release", "deploy with helm", "css colours"),
        ("why is the login slow", "Sessions in Redis took 400 ms per request", "The logo is blue"),
        ("how do we name branches", "Feature branches begin with the ticket's number", "Backups run at night"),
    ],
)
def test_what_means_the_same_is_closer(minilm: MiniLm, question: str, near: str, far: str) -> None:
    asked = minilm.embed(question)
    assert cosine(asked, minilm.embed(near)) > cosine(asked, minilm.embed(far)) + 0.1


def test_it_knows_words_and_no_slips_of_the_finger(minilm: MiniLm) -> None:
    assert all(map(minilm.knows, ("strip", "listing", "mango")))
    assert not any(map(minilm.knows, ("eror", "terrafrom", "Strip", "")))


def test_longer_texts_are_cut_at_256_tokens(minilm: MiniLm) -> None:
    cut = minilm.embed("word " * 254)  # and a token at each end
    lengths = [minilm.embed("word " * count) for count in (253, 254, 255, 4_000)]
    assert [vector == cut for vector in lengths] == [False, True, True, True]
    assert all(one != other for one, other in pairwise(minilm.embed("word " * count) for count in (127, 128, 129, 130)))


def test_its_id_and_quality_are_those_of_the_manifest(minilm: MiniLm, model_folder: Path) -> None:
    manifest = json.loads((model_folder / MANIFEST).read_text())
    assert minilm.model == manifest["id"]
    assert MIN_COSINE <= manifest["worst_cosine"] <= 1


def test_importing_it_costs_nothing_and_loading_it_brings_no_network(model_folder: Path) -> None:
    """tokenizers depends on huggingface_hub, and onnxruntime on protobuf; neither is to be imported."""
    run = (
        "import sys; from pathlib import Path; from recollect.embed import minilm, build;"
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers', 'onnx') if name in sys.modules]);"
        f"minilm.load(Path({str(model_folder)!r})).embed('x');"
        "network = ('huggingface_hub', 'httpx2', 'google', 'onnx', 'tqdm', 'ssl');"
        "print([name for name in network if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n[]\n", done.stderr
