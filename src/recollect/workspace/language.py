"""The language that most files of a project are written in. Their names alone decide: none is opened, nothing is run.

What others wrote (vendored, generated) and what is no program (documents, data, settings) does not count. Looks at some
thousand files at most, whatever the project has: those that git tracks, else those that lie there.
"""

import os
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from recollect.workspace.git import id_digits
from recollect.workspace.git_index import index_of, sample_paths

MAX_ENTRIES, MAX_FOLDERS, MAX_DEPTH = 2_000, 100, 8  # of a folder without git
MAX_ENTRIES_IN_FOLDER = 500  # one folder of thousands does not speak for all others
PATIENCE_S = 0.1  # for a disk that hardly answers

_ENDINGS = {
    "bash": "shell", "c": "c", "cc": "c++", "cjs": "javascript", "clj": "clojure", "cljs": "clojure", "cpp": "c++",
    "cs": "c#", "cts": "typescript", "cu": "c++", "cxx": "c++", "dart": "dart", "elm": "elm", "erl": "erlang",
    "ex": "elixir", "exs": "elixir", "f90": "fortran", "fish": "shell", "fs": "f#", "go": "go", "gradle": "groovy",
    "groovy": "groovy", "hh": "c++", "hpp": "c++", "hs": "haskell", "hxx": "c++", "ipynb": "python", "java": "java",
    "jl": "julia", "js": "javascript", "jsx": "javascript", "kt": "kotlin", "kts": "kotlin", "lua": "lua",
    "m": "objective-c", "mjs": "javascript", "ml": "ocaml", "mli": "ocaml", "mm": "objective-c", "mts": "typescript",
    "nim": "nim", "nix": "nix", "php": "php", "pl": "perl", "pm": "perl", "ps1": "powershell", "py": "python",
    "pyi": "python", "pyx": "python", "r": "r", "rb": "ruby", "rs": "rust", "sbt": "scala", "scala": "scala",
    "sh": "shell", "sol": "solidity", "swift": "swift", "tf": "terraform", "ts": "typescript", "tsx": "typescript",
    "vb": "visual basic", "zig": "zig", "zsh": "shell",
}  # fmt: skip
# What is written in one of several languages, as the files beside it tell; the last one where nothing does.
_AMBIGUOUS = {
    "h": ("c++", "objective-c", "c"),
    "vue": ("typescript", "javascript"),
    "svelte": ("typescript", "javascript"),
    "astro": ("typescript", "javascript"),
}
_GENERATED = (".min.js", ".d.ts", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".pb.cc", ".pb.h", ".g.dart", ".designer.cs")
_NOT_OURS = frozenset(
    "node_modules bower_components jspm_packages vendor vendors vendored third_party third-party thirdparty 3rdparty "
    "external extern dist build out target obj bin pods carthage deriveddata venv env virtualenv site-packages "
    "__pycache__ __generated__ generated gen coverage htmlcov tmp temp".split()
)


def main_language(root: str) -> str | None:
    """`python`, `go`, `c++`: lower-case, as in the scope `language:python`. None: nothing tells."""
    try:
        return _main_language_of(_tracked_paths(root)) or _main_language_of(_paths_on_disk(root))
    except (OSError, ValueError, RuntimeError):  # not readable, not a path, a circle of links
        return None


def _main_language_of(paths: Iterable[str]) -> str | None:
    counts, beside, shared = Counter[str](), set[tuple[str, str]](), list[tuple[str, str]]()
    for path in paths:
        folder, _, name = path.rpartition("/")
        ending = name.rpartition(".")[2].lower() if "." in name[1:] else ""
        if (ending not in _ENDINGS and ending not in _AMBIGUOUS) or not _is_ours(folder, name):
            continue
        if ending in _AMBIGUOUS:
            shared.append((folder, ending))
        else:
            counts[_ENDINGS[ending]] += 1
            beside.add((folder, _ENDINGS[ending]))
    alone = Counter(counts)
    for folder, ending in shared:
        counts[_shared_language(folder, ending, beside, alone)] += 1
    # Of as many files each: TypeScript, which a project does not have by chance; else whatever comes first by name.
    return min(counts, key=lambda language: (-counts[language], language != "typescript", language), default=None)


def _shared_language(folder: str, ending: str, beside: set[tuple[str, str]], alone: Counter[str]) -> str:
    """The language of a file whose name leaves it open: by its own folder, else by the whole project."""
    languages = _AMBIGUOUS[ending]
    near = next((language for language in languages if (folder, language) in beside), None)
    return near or max(reversed(languages), key=lambda language: alone[language])


def _is_ours(folder: str, name: str) -> bool:
    return not name.lower().endswith(_GENERATED) and not any(_is_foreign(part) for part in folder.split("/"))


def _is_foreign(folder: str) -> bool:
    return folder.startswith(".") or folder.lower() in _NOT_OURS


def _tracked_paths(root: str) -> list[str]:
    index = index_of(root)
    return [] if index is None else sample_paths(index, id_digits(root))


def _paths_on_disk(root: str) -> Iterator[str]:
    """Files from the top downwards, without following links."""
    home = Path.home()
    if Path(root) in (home, *home.parents):  # there lie projects, and none of them is it
        return
    folders, seen, until = deque([("", 0)]), 0, time.monotonic() + PATIENCE_S
    for _ in range(MAX_FOLDERS):
        if not folders or seen >= MAX_ENTRIES or time.monotonic() > until:
            return
        folder, depth = folders.popleft()
        for entry in _entries(root, folder):
            seen += 1
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_file(follow_symlinks=False):
                yield path
            elif depth < MAX_DEPTH and entry.is_dir(follow_symlinks=False) and not _is_foreign(entry.name):
                folders.append((path, depth + 1))


def _entries(root: str, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(os.path.join(root, folder)) as entries:  # noqa: PTH118  # a folder may have thousands
            return list(islice(entries, MAX_ENTRIES_IN_FOLDER))
    except OSError:
        return []
