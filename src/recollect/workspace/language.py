"""Finds the language of most files in a project by their names: no file is opened, no program is run.

Vendored and generated files, documents, data and settings do not count. Looks at a few thousand files at most: those
that git tracks, otherwise those on the disk.
"""

import os
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from recollect.workspace.git import id_digits
from recollect.workspace.git_index import index_of, sample_paths

MAX_ENTRIES, MAX_FOLDERS, MAX_DEPTH = 2_000, 100, 8  # in a folder without git
MAX_ENTRIES_IN_FOLDER = 500  # one huge folder must not outweigh all others
PATIENCE_S = 0.1  # for a slow disk

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
# Endings of several languages: the files beside decide, otherwise the last language is taken.
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
    """`python`, `go`, `c++`: lower-case, as in the scope `language:python`. None: unknown."""
    try:
        return _main_language_of(_paths_in_git(root)) or _main_language_of(_paths_on_disk(root))
    except (OSError, ValueError, RuntimeError):  # not readable, not a path, a circle of links
        return None


def _main_language_of(paths: Iterable[str]) -> str | None:
    counts = Counter[str]()
    in_folders = set[tuple[str, str]]()  # folder and language
    ambiguous = list[tuple[str, str]]()  # folder and ending
    for path in paths:
        folder, _, name = path.rpartition("/")
        ending = name.rpartition(".")[2].lower() if "." in name[1:] else ""
        if (ending not in _ENDINGS and ending not in _AMBIGUOUS) or name.lower().endswith(_GENERATED):
            continue
        if any(map(_is_foreign, folder.split("/"))):
            continue
        if ending in _AMBIGUOUS:
            ambiguous.append((folder, ending))
        else:
            counts[_ENDINGS[ending]] += 1
            in_folders.add((folder, _ENDINGS[ending]))
    clear_counts = Counter(counts)
    for folder, ending in ambiguous:
        counts[_pick_language(folder, ending, in_folders, clear_counts)] += 1
    # On a tie TypeScript wins, which no project has by chance; otherwise the first by name.
    return min(counts, key=lambda language: (-counts[language], language != "typescript", language), default=None)


def _pick_language(folder: str, ending: str, in_folders: set[tuple[str, str]], counts: Counter[str]) -> str:
    """Decide an ambiguous ending by the file's own folder, otherwise by the whole project."""
    languages = _AMBIGUOUS[ending]
    for language in languages:
        if (folder, language) in in_folders:
            return language
    return max(reversed(languages), key=lambda language: counts[language])


def _is_foreign(folder: str) -> bool:
    return folder.startswith(".") or folder.lower() in _NOT_OURS


def _paths_in_git(root: str) -> list[str]:
    index = index_of(root)
    return [] if index is None else sample_paths(index, id_digits(root))


def _paths_on_disk(root: str) -> Iterator[str]:
    """Yield files from the top down, without following links."""
    home = Path.home()
    if Path(root) in (home, *home.parents):  # it contains projects and is none
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
