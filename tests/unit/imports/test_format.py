"""Which format a file has, and what its bytes say."""

import codecs
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.errors import InvalidValue
from recollect.imports.decoding import decode, is_binary
from recollect.imports.format import PROJECT_DOCUMENTS, Format, TranscriptNotImportable, format_of, is_for_agents


@pytest.mark.parametrize(
    ("name", "head", "form"),
    [
        ("CLAUDE.md", b"# Rules", Format.MARKDOWN),
        ("notes.md", b"", Format.MARKDOWN),
        (".cursorrules", b"Be brief.", Format.MARKDOWN),
        ("rule.mdc", b"---\nalwaysApply: true\n---\n", Format.MARKDOWN),
        ("MEMORY.md", b"- [a](a.md)", Format.CLAUDE_MEMORY),
        ("topic.md", b"---\nname: a\ntype: feedback\n---\nb", Format.CLAUDE_MEMORY),
        ("post.md", b"---\nname: a\ntype: article\n---\nb", Format.MARKDOWN),
        ("m.jsonl", b'{"text": "a"}\n', Format.JSONL),
        ("m.jsonl", b"nonsense", Format.JSONL),
        ("m.json", b'{"text": "a"}\n', Format.JSONL),
        ("m.jsonl", b'{"memory": "a"}\n', Format.MEM0),
        ("m.json", b'{"results": [{"memory": "a"}]}', Format.MEM0),
        ("m.json", b'[{"id": "1", "memory": "a"}]', Format.MEM0),
        ("x.json", b'{\n "exportedAt": "x",\n "observations": []}', Format.CLAUDE_MEM),
        ("claude-mem.db", b"SQLite format 3\x00...", Format.CLAUDE_MEM),
        ("package.json", b'{"name": "shop"}', None),
        ("notes.txt", b"Some words", None),
        ("picture.md", b"\x89PNG\r\n\x1a\n\x00\x00", None),
        ("notes.md", codecs.BOM_UTF16_LE + "# Ü".encode("utf-16-le"), Format.MARKDOWN),
    ],
)
def test_the_format_is_told_from_name_and_content(name: str, head: bytes, form: Format | None) -> None:
    assert format_of(name, head) is form


@pytest.mark.parametrize(
    "line", [{"type": "user", "sessionId": "s", "message": {}}, {"type": "session_meta", "payload": {}}]
)
def test_a_transcript_is_not_taken_for_memories(line: object) -> None:
    with pytest.raises(TranscriptNotImportable):
        format_of("session.jsonl", json.dumps(line).encode())


@given(st.text(max_size=20), st.binary(max_size=200))
def test_no_beginning_of_a_file_is_an_error(name: str, head: bytes) -> None:
    with suppress(InvalidValue):  # said on purpose
        assert format_of(name, head) in (None, *Format)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("naïve".encode(), "naïve"),
        (codecs.BOM_UTF8 + "naïve".encode(), "naïve"),
        (codecs.BOM_UTF16_LE + "naïve".encode("utf-16-le"), "naïve"),
        (codecs.BOM_UTF16_BE + "naïve".encode("utf-16-be"), "naïve"),
        ("naïve – café".encode("cp1252"), "naïve – café"),
        (b"", ""),
    ],
)
def test_every_usual_encoding_is_read(content: bytes, text: str) -> None:
    assert decode(content) == text


@pytest.mark.parametrize(
    "content", [b"\x00\x01\x02", b"\x89PNG\r\n\x1a\n\x00", bytes(range(32)) * 4, "ab".encode("utf-16-le")]
)
def test_what_is_no_text_is_refused(content: bytes) -> None:
    assert is_binary(content)
    with pytest.raises(InvalidValue, match="no text"):
        decode(content)


def test_a_mark_that_lies_is_said() -> None:
    with pytest.raises(InvalidValue, match="UTF-16"):
        decode(codecs.BOM_UTF16_LE + b"abc")


def test_files_for_agents_and_for_people_are_told_apart() -> None:
    assert all(map(is_for_agents, ["CLAUDE.md", "agents.md", "GEMINI.md", ".cursorrules", "style.mdc"]))
    assert all(
        map(PROJECT_DOCUMENTS.match, ["README.md", "readme.de.md", "CHANGELOG.md", "LICENSE.md", "CONTRIBUTING.md"])
    )
    assert not any(map(PROJECT_DOCUMENTS.match, ["notes.md", "history-of-decisions.txt", "CLAUDE.md"]))
