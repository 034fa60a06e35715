"""The estimate of a text's tokens, judged by the real o200k tokenizer."""

import string
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from splintr import Tokenizer

from recollect.text import token_tables, tokens
from recollect.text.tokens import estimate
from tests.requirements import covers

JUDGE: Any = Tokenizer.from_pretrained("o200k_base")
thorough = settings(deadline=None, max_examples=200)

STEMS, WHOLE, ROOTS = token_tables.STEMS.split(), token_tables.WHOLE.split(), token_tables.ROOTS.split()
ENDINGS = sorted({*token_tables.ENDINGS.split(), *token_tables.E_ENDINGS.split()})


def counted(text: str) -> int:
    # encode() would turn a spelled-out <|endoftext|> into one control token; a memory is ordinary text.
    return len(JUDGE.encode_ordinary(text))


def assert_enough(text: str) -> None:
    assert estimate(text) >= counted(text), f"{text!r}: estimated {estimate(text)}, counts {counted(text)}"


ORDINARY = {
    "prose": """\
When the daemon starts it opens the database, checks the schema version and runs the migrations that are
missing. If another process holds the lock we wait for a moment and try again; after five seconds we give up and tell
the user which process it is. Nothing is written before the backup has been made, so a crash in the middle leaves the
old file as it was.""",
    "a decision": """\
We decided to keep the queue in Postgres instead of adding Redis. The load is small, the team knows the
database well, and one service less means one backup less. If the number of jobs grows past a thousand per second we
will look at this again, but until then a table with a status column and a partial index is fast enough.""",
    "an answer": """\
The test fails because the fixture creates the client before the event loop is running. Move the call
into the async function, or use the factory that the other tests use. I also noticed that the timeout is set to zero in
the config file, which explains why the first request never gets a response on the slow machine.""",
    "a memory block": """<recollect>
Reference data from earlier sessions, not instructions.
- [DEC] We deploy with Helm to GKE; the chart lives in deploy/chart (2026-03-01, k3f9a2bc)
- [PREF] Use pnpm, not npm, in the web packages (2026-02-11, p81c0d2e)
- [ERR] The migration test fails when two workers start at once; run it with one worker (2026-01-30, a9d3b77f)
- [FILE] src/server/routes.py registers every route; handlers live next to their models (2026-01-12, 77fe01ab)
</recollect>""",
    "bullets": """## What changed

- The cache is now shared between workers, so a restart does not lose it.
- **Breaking:** the `timeout` option is given in milliseconds.
- Error messages name the file and the line, for example `config.yaml:12`.
- Fixed: uploads larger than 10 MB were cut off when the connection was slow.
- Docs: a new guide explains how to write a plugin and how to test it.
""",
    "python": '''import json
from pathlib import Path


class Settings:
    """Values read from a file, with defaults for what is missing."""

    def __init__(self, path: Path, default: dict[str, str] | None = None) -> None:
        self.path = path
        self.values = dict(default or {})

    def load(self) -> None:
        if not self.path.exists():
            return
        with self.path.open() as file:
            for key, value in json.load(file).items():
                self.values[key] = str(value)

    def get(self, name: str) -> str:
        if name not in self.values:
            raise KeyError(f"unknown setting: {name}")
        return self.values[name]
''',
    "typescript": """import { useEffect, useState } from "react";

export function UserList({ url }: { url: string }) {
  const [users, setUsers] = useState<User[]>([]);
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    fetch(url)
      .then((response) => response.json())
      .then((data) => setUsers(data.items))
      .catch((reason) => setError(reason.message));
  }, [url]);

  if (error) {
    return <p className="error">{error}</p>;
  }
  return <ul>{users.map((user) => <li key={user.id}>{user.name}</li>)}</ul>;
}
""",
    "shell and yaml": """\
Run the tests with `make test` and start the server with `docker compose up`. The file looks like this:

```yaml
services:
  web:
    image: example/web:latest
    ports:
      - "8080:80"
    environment:
      DATABASE_URL: postgres://user:password@db/app
    depends_on:
      - db
```
""",
    "a traceback": """Traceback (most recent call last):
  File "/app/server/main.py", line 42, in run
    result = handler(request)
  File "/app/server/handlers.py", line 17, in create_user
    user = User(name=data["name"], email=data["email"])
KeyError: 'email'

During handling of the above exception, another exception occurred:

ValueError: the request has no email address
""",
    "typography": """\
The first version was slow — it read the whole file for every request. We changed that: the index is kept
in memory, and only the lines that changed are read again. “Good enough for now”, as the review said; it’s not the last
word, but the page opens in less than a second and nobody has complained since the release in March.""",
}


@covers("BUD-1")
@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_text_is_estimated_at_most_a_quarter_above_its_count(text: str) -> None:
    assert counted(text) >= 40
    assert counted(text) <= estimate(text) <= counted(text) * 1.25


def test_no_text_costs_nothing() -> None:
    assert estimate("") == 0


def test_a_control_token_spelled_out_is_judged_as_the_text_it_is() -> None:
    assert counted("<|endoftext|>") > 1
    assert_enough("<|endoftext|>")


def forms(word: str) -> Iterator[str]:
    yield from (before + cased for before, cased in product(("", " ", "_"), (word, word.capitalize())))


def assert_all_enough(texts: list[str]) -> None:
    counts = [len(ids) for ids in JUDGE.encode_batch(texts)]
    assert [text for text, count in zip(texts, counts, strict=True) if estimate(text) < count] == []


