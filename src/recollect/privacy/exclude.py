"""Removes text that must never be stored: `<private>` parts, our own blocks, files behind ignored paths.

Pure: a path is judged by its name, without looking at the disk. In doubt more is left out, not less. Every function
takes time in proportion to its text, whatever the text or the globs of a cloned repository say.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from recollect.text.block import FENCE

# A bracket as people, hosts and escapes write it. The gap inside a tag is short and stays on its line: see `_join`.
_LESS = r"(?:<|＜|&(?:amp;)?(?:lt|#0*60|#x0*3c);|\\u003c)"
_MORE = r"(?:>|＞|&(?:amp;)?(?:gt|#0*62|#x0*3e);|\\u003e)"
_GAP = r"[ \t]{0,8}"
_OPENING_AT_END = rf"(?i:{_LESS}){_GAP}/?{_GAP}\Z"
_OPENING_CHARS = 40  # the longest match of `_OPENING_AT_END`
_NO_SPACE_BEFORE = tuple(",.:!?)")  # not `;`: it could end an escaped bracket


def without_private(text: str) -> str:
    """Remove the `<private>` parts; one that is never closed hides everything after it."""
    return _remove_tagged(text, "private", _LESS, _MORE)


def without_fences(text: str) -> str:
    """Remove the blocks that Recollect itself shows to a model."""
    # An escaped tag is text of a memory: it neither begins nor ends a block.
    return _remove_tagged(text, FENCE, "<", ">")


@cache  # compiled on first use: most texts never need it
def _tag_pattern(name: str, less: str, more: str) -> re.Pattern[str]:
    # Where an opening tag ends does not matter: the text after it is hidden anyway.
    opening = rf"{less}{_GAP}{name}(?![\w-])"
    closing = rf"{less}{_GAP}/{_GAP}(?P<closing>{name})(?![\w-])(?:[^<>&\n]{{0,99}}?{more})?"
    return re.compile(rf"{opening}|{closing}", re.IGNORECASE)


def _remove_tagged(text: str, name: str, less: str, more: str) -> str:
    if name not in text.lower():
        return text
    kept: list[str] = []
    depth = begin = 0
    for tag in _tag_pattern(name, less, more).finditer(text):
        if depth == 0:
            kept.append(text[begin : tag.start()])
        depth = max(0, depth - 1) if tag["closing"] else depth + 1
        begin = tag.end()
    if not kept:
        return text
    if depth == 0:
        kept.append(text[begin:])
    return _join(kept)


def _join(parts: Sequence[str]) -> str:
    """Join the parts into readable text in which no two halves form a new tag."""
    pieces: list[str] = []
    gap = ""
    for part in parts:
        stripped = part.strip()
        before = part[: len(part) - len(part.lstrip())]
        gap += before
        if stripped:
            if pieces:
                pieces.append(_separator(pieces[-1], gap, stripped))
            pieces.append(stripped)
            gap = part[len(before) + len(stripped) :]
    return "".join(pieces)


def _separator(left: str, gap: str, right: str) -> str:
    if "\n" in gap or re.search(_OPENING_AT_END, left[-_OPENING_CHARS:]):
        return "\n"
    return "" if right.startswith(_NO_SPACE_BEFORE) else " "


class IgnoredPaths:
    """Globs as in a .gitignore: the last one that matches a path decides; `!glob` includes the path again.

    Three things differ, because a path may be outside the project and the disk is not read: a glob with a slash inside
    matches at every depth unless it begins with `/`; one that begins with `/` may also be an absolute path; `name/`
    also matches a path that ends in `name`, which may be the folder itself.
    """

    def __init__(self, globs: Iterable[str], *, root: str | None = None, home: str | None = None) -> None:
        """`root`: the folder of the project, needed for `/name` and for absolute paths below it."""
        self._home = _segments(home) if home else None
        self._root = _segments(root) if root else None
        self._globs: list[_Glob] = []
        for text in globs:
            glob = _parse_glob(text, self._home)
            if glob is not None:
                self._globs.append(glob)
        last_steps = {_pattern(glob.steps[-1]) for glob in self._globs}
        self._last_names = frozenset(step for step in last_steps if isinstance(step, str))
        patterns = [step.pattern for step in last_steps if not isinstance(step, str)]
        self._last_patterns = re.compile("|".join(patterns) or "(?!)")  # one search for all of them

    def matches(self, path: str) -> bool:
        is_plain = self._root is None and path.isalnum()  # most words of a text
        absolute, inside = (None, [path]) if is_plain else self._locate(path)
        for segment in (inside if absolute is None else absolute) or ():
            if segment in self._last_names or self._last_patterns.match(segment) is not None:
                break
        else:
            return False  # the usual case: no glob ends in any of the segments
        for glob in reversed(self._globs):
            if glob.matches(absolute, inside):
                return not glob.is_negated
        return False

    def _locate(self, path: str) -> tuple[list[str] | None, list[str] | None]:
        """Return the segments of the absolute path and of the path in the project; None: unknown or not inside."""
        path = _normalise(path)
        segments = _segments(path)
        if segments[:1] == ["~"] and self._home is not None:
            absolute = self._home + segments[1:]
        elif path.startswith(("/", "~")):
            absolute = segments
        elif self._root is None:
            return None, segments
        else:
            absolute = _segments("/".join(["", *self._root, path]))
        if self._root is not None and absolute[: len(self._root)] == self._root:
            return absolute, absolute[len(self._root) :]
        return absolute, None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Glob:
    steps: tuple[str, ...]  # one for each segment; `**`: any number of segments
    is_anchored: bool  # begins at the project's root or is an absolute path
    is_negated: bool

    def matches(self, absolute: list[str] | None, inside: list[str] | None) -> bool:
        if self.is_anchored:
            return any(segments is not None and self._reaches(segments) for segments in (inside, absolute))
        # Inside a project, the folders above it do not count: a checkout may be in `build/`.
        segments = inside if inside is not None else absolute
        return segments is not None and self._reaches(segments, anywhere=True)

    def _reaches(self, segments: list[str], *, anywhere: bool = False) -> bool:
        """Check whether the steps lead to a segment; everything below that segment matches too."""
        waiting = {0}  # steps that may come next
        for segment in segments:
            if anywhere:
                waiting.add(0)
            following: set[int] = set()
            for step in self._skip_wildcards(waiting):
                if self.steps[step] == "**":
                    following.add(step)
                elif _fits(self.steps[step], segment):
                    following.add(step + 1)
            if len(self.steps) in following:
                return True
            waiting = following
        return False

    def _skip_wildcards(self, waiting: set[int]) -> set[int]:
        """Add the step after every `**`, which may match no segment at all."""
        found = set(waiting)
        for step in range(len(self.steps) - 1):
            if step in found and self.steps[step] == "**":
                found.add(step + 1)
        return found


def _parse_glob(text: str, home: list[str] | None) -> _Glob | None:
    """None: a blank line or a comment."""
    text = text.strip()
    is_negated = text.startswith("!")
    text = text.removeprefix("!").replace("[^", "[!")
    if not text or text.startswith("#"):
        return None
    steps = [step for step in text.split("/") if step not in ("", ".")]
    if text.startswith("~/") and home is not None:
        steps = [*map(_escape, home), *steps[1:]]
    if not steps:
        return None
    if steps[-1] == "**":
        steps[-1] = "*"  # one segment and everything below it
    return _Glob(steps=tuple(steps), is_anchored=text.startswith(("/", "~/")), is_negated=is_negated)


def _fits(step: str, segment: str) -> bool:
    pattern = _pattern(step)
    return pattern == segment if isinstance(pattern, str) else pattern.match(segment) is not None


@lru_cache(maxsize=1024)
def _pattern(step: str) -> str | re.Pattern[str]:
    if not re.search(r"[*?\[\\]", step):
        return step
    from fnmatch import translate  # its patterns never go back over what a `*` has matched

    # fnmatch does not know `\*`, but `[*]` means the same.
    return re.compile(translate(re.sub(r"\\(.)", lambda found: _escape(found[1]), step)))


def _escape(text: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", text)


_DRIVE = re.compile(r"/?[A-Za-z]:(?=/)")


def _normalise(path: str) -> str:
    """Return the path with forward slashes only and without `file:`, host and drive letter."""
    path = path.strip()
    if path[:5].lower() == "file:":
        from urllib.parse import unquote  # imported late: few paths are addresses

        path = unquote(path[5:])
        if path.startswith("//"):
            path = "/" + path[2:].partition("/")[2]  # drops the host
    path = path.replace("\\", "/")
    drive = _DRIVE.match(path)
    return path if drive is None else path[drive.end() :]


def _segments(path: str) -> list[str]:
    found: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del found[-1:]
        elif segment not in ("", "."):
            found.append(segment)
    return found
