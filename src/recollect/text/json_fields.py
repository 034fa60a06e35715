"""Read single fields of a JSON object, with an error that names the field. Nothing is guessed."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from recollect.domain.errors import PayloadError

Fields = Mapping[str, Any]
MAX_NUMBER = 1e6


def any_text(fields: Fields, name: str) -> str:
    """Return a text, which may be empty."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise PayloadError(f"`{name}` is missing or not a text.")
    return value


def text(fields: Fields, name: str) -> str:
    value = any_text(fields, name)
    if not value.strip():
        raise PayloadError(f"`{name}` is empty.")
    return value


def optional_text(fields: Fields, name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise PayloadError(f"`{name}` is not a text.")
    return value or None


def name_or_number(fields: Fields, name: str) -> str | None:
    """Return an id or a name; scripts also use numbers."""
    value = fields.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return optional_text(fields, name)


def texts(fields: Fields, name: str) -> tuple[str, ...]:
    value = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise PayloadError(f"`{name}` must be a list of texts.")
    return tuple(value)


def number(fields: Fields, name: str, default: float) -> float:
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_NUMBER:
        raise PayloadError(f"`{name}` must be a number.")
    return float(value)


def whole_number(fields: Fields, name: str, default: int, *, least: int = 0, most: int = int(MAX_NUMBER)) -> int:
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise PayloadError(f"`{name}` must be a whole number from {least} to {most}.")
    return value


def optional_number(fields: Fields, name: str) -> int | None:
    value = fields.get(name)
    if value is not None and type(value) is not int:
        raise PayloadError(f"`{name}` must be a whole number.")
    return value


def flag(fields: Fields, name: str, default: bool) -> bool:
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise PayloadError(f"`{name}` must be true or false.")
    return default if value is None else value


def section(fields: Fields, name: str) -> dict[str, Any]:
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise PayloadError(f"`{name}` must be an object.")
    return value


def time_or_none(fields: Fields, name: str) -> datetime | None:
    """Read ISO 8601: a bare date means its start, a time without a zone is UTC."""
    value = fields.get(name)
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise PayloadError(f"`{name}` is not an ISO 8601 date or time: {value!r}.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