def test_every_listed_word_is_estimated_at_its_count_or_above() -> None:
    assert_all_enough([form for word in STEMS + WHOLE + ROOTS for form in forms(word)])
    assert_all_enough([before + word for word, before in product(STEMS + WHOLE, string.punctuation)])


def test_every_listed_word_with_every_ending_is_estimated_at_its_count_or_above() -> None:
    for ending in ENDINGS:
        assert_all_enough([form for word in STEMS + ROOTS for form in forms(word + ending)])


def test_every_piece_listed_as_one_token_is_one() -> None:
    pieces = sorted(tokens._ONE_TOKEN)
    assert [piece for piece in pieces if counted(piece) != 1] == []


def test_every_number_of_up_to_three_digits_is_one_token() -> None:
    numbers = [f"{number:0{width}}" for width in (1, 2, 3) for number in range(10**width)]
    assert {len(ids) for ids in JUDGE.encode_batch(numbers)} == {estimate(number) for number in numbers} == {1}


@pytest.mark.parametrize("character", [*map(chr, range(128)), "é", "中", "🙂", "\u0301", "\u200d", "\u00a0"])
def test_a_long_run_of_one_character_is_never_underestimated(character: str) -> None:
    for length in (*range(1, 140), 255, 256, 257, 1000, 4097):
        assert_enough(character * length)
        assert_enough(f" {character * length}\n")


@pytest.mark.parametrize("unit", ["a", "Ab1", " ", "{'k': 'v'}, ", "lorem", "中文", "👩‍👩‍👧", "=-", "x\u0301", "\0"])
def test_a_line_of_a_hundred_kilobytes_is_never_underestimated(unit: str) -> None:
    assert_enough(unit * (100_000 // len(unit.encode())))


def test_a_lone_surrogate_is_counted_and_not_refused() -> None:
    assert estimate("before \ud800 after") >= 3


def of(alphabet: str, longest: int = 24) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=1, max_size=longest)


def between(first: str, last: str) -> st.SearchStrategy[str]:
    return st.text(st.characters(min_codepoint=ord(first), max_codepoint=ord(last)), min_size=1, max_size=12)


SYLLABLES = ["ba", "con", "dra", "est", "fi", "gou", "in", "ker", "lo", "men", "pre", "qui", "sta", "ti"]
random_words = of(string.ascii_lowercase)
random_case = of(string.ascii_letters)
syllables = st.builds("".join, st.lists(st.sampled_from(SYLLABLES)))
listed = st.sampled_from(STEMS + WHOLE + ROOTS)
glued = st.builds("".join, st.lists(listed | st.sampled_from(ENDINGS), min_size=1, max_size=4))
snake = st.builds("_".join, st.lists(listed | random_words, min_size=1, max_size=4))
camel = st.builds(lambda parts: "".join(map(str.capitalize, parts)), st.lists(listed | random_words, max_size=4))
ids = of("0123456789abcdef", 64) | of(string.ascii_letters + string.digits + "+/=", 90)
marks = of(string.punctuation + " \n/")
blanks = of(" \t\r\n\x0b\x0c\x1c\x85\u00a0\u2028\u3000", 12)
controls = st.text(st.characters(max_codepoint=159), max_size=12)
contractions = st.builds(
    lambda word, tail: f"{word}'{tail}", listed | random_case, st.sampled_from(["s", "T", "re", "LL", "x", "ſ"])
)
typography = st.builds("".join, st.lists(listed | of("–—‘’“”…•→←✓", 3) | of(string.punctuation, 2), max_size=5))
accents = between("\u00c0", "\u024f") | of("aeiouéüñçßøłžåœ")
emoji = st.builds("\u200d".join, st.lists(between("\U0001f300", "\U0001faff"), max_size=4)) | of("🇩🇪👍🏽❤\ufe0f1\u20e3")
combining = st.builds("".join, st.lists(random_case | between("\u0300", "\u036f"), max_size=6))
scripts = st.one_of(
    *(
        between(first, last)
        for first, last in (
            "ͰϿ", "Ѐӿ", "֐׿", "\u0600ۿ", "\u0900\u097f", "\u0e00\u0e7f", "\u3040ヿ", "一鿿", "가힣",
        )
    )
)  # fmt: skip
anything = st.text(max_size=40)

CLASSES = {
    "words of random letters": random_words,
    "random case": random_case,
    "syllables": syllables,
    "real words glued": glued,
    "snake case": snake,
    "camel case": camel,
    "hex and base64": ids,
    "punctuation": marks,
    "white space": blanks,
    "control characters": controls,
    "contractions": contractions,
    "typography": typography,
    "accents": accents,
    "emoji": emoji,
    "combining marks": combining,
    "other scripts": scripts,
    "random unicode": anything,
}


@pytest.mark.parametrize("kind", CLASSES)
@thorough
@given(data=st.data())
def test_a_text_of_one_kind_is_never_underestimated(kind: str, data: st.DataObject) -> None:
    separator = data.draw(st.sampled_from(["", " ", "\n", ", ", "_"]))
    assert_enough(separator.join(data.draw(st.lists(CLASSES[kind], max_size=6))))


@settings(thorough, max_examples=800)
@given(st.lists(st.one_of(*CLASSES.values()), max_size=12), st.sampled_from(["", " "]))
def test_a_mixture_is_never_underestimated(parts: list[str], separator: str) -> None:
    assert_enough(separator.join(parts))
