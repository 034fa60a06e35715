"""The daemon answers as the command itself does: what is printed, what is complained of, and how it ends.

The daemon and its database are real. The command runs in this process, as its `main`: two hundred of them cost what
ten processes would.
"""

import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import pytest

from recollect.cli.main import main
from tests.process.conftest import Home
from tests.process.test_daemon import wait_until_running
from tests.process.transcripts import SESSION, claude_lines
from tests.repositories import a_repository

TEACHING = SESSION.replace("5f0d", "7c1e", 1)

# What is only looked at. {names} are the ids of what `_taught` teaches.
READING = (
    "recall deploy",
    "recall deploy --why",
    "recall snapshot --json",
    "recall retries --limit 1 --json",
    "recall auth --status any --json",
    "recall auth --status superseded",
    "recall retries --status stale",
    "recall pay --kind file_context --scope project",
    "recall tabs --language python --json",
    "recall deploy --since 2026-01-01 --until 2090-01-01",
    "recall ledger --archive",
    "recall ledger --archive --why --json",
    "recall xylophone",
    "recall xylophone --json",
    "list",
    "list --json",
    "list --limit 1",
    "list --language python",
    "list --project other",
    "show {helm}",
    "show {helm} --json",
    "show {fast}",
    "show {slow}",
    "show {jwt}",
    "show {retries}",
    "show {retries} --json",
    "show {forgotten}",
    "show {forgotten} --json",
    "show twin0000a",
    "history {jwt}",
    "history {sessions} --json",
    "history {retries}",
    "history {forgotten}",
    "forget {helm} --dry-run",
    "forget --match retries --dry-run",
    "forget --match retries --dry-run --json",
    "forget --match xylophone --yes",
    "undo --list",
    "undo --list --limit 2",
    "undo --list --json",
)
# What is refused by whoever answers.
REFUSED = (
    "recall deploy --project nowhere",
    "recall deploy --scope project:nowhere",
    "list --project nowhere",
    "remember Something. --scope nonsense:x",
    "remember Something. --file nowhere/at/all.py --scope universal",
    "show zzzzzzzz",
    "show zz",
    "show twin",
    "show ''",
    "history zzzzzzzz",
    "history twin",
    "forget zzzzzzzz",
    "forget {forgotten}",
    "forget {helm} zzzzzzzz",
    "forget --match '...' --yes",
    "forget --match deploy",  # no terminal to ask in
    "forget {helm} --now",
    "undo 999",
    "undo --session nobody",
    f"undo --session {SESSION[:6]}",  # it taught nothing
)
# What is wrong in itself: nobody is asked.
MISTAKEN = (
    "recall deploy --scope nonsense:x",
    "recall deploy --archive --kind decision",
    "recall deploy --since yesterday-ish",
    "recall ''",
    "list --limit 0",
    "show",
    "forget",
    "forget {helm} --match deploy",
    "undo 1 --list",
    "undo 1 --session s",
)
# What changes something, in this order. A tab stands before what is typed at a terminal.
WRITING = (
    "remember 'The cache is Redis.'",
    "remember 'The cache is Redis.'",
    "remember 'The cache is Redis.' --json",
    "remember 'The build cache is warm.'",
    "remember 'The build cache is cold.'",
    "remember 'The build cache is cold.' --json",
    "remember 'Auth now uses passkeys instead of sessions.' --json",
    "remember 'The key is AKIAIOSFODNN7EXAMPLE, keep it.' --title Key --alias secret",
    "remember 'Refunds go through the ledger.' --file src/pay.py --kind file_context --json",
    "remember - --scope universal",
    "undo",
    "undo --json",
    "forget {helm}",
    "forget {helm}",
    "undo",
    "forget --match cache --yes --json",
    "undo --list --limit 3",
    f"undo --session {TEACHING[:6]}",
    f"undo --session {TEACHING[:6]}",
    "undo --json",
    "undo",
    "forget --match cache\tn",
    "forget --match cache\ty",
    "forget twin0000a --now --yes",
    "forget {forgotten} --now\ty",
    "undo",
    "undo 999",
    "show twin0000a",
    "list --json",
    "undo --list --json",
)


