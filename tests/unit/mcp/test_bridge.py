import json
import os
import socket
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.mcp import bridge
from recollect.mcp.bridge import Bridge, _lines_of, _parse, _percent_encode, current_folder
from recollect.mcp.talk import AnswerReader, Talk


@given(path=st.binary(min_size=1))
def test_a_folder_of_any_bytes_comes_through_a_header(path: bytes) -> None:
    quoted = _percent_encode(path)
    assert quoted.decode("ascii").isprintable()
    assert b" " not in quoted
    assert unquote_to_bytes(quoted) == path


@given(lines=st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line), max_size=8))
def test_lines_are_read_whole_and_empty_ones_passed_over(lines: list[bytes]) -> None:
    read, write = os.pipe()
    os.write(write, b"\n".join(lines))
    os.close(write)
    assert [*_lines_of(read)] == [line + b"\n" for line in lines if line.strip()]
    os.close(read)


def test_of_a_line_that_never_ends_only_so_much_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "MAX_KEPT_BYTES", 100_000)
    read, write = os.pipe()

    def speak() -> None:
        for _ in range(100):
            os.write(write, b"x" * 10_000)
        os.write(write, b"\nnext\n")
        os.close(write)

    speaker = threading.Thread(target=speak)
    speaker.start()
    long, following = _lines_of(read)
    speaker.join()
    os.close(read)
    assert 100_000 < len(long) < 200_000
    assert following == b"next\n"


@given(chunks=st.lists(st.binary(min_size=1, max_size=300), max_size=6), cut=st.integers(1, 50))
def test_an_answer_in_pieces_is_the_answer(chunks: list[bytes], cut: int) -> None:
    here, there = socket.socketpair()
    sent = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"
    sent += b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    with here, there:
        for at in range(0, len(sent), cut):
            there.sendall(sent[at : at + cut])
        answers = AnswerReader(here)
        assert answers.head() == b"HTTP/1.1 200 OK\r\nA: b"
        assert [*answers.chunks()] == chunks


@pytest.mark.parametrize("line", [b"", b"[1]", b"7", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_message_has_no_id(line: bytes) -> None:
    assert _parse(line) == {}


def test_a_client_that_starts_at_the_root_or_nowhere_is_in_no_project(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir("/")
    assert current_folder() is None
    gone = tmp_path_factory.mktemp("gone")
    monkeypatch.chdir(gone)
    assert current_folder() == str(gone)
    gone.rmdir()
    assert current_folder() is None


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Bridge, list[dict[str, Any]]]]:
    """A bridge to a daemon that reads and never answers, and what its client hears."""
    monkeypatch.setattr(bridge, "ANSWER_S", 0.05)
    made, heard, (here, there) = Bridge(None), [], socket.socketpair()
    monkeypatch.setattr(made, "_write", lambda line: heard.append(json.loads(line)))
    made._talk = Talk(here, made._receive)
    made._talk._thread.start()
    with here, there:
        yield made, heard


def test_a_daemon_that_hangs_is_given_up(hanging: tuple[Bridge, list[dict[str, Any]]]) -> None:
    made, heard = hanging
    talk = made._talk
    assert talk is not None
    assert made._time_left() is None
    made._forward(b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n')
    while (left := made._time_left()) is not None:
        threading.Event().wait(left)
    talk._thread.join(10)
    assert [(one["id"], one["error"]["message"]) for one in heard] == [(1, bridge.HANGS)]
    assert made._talk is None


def test_nobody_waits_for_an_answer_to_an_id_that_is_none(hanging: tuple[Bridge, list[dict[str, Any]]]) -> None:
    made, _ = hanging
    for wrong in ("1.5", "true", "{}", "[]", "null"):
        made._forward(f'{{"jsonrpc": "2.0", "id": {wrong}, "method": "tools/list"}}\n'.encode())
    assert made._talk is not None
    assert made._talk.waiting == {}


def test_an_answer_to_any_id_of_the_client_reaches_it(hanging: tuple[Bridge, list[dict[str, Any]]]) -> None:
    made, heard = hanging
    assert made._talk is not None
    made._talk.repeated_id = "recollect-again-1a2b3c4d"
    for name in ("recollect-again", "recollect-again-1a2b3c4d", "recollect-again-1a2b3c4d"):
        made._receive(made._talk, json.dumps({"jsonrpc": "2.0", "id": name, "result": {}}).encode())
    assert [one["id"] for one in heard] == ["recollect-again", "recollect-again-1a2b3c4d"]
