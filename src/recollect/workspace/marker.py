"""The project's own file, `.recollect.toml`: it may name the project and hold its settings. Here: found, and its name.

It can come with a repository that somebody else wrote: it claims a name, never what is known by a remote or a path.
"""

import os
from pathlib import Path

from recollect.domain.errors import InvalidSettings, InvalidValue
from recollect.domain.memory import ProjectId, check_name
from recollect.domain.project import BY_NAME
from recollect.privacy.secrets import redact

NAME = ".recollect.toml"
MAX_BYTES = 100_000  # a file of settings; anything longer is something else


def find(folder: Path) -> Path | None:
    """The nearest one, from the folder up to the top of its working tree; outside of git up to the root."""
    for place in (folder, *folder.parents):
        marker = place / NAME
        if marker.is_file() and _is_trusted(marker):
            return marker
        if (place / ".git").exists():
            return None
    return None


def _is_trusted(marker: Path) -> bool:
    """In a folder that all may write into, such as a temporary one, somebody else's file says nothing about us."""
    return marker.stat().st_uid in (os.getuid(), 0, marker.parent.stat().st_uid)


def project_name(marker: Path) -> ProjectId | None:
    """`name:NAME` for `project = "NAME"`; None: this one does not say."""
    named = _entries(marker).get("project")
    if named is None:
        return None
    if not isinstance(named, str) or not named.strip():
        raise InvalidSettings(f'{marker}: `project` is a name in quotes, as in project = "shop". Mend it.')
    project = ProjectId(f"{BY_NAME}{named.strip()}")
    if redact(project).found:
        raise InvalidSettings(f"{marker}: `project` looks like a secret, and names are kept. Give it another name.")
    try:
        check_name(project, "project")
    except InvalidValue as error:
        raise InvalidSettings(f"{marker}: {error} Give it a shorter or plainer name.") from None
    return project


def check_project_name(name: str) -> None:
    if not name or not name.isprintable() or '"' in name or "\\" in name:
        raise InvalidValue("A name takes printable characters, without quotes and backslashes.")
    if redact(f"{BY_NAME}{name}").found:
        raise InvalidValue("The name looks like a secret, and names are kept. Give it another one.")


def write_name(marker: Path, name: str) -> None:
    """Writes the name into the first line; whatever else stands there stays."""
    check_project_name(name)
    if marker.is_symlink():  # who made the repository would choose what is written to
        raise InvalidValue(f"{marker} is a link; write the name into the file that it leads to, or remove the link.")
    text = marker.read_text(encoding="utf-8") if marker.exists() else ""
    marker.write_text(f'project = "{name}"\n{text}', encoding="utf-8")


def remove_name(marker: Path, name: str) -> bool:
    """Takes the name out again, and the file if nothing else is in it. False: it is not there as we wrote it."""
    try:
        first, _, rest = marker.read_text(encoding="utf-8").partition("\n")
        if first.strip() != f'project = "{name}"':
            return False
        if rest.strip():
            marker.write_text(rest, encoding="utf-8")
        else:
            marker.unlink()
    except (OSError, ValueError):
        return False
    return True


def _entries(marker: Path) -> dict[str, object]:
    import tomllib  # most folders have no such file, and every command starts quicker without it

    try:
        if marker.stat().st_size > MAX_BYTES:
            raise InvalidSettings(f"{marker} is larger than {MAX_BYTES:,} bytes. Shorten it, or move it away.")
        return tomllib.loads(marker.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # not allowed, no UTF-8, no TOML, brackets without bottom
        raise InvalidSettings(f"{marker} cannot be read as TOML: {error}. Mend it, or move it away.") from None
