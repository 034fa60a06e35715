import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import MessageId, Role, SessionId
from recollect.domain.session import Note, NoteCode, Turn
from tests.builders import NOW, PROJECT


@pytest.mark.parametrize("code", list(NoteCode))
def test_a_note_is_one_line_with_its_code(code: NoteCode) -> None:
    note = Note(code=code, text="rotate the keys")
    assert str(note) == f"{code}: rotate the keys"
    assert Note.parse(str(note)) == note
    assert Note.parse(f" {code} :  rotate the keys ") == note


@pytest.mark.parametrize("line", ["", "rotate", "todo: rotate", "next:", "next: two\nlines", "next: " + "x" * 600])
def test_what_is_no_note_is_refused(line: str) -> None:
    with pytest.raises(InvalidValue):
        Note.parse(line)


@pytest.mark.parametrize("text", ["a\x00b", "\ud800", "x" * 1_000_001])
def test_a_turn_that_cannot_be_kept_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        Turn(session=SessionId("s"), message=MessageId("m"), project=PROJECT, role=Role.USER, text=text, at=NOW)
