"""What a user installs: the wheel, without this checkout."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.process.conftest import Home

ROOT = Path(__file__).parents[2]


def unpacked_wheel(tree: Path, into: Path) -> Path:
    """What the wheel of a source tree installs."""
    built, unpacked = into / "wheel", into / "unpacked"
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", built, tree],
        check=True,
        capture_output=True,
        timeout=120,
    )
    (wheel,) = built.glob("recollect-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    return unpacked


def ran(unpacked: Path, *command: str, env: dict[str, str], cwd: Path) -> str:
    """What a command of that installation says; the first line is where it was loaded from."""
    run = "from recollect.cli.entry import run; import recollect; print(recollect.__file__); run()"
    done = subprocess.run(
        [sys.executable, "-c", run, *command],
        env=env | {"PYTHONPATH": str(unpacked)},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(unpacked))
    return done.stdout


def test_the_wheel_carries_the_plugin_and_installs_it(home: Home, tmp_path: Path) -> None:
    unpacked = unpacked_wheel(ROOT, tmp_path)
    project = tmp_path / "project"
    project.mkdir()
    ran(unpacked, "install", "opencode", "--project", env=home.env, cwd=project)
    sources = ROOT / "plugins/opencode"
    for source in (sources / "recollect.ts", *(sources / "recollect").glob("*.ts")):
        installed = project / ".opencode/plugin" / source.relative_to(sources)
        assert installed.read_text() == source.read_text()
    assert "unchanged" in ran(unpacked, "install", "opencode", "--project", env=home.env, cwd=project)
    assert not (unpacked / "recollect/embed/data").exists(), "only `make wheel` puts the model in"


def test_a_release_wheel_carries_the_model(home: Home, tmp_path: Path, model_folder: Path) -> None:
    """As `make wheel` builds it, in a copy of what it reads."""
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__", "data"))
    shutil.copytree(ROOT / "plugins", tree / "plugins", ignore=shutil.ignore_patterns("node_modules"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(model_folder, tree / "src/recollect/embed/data")
    unpacked = unpacked_wheel(tree, tmp_path)
    said = ran(unpacked, "model", "status", env=home.env, cwd=home.path)
    assert str(unpacked / "recollect/embed/data") in said
    assert "came with Recollect stays" in ran(unpacked, "model", "remove", env=home.env, cwd=home.path)
