import json
import signal
import subprocess
import time

import pytest

from tests.docs.reference import every_command
from tests.process.conftest import RECOLLECT, Home, without_styles


def test_a_sentence_is_taught_found_and_listed(home: Home) -> None:
    assert home.said("remember", "We deploy with Helm.").startswith("Remembered as ")
    assert "seen 2 times" in home.said("remember", "we deploy with HELM.")
    assert "We deploy with Helm." in home.said("recall", "helm")
    (line,) = home.said("list").splitlines()
    memory_id, kind, _, text = line.split("\t")
    assert (len(memory_id), kind, text) == (8, "decision", "We deploy with Helm.")


def test_what_is_taught_in_one_project_is_not_seen_in_another(home: Home) -> None:
    here, there = home.path / "here", home.path / "there"
    for folder in (here, there):
        folder.mkdir()
    home.said("remember", "We deploy with Helm.", cwd=here)
    home.said("remember", "Answer briefly.", "--scope", "universal", "--kind", "preference", cwd=here)
    assert [m["text"] for m in home.json("list", cwd=there)["memories"]] == ["Answer briefly."]
    assert home.said("recall", "helm", cwd=there) == ""
    assert "Helm" in home.said("recall", "helm", "--project", f"path:{here}", cwd=there)


def test_folders_with_the_same_name_in_their_marker_share_what_is_taught(home: Home) -> None:
    here, there = home.path / "here", home.path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / ".recollect.toml").write_text('project = "shop"\n')
    assert "project:name:shop" in home.said("remember", "We deploy with Helm.", cwd=here)
    assert home.said("recall", "helm", cwd=there) == ""  # not before somebody says that it may
    home.said("project", "accept", cwd=there)
    assert "Helm" in home.said("recall", "helm", cwd=there)


def test_a_marker_that_cannot_be_read_is_named(home: Home) -> None:
    (home.path / ".recollect.toml").write_text("project = ")
    for command in (["list"], ["remember", "We deploy with Helm."]):
        done = home.recollect(*command)
        assert (done.returncode, done.stdout) == (1, b"")
        assert b".recollect.toml cannot be read as TOML" in done.stderr


def test_nothing_known_yet_says_what_to_do(home: Home) -> None:
    done = home.recollect("list")
    assert (done.returncode, done.stdout) == (0, b"")  # a pipe stays empty
    assert b"recollect remember" in done.stderr
    assert "recollect remember" in home.in_terminal("list")


def test_every_answer_comes_as_json_on_request(home: Home) -> None:
    taught = home.json("remember", "We deploy with Helm.", "--title", "deploy", "--alias", "k8s", "--importance", "1.5")
    assert (taught["outcome"], taught["aliases"], taught["importance"]) == ("new", ["k8s"], 1.5)
    (hit,) = home.json("recall", "k8s")["hits"]
    assert hit["id"] == taught["id"]
    assert set(hit["factors"]) == {
        "relevance",
        "recency",
        "importance",
        "frequency",
        "kind",
        "words",
        "entity",
        "named",
    }
    assert home.json("list")["memories"][0]["id"] == taught["id"]


def test_text_can_come_from_standard_input(home: Home) -> None:
    home.said("remember", "-", stdin="Größe in µm, 日本語\n".encode())
    assert home.json("list")["memories"][0]["text"] == "Größe in µm, 日本語"


def test_what_holds_for_a_language_is_seen_with_it(home: Home) -> None:
    home.said("remember", "Format with black.", "--kind", "rule", "--scope", "language:Python")
    assert home.json("list")["memories"] == []
    assert len(home.json("list", "--language", "python")["memories"]) == 1
    assert len(home.json("recall", "black", "--language", "Python")["hits"]) == 1


def test_a_folder_that_is_gone_is_said(home: Home) -> None:
    gone = home.path / "gone"
    gone.mkdir()
    commands = "list 'remember x' 'recall x' 'install opencode --project'"
    script = f"cd {gone}; rmdir {gone}; for command in {commands}; do {RECOLLECT} $command; done"
    done = subprocess.run(["sh", "-c", script], env=home.env, capture_output=True, timeout=60)
    assert done.stderr.count(b"no longer exists") == 4
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["list", "pipe", "remember -"])
def test_closed_input_and_output_are_no_crash(home: Home, command: str, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{RECOLLECT} {command} {closed}"],
        env=home.env,
        cwd=home.path,
        input=b"x",
        capture_output=True,
        timeout=30,
    )
    assert done.returncode in (0, 1)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["list", "demo", "--help", "status"])
def test_output_that_cannot_be_written_is_said(home: Home, command: str) -> None:
    home.said("remember", "We deploy with Helm.")
    done = subprocess.run(
        ["sh", "-c", f"{RECOLLECT} {command} > /dev/full"], env=home.env, cwd=home.path, capture_output=True, timeout=30
    )
    assert (done.returncode, b"No space left" in done.stderr) == (1, True)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("args", [["pipe"], ["remember", "-"]])
