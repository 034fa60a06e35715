"""Read the JSON of other tools without trusting it: any field may be missing or have another type. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import KINDS_ELSEWHERE, Kind

Fields = Mapping[str, Any]


def parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f"This is not JSON: {error}.") from None


def first_text(fields: Fields, *names: str) -> str:
    """Return the first of these fields that is a text with words in it, or ""."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def text_list(fields: Fields, name: str) -> list[str]:
    """Return a list of texts; it may be stored as JSON inside a text, or as one text."""
    value = fields.get(name)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = [value]
    values = value if isinstance(value, list) else [value]
    return [text.strip() for text in values if isinstance(text, str) and text.strip()]


def list_or_empty(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def kind_by_name(label: str) -> Kind | None:
    """Return the kind with this name, ours or another tool's."""
    if label in KINDS_ELSEWHERE:
        return KINDS_ELSEWHERE[label]
    return Kind(label) if label in list(Kind) else None
