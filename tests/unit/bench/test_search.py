"""The bench itself, small: it runs, says what it measures, and its yardstick of exactness can fail."""

from pathlib import Path

import pytest
from bench import archive, corpus, search
from bench.plain import PlainVectors
from bench.vectors import NO_MODEL, Vectors, synthetic

GIVEN = Vectors(NO_MODEL, synthetic(100))
QUESTIONS = synthetic(20, seed=7)


def test_a_small_bench_of_search_prints_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    search.run(tmp_path, [200], GIVEN, QUESTIONS)
    printed = capsys.readouterr().out
    for what in ("written per second", "plain FTS5 join", "plain numpy", "recall by word", "first search"):
        assert f"200 in {corpus.PROJECTS} projects: " in printed
        assert what in printed
    assert "against exact float32: 1.000" in printed


def test_a_small_bench_of_old_turns_prints_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive.run(tmp_path, (50,), GIVEN, QUESTIONS)
    assert capsys.readouterr().out.count("50 turns of one project: ") == 4


def test_vectors_of_another_order_are_not_called_exact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = Vectors(NO_MODEL, synthetic(100, seed=8))
    with search.open_store(tmp_path / "one.db") as (store, engine):
        search.write(engine, 200)
        search.write_vectors(store, others, 200)
        plain = PlainVectors(tmp_path / "vectors", GIVEN.blocks(200))
        search.exactness("here", store, plain, corpus.PROJECTS, NO_MODEL, QUESTIONS)
    assert "MISSED" in capsys.readouterr().out


def test_the_corpus_is_the_same_every_time_and_says_nothing_twice() -> None:
    texts = [draft.text for draft in corpus.drafts(1000)]
    assert texts == [draft.text for draft in corpus.drafts(1000)]
    assert len(set(texts)) == len(texts)
    assert [corpus.number_of(draft.at) for draft in corpus.drafts(1000)] == list(range(1000))


def test_the_corpus_has_some_thousand_words_a_few_of_them_very_often() -> None:
    words = [word for draft in corpus.drafts(5000) for word in draft.text.rstrip(".").split()]
    often = max(words.count(noun) for noun in ("service", "test", "request"))
    assert len(set(words)) > 3000
    assert often > 100 * words.count("glossary")
