"""The same Recollect under another version: a second real package, run by PYTHONPATH."""

from pathlib import Path

import recollect

PACKAGE = Path(recollect.__file__).parent


def another_version(folder: Path, version: str) -> dict[str, str]:
    """The environment that runs it: everything but its number is the code under test."""
    package = folder / f"version-{version}" / "recollect"
    package.mkdir(parents=True)
    for part in PACKAGE.iterdir():
        if part.name not in ("__init__.py", "__pycache__"):
            (package / part.name).symlink_to(part)
    (package / "__init__.py").write_text(f'__version__ = "{version}"\n')
    return {"PYTHONPATH": str(package.parent)}
