"""The plugin as a package of npm: what is in it, and that the real client loads it."""

import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from recollect import __version__
from tests.e2e.opencode import Project

pytestmark = pytest.mark.paired

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "opencode"
MAX_BYTES = 50_000
STANDING = "Always use type hints in new code."


def npm(*args: str) -> str:
    program = shutil.which("npm")
    if program is None:
        pytest.fail("npm is missing: the package of the plugin is made with it (Node.js 20 or newer)")
    done = subprocess.run(
        [program, *args, "--json", "--loglevel=error"],
        cwd=PLUGIN,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, packed as it would be published, and unpacked."""
    folder = tmp_path_factory.mktemp("packed")
    npm("pack", "--pack-destination", str(folder))
    with tarfile.open(folder / f"recollect-opencode-{__version__}.tgz") as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


def test_the_package_holds_the_plugin_and_what_belongs_to_it_and_nothing_else(package: Path) -> None:
    files = sorted(str(path.relative_to(package)) for path in package.rglob("*") if path.is_file())
    parts = [f"recollect/{path.name}" for path in (PLUGIN / "recollect").glob("*.ts")]
    assert len(parts) > 2
    assert files == sorted(["LICENSE", "README.md", "package.json", "recollect.ts", *parts])
    assert sum((package / name).stat().st_size for name in files) < MAX_BYTES
    for name in files:
        assert (package / name).read_bytes() == (PLUGIN / name).read_bytes()


def test_a_dry_run_promises_the_same(package: Path) -> None:
    (promised,) = json.loads(npm("pack", "--dry-run"))
    assert {file["path"] for file in promised["files"]} == {
        str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()
    }
    assert (promised["name"], promised["version"]) == ("recollect-opencode", __version__)
    assert not list(PLUGIN.glob("*.tgz"))


def test_the_package_names_no_place_of_the_machine_that_made_it(package: Path) -> None:
    here = {str(ROOT), str(package), str(Path.home())} - {"/"}
    for path in package.rglob("*"):
        if path.is_file():
            text = path.read_text()
            assert not [place for place in here if f"{place}/" in text], path


def test_the_client_loads_the_package_from_a_folder(project: Project, package: Path) -> None:
    shutil.copytree(package, project.path / "vendor" / "recollect-opencode")
    project.configure({"plugin": ["./vendor/recollect-opencode"]})
    machine = project.machine
    assert machine.recollect("remember", STANDING, "--kind", "preference", cwd=project.path).returncode == 0
    assert machine.recollect("start").returncode == 0
    run = project.run("Hello there, what can you do?")
    assert run.exit_code == 0, run.stderr
    (chat,) = run.chats
    assert STANDING in "".join(chat.system_fences)
    assert "recollect" not in run.stderr.lower()
