"""Find the task of a prompt, and the files, functions and technologies that it names. Pure.

They are recognised by their form and by a short list. A wrong guess costs little: it finds only memories that mention
the same name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from recollect.domain.memory import Kind, Memory
from recollect.text.aliases import SHORT_FORMS
from recollect.text.query import MAX_QUERY_CHARS
from recollect.text.words import index_words, is_identifier, word_set


class Task(StrEnum):
    BUG_FIX = "bug_fix"
    FEATURE = "feature"
    REFACTOR = "refactor"
    TEST = "test"
    DOCUMENTATION = "documentation"
    ARCHITECTURE = "architecture"
    GENERAL = "general"


# The order matters: fixing a broken test is fixing a bug.
_SIGNS: dict[Task, frozenset[str]] = {
    Task.BUG_FIX: frozenset(
        "fix bug error broken debug crash fail failing failure exception traceback regression hang leak".split()
    ),
    Task.REFACTOR: frozenset("refactor clean cleanup improve simplify rename extract dedupe".split()),
    Task.TEST: frozenset("test testing coverage mock fixture".split()),
    Task.DOCUMENTATION: frozenset("doc docs document documentation comment readme explain changelog".split()),
    Task.ARCHITECTURE: frozenset("design pattern structure module architecture boundary".split()),
    Task.FEATURE: frozenset("add create new implement write build support introduce".split()),
}

_STANDING = (Kind.RULE, Kind.CORRECTION)  # follow preferences everywhere
KINDS_FOR: dict[Task, tuple[Kind, ...]] = {
    Task.BUG_FIX: (Kind.ERROR_PATTERN, Kind.FILE_CONTEXT, Kind.DECISION, Kind.PREFERENCE, *_STANDING),
    Task.FEATURE: (Kind.DECISION, Kind.PREFERENCE, *_STANDING, Kind.FILE_CONTEXT, Kind.RESEARCH),
    Task.REFACTOR: (Kind.PREFERENCE, *_STANDING, Kind.DECISION, Kind.FILE_CONTEXT),
    Task.TEST: (Kind.PREFERENCE, *_STANDING, Kind.FILE_CONTEXT, Kind.ERROR_PATTERN),
    Task.GENERAL: (Kind.PREFERENCE, *_STANDING, Kind.DECISION, Kind.FILE_CONTEXT, Kind.ERROR_PATTERN),
}

TECHNOLOGIES = frozenset(
    """
    android angular ansible apache arm aws azure babel bash bazel bootstrap c# c++ celery chrome clang clojure cmake
    css cuda dart deno django docker dotnet elasticsearch elixir ember erlang eslint express fastapi firebase flask
    flutter gcc gcp git github gitlab go golang gradle grafana graphql grpc haskell helm heroku html ios java javascript
    jenkins jest jquery julia jwt kafka keras kotlin kubernetes laravel linux llvm lua macos mariadb maven memcached
    mongodb mypy mysql nestjs nextjs nginx node nodejs npm numpy oauth ocaml openapi opentelemetry oracle pandas perl
    php playwright pnpm poetry postgresql prettier prisma prometheus protobuf puppeteer pydantic pytest python pytorch
    qt rabbitmq rails react redis redux rollup ruby ruff rust s3 sass scala selenium sentry solidity spark spring sql
    sqlalchemy sqlite storybook stripe supabase svelte swift tailwind tensorflow terraform tokio typescript ubuntu
    uvicorn vault vim vite vitest vue wasm webassembly webpack websocket windows wordpress yarn zig
    """.split()
)
_CHUNK = re.compile(r"[\w./\\@#+()-]+")
_FILE = re.compile(r"(?:[\w@.-]+[/\\])+[\w@.-]*|[\w-]+\.[A-Za-z][A-Za-z0-9]{0,4}")
_CALL = re.compile(r"[A-Za-z_][\w.]*\(\)?")
_VERSION = re.compile(r"v?\d+(\.\d+)*")


@dataclass(frozen=True, kw_only=True)
class Intent:
    task: Task
    files: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    technologies: tuple[str, ...] = ()
    recent_files: tuple[str, ...] = ()  # files of the session, the last first

    @cached_property
    def _names(self) -> list[frozenset[str]]:
        names = [_name_words(_base_name(path)) for path in (*self.files, *self.recent_files)]
        names += [frozenset(index_words(name)) for name in (*self.functions, *self.technologies)]
        return [*filter(None, names)]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return KINDS_FOR.get(self.task, KINDS_FOR[Task.GENERAL])

    def is_named_in(self, memory: Memory) -> bool:
        """Return True if the memory mentions something that the prompt names, or a file of the session."""
        if not self._names:
            return False
        words = set(word_set(memory))
        for anchor in memory.anchors:
            words.update(index_words(f"{anchor.path} {_base_name(anchor.path)}"))
        return any(name <= words for name in self._names)


def intent(prompt: str, recent_files: Sequence[str] = ()) -> Intent:
    files: dict[str, None] = {}
    functions: dict[str, None] = {}
    technologies: dict[str, None] = {}
    for chunk in _CHUNK.findall(prompt[:MAX_QUERY_CHARS]):
        name = chunk.strip(".,;:!?()[]-")
        if not name or _VERSION.fullmatch(name):
            continue
        lower = name.lower()
        readings = (lower, lower.removesuffix(".js"), *SHORT_FORMS.get(lower, "").split())
        if not TECHNOLOGIES.isdisjoint(readings):
            technologies[name] = None
        elif _FILE.fullmatch(name):
            files[name] = None
        elif _CALL.fullmatch(chunk.rstrip(".,;:!?")) or (is_identifier(name) and name.replace("_", "a").isidentifier()):
            functions[name] = None
    return Intent(
        task=task_of(prompt),
        files=tuple(files),
        functions=tuple(functions),
        technologies=tuple(technologies),
        recent_files=tuple(dict.fromkeys(recent_files)),
    )


def task_of(prompt: str) -> Task:
    words = frozenset(index_words(prompt[:MAX_QUERY_CHARS]))
    return next((task for task, signs in _sign_stems().items() if words & signs), Task.GENERAL)


@lru_cache(maxsize=1)
def _sign_stems() -> dict[Task, frozenset[str]]:
    """Built for the first prompt, not at every start."""
    return {task: frozenset(index_words(" ".join(words))) for task, words in _SIGNS.items()}


def _name_words(file: str) -> frozenset[str]:
    """`src/pool.py` also mentions `pool.py`, though not as one word."""
    words = index_words(file)
    return frozenset(word for word in words if "." not in word) or frozenset(words)


def _base_name(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]
