"""What a command line runs: which programs, with which task, on which files. Pure, and linear.

Reads as much of a shell's language as agents write: chains, pipes, quotes, wrappers. It expands nothing, and what it
cannot read is a program without a task.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from recollect.capture.patterns import Pattern

MAX_CHARS = 4000  # of a command line
MAX_RUNS = 12

_TOKEN = Pattern(
    r"""(?P<quoted>'[^']*'|"(?:[^"\\]|\\.)*")
    |(?P<here><<-?\s*\S+)
    |(?P<redirect>\d?>{1,2}(?:&\d?)?\s*[^\s;|&]*|&>{1,2}\s*\S+|<\s*\S+)
    |(?P<chain>&&|\|\||[;\n&])
    |(?P<pipe>\|)
    |(?P<gap>[^\S\n]+|\\\n)
    |(?P<word>(?:[^\s'"\\;|&<>]|\\.)+|.)""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = Pattern(r"[A-Za-z_]\w*=")
_TASK = Pattern(r"[A-Za-z][\w:.-]*")
_PLACE = Pattern(r"[/\\]|\.[A-Za-z]\w{0,9}$|^\.$")
_DURATION = Pattern(r"[\d.]+[smhd]?")

# What only stands before the program that does the work.
_WRAPPERS = frozenset("sudo time nice env exec command nohup npx bunx pnpx xvfb-run timeout gtimeout".split())
_RUNNERS = frozenset(
    {"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle", "npm", "pnpm", "yarn", "dotenv", "mise"}
)
_RUNS = frozenset({"run", "exec", "x"})
_SAME = dict(
    pair.split("=")
    for pair in "python3=python py=python pip3=pip nodejs=node gradlew=gradle mvnw=mvn gmake=make py.test=pytest "
    "tofu=terraform podman=docker".split()
)
_INTERPRETERS = frozenset("python node ruby php perl bash sh zsh deno bun ts-node tsx lua Rscript julia java".split())
# Their first word says what they do.
_WITH_TASKS = frozenset(
    """
    alembic ansible apt apt-get artisan aws az bazel brew bun bundle cargo cmake composer conda dart deno django-admin
    docker dotnet flask flutter gcloud gh git go golangci-lint goreleaser gradle helm hatch just kubectl make
    manage.py mix mvn next ng npm nx pdm pip pipenv pnpm poetry prisma rails rake ruff rustup sbt swift task terraform
    tox turbo uv vite wrangler xcodebuild yarn
    """.split()
)
_NPM = frozenset({"npm", "pnpm", "yarn", "bun"})
_LONG = {
    **{(program, short): "test" for program in (*_NPM, "cargo") for short in ("t", "tst")},
    **{(program, short): "install" for program in _NPM for short in ("i", "ci", "add")},
    ("cargo", "b"): "build",
    ("cargo", "c"): "check",
    ("cargo", "r"): "run",
}
# The word behind these is no task.
_WITH_VALUE = frozenset(
    "-f --file -p --project --profile -C --directory --dir --cwd --prefix -n --namespace --context --manifest-path -w "
    "--workspace -H --host".split()
)
# They look or move about; nobody waits for them to succeed.
_IDLE = frozenset(
    """
    cd pushd popd echo printf export set source . true false sleep cat head tail less ls pwd which type grep rg egrep
    sed awk find wc sort uniq mkdir touch tee date clear history read wait jobs trap unset alias ulimit umask test [
    """.split()
)
# What they are given is the work itself: another query is another work.
_OPAQUE = frozenset("psql mysql sqlite3 mongosh redis-cli curl wget http aws az gcloud gh jq ssh".split())
_ANYWHERE = frozenset({"git"})  # what it is given is seldom a file
ALIKE = 0.5  # of the words of two such command lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One program at work."""

    program: str
    task: str  # `test` of `npm run test`, the script of an interpreter; empty: the program has none
    targets: frozenset[str]  # files and folders it is to look at; empty: all of them
    words: tuple[str, ...]  # as it stands there, from the program on


@lru_cache(maxsize=256)
def runs(command: str) -> tuple[Run, ...]:
    """The programs of a command line in order, without those that only look or move about."""
    found = (_run(words) for words in _chained(command[:MAX_CHARS]))
    return tuple(run for run in found if run is not None and run.program not in _IDLE)[:MAX_RUNS]


def folder_of(command: str) -> str:
    """Where it is run, if it goes there first; empty: it does not say."""
    found = _GOES.match(command)
    return found["folder"].strip("'\"") if found else ""


def normalised(command: str) -> str:
    """The command line by which it is known again: without folders, pipes, redirections and blanks."""
    return " && ".join(" ".join(run.words) for run in runs(command)) or " ".join(command.split())


_GOES = Pattern(r"\s*(?:cd|pushd)\s+(?P<folder>'[^']+'|\"[^\"]+\"|[^\s;&|]+)\s*(?:&&|;|\n)")
_AROUND = Pattern(
    r"^(?:cd\s+\S+\s*(?:&&|;)\s*)+|\s*(?:2>&1\s*)?\|\s*(?:tail|head|grep|tee|cat|less)\b.*$|\s*2>&1\s*$", re.S
)


def shown(command: str) -> str:
    """For people: without where it was run and how its output was shortened."""
    return " ".join(_AROUND.sub("", _AROUND.sub("", command[:MAX_CHARS])).split())


def adds(passed: str, failed: str) -> bool:
    """Whether the command that passed was given something that the other was not: a flag, a setting, a name."""
    new = frozenset(shown(passed).split()) - frozenset(shown(failed).split())
    return any(not _TRIVIAL.fullmatch(word) for word in new)


_TRIVIAL = Pattern(
    r"-[qvx]{1,3}|--(?:quiet|verbose|workspace|all)|[\w.-]*run|[vV]?[\d.]+|[./]*[\w./-]*/[\w./-]*|:.*|\.+"
)


def repeats(failed: Sequence[Run], passed: Sequence[Run], error: str) -> bool:
    """Whether what passed does the work of what failed: all of it, or its last step."""
    if not failed or not passed:
        return False
    return any(_does(run, failed[-1], error) for run in passed)


def _does(passed: Run, failed: Run, error: str) -> bool:
    if (passed.program, passed.task) != (failed.program, failed.task):
        return False
    if passed.words == failed.words:
        return True
    if failed.program in _OPAQUE or "-c" in failed.words[:3] or "-e" in failed.words[:3]:
        one, other = frozenset(failed.words), frozenset(passed.words)
        return len(one & other) >= ALIKE * len(one | other)
    if failed.program in _ANYWHERE or not passed.targets or passed.targets == failed.targets:
        return True
    if not failed.targets:  # a part of it passes: the part that failed?
        return any(_stem(target) in error for target in passed.targets)
    return all(any(_covers(to, of) or _covers(of, to) for to in passed.targets) for of in failed.targets)


def _covers(folder: str, path: str) -> bool:
    return folder in (".", path) or path.startswith(f"{folder}/")


def _stem(target: str) -> str:
    return re.split(r"[/\\]", target)[-1].partition(".")[0] or target


def _chained(command: str) -> list[list[str]]:
    """The words of each program; what a pipe leads to only shows what came before it."""
    programs: list[list[str]] = [[]]
    is_shown, is_glued = False, False
    for token in _TOKEN.finditer(command):
        match token.lastgroup:
            case "here":
                break  # the rest is a text
            case "chain":
                programs.append([])
                is_shown = False
            case "pipe":
                is_shown = True
            case "word" | "quoted" if not is_shown:
                word = token[0][1:-1] if token.lastgroup == "quoted" else token[0]
                if is_glued and programs[-1]:
                    programs[-1][-1] += word
                else:
                    programs[-1].append(word)
        is_glued = token.lastgroup in ("word", "quoted")
    return [words for words in programs if words]


def _run(words: list[str]) -> Run | None:
    words = _unwrapped(words)
    if not words:
        return None
    program = _program(words[0])
    if program == "docker-compose":
        return _run(["docker", "compose", *words[1:]])
    if program == "python" and len(words) > 2 and words[1] == "-m":
        return _run(words[2:])
    rest = words[1:]
    if program in _INTERPRETERS and rest and rest[0].endswith(("manage.py", "artisan")):
        program, rest = _program(rest[0]), rest[1:]
    task, rest = _task(program, rest)
    targets = frozenset(_target(word) for word in rest if _PLACE.search(word) and not word.startswith("-"))
    is_all = bool(targets & {"...", ".", ""})
    return Run(program=program, task=task, targets=frozenset() if is_all else targets, words=(program, *words[1:]))


def _unwrapped(words: list[str]) -> list[str]:
    while words:
        first = words[0]
        if _ASSIGNMENT.match(first) or first in ("(", "{", "!", "then", "do", "if"):
            words = words[1:]
        elif first in _WRAPPERS:
            words = _without_duration(words[1:])
        elif first in _RUNNERS and len(words) > 2 and words[1] in _RUNS and first not in _NPM:
            words = words[2:]
            while words and words[0].startswith("-"):
                words = words[1:]
        elif first in _NPM and len(words) > 2 and words[1] in ("exec", "dlx", "x"):
            words = [word for word in words[2:] if word != "--"]
        else:
            return words
    return words


def _without_duration(words: list[str]) -> list[str]:
    """Behind `timeout`: its own flags and durations."""
    while words and (words[0].startswith("-") or _DURATION.fullmatch(words[0])):
        words = words[1:]
    return words


def _program(word: str) -> str:
    name = re.split(r"[/\\]", word.rstrip("/"))[-1].removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")
    name = re.sub(r"^(python|pip)\d[\d.]*$", r"\1", name)
    return _SAME.get(name, name)


def _task(program: str, rest: list[str]) -> tuple[str, list[str]]:
    if program in _INTERPRETERS and program not in _WITH_TASKS:
        script = next((word for word in rest if not word.startswith("-")), "")
        return script.removeprefix("./"), [word for word in rest if word != script]
    if program not in _WITH_TASKS:
        return "", rest
    if program == "gradle":  # :api:test and test are the same task
        rest = [word.rpartition(":")[2] for word in rest]
    values = {rest[number + 1] for number, word in enumerate(rest[:-1]) if word in _WITH_VALUE}
    said = [word for word in rest if _TASK.fullmatch(word) and word not in values]
    if program == "make":
        tasks = [word for word in said if not _ASSIGNMENT.match(word)]
        return " ".join(tasks), []
    if not said:
        return "", rest
    first = said[0]
    if program in _NPM and first in ("run", "run-script") and len(said) > 1:
        first = said[1]
    elif (
        program in ("docker", "kubectl", "aws", "gcloud", "uv", "dotnet", "mix") and first in _NESTING and len(said) > 1
    ):
        first = f"{first} {said[1]}"
    at = rest.index(said[0])
    return _LONG.get((program, first), first), rest[at + 1 :]


_NESTING = frozenset({"compose", "pip", "rollout", "ef", "buildx", "image", "container", "ecto"})


def _target(word: str) -> str:
    """Without the test in it, the line, and what says `here`."""
    path = word.partition("::")[0].removeprefix("./").rstrip("/")
    return re.sub(r":\d+(?::\d+)?$", "", path).removesuffix("/...") or "."
