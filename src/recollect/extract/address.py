"""The address of a model, read from the settings. Pure; refuses an address that would send sessions or keys unencrypted.

Messages never quote a wrong value: it may contain a key.
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
_NO_ADDRESS = "is not an address such as https://api.example.com/v1"
_MIN_REQUEST_TOKENS, _MIN_ANSWER_TOKENS = 200, 100  # with fewer, no model can say anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One endpoint; nothing else is ever contacted."""

    host: str
    port: int
    path: str  # without the last slash
    is_encrypted: bool

    @property
    def is_local(self) -> bool:
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A setting that cannot be used."""

    setting: str  # full name
    says: str


def read_address(settings: ExtractorSettings) -> Address:
    """Raises InvalidSettings."""
    check(settings)
    return _to_address(urlsplit(settings.endpoint))


def check(settings: ExtractorSettings, origins: Mapping[str, str] | None = None) -> None:
    """Raise InvalidSettings if they cannot be used; `origins` gives the file or variable that each setting is from."""
    problem = find_problem(settings)
    if problem is None:
        return
    if origins:
        raise InvalidSettings(f"{origins[problem.setting]}: {problem.says}")
    raise InvalidSettings(problem.says)


def find_problem(settings: ExtractorSettings) -> Problem | None:
    """Return the first problem, or None."""
    if settings.key_env and not _VARIABLE.fullmatch(settings.key_env):
        return _problem(
            "key_env", "is not a variable name. Put the key into an environment variable, and its name here"
        )
    if settings.endpoint and (problem := _endpoint_problem(settings.endpoint)):
        return problem
    if settings.request_tokens < _MIN_REQUEST_TOKENS:
        return _problem("request_tokens", f"must be at least {_MIN_REQUEST_TOKENS}")
    if settings.answer_tokens < _MIN_ANSWER_TOKENS:
        return _problem("answer_tokens", f"must be at least {_MIN_ANSWER_TOKENS}")
    if settings.timeout_seconds <= 0:
        return _problem("timeout_seconds", "must be more than 0")
    if settings.max_items < 1:
        return _problem("max_items", "must be more than 0")
    match settings.provider:
        case Provider.OFF | Provider.HOST:
            return None
        case Provider.OPENAI | Provider.ANTHROPIC:
            return _missing_setting(settings)


def _missing_setting(settings: ExtractorSettings) -> Problem | None:
    if not settings.endpoint:
        needed = "extractor.endpoint: the address of the model, such as https://api.example.com/v1"
        return _problem("provider", f'is "{settings.provider}"; it also needs {needed}')
    if not settings.model:
        return _problem("provider", f'is "{settings.provider}"; it also needs extractor.model: the name of the model')
    if not settings.key_env and not _to_address(urlsplit(settings.endpoint)).is_local:
        needed = "extractor.key_env: the name of the variable that contains the key"
        return _problem("endpoint", f"is not on this machine; it also needs {needed}")
    return None


def _endpoint_problem(endpoint: str) -> Problem | None:
    try:
        parts = urlsplit(endpoint)
        port = parts.port
    except ValueError:
        return _problem("endpoint", _NO_ADDRESS)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host) or port == 0:
        return _problem("endpoint", _NO_ADDRESS)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        return _problem("endpoint", "has more than a host and a path; put a key into the variable that key_env names")
    if not _PATH.fullmatch(parts.path):
        return _problem("endpoint", "has invalid characters in its path")
    if parts.scheme == "http" and not _to_address(parts).is_local:
        return _problem(
            "endpoint", "is not encrypted; use https (http is allowed only for 127.0.0.1, ::1 and localhost)"
        )
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
