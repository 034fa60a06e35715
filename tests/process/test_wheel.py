"""What a user installs: the wheel, without this checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.process.conftest import Home

ROOT = Path(__file__).parents[2]


def test_the_wheel_carries_the_plugin_and_installs_it(home: Home, tmp_path: Path) -> None:
    built, unpacked = tmp_path / "wheel", tmp_path / "unpacked"
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", built, ROOT],
        check=True,
        capture_output=True,
        timeout=120,
    )
    (wheel,) = built.glob("recollect-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    project = tmp_path / "project"
    project.mkdir()
    run = "from recollect.cli.entry import run; import recollect; print(recollect.__file__); run()"
    done = subprocess.run(
        [sys.executable, "-c", run, "install", "opencode", "--project"],
        env=home.env | {"PYTHONPATH": str(unpacked)},
        cwd=project,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(unpacked))
    installed = (project / ".opencode/plugin/recollect.ts").read_text()
    assert installed == (ROOT / "plugins/opencode/recollect.ts").read_text()
