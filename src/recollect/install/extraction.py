"""The reader of sessions that `install` offers: one line in the user's own settings, put in and taken out. Pure.

Every other line and comment stays. What is not understood is refused; a provider of the user's own is left alone.
"""

import re
import tomllib
from pathlib import Path

from recollect.domain.errors import InstallError
from recollect.domain.settings import Provider
from recollect.install.changes import FileEdit, content

HEADER = "[extractor]\n"
LINE = f'provider = "{Provider.HOST}"  # your agent\'s host asks its own small model, once about each session\n'
BY_HAND = f'Set it by hand: {HEADER.strip()} provider = "{Provider.HOST}".'
_SECTION = re.compile(r"^[ \t]*\[extractor\][^\n]*\n?", re.MULTILINE)
_NEXT = re.compile(r"^[ \t]*\[", re.MULTILINE)
_PROVIDER = re.compile(r"^[ \t]*provider[ \t]*=[^\n]*\n?", re.MULTILINE)


def provider_in(settings: Path) -> Provider:
    """As the file says it; off, where it says nothing."""
    return _provider(settings, _text(settings))


def switch_provider(settings: Path, *, on: bool) -> FileEdit:
    """Refuses what it cannot do without guessing."""
    before, text = content(settings), _text(settings)
    after = _with_line(text) if on else _without_line(text)
    wanted = Provider.HOST if on else Provider.OFF
    if _provider(settings, after) is not wanted:
        raise InstallError(f"{settings} says it in a way that is not understood, and stays as it is. {BY_HAND}")
    return FileEdit(
        path=settings, before=before, after=after.encode() if after else None, is_ours=False, is_private=True
    )


def _with_line(text: str) -> str:
    section = _SECTION.search(text)
    if section is None:
        kept = text if text.endswith("\n") or not text else f"{text}\n"
        return kept + ("\n" if kept else "") + HEADER + LINE
    head, body, rest = _parts(text, section)
    return head + LINE + _PROVIDER.sub("", body, count=1) + rest


def _without_line(text: str) -> str:
    section = _SECTION.search(text)
    if section is None:
        return text
    head, body, rest = _parts(text, section)
    left = _PROVIDER.sub("", body, count=1)
    if left.strip():
        return head + left + rest
    return (text[: section.start()].removesuffix("\n") + rest) if text[: section.start()].strip() else rest


def _parts(text: str, section: re.Match[str]) -> tuple[str, str, str]:
    """Up to the section's head, what is in it, and what comes after it."""
    head = text[: section.end()]
    after = _NEXT.search(text, section.end())
    end = after.start() if after else len(text)
    return head if head.endswith("\n") else f"{head}\n", text[section.end() : end], text[end:]


def _provider(settings: Path, text: str) -> Provider:
    try:
        return Provider(tomllib.loads(text).get("extractor", {}).get("provider", Provider.OFF))
    except (tomllib.TOMLDecodeError, ValueError, AttributeError):
        raise InstallError(f"{settings} is not understood and stays as it is. Nothing was changed.") from None


def _text(settings: Path) -> str:
    try:
        return (content(settings) or b"").decode()
    except UnicodeDecodeError:
        raise InstallError(f"{settings} is not UTF-8 and stays as it is. Nothing was changed.") from None
