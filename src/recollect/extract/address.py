"""Where a model is asked, read from the settings. Pure; refuses what would send sessions or a key in the open.

What is refused is not quoted: in a wrong setting there may be a key.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from recollect.domain.errors import InvalidSettings
from recollect.domain.settings import ExtractorSettings, Provider

_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}|[0-9A-Fa-f:.]{2,45}")
_PATH = re.compile(r"[A-Za-z0-9._~%/:@+-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_LEAST_REQUEST_TOKENS, _LEAST_ANSWER_TOKENS = 200, 100  # with less, no model can say anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One endpoint; nothing else is ever contacted."""

    host: str
    port: int
    path: str  # without the last slash
    is_encrypted: bool

    @property
    def is_local(self) -> bool:
        """On this machine."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why the settings cannot be used."""

    setting: str  # by its full name
    says: str


def read_address(settings: ExtractorSettings) -> Address:
    """InvalidSettings: it cannot be used."""
    check(settings)
    return _to_address(urlsplit(settings.endpoint))


def check(settings: ExtractorSettings, origins: Mapping[str, str] | None = None) -> None:
    """InvalidSettings: they cannot be used; with the origin of what is wrong, where that is known."""
    if problem := find_problem(settings):
        raise InvalidSettings(f"{origins[problem.setting]}: {problem.says}" if origins else problem.says)


def find_problem(settings: ExtractorSettings) -> Problem | None:
    """What is wrong, whoever has set it; None: nothing."""
    if settings.key_env and not _VARIABLE.fullmatch(settings.key_env):
        return _problem("key_env", "is not the name of a variable. Put the key into one, and its name here")
    if settings.endpoint and (problem := _endpoint_problem(settings.endpoint)):
        return problem
    if settings.request_tokens < _LEAST_REQUEST_TOKENS:
        return _problem("request_tokens", f"takes at least {_LEAST_REQUEST_TOKENS}")
    if settings.answer_tokens < _LEAST_ANSWER_TOKENS:
        return _problem("answer_tokens", f"takes at least {_LEAST_ANSWER_TOKENS}")
    if settings.timeout_seconds <= 0 or settings.max_items < 1:
        return _problem("timeout_seconds" if settings.timeout_seconds <= 0 else "max_items", "takes more than 0")
    match settings.provider:
        case Provider.OFF | Provider.HOST:
            return None
        case Provider.OPENAI | Provider.ANTHROPIC:
            return _missing_setting(settings)


def _missing_setting(settings: ExtractorSettings) -> Problem | None:
    whose = f'extractor.provider is "{settings.provider}"'
    if not settings.endpoint:
        return Problem(
            setting="extractor.provider",
            says=f"{whose}; it needs extractor.endpoint too: where the model is asked, as https://api.example.com/v1.",
        )
    if not settings.model:
        return Problem(
            setting="extractor.provider", says=f"{whose}; it needs extractor.model too: the name of the model."
        )
    if not settings.key_env and not _to_address(urlsplit(settings.endpoint)).is_local:
        return Problem(
            setting="extractor.endpoint",
            says="extractor.endpoint is not on this machine; it needs extractor.key_env too: the name of the variable "
            "that holds the key.",
        )
    return None


def _endpoint_problem(endpoint: str) -> Problem | None:
    try:
        parts = urlsplit(endpoint)
        port = parts.port
    except ValueError:
        return _problem("endpoint", "is not an address, as https://api.example.com/v1")
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host) or port == 0:
        return _problem("endpoint", "is not an address, as https://api.example.com/v1")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        return _problem("endpoint", "has more than a host and a path; a key belongs into the variable of key_env")
    if not _PATH.fullmatch(parts.path):
        return _problem("endpoint", "has characters in its path that no endpoint has")
    if parts.scheme == "http" and not _to_address(parts).is_local:
        return _problem("endpoint", "is not encrypted; use https, plain http goes only to 127.0.0.1, ::1 or localhost")
    return None


def _to_address(parts: SplitResult) -> Address:
    is_encrypted = parts.scheme == "https"
    return Address(
        host=(parts.hostname or "").lower(),
        port=parts.port or (443 if is_encrypted else 80),
        path=parts.path.rstrip("/"),
        is_encrypted=is_encrypted,
    )


def _problem(name: str, says: str) -> Problem:
    return Problem(setting=f"extractor.{name}", says=f"extractor.{name} {says}.")