@pytest.mark.parametrize("after_s", [0.02, 2.0])
def test_ctrl_c_ends_quietly_whenever_it_comes(home: Home, args: list[str], after_s: float) -> None:
    process = subprocess.Popen(
        [RECOLLECT, *args],
        env=home.env,
        cwd=home.path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(after_s)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    # Before the interpreter has begun to run us, it is Python's own business to end.
    assert process.returncode in (130, -signal.SIGINT, 1 if after_s < 0.1 else 130)
    if after_s > 0.1:
        assert said.strip() == b"Interrupted."


@pytest.mark.parametrize(
    ("args", "stdin", "code", "message"),
    [
        (["remember", ""], b"", 1, "empty"),
        (["remember", "-"], b"\xff\xfe", 1, "not UTF-8 (byte 0)"),
        (["remember", "-"], b"a\x00b", 1, "NUL"),
        (["remember", "-"], b"x" * 5_000_000, 1, "5,000,000 characters"),
        (["remember", "x", "--kind", "wish"], b"", 2, "There is no kind 'wish'; use one of"),
        (["remember", "x", "--title", "\udcff"], b"", 1, "The title"),
        (["remember", "x", "--scope", "project:"], b"", 1, "The scope 'project:' is not complete; use universal"),
        (["list", "--project", "\udcff"], b"", 1, "The project"),
        (["remember", "x", "--scope", "mars"], b"", 1, "no scope 'mars'"),
        (["remember"], b"", 2, "Missing argument"),
        (["remember", "we", "use", "pnpm"], b"", 2, 'Put the text in quotes: recollect remember "..."'),
        (["undo", "9223372036854775808"], b"", 1, "There is no change 9223372036854775808; `recollect undo --list`"),
        (["recal", "x"], b"", 2, "No such command 'recal'. Did you mean 'recall'?"),
        (["lst"], b"", 2, "Did you mean 'list'?"),
        (["pause", "1h"], b"", 2, "Did you mean --for 1h?"),
        (["list", "--kind", "wish"], b"", 2, "There is no kind 'wish'"),
        (["install", "emacs", "--project"], b"", 2, "'emacs'"),
        (["install", "opencode", "--project", "--user"], b"", 2, "Use either --project or --user"),
    ],
)
def test_bad_input_is_one_clear_line_and_an_exit_code(
    home: Home, args: list[str], stdin: bytes, code: int, message: str
) -> None:
    done = home.recollect(*args, stdin=stdin)
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (code, b"")
    assert message in said
    assert "Traceback" not in said


def test_a_database_that_cannot_be_used_is_said(home: Home) -> None:
    home.places.database.parent.mkdir(parents=True)
    home.places.database.write_text("no database " * 100)
    done = home.recollect("list")
    assert done.returncode == 1
    assert b"is not a SQLite database" in done.stderr


@pytest.mark.parametrize("command", ["recollect", *(context.command_path for context in every_command())])
def test_every_command_has_help(home: Home, command: str) -> None:
    said = home.said(*command.split()[1:], "--help")
    assert said.startswith(f"Usage: {command}")
    assert "--help" in said


def test_a_reader_that_leaves_early_is_no_error(home: Home) -> None:
    facts = home.path / "facts.jsonl"  # more than a pipe takes while nobody reads it
    facts.write_text("".join(json.dumps({"text": f"Fact number {n} " + "x" * 2000}) + "\n" for n in range(60)))
    home.said("import", str(facts))
    done = subprocess.run(
        ["sh", "-c", f"{RECOLLECT} list --json | head -c 10"],
        env=home.env,
        cwd=home.path,
        capture_output=True,
        timeout=30,
    )
    assert (len(done.stdout), done.stderr) == (10, b"")


def test_a_terminal_gets_a_table_that_fits_its_width(home: Home) -> None:
    home.said("remember", "We deploy with Helm " + "and more words " * 20, "--scope", "universal")
    shown = home.in_terminal("list", columns=60)
    assert "\x1b[" in shown
    lines = without_styles(shown).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 60
    assert any("DEC" in line for line in lines)


def test_pipe_answers_line_by_line(home: Home) -> None:
    taught = b'{"op": "remember", "memories": [{"text": "We deploy with Helm."}]}\n'
    lines = taught + b'\nnonsense\n{"op": "search", "query": "helm"}\n'
    answers = [json.loads(line) for line in home.said("pipe", stdin=lines).splitlines()]
    assert [sorted(answer) for answer in answers] == [["ids", "outcomes"], ["error"], ["hits", "ms"]]


def test_every_command_takes_direct_also_those_that_never_ask_the_daemon(home: Home) -> None:
    for command in ("export", "project list", "config show", "status", "stop"):
        plain, direct = (home.recollect(*command.split(), *way) for way in ([], ["--direct"]))
        assert (direct.returncode, direct.stdout, direct.stderr) == (plain.returncode, plain.stdout, plain.stderr)
        assert b"No such option" not in direct.stderr
    assert "--direct" not in home.said("export", "--help")
