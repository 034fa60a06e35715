"""The hook imports nothing of ours; what it has in common with us is held together here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import __version__, client, connection, hook
from recollect.cli.commands.hook import HOSTS, MOMENTS, arguments
from recollect.daemon import app
from recollect.domain.errors import InvalidSettings
from recollect.paths import find_paths
from tests.requirements import covers

COSTLY = set("argparse enum json os pathlib re select signal site socket subprocess typing".split())


def test_the_hook_has_the_version_of_its_package() -> None:
    assert __version__ == hook.VERSION


def test_the_hook_takes_as_much_as_the_daemon() -> None:
    assert hook.MAX_PAYLOAD_BYTES == connection.MAX_BODY_BYTES


@pytest.mark.parametrize(("long", "tmpdir"), [("", "/t"), ("/long" * 25, "/tmp/./t/"), ("/long" * 25, "t")])
@pytest.mark.parametrize("runtime", [None, "", "run", "{}/run", "{}//./run/", "{}/nowhere"])
@pytest.mark.parametrize("state", [None, "", "state", "{}/state", "{}/./state//"])
@pytest.mark.parametrize("home", ["{}", "{}/", "", None])
def test_the_hook_looks_for_the_daemon_where_it_is(
    tmp_path: Path,
    home: str | None,
    state: str | None,
    runtime: str | None,
    long: str,
    tmpdir: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "run").mkdir()
    given = {"HOME": home, "XDG_STATE_HOME": state and state + long, "XDG_RUNTIME_DIR": runtime, "TMPDIR": tmpdir}
    env = {name: value.format(tmp_path) for name, value in given.items() if value is not None}
    if home is None:
        monkeypatch.delenv("HOME")  # both ask the system
    else:
        monkeypatch.setenv("HOME", env["HOME"])
    places = find_paths(env)
    seen = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
    assert hook.state_folder(seen) == os.fsencode(places.state)
    assert hook.runtime_folder(seen, hook.state_folder(seen)) == os.fsencode(places.runtime)


@pytest.mark.parametrize(
    "name", ["HOME", "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "RECOLLECT_X", "HOMES", "OPENAI_KEY"]
)
def test_the_daemon_gets_the_same_environment_from_a_hook(name: str) -> None:
    kept = name.encode() in hook.DAEMON_ENV or name.encode().startswith(hook.DAEMON_ENV_PREFIXES)
    assert kept == bool(client.DAEMON_ENV.fullmatch(name))


def test_the_daemon_gets_the_same_of_ours_whoever_starts_it() -> None:
    ours = {name.decode(): value.decode() for name, value in hook.DAEMON_OWN_ENV.items()}
    assert ours == client.DAEMON_OWN_ENV


@pytest.mark.parametrize(
    ("version", "older"),
    [
        ("0.0.9", True),
        ("0.1.9", True),
        ("0", True),
        ("0.1rc3", True),
        ("0.1.1234567890123", True),
        ("0.2", False),
        ("0.2.0", False),
        ("0.2.0rc1", False),
        ("0.2.0.post1", False),
        ("0.10", False),
        ("99", False),
        ("", False),
        ("x", False),
        (".1", False),
        ("\u0661", False),
    ],
)
def test_the_hook_and_the_client_agree_on_what_is_older(
    version: str, older: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "__version__", "0.2.0")
    monkeypatch.setattr(hook, "VERSION", "0.2.0")
    assert (client.is_older(version), hook.is_older(version.encode())) == (older, older)
    assert client.is_older(None) is False


@covers("INJ-10")
def test_the_deadlines_are_those_that_agents_were_promised() -> None:
    assert (hook.START_S, hook.OTHER_S) == (1.8, 0.4)


def test_a_home_that_is_no_whole_path_is_used_by_nobody() -> None:
    """The daemon works in another folder than the host: it would be somewhere else."""
    with pytest.raises(InvalidSettings, match="HOME is 'nowhere'"):
        find_paths({"HOME": "nowhere"})
    with pytest.raises(hook.HookFailed):
        hook.state_folder({b"HOME": b"nowhere"})


@covers("INJ-10")
def test_the_hook_loads_nothing_that_costs_more_than_its_question() -> None:
    command = [sys.executable, "-X", "importtime", *arguments(HOSTS[0], MOMENTS[0])[1:]]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, env={"HOME": "/"}, capture_output=True, timeout=30)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "_socket" in loaded
    assert not loaded & COSTLY


def test_every_host_with_hooks_is_known_to_the_daemon() -> None:
    assert set(HOSTS) <= set(app.HOSTS)
    assert hook.START in MOMENTS
    assert all(map(hook.is_name, [*HOSTS, *MOMENTS]))


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({b"CI": b"true"}, True),
        ({b"TF_BUILD": b"1"}, True),
        ({b"CLAUDE_CODE_ENTRYPOINT": b"sdk-cli"}, True),
        ({b"CLAUDE_CODE_ENTRYPOINT": b"cli"}, False),
        ({b"CI": b"false"}, False),
        ({}, False),
    ],
)
def test_a_hook_says_where_nobody_sits(env: dict[bytes, bytes], says: bool) -> None:
    told = json.loads(hook.mark_headless(b' {"type": "prompt"}', env))
    assert told == {"type": "prompt"} | ({"headless": True} if says else {})
    assert json.loads(hook.mark_headless(b'{"headless": false}', env)) == {"headless": False}
    assert hook.mark_headless(b"{}", env) == b"{}"
    assert hook.mark_headless(b"no JSON", env) == b"no JSON"
