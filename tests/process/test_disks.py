"""The commands on disks that do not take writes: a clear line, and nothing lost."""

import json
import sqlite3
from pathlib import Path

from tests.mounts import needs_mounts, read_only, small_disk
from tests.process.conftest import Home, texts
from tests.requirements import covers


@needs_mounts
@covers("REL-1")
def test_a_read_only_folder_can_be_read_and_says_so_when_written(home: Home) -> None:
    home.said("remember", "We deploy with Helm.")
    with read_only(home.places.database.parent):
        assert texts(home) == ["We deploy with Helm."]
        assert "Helm" in home.said("recall", "helm")
        assert "Helm" in home.said("export")
        for command in (["remember", "More."], ["undo"], ["forget", home.json("list")["memories"][0]["id"]]):
            done = home.recollect(*command)
            assert (done.returncode, done.stdout) == (1, b"")
            assert b"can be read but not written" in done.stderr
        doctor = home.recollect("doctor")
        assert doctor.returncode == 4
        assert b"can be read but not written" in doctor.stdout
    home.said("remember", "More.")
    assert sorted(texts(home)) == ["More.", "We deploy with Helm."]


@needs_mounts
def test_a_home_that_takes_no_database_at_all_is_said(home: Home) -> None:
    with read_only(home.path):
        for command in (["remember", "x"], ["list"]):
            done = home.recollect(*command)
            assert done.returncode == 1
            assert b"Read-only file system" in done.stderr
            assert b"Traceback" not in done.stderr


@needs_mounts
@covers("REL-1")
def test_a_full_disk_is_said_and_what_was_acknowledged_is_kept(home: Home) -> None:
    with small_disk(home.places.database.parent, megabytes=3) as disk:
        for n in range(5):
            home.said("remember", f"Fact {n} before the disk was full.")
        disk.fill()
        refusals = [home.recollect("remember", f"Fact {n} too many. " + "x" * 15_000) for n in range(3)]
        for done in refusals:
            assert (done.returncode, done.stdout) == (1, b"")
            assert b"Free some space" in done.stderr or b"can be read but not written" in done.stderr
            assert b"Traceback" not in done.stderr
        assert len(texts(home)) == 5
        assert b"PROBLEM" in home.recollect("doctor").stdout
        disk.free()
        home.said("remember", "There is space again.")
        assert len(texts(home)) == 6
        assert all(finding["about"] == "disk" for finding in problems(home))


@needs_mounts
def test_an_export_to_a_full_disk_leaves_no_half_file(home: Home, tmp_path: Path) -> None:
    lines = "\n".join(f'{{"text": "Fact {n} {"x" * 900}"}}' for n in range(3000))
    home.said("import", "-", stdin=lines.encode())
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        done = home.recollect("export", str(disk.folder / "all.jsonl"))
        assert done.returncode == 1
        assert b"No space left" in done.stderr
        assert not list(disk.folder.glob("*all.jsonl*"))


def test_a_clock_that_was_set_back_loses_nothing_and_keeps_the_order_of_deeds(home: Home) -> None:
    """The database was last written "tomorrow"."""
    memory_id = home.json("remember", "Said first.")["id"]
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("UPDATE deed SET at_ms = at_ms + 86400000 * 400")
    connection.close()
    home.said("remember", "Said second.")
    home.said("forget", memory_id)
    assert home.json("undo")["kind"] == "forget"
    assert home.json("undo")["removed"][0]["text"] == "Said second."
    assert texts(home) == ["Said first."]
    assert home.json("doctor")["healthy"]


def problems(home: Home) -> list[dict[str, str]]:
    report = json.loads(home.recollect("doctor", "--json").stdout)
    return [finding for finding in report["findings"] if finding["health"] == "problem"]
