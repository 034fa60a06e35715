import os
import socket
import threading
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.mcp import bridge
from recollect.mcp.bridge import _Answers, _lines_of, _message, _quoted, folder_here


@given(path=st.binary(min_size=1))
def test_a_folder_of_any_bytes_comes_through_a_header(path: bytes) -> None:
    quoted = _quoted(path)
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
        answers = _Answers(here)
        assert answers.head() == b"HTTP/1.1 200 OK\r\nA: b"
        assert [*answers.chunks()] == chunks


@pytest.mark.parametrize("line", [b"", b"[1]", b"7", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_message_has_no_id(line: bytes) -> None:
    assert _message(line) == {}


def test_a_client_that_starts_at_the_root_or_nowhere_is_in_no_project(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir("/")
    assert folder_here() is None
    gone = tmp_path_factory.mktemp("gone")
    monkeypatch.chdir(gone)
    assert folder_here() == str(gone)
    gone.rmdir()
    assert folder_here() is None