class Said(NamedTuple):
    code: int
    out: str
    err: str


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Stage:
    """A home with a project in it, and what is known there."""

    home: Home
    shop: Path
    ids: dict[str, str]

    def run(self, *args: str, typed: str | None = None, **env: str) -> Said:
        given = (typed or "Piped in.").encode()
        stdin = (io.TextIOWrapper if typed is None else _Terminal)(io.BytesIO(given), encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            for name in [name for name in os.environ if name.startswith(("XDG_", "RECOLLECT_"))]:
                patch.delenv(name)
            for name, value in (self.home.env | env).items():
                patch.setenv(name, value)
            patch.chdir(self.shop)
            patch.setattr(sys, "argv", ["recollect", *args])
            patch.setattr(sys, "stdin", stdin)
            with redirect_stdout(out), redirect_stderr(err):
                code = main()
        return Said(code, out.getvalue(), err.getvalue())

    def line(self, line: str, *options: str) -> Said:
        """A line of the tables above."""
        command, tab, typed = line.format_map(self.ids).partition("\t")
        return self.run(*shlex.split(command), *options, typed=f"{typed}\n" if tab else None)

    def id_of(self, *args: str) -> str:
        done = self.run(*args, "--json", "--direct")
        assert done.code == 0, done.err
        return str(json.loads(done.out)["id"])

    @property
    def requests(self) -> int:
        """How many the daemon had before this very question."""
        return int(self.home.client.get("/v1/status")["requests"]) - 1

    def asked(self, line: str, *options: str) -> tuple[Said, int]:
        """And how often the daemon was asked for it."""
        before = self.requests
        return self.line(line, *options), self.requests - before - 1

    def bytes(self) -> bytes:
        """All that lies beside the database, and the database."""
        return b"".join(file.read_bytes() for file in self.home.places.database.parent.rglob("*") if file.is_file())

    def copy(self, name: str) -> "Stage":
        """The same project and the same memories, in a database and with a daemon of its own."""
        data, state = self.home.path / name, self.home.path / f"{name}-state"
        shutil.copytree(self.home.places.database.parent, data / "recollect")
        env = self.home.env | {"XDG_DATA_HOME": str(data), "XDG_STATE_HOME": str(state)}
        return replace(self, home=Home(self.home.path, env))


@contextmanager
def served(stage: Stage) -> Iterator[Stage]:
    daemon = stage.home.daemon()
    try:
        wait_until_running(stage.home.client)
        yield stage
    finally:
        daemon.kill()
        daemon.wait()


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A contradiction, an update, a file that changed, a forgotten one, two ids that begin alike, an old session."""
    path = tmp_path_factory.mktemp("home")
    env = {"HOME": str(path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(path)}
    shop = a_repository(path / "shop", remote="https://example.org/shop.git")
    (shop / "src").mkdir()
    (shop / "src/pay.py").write_text("one\n")
    stage = Stage(Home(path, env), shop, {})
    about_pay = ("--file", "src/pay.py", "--kind", "file_context")
    stage.ids.update(
        helm=stage.id_of("remember", "We deploy with Helm."),
        fast=stage.id_of("remember", "Snapshot tests are fast."),
        slow=stage.id_of("remember", "Snapshot tests are slow."),
        jwt=stage.id_of("remember", "Auth uses JWT."),
        sessions=stage.id_of("remember", "Auth now uses sessions instead of JWT."),
        retries=stage.id_of("remember", "Retries of pay wait 3 s.", *about_pay),
        tabs=stage.id_of("remember", "Indent with tabs.", "--scope", "language:python"),
        forgotten=stage.id_of("remember", "The office plant is called Rex."),
    )
    (shop / "src/pay.py").write_text("two\n")
    twins = [
        {"id": f"twin0000{end}", "text": f"The {colour} twin sorts invoices.", "scope": "project:other"}
        for end, colour in (("a", "red"), ("b", "blue"))
    ]
    (path / "twins.jsonl").write_text("".join(json.dumps(twin) + "\n" for twin in twins))
    teaching = "".join(claude_lines(shop, session=TEACHING))
    teaching = teaching.replace("Please look at the ledger, step 0.", "We decided to use pnpm for every build.")
    (path / "old.jsonl").write_text("".join(claude_lines(shop)))
    (path / "teaching.jsonl").write_text(teaching)
    for args in (
        ("import", str(path / "twins.jsonl")),
        ("capture", "--yes", str(path / "old.jsonl"), str(path / "teaching.jsonl")),
        ("forget", stage.ids["forgotten"]),
    ):
        done = stage.run(*args)
        assert done.code == 0, done.err
    return stage


@pytest.fixture(scope="module")
def stage(taught: Stage) -> Iterator[Stage]:
    with served(taught.copy("read")) as there:
        yield there


def steady(said: Said) -> Said:
    """Without what grows older between two questions."""
    out = re.sub(r'((?:score|recency)"?:? )[\d.]+', r"\1N", said.out)
    return said._replace(out=out)


def timeless(said: Said) -> Said:
    """Without ids and times: two databases give their own."""

    def masked(text: str) -> str:
        text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+", "TIME", text)
        text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "MINUTE", text)
        return re.sub(r"\b[0-9a-z]{8}\b", "ID", text)

    return Said(said.code, masked(said.out), masked(said.err))


@pytest.mark.parametrize("line", READING)
def test_the_daemon_answers_what_the_command_answers_itself(stage: Stage, line: str) -> None:
    through, asked = stage.asked(line)
    itself, not_asked = stage.asked(line, "--direct")
    assert steady(through) == steady(itself)
    assert through.code == 0, through.err
    assert (asked, not_asked) == (1, 0)


@pytest.mark.parametrize("line", REFUSED)
def test_the_daemon_refuses_in_the_same_words(stage: Stage, line: str) -> None:
    through, asked = stage.asked(line)
    itself, not_asked = stage.asked(line, "--direct")
    assert through == itself
    assert (through.code, through.out) == (1, "")
    # What is the name of no memory may be that of a session: that is asked as well.
    assert (asked, not_asked) == (2 if line.startswith("show ") else 1, 0)


@pytest.mark.parametrize("line", MISTAKEN)
def test_what_is_wrong_in_itself_asks_nobody(stage: Stage, line: str) -> None:
    through, asked = stage.asked(line)
    assert through == stage.line(line, "--direct")
    assert through.code != 0
    assert asked == 0


def test_what_is_written_through_the_daemon_is_what_the_command_writes_itself(taught: Stage) -> None:
    itself = taught.copy("itself")
    with served(taught.copy("through")) as through:
        for line in WRITING:
            before = through.requests
            assert timeless(through.line(line)) == timeless(itself.line(line)), line
            assert through.requests > before + 1, line
        assert b"deploy with Helm" in (kept := through.bytes())
        assert b"red twin" not in kept  # forgotten for good, to the last byte, beside a daemon that has it all open


def test_a_daemon_of_another_environment_is_passed_over(stage: Stage) -> None:
    before = stage.requests
    one = stage.run("recall", "snapshot", "--json", RECOLLECT_SEARCH__HITS="1")
    assert len(json.loads(one.out)["hits"]) == 1
    assert stage.requests - before - 1 == 1  # it refused the question
    assert len(json.loads(stage.run("recall", "snapshot", "--json").out)["hits"]) == 2


def test_a_daemon_that_hangs_is_passed_over_and_said(stage: Stage) -> None:
    pid = stage.home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        said = stage.run("list")
        twice = stage.run("forget", "--match", "deploy", typed="n\n")
    finally:
        os.kill(pid, signal.SIGCONT)
    assert said._replace(err="") == stage.run("list", "--direct")
    assert (
        said.err
        == twice.err
        == "The daemon did not respond; used the database directly. `recollect restart` may help.\n"
    )


def test_a_folder_of_another_user_is_passed_over_and_said(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as other_user:
        other_user.setattr(os, "getuid", lambda: 4242)
        said = stage.run("list")
    assert said._replace(err="") == stage.run("list", "--direct")
    assert said.err == (
        f"{stage.home.places.runtime} belongs to another user. Remove it, or set XDG_RUNTIME_DIR to a folder of your "
        "own. Used the database directly.\n"
    )


def test_a_mistake_in_the_settings_is_said_whoever_answers(stage: Stage) -> None:
    file = stage.home.places.settings
    file.parent.mkdir(parents=True)
    file.write_text("[search]\nhitz = 1\n")
    try:
        through, itself = stage.run("list"), stage.run("list", "--direct")
    finally:
        shutil.rmtree(file.parent)
    assert through == itself
    assert through.code == 1
    assert "there is no setting 'hitz' in [search]; did you mean 'hits'?" in through.err


def test_the_settings_of_a_project_hold_through_the_daemon_too(stage: Stage) -> None:
    file = stage.shop / ".recollect.toml"
    file.write_text("[search]\nhits = 1\n")
    try:
        through, asked = stage.asked("recall snapshot --json")
        itself = stage.line("recall snapshot --json", "--direct")
    finally:
        file.unlink()
    assert steady(through) == steady(itself)
    assert len(json.loads(through.out)["hits"]) == 1
    assert asked == 1


# Each takes milliseconds to load, and every command would wait for it.
NOT_NEEDED = (
    *("numpy", "sqlite3", "recollect.wiring", "recollect.engine", "recollect.store", "recollect.embed"),
    *("http.client", "email", "rich", "tomllib", "recollect.config", "recollect.domain.settings"),
)


def test_whoever_asks_the_daemon_loads_no_engine(stage: Stage) -> None:
    script = (
        "import sys; from recollect.cli.main import main; sys.argv = ['recollect', *{args!r}]; assert main() == 0; "
        "sys.exit(', '.join(name for name in {heavy!r} if name in sys.modules) or None)"
    )
    for args in (["recall", "deploy"], ["list"], ["show", stage.ids["helm"]], ["undo", "--list"]):
        done = subprocess.run(
            [sys.executable, "-c", script.format(args=args, heavy=NOT_NEEDED)],
            env=stage.home.env,
            cwd=stage.shop,
            capture_output=True,
        )
        assert done.returncode == 0, (args, done.stderr.decode())
