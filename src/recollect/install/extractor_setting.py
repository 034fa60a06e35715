"""Switch the session reader that `install` offers on or off: one line in the user's own settings. Pure.

Every other line and comment stays. Refuses a file that it does not understand; leaves the user's own provider alone.
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
    return _provider(settings, _text(settings))


def switch_provider(settings: Path, *, on: bool) -> FileEdit:
    """Return the edit of the settings; refuse if it would be a guess."""
    before, text = content(settings), _text(settings)
    after = _with_line(text) if on else _without_line(text)
    wanted = Provider.HOST if on else Provider.OFF
    if _provider(settings, after) is not wanted:
        raise InstallError(
            f"{settings} sets the provider in a form that is not understood. Nothing was changed. {BY_HAND}"
        )
    return FileEdit(path=settings, before=before, after=after.encode() or None, is_ours=False, is_private=True)


def _with_line(text: str) -> str:
    section = _SECTION.search(text)
    if section is None:
        if not text:
            return HEADER + LINE
        return text + ("\n" if text.endswith("\n") else "\n\n") + HEADER + LINE
    head, body, rest = _parts(text, section)
    return head + LINE + _PROVIDER.sub("", body, count=1) + rest


def _without_line(text: str) -> str:
    section = _SECTION.search(text)
    if section is None:
        return text
    head, body, rest = _parts(text, section)
    other_lines, before = _PROVIDER.sub("", body, count=1), text[: section.start()]
    if other_lines.strip():
        return head + other_lines + rest
    return before.removesuffix("\n") + rest if before.strip() else rest


def _parts(text: str, section: re.Match[str]) -> tuple[str, str, str]:
    """Return the text up to the section's header, the section, and the text after it."""
    head = text[: section.end()]
    after = _NEXT.search(text, section.end())
    end = after.start() if after else len(text)
    return head if head.endswith("\n") else f"{head}\n", text[section.end() : end], text[end:]


def _provider(settings: Path, text: str) -> Provider:
    try:
        return Provider(tomllib.loads(text).get("extractor", {}).get("provider", Provider.OFF))
    except (tomllib.TOMLDecodeError, ValueError, AttributeError):
        raise InstallError(f"{settings} is not valid. Nothing was changed.") from None


def _text(settings: Path) -> str:
    try:
        return (content(settings) or b"").decode()
    except UnicodeDecodeError:
        raise InstallError(f"{settings} is not UTF-8. Nothing was changed.") from None
