"""Names, paths and emphasis in a text. Pure."""

from functools import lru_cache

from recollect.capture.patterns import LazyPattern

_NAME = LazyPattern(
    r"`[^`]+`|\b\w+\([^)]*\)|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b\w+_\w+|(?<!\w)--?[a-z][\w-]*|\b\w+\.[a-z]{1,4}\b|"
    r"(?:[\w@.~-]+/)+[\w.-]+|\b[A-Z]{3,}[A-Z_0-9]*\b"
)
_ENDINGS = (
    "py|go|ts|tsx|js|jsx|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sql|sh|ya?ml|toml|json|md|html|css|scss|vue|svelte|tf|"
    "proto|gradle|xml|ini|cfg|env|lock|mod|sum"
)
_PATH = LazyPattern(rf"(?:(?<![\w/])[@.~]{{0,3}}/?(?:[\w.-]+/)+[\w.-]*[\w]|\b[\w-]+\.(?:{_ENDINGS}))\b")
_CAPITALS = LazyPattern(r"\b(?:[A-Z]{4,}|NOT|ALL|NO|IS|BUT|DO|ANY)\b(?!_)")


@lru_cache(maxsize=512)
def names_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_NAME.findall(text)))


def paths_in(text: str) -> tuple[str, ...]:
    found = (path.lstrip("@").rstrip(".") for path in _PATH.findall(text))
    return tuple(dict.fromkeys(path for path in found if path and "://" not in path and not path.startswith("//")))


def is_emphatic(text: str) -> bool:
    return bool(_CAPITALS.search(text)) or text.rstrip().endswith("!")
