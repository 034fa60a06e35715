"""What a model folder can be: whole, or one of the ways in which it is not."""

import json
import os
from pathlib import Path

import pytest

from recollect.domain.errors import ModelError, ModelMissing
from recollect.domain.model import Condition
from recollect.embed.folder import check, foreign_entries, state
from recollect.embed.manifest import CONTENTS, MANIFEST, MODEL, TOKENIZER, FileFacts, Manifest
from recollect.embed.minilm import load


def a_manifest(**contents: bytes) -> Manifest:
    files = {name: FileFacts.of(contents.get(name.partition(".")[0], name.encode())) for name in CONTENTS}
    return Manifest(
        files=files,
        source="weights 1.0",
        source_sha256="0" * 64,
        worst_cosine=0.98,
        built_at="2026-03-02T09:00:00+00:00",
        built_with="onnx 1",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model that no run time could load, but whole."""
    made = tmp_path / "model"
    made.mkdir()
    for name in CONTENTS:
        (made / name).write_bytes(name.encode())
    (made / MANIFEST).write_text(a_manifest().to_json())
    return made


def changed(folder: Path, **values: object) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | values))


def test_a_whole_folder_is_ready_and_tells_what_it_holds(folder: Path) -> None:
    found, contents = check(folder)
    assert (found.condition, found.advice) == (Condition.READY, "")
    assert found.facts == a_manifest().facts
    assert contents == {name: name.encode() for name in CONTENTS}


def test_no_folder_and_an_empty_one_are_missing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert state(tmp_path / "none").condition is Condition.MISSING
    assert state(tmp_path / "empty").condition is Condition.MISSING


@pytest.mark.parametrize("name", [*CONTENTS, MANIFEST])
def test_a_file_that_is_gone_makes_it_incomplete(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert state(folder).condition is Condition.INCOMPLETE
    assert name in state(folder).says


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("how", ["flipped", "cut", "longer", "empty"])
def test_a_file_with_other_bytes_is_damaged(folder: Path, name: str, how: str) -> None:
    content = (folder / name).read_bytes()
    other = {
        "flipped": bytes([content[0] ^ 1]) + content[1:],
        "cut": content[:-1],
        "longer": content + b"x",
        "empty": b"",
    }
    (folder / name).write_bytes(other[how])
    found = state(folder)
    assert (found.condition, found.facts) == (Condition.DAMAGED, None)
    assert name in found.says


@pytest.mark.parametrize("values", [{"format": 999}, {"format": 0}, {"preprocessing": 999}])
def test_a_folder_of_another_version_is_said_to_be_one(folder: Path, values: dict[str, int]) -> None:
    changed(folder, **values)
    assert state(folder).condition is Condition.OTHER_VERSION
    assert "another Recollect" in state(folder).says


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '{"format": "1"}', '{"format": 1}', "[" * 100_000, '{"format": 1, "files": []}', "\0"],
)
def test_a_manifest_that_is_none_is_unreadable(folder: Path, content: str) -> None:
    (folder / MANIFEST).write_text(content)
    assert state(folder).condition is Condition.UNREADABLE


@pytest.mark.parametrize("name", [MODEL, MANIFEST])
@pytest.mark.parametrize("what", ["folder", "pipe", "circle"])
def test_something_else_in_place_of_a_file_is_unreadable(folder: Path, name: str, what: str) -> None:
    path = folder / name
    path.unlink()
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    assert state(folder).condition is Condition.UNREADABLE


def test_a_file_in_place_of_the_folder_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("not a folder")
    (tmp_path / "leads-nowhere").symlink_to(tmp_path / "none")
    assert state(tmp_path / "model").condition is Condition.UNREADABLE
    assert state(tmp_path / "leads-nowhere").condition is Condition.UNREADABLE


def test_the_id_follows_what_decides_a_vector_and_nothing_else() -> None:
    usual = a_manifest().id
    assert usual.startswith("all-MiniLM-L6-v2-int8-")
    assert a_manifest(LICENSE=b"other").id == usual
    assert a_manifest(model=b"other").id != usual
    assert a_manifest(tokenizer=b"other").id != usual
    assert a_manifest(model=TOKENIZER.encode(), tokenizer=MODEL.encode()).id != usual


def test_what_is_not_of_a_model_is_named(folder: Path) -> None:
    assert foreign_entries(folder) == []
    (folder / "thesis.tex").write_text("x")
    (folder / MODEL).unlink()
    (folder / MODEL).mkdir()
    assert foreign_entries(folder) == [MODEL, "thesis.tex"]


def test_loading_says_what_is_wrong_and_what_to_do(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"recollect model build.*Until then, search uses words only"):
        load(tmp_path / "none")
    (folder / MODEL).write_bytes(b"other")
    with pytest.raises(
        ModelError, match=r"model\.onnx is damaged.*recollect model build.*Until then, search uses words only"
    ):
        load(folder)


def test_bytes_that_the_run_time_does_not_know_are_refused_in_words(folder: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot load the model.*model build --force"):
        load(folder)
