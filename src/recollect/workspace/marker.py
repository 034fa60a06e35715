"""The project's own file, `.recollect.toml`, which may name the project and have its settings. Finds it, reads its name.

It can come with a repository of a stranger: it can claim a name, never a project that is known by a remote or a path.
"""

import os
from pathlib import Path

from recollect.domain.errors import InvalidSettings, InvalidValue
from recollect.domain.memory import ProjectId, check_name

NAME = ".recollect.toml"
MAX_BYTES = 100_000  # a longer file is not a settings file


def find(folder: Path) -> Path | None:
    """Return the nearest file, from the folder up to the top of its working tree; outside git up to `/`."""
    for place in (folder, *folder.parents):
        marker = place / NAME
        if marker.is_file() and _is_trusted(marker):
            return marker
        if (place / ".git").exists():
            return None
    return None


def _is_trusted(marker: Path) -> bool:
    """Refuse the file of another user in a folder that all may write to, such as a temporary one."""
    return marker.stat().st_uid in (os.getuid(), 0, marker.parent.stat().st_uid)


def project_name(marker: Path) -> ProjectId | None:
    """`name:NAME` for `project = "NAME"`; None: the file does not name the project."""
    name = _entries(marker).get("project")
    if name is None:
        return None
    if not isinstance(name, str) or not name.strip():
        raise InvalidSettings(f'{marker}: `project` must be a name in quotes, as in project = "shop". Correct it.')
    project = _project_id(name.strip())
    if _looks_like_secret(project):
        raise InvalidSettings(f"{marker}: `project` looks like a secret, and names are stored. Choose another name.")
    try:
        check_name(project, "project")
    except InvalidValue as error:
        raise InvalidSettings(f"{marker}: {error} Choose a shorter or plainer name.") from None
    return project


def check_project_name(name: str) -> None:
    if not name or not name.isprintable() or '"' in name or "\\" in name:
        raise InvalidValue("A project name has printable characters only, without quotes and backslashes.")
    if _looks_like_secret(_project_id(name)):
        raise InvalidValue("The name looks like a secret, and names are stored. Choose another one.")


def _project_id(name: str) -> ProjectId:
    from recollect.domain.project import BY_NAME  # needed only where there is a file, and every command looks for one

    return ProjectId(f"{BY_NAME}{name}")


def _looks_like_secret(project: ProjectId) -> bool:
    from recollect.privacy.secrets import redact  # as above

    return bool(redact(project).found)


def write_name(marker: Path, name: str) -> None:
    """Write the name into a new first line; the rest of the file stays."""
    check_project_name(name)
    if marker.is_symlink():  # the author of the repository would choose the file that is written
        raise InvalidValue(f"{marker} is a link. Write the name into the file that it points to, or remove the link.")
    text = marker.read_text(encoding="utf-8") if marker.exists() else ""
    marker.write_text(f'project = "{name}"\n{text}', encoding="utf-8")


def remove_name(marker: Path, name: str) -> bool:
    """Remove the name, and the file if nothing else is in it. False: the name is not there as we wrote it."""
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
    import tomllib  # imported late: most folders have no such file, and every command starts quicker

    try:
        if marker.stat().st_size > MAX_BYTES:
            raise InvalidSettings(f"{marker} is larger than {MAX_BYTES:,} bytes. Shorten or remove it.")
        return tomllib.loads(marker.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # not readable, not UTF-8, not TOML, endless brackets
        raise InvalidSettings(f"{marker} cannot be read as TOML: {error}. Correct or remove it.") from None
