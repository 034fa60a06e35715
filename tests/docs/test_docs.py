"""What the documents say is true: the reference is current, links lead somewhere, examples run."""

import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.cli import exit_codes
from recollect.domain.memory import KINDS_ELSEWHERE, Kind
from recollect.imports import claude_code_memory
from recollect.privacy.injection_signs import reasons
from tests.docs.reference import CONTRIBUTING, PAGES, REFERENCE, contributing
from tests.process.conftest import Home, home
from tests.requirements import covers

__all__ = ["home"]  # the fixture of the process tests serves here too

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize(("page", "written"), PAGES.items())
def test_the_reference_is_what_the_code_says(page: str, written: Callable[[], str]) -> None:
    assert (REFERENCE / page).read_text() == written(), "run `make docs`"


def test_contributing_shows_every_module() -> None:
    text = CONTRIBUTING.read_text()
    assert text == contributing(text), "run `make docs`"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documents_name_who_acts(document: Path) -> None:
    lines = document.read_text().replace(reasons.UNSEEN, "").splitlines()  # a stored text that a page quotes
    assert [line for line in lines if re.search(r"\b(?:no|some|any)body\b|\bwhoever\b", line, re.IGNORECASE)] == []


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["model"], *extras["dev"]]
    page = (ROOT / "docs/explanation/dependencies.md").read_text()
    for requirement in wanted:
        name = re.split(r"[<>=]", requirement)[0]
        assert f"| {name} |" in page, name


def test_every_exit_code_is_documented() -> None:
    page = (REFERENCE / "exit-codes.md").read_text()
    codes = (value for name, value in vars(exit_codes).items() if name.startswith("EXIT_"))
    for code in (0, 2, *codes):  # 2: click's own, for a wrong call
        assert f"| {code} |" in page


@covers("MEM-2")
def test_every_kind_and_every_name_that_others_have_for_it_is_documented() -> None:
    page = (REFERENCE / "kinds.md").read_text()
    rows = [row.strip("|").split("|") for row in page.splitlines() if row.startswith("| ")]
    cells = {name.strip(): row[1].strip() for row in rows for name in row[0].split(",")}
    assert {name: cells[name] for name in KINDS_ELSEWHERE} == {
        name: kind.value for name, kind in KINDS_ELSEWHERE.items()
    }
    assert {name: cells[name].split(";")[0] for name in claude_code_memory.KINDS} == claude_code_memory.KINDS
    assert set(Kind) <= set(cells)


def examples(document: Path) -> list[list[str]]:
    """The lines of console examples that call us: `$ recollect ...`."""
    return [shlex.split(line)[1:] for line in re.findall(r"^\$ (recollect .+)$", document.read_text(), re.MULTILINE)]


def stories() -> list[Path]:
    """Documents whose examples are one story, each with what it prints."""
    return [ROOT / "docs/explanation/remembering.md", ROOT / "docs/how-to/review.md"]


ALONE = [path for path in DOCUMENTS if examples(path) and path not in stories()]


@pytest.mark.parametrize("document", ALONE, ids=lambda path: path.name)
def test_examples_run(home: Home, document: Path) -> None:
    for example in examples(document):
        done = home.recollect(*example)
        assert done.returncode in (0, exit_codes.EXIT_NOT_RUNNING), (example, done.stderr)


STEP = re.compile(
    r"^\$ (?:echo '(?P<stdin>.+)' \| )?recollect (?P<call>.+)\n(?P<told>(?:(?!\$ |```).*\n)*)", re.MULTILINE
)
ID = re.compile(r"\b[a-z2-9]{8}\b")  # also words of eight letters, which are the same on both sides
VARIES = re.compile(r"\d{4}-\d\d-\d\d|score 0\.\d\d|project:[^\s)]+")


@pytest.mark.parametrize("document", stories(), ids=lambda path: path.name)
def test_a_story_goes_as_it_is_told(home: Home, document: Path) -> None:
    ids: dict[str, str] = {}  # as they are written -> as they are here
    steps = list(STEP.finditer(document.read_text()))
    assert steps
    for step in steps:
        call = [ids.get(word, word) for word in shlex.split(step["call"])]
        shown = home.said(*call, stdin=(step["stdin"] or "").encode())
        ids.update(zip(ID.findall(step["told"]), ID.findall(shown), strict=True))
        told = ID.sub(lambda found: ids[found[0]], step["told"])
        assert VARIES.sub("...", shown) == VARIES.sub("...", told), step["call"]


def test_the_block_in_the_readme_is_what_the_demo_prints(home: Home) -> None:
    blocks = [moment.get("block", "") for moment in home.json("demo")["moments"]]
    shown = {line for block in blocks for line in block.splitlines()}
    told = re.findall(r"^ {4}((?:<|\[|Ref|- ).*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(told) > 6
    assert shown.issuperset(told)
