"""What the OpenCode plugin is made of: thin, silent, without anything to install, and of the version it belongs to."""

import json
import re
from pathlib import Path

import pytest

from recollect import __version__
from tests.requirements import covers

PLUGIN = Path(__file__).parents[2] / "plugins" / "opencode"
SOURCES = [PLUGIN / "recollect.ts", *sorted((PLUGIN / "recollect").glob("*.ts"))]
MANIFEST = json.loads((PLUGIN / "package.json").read_text())

COMMENT = re.compile(r"^\s*(//|/\*|\*)")
IMPORT = re.compile(r"\bfrom\s+\"([^\"]+)\"|\bimport\s*[(\"]|\brequire\(")
PRINTS = re.compile(r"\bconsole\b|\bprocess\.(stdout|stderr)\b|\bBun\.")
MAX_CODE_LINES = 540  # without blank lines and comments; 120 of them ask the small model and tidy up (reader.ts)
TYPES = re.compile(r"^import type \{[^}]*\} from \"@opencode-ai/plugin\"$", re.MULTILINE)


def code_lines(source: Path) -> list[str]:
    return [line for line in source.read_text().splitlines() if line.strip() and not COMMENT.match(line)]


@covers("OC-1")
def test_the_plugin_is_thin() -> None:
    """What it would decide, the daemon decides for every host; so there is little to write here."""
    assert len(SOURCES) > 1
    assert sum(len(code_lines(source)) for source in SOURCES) < MAX_CODE_LINES


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_a_file_of_the_plugin_says_whose_it_is_in_its_first_line(source: Path) -> None:
    assert source.read_text().startswith("// Recollect for OpenCode")


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_the_plugin_never_prints(source: Path) -> None:
    for line in code_lines(source):
        assert not PRINTS.search(line), line


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_the_plugin_imports_its_own_files_built_in_modules_and_types_alone(source: Path) -> None:
    text = TYPES.sub("", source.read_text())
    for found in IMPORT.finditer(text):
        name = found[1] or found[0]
        assert name.startswith("node:") or (name.startswith("./") and (source.parent / name).is_file()), name


def test_the_package_has_the_version_of_the_daemon_it_belongs_to() -> None:
    assert MANIFEST["version"] == __version__


def test_the_package_brings_nothing_and_pins_what_checks_it() -> None:
    assert not {"dependencies", "peerDependencies", "optionalDependencies", "scripts"} & set(MANIFEST)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in MANIFEST["devDependencies"].values())
    client = json.loads((PLUGIN.parents[1] / "tests/e2e/npm/package.json").read_text())["dependencies"]["opencode-ai"]
    assert MANIFEST["devDependencies"]["@opencode-ai/plugin"] == client


def test_the_client_finds_the_entry_by_every_name_that_it_looks_for() -> None:
    entries = {MANIFEST["main"], *MANIFEST["exports"].values()}
    assert set(MANIFEST["exports"]) == {".", "./server"}
    assert entries == {"./recollect.ts"}


def test_the_package_carries_the_licence_of_the_project() -> None:
    assert (PLUGIN / "LICENSE").read_text() == (PLUGIN.parents[1] / "LICENSE").read_text()
    assert MANIFEST["license"] == "Apache-2.0"


def test_every_dependency_that_checks_the_plugin_has_its_reason() -> None:
    reasons = (PLUGIN.parents[1] / "docs/explanation/dependencies.md").read_text()
    for name in MANIFEST["devDependencies"]:
        assert f"| {name} |" in reasons, name
