"""Where old sessions lie: the files of every host on this machine, or those that somebody names.

Files only. A link that leads out of its folder is not followed, and what cannot be read is named, not an error.
"""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from recollect.domain.transcript import Form, Mark

HEAD_BYTES = 1 << 18  # as much of a file as is looked at; the first lines of some are long
_FOLDER = re.compile(r'(?<!\\)"cwd"\s*:\s*(?P<folder>"(?:[^"\\]|\\.){1,4000}")')
_CLAUDE = re.compile(r'(?<!\\)"(?:parentUuid|leafUuid|isSidechain)"\s*:')
_CODEX = re.compile(
    r'(?<!\\)"(?:type|record_type)"\s*:\s*"(?:session_meta|response_item|state)"|\A\{"id":"[^"]+","times'
)
_SESSION = re.compile(r'(?<!\\)"sessionId"\s*:')
_TURN = re.compile(r"^_\*\*(?:User|Agent|Assistant)\b", re.MULTILINE)
_SQLITE = b"SQLite format 3\x00"
SPECSTORY = (".specstory", "history")
DATABASES = "opencode*.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One file with old sessions."""

    path: Path
    form: Form
    size: int
    changed_ns: int
    met_in: Path | None = None  # the folder that was looked through; None: it was named itself

    @property
    def changed_at(self) -> datetime:
        return datetime.fromtimestamp(max(0, self.changed_ns) / 1e9, UTC)

    @property
    def mark(self) -> Mark:
        """Which one it is, and its state now."""
        return marked(self.path, f"{self.size}:{self.changed_ns}")

    @property
    def project_folder(self) -> Path | None:
        """Of a file that lies in its project; None: the file itself tells, or nobody does."""
        folder = self.path.absolute().parent
        return folder.parents[1] if folder.parts[-2:] == SPECSTORY else None


def marked(path: Path, state: str, session: str = "") -> Mark:
    name = f"{path.absolute()}\0{session}".encode("utf-8", "surrogateescape")
    return Mark(source=sha256(name).hexdigest()[:32], state=state)


@dataclass(slots=True)
class Places:
    """What was found, and what could not be used."""

    found: list[Found] = field(default_factory=list)
    unreadable: list[tuple[Path, str]] = field(default_factory=list)
    not_understood: int = 0

    def of_machine(self, env: Mapping[str, str], home: Path) -> None:
        """All that the hosts of this machine keep."""
        for form, folder, glob in _kept(env, home):
            for path in self._files(folder):
                if path.match(glob):
                    self._take(path, folder, form)

    def of_project(self, root: Path) -> None:
        """What lies in the project itself."""
        folder = root.joinpath(*SPECSTORY)
        if not folder.resolve().is_relative_to(root.resolve()):  # a link to what lies elsewhere, as another project
            return
        for path in self._files(folder):
            self._take(path, folder)

    def named(self, path: Path) -> None:
        """A file, or all that is understood in a folder."""
        if not path.is_dir():
            self._take(path, None)
            return
        for inside in self._files(path):
            self._take(inside, path)

    def _files(self, folder: Path) -> Iterator[Path]:
        def refused(error: OSError) -> None:
            self.unreadable.append((Path(str(error.filename)), error.strerror or str(error)))

        if not folder.is_dir():
            return
        for place, names, files in os.walk(folder, onerror=refused):
            names.sort()
            yield from (Path(place, name) for name in sorted(files))

    def _take(self, path: Path, inside: Path | None, known: Form | None = None) -> None:
        """`inside`: the folder that it must lie in; `known`: its form, where its place tells."""
        try:
            if inside is not None and path.is_symlink() and not path.resolve().is_relative_to(inside.resolve()):
                self.not_understood += 1
                return
            facts = path.stat()
            if not stat.S_ISREG(facts.st_mode):
                self.not_understood += 1
                return
            form = known or form_of(path, head_of(path))
        except (OSError, RuntimeError) as error:  # RuntimeError: a circle of links
            self.unreadable.append((path, (error.strerror if isinstance(error, OSError) else None) or str(error)))
            return
        if form is None:
            self.not_understood += 1
        else:
            size, changed_ns = facts.st_size, facts.st_mtime_ns
            self.found.append(Found(path=path, form=form, size=size, changed_ns=changed_ns, met_in=inside))


def _kept(env: Mapping[str, str], home: Path) -> Iterator[tuple[Form, Path, str]]:
    claude = env.get("CLAUDE_CONFIG_DIR")
    for folder in [Path(claude)] if claude else [home / ".claude", home / ".config/claude"]:
        yield Form.CLAUDE_CODE, folder / "projects", "*.jsonl"
    codex = Path(env.get("CODEX_HOME") or home / ".codex")
    yield Form.CODEX, codex / "sessions", "rollout-*.jsonl"
    yield Form.CODEX, codex / "archived_sessions", "rollout-*.jsonl"
    opencode = Path(env.get("XDG_DATA_HOME") or home / ".local/share") / "opencode"
    yield Form.OPENCODE_FILES, opencode / "storage/session", "ses_*.json"
    # Not all that lies beside it: that is what sessions worked on.
    for database in sorted(opencode.glob(DATABASES)) if opencode.is_dir() else []:
        yield Form.OPENCODE_DATABASE, opencode, database.name


def host_folders(env: Mapping[str, str], home: Path) -> list[Path]:
    """Where the hosts of this machine keep their sessions."""
    return list(dict.fromkeys(folder for _, folder, _ in _kept(env, home)))


def head_of(path: Path) -> bytes:
    with path.open("rb") as source:
        return source.read(HEAD_BYTES)


def form_of(path: Path, head: bytes) -> Form | None:
    """Told from its name and its beginning; None: no session of a host that we know."""
    if head.startswith(_SQLITE):
        return Form.OPENCODE_DATABASE if path.match(DATABASES) else None
    text = head.decode("utf-8", "replace")
    if path.suffix == ".md":
        return Form.SPECSTORY if _TURN.search(text) else None
    if path.suffix == ".jsonl":
        if _CODEX.search(text):
            return Form.CODEX
        return Form.CLAUDE_CODE if _SESSION.search(text) and _CLAUDE.search(text) else None
    if path.suffix != ".json":
        return None
    if path.parts[-4:-2] == ("storage", "session"):
        return Form.OPENCODE_FILES
    return Form.OPENCODE_EXPORT if '"info"' in text[:100] and '"id": "ses_' in text[:300] else None


def folder_of(found: Found) -> str | None:
    """Where the session worked, as its first lines say; None: they do not."""
    own = found.project_folder
    if own is not None:
        return str(own)
    try:
        head = head_of(found.path).decode("utf-8", "replace")
    except OSError:
        return None
    pattern = _FOLDER if found.form in (Form.CLAUDE_CODE, Form.CODEX) else _DIRECTORY
    told = pattern.search(head)
    try:
        return json.loads(told["folder"]) if told else None
    except ValueError:
        return None


_DIRECTORY = re.compile(r'(?<!\\)"directory"\s*:\s*(?P<folder>"(?:[^"\\]|\\.){1,4000}")')
