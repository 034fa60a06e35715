"""The file of pauses: private, whole, and paused where it cannot be read."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect.domain.errors import StoreError
from recollect.domain.memory import ProjectId
from recollect.domain.pause import UNKNOWN_PAUSE, Pause, PauseUnreadable
from recollect.store.pause_file import PauseFile

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "pause.json"


def at(path: Path, now: datetime) -> PauseFile:
    return PauseFile(path, lambda: now)


def test_it_is_private_and_seen_by_whoever_looked_before(path: Path) -> None:
    seen = at(path, NOW)
    assert not seen.on()
    at(path, NOW).begin(Pause(since=NOW, until=NOW + HOUR))
    assert [one.until for one in seen.on()] == [NOW + HOUR]
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [file.name for file in path.parent.iterdir()] == ["pause.json"]
    at(path, NOW).end(None, NOW + HOUR / 2)
    assert not at(path, NOW + HOUR / 2).on()
    assert [one.until for one in seen.at(NOW + HOUR / 4)] == [NOW + HOUR / 2]  # what was is remembered
    assert not seen.at(NOW + HOUR)


@pytest.mark.parametrize("said", ["", "{", "[]", '{"pauses": [{}]}', '{"pauses": 3}', '{"pauses": [null]}', "\0" * 9])
def test_what_cannot_be_read_counts_as_a_pause_until_somebody_resumes(path: Path, said: str) -> None:
    path.parent.mkdir()
    path.write_text(said)
    file = at(path, NOW)
    assert file.on() == (UNKNOWN_PAUSE,)
    assert "recollect resume" in (file.problem or "")
    with pytest.raises(PauseUnreadable):
        file.begin(Pause(since=NOW))
    assert file.end(None, NOW) == (UNKNOWN_PAUSE,)
    assert (file.on(), file.problem) == ([], None)


def test_a_link_is_neither_read_nor_written_through(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text('{"pauses": []}')
    path.parent.mkdir()
    path.symlink_to(elsewhere)
    path.with_name("pause.json.part").symlink_to(elsewhere)
    assert at(path, NOW).on() == (UNKNOWN_PAUSE,)
    at(path, NOW).end(None, NOW)
    at(path, NOW).begin(Pause(since=NOW))
    assert elsewhere.read_text() == '{"pauses": []}'
    assert not path.is_symlink()


def test_a_folder_or_a_pipe_in_its_place_hangs_nobody(path: Path) -> None:
    path.mkdir(parents=True)
    assert at(path, NOW).on() == (UNKNOWN_PAUSE,)
    with pytest.raises(StoreError):
        at(path, NOW).end(None, NOW)


def test_a_clock_that_is_set_back_keeps_the_pause(path: Path) -> None:
    at(path, NOW).begin(Pause(since=NOW, until=NOW + HOUR))
    yesterday = NOW - 24 * HOUR
    assert at(path, yesterday).on()
    assert at(path, yesterday).end(None, yesterday)
    assert not at(path, yesterday).on()


def test_a_second_pause_takes_the_place_of_the_first_and_a_project_has_its_own(path: Path) -> None:
    file, shop = at(path, NOW + HOUR), ProjectId("git:example.org/shop")
    file.begin(Pause(since=NOW))
    file.begin(Pause(since=NOW + HOUR, until=NOW + 2 * HOUR))
    file.begin(Pause(since=NOW + HOUR, project=shop))
    assert list(file.on()) == [
        Pause(since=NOW, until=NOW + 2 * HOUR),
        Pause(since=NOW + HOUR, project=shop),
    ]
    assert [one.project for one in file.end(shop, NOW + HOUR)] == [shop]
    assert [one.project for one in file.on()] == [None]
