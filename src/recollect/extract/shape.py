"""JSON of others, looked at without trust: what is not there or not of the right type is None or nothing."""

from collections.abc import Mapping

MAX_TOKENS = 10_000_000  # no answer is larger; whoever reports more reports nothing


def part(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


def listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def whole_number(value: object) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and 0 <= value <= MAX_TOKENS else None
