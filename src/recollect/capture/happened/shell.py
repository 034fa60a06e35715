"""Parse a command line: its programs, their tasks, their files. Pure, and linear.

Reads as much of a shell's language as agents write: chains, pipes, quotes, wrappers. It expands nothing, and a program
that it does not know has no task.
"""

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache

from recollect.text.lazy_pattern import LazyPattern

MAX_CHARS = 4000  # of a command line
MAX_RUNS = 12

_TOKEN = LazyPattern(
    r"""(?P<quoted>'[^']*'|"(?:[^"\\]|\\.)*")
    |(?P<here><<-?\s*\S+)
    |(?P<redirect>\d?>{1,2}(?:&\d?)?\s*[^\s;|&]*|&>{1,2}\s*\S+|<\s*\S+)
    |(?P<chain>&&|\|\||[;\n&])
    |(?P<pipe>\|)
    |(?P<gap>[^\S\n]+|\\\n)
    |(?P<word>(?:[^\s'"\\;|&<>]|\\.)+|.)""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = LazyPattern(r"[A-Za-z_]\w*=")
_TASK = LazyPattern(r"[A-Za-z][\w:.-]*")
_PLACE = LazyPattern(r"[/\\]|\.[A-Za-z]\w{0,9}$|^\.$")
_DURATION = LazyPattern(r"[\d.]+[smhd]?")

# They only come before the program that does the work.
_WRAPPERS = frozenset("sudo time nice env exec command nohup npx bunx pnpx xvfb-run timeout gtimeout".split())
_RUNNERS = frozenset("uv poetry pipenv pdm hatch rye bundle dotenv".split())
_RUN_SUBCOMMANDS = frozenset({"run", "exec", "x"})
_EXEC_SUBCOMMANDS = frozenset({"exec", "dlx", "x"})  # of package managers and mise; `run` names a task of the project
_ALIASES = dict(
    pair.split("=")
    for pair in "python3=python py=python pip3=pip nodejs=node gradlew=gradle mvnw=mvn gmake=make py.test=pytest "
    "tofu=terraform podman=docker".split()
)
_INTERPRETERS = frozenset("python node ruby php perl bash sh zsh deno bun ts-node tsx lua Rscript julia java".split())
# Their first word says what they do.
_WITH_TASKS = frozenset(
    """
    alembic ansible apt apt-get artisan aws az bazel brew bun bundle cargo cmake composer conda dart deno django-admin
    docker dotnet flask flutter gcloud gh git go golangci-lint goreleaser gradle helm hatch inv invoke just kubectl
    lerna make manage.py mise mix moon mvn next ng npm nx pdm pip pipenv pnpm poe poetry prisma rails rake ruff rustup
    sbt swift task terraform tox turbo uv vite wrangler xcodebuild yarn
    """.split()
)
_NPM = frozenset({"npm", "pnpm", "yarn", "bun"})
_LONG_TASKS = {
    **{(program, short): "test" for program in (*_NPM, "cargo") for short in ("t", "tst")},
    **{(program, short): "install" for program in _NPM for short in ("i", "ci", "add")},
    ("cargo", "b"): "build",
    ("cargo", "c"): "check",
    ("cargo", "r"): "run",
}
# The word behind these flags is no task; behind _WITH_PART it is the part of the project that the task is for.
_WITH_VALUE = frozenset(
    "-f --file -p --project --profile -n --namespace --context --manifest-path -H --host -t --target --targets "
    "-project -workspace -scheme -destination -configuration -sdk".split()
)
_WITH_PART = frozenset("-C --directory --dir --cwd --prefix --filter -F -w --workspace".split())
# Before the name of a task.
_RUN_WORDS = frozenset("run run-script task r run-many affected".split())
_TASK_RUNNERS = frozenset("npm pnpm yarn bun turbo nx mise moon deno composer lerna".split())
# They look or move about; their success proves nothing.
_IDLE = frozenset(
    """
    cd pushd popd echo printf export set source . true false sleep cat head tail less ls pwd which type grep rg egrep
    sed awk find wc sort uniq mkdir touch tee date clear history read wait jobs trap unset alias ulimit umask test [
    """.split()
)
_CHANGES_FOLDER = LazyPattern(r"\s*(?:cd|pushd)\s+(?P<folder>'[^']+'|\"[^\"]+\"|[^\s;&|]+)\s*(?:&&|;|\n)")
_AROUND_COMMAND = LazyPattern(
    r"^(?:cd\s+\S+\s*(?:&&|;)\s*)+|\s*(?:2>&1\s*)?\|\s*(?:tail|head|grep|tee|cat|less)\b.*$|\s*2>&1\s*$", re.S
)
_COSMETIC = LazyPattern(
    r"-v{1,3}|-q{1,2}|-quiet|-s|-x|-j\d*|--tb=\S+|--verbose|--quiet|--silent|--(?:no-)?colou?r\S*|-count=\d+|--reporter=\S+|"
    r"--maxfail=\d+|--bail|--no-header|--passWithNoTests|--"
)
_FILTER = LazyPattern(
    r"-(?:k|t|m|run|g|D|p|o|bench\S*|list|h|u|w)|.*::.*|-run=.*|"
    r"--(?:lf|last-failed|ff|pdb|testNamePattern|testPathPattern\S*|grep|tests|only|watch|fix|write|save-dev|global|"
    r"test|lib|bin|package|example|help|version|list|dry-run|update\w*|collect-only|output|outDir|out|project|changed|"
    r"ui|debug|inspect\S*|force|clean|port|host)(?:=.*)?"
)
_WITH_NESTING = frozenset({"docker", "kubectl", "aws", "gcloud", "uv", "dotnet", "mix"})
_NESTING = frozenset({"compose", "pip", "rollout", "ef", "buildx", "image", "container", "ecto"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    program: str
    task: str  # `test` of `npm run test`, the script of an interpreter; empty: the program has none
    part: str  # of the project, `web` of `pnpm --filter web test`; empty: all of it
    targets: frozenset[str]  # files and folders that it works on; empty: all of them
    words: tuple[str, ...]  # as written, from the program on


@lru_cache(maxsize=256)
def runs(command: str) -> tuple[Run, ...]:
    """Return the programs of a command line in order, without those that only look or move about."""
    found = filter(None, map(_run, _split_programs(command[:MAX_CHARS])))
    return tuple(run for run in found if run.program not in _IDLE)[:MAX_RUNS]


def folder_of(command: str) -> str:
    """Return the folder that the command enters first; empty: none."""
    found = _CHANGES_FOLDER.match(command)
    return found["folder"].strip("'\"") if found else ""


def normalise_command(command: str) -> str:
    """Return the command line without folders, pipes, redirections and spaces, to recognise it again."""
    return " && ".join(" ".join(run.words) for run in runs(command)) or " ".join(command.split())


def display_line(command: str) -> str:
    """Return the command for people: without its folder and without filters of its output."""
    return " ".join(_AROUND_COMMAND.sub("", _AROUND_COMMAND.sub("", command[:MAX_CHARS])).split())


def is_filter(word: str) -> bool:
    """Return True if it selects one test, one file or one pattern out of many."""
    return bool(_FILTER.fullmatch(word))


def is_cosmetic(word: str) -> bool:
    """Return True if it only changes the look of the output, the speed or when to stop."""
    return bool(_COSMETIC.fullmatch(word))


def _split_programs(command: str) -> list[list[str]]:
    """Return the words of each program, without programs behind a pipe: they only show the output."""
    programs: list[list[str]] = [[]]
    is_piped, is_glued = False, False
    for token in _TOKEN.finditer(command):
        match token.lastgroup:
            case "here":
                break  # the rest is a text
            case "chain":
                programs.append([])
                is_piped = False
            case "pipe":
                is_piped = True
            case "word" | "quoted" if not is_piped:
                word = token[0][1:-1] if token.lastgroup == "quoted" else token[0]
                if is_glued and programs[-1]:
                    programs[-1][-1] += word
                else:
                    programs[-1].append(word)
        is_glued = token.lastgroup in ("word", "quoted")
    return [words for words in programs if words]


def _run(words: list[str]) -> Run | None:
    words = _unwrap(words)
    if not words:
        return None
    program, rest = _program(words[0]), words[1:]
    if program == "docker-compose":
        return _run(["docker", "compose", *rest])
    if program == "python" and len(rest) > 1 and rest[0] == "-m":
        return _run(rest[1:])
    if program in _INTERPRETERS and rest and rest[0].endswith(("manage.py", "artisan")):
        program, rest = _program(rest[0]), rest[1:]
    task, part, rest = _task(program, rest)
    targets = frozenset(_target(word) for word in rest if _PLACE.search(word) and not word.startswith("-"))
    if targets & {"...", ".", ""}:
        targets = frozenset()
    return Run(program=program, task=task, part=part, targets=targets, words=(program, *words[1:]))


def _unwrap(words: list[str]) -> list[str]:
    while words:
        first = words[0]
        if _ASSIGNMENT.match(first) or first in ("(", "{", "!", "then", "do", "if"):
            words = words[1:]
        elif first in _WRAPPERS:
            words = words[1:]
            while words and (words[0].startswith("-") or _DURATION.fullmatch(words[0])):  # `timeout -k 5 30s`
                words = words[1:]
        elif first in _RUNNERS and len(words) > 2 and words[1] in _RUN_SUBCOMMANDS:
            words = words[2:]
            while words and words[0].startswith("-"):
                words = words[1:]
        elif first in (*_NPM, "mise") and len(words) > 2 and words[1] in _EXEC_SUBCOMMANDS:
            words = [word for word in words[2:] if word != "--"]
        else:
            return words
    return words


def _program(word: str) -> str:
    name = re.split(r"[/\\]", word.rstrip("/"))[-1].removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")
    name = re.sub(r"^(python|pip)\d[\d.]*$", r"\1", name)
    return _ALIASES.get(name, name)


def _task(program: str, rest: list[str]) -> tuple[str, str, list[str]]:
    """Return the task, the part of the project that it is for, and the words behind it."""
    if program in _INTERPRETERS and program not in _WITH_TASKS:
        script = next((word for word in rest if not word.startswith("-")), "")
        return script.removeprefix("./"), "", [word for word in rest if word != script]
    if program not in _WITH_TASKS:
        return "", "", rest
    if program == "gradle":  # :api:test and test are the same task
        rest = [word.rpartition(":")[2] for word in rest]
    values = dict(itertools.pairwise(rest)) | dict(word.split("=", 1) for word in rest if "=" in word)
    taken = {value for flag, value in values.items() if flag in _WITH_VALUE | _WITH_PART}
    part = next((values[flag] for flag in sorted(_WITH_PART) if not values.get(flag, "-").startswith("-")), "")
    names = [word for word in rest if _TASK.fullmatch(word) and word not in taken]
    if program == "make":
        return " ".join(word for word in names if not _ASSIGNMENT.match(word)), part, []
    if program in ("yarn", "npm") and names[:1] == ["workspace"] and len(names) > 2:
        part, names = names[1], names[2:]
    if not names:
        return "", part, rest
    task = _task_name(program, names, values)
    if program in ("nx", "moon"):  # `nx run web:test`, `nx test web`
        behind = " ".join(names[1:2]) if task == names[0] else ""
        project, _, task = task.rpartition(":")
        part = project or part or behind
    return _LONG_TASKS.get((program, task), task), part, rest[rest.index(names[0]) + 1 :]


def _task_name(program: str, names: list[str], values: dict[str, str]) -> str:
    first, *others = names
    if program in _TASK_RUNNERS and first in _RUN_WORDS:
        targets = (values[flag] for flag in ("-t", "--target", "--targets") if flag in values)
        return others[0] if others else next(targets, "")
    if program in _WITH_NESTING and first in _NESTING and others:
        return f"{first} {others[0]}"
    return first


def _target(word: str) -> str:
    path = word.partition("::")[0].removeprefix("./").rstrip("/")
    return re.sub(r":\d+(?::\d+)?$", "", path).removesuffix("/...") or "."
