"""JSON of other tools, taken apart without trust: any field may be missing or something else. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from recollect.domain.errors import InvalidValue

Fields = Mapping[str, Any]


def document(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f"It is not JSON: {error}.") from None


def words(fields: Fields, *names: str) -> str:
    """The first of these that is a text with something in it; "" if none is."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def several(fields: Fields, name: str) -> list[str]:
    """A list of texts, also where it was stored as JSON inside of a text, or as one text."""
    value = fields.get(name)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = [value]
    found = value if isinstance(value, list) else [value]
    return [text.strip() for text in found if isinstance(text, str) and text.strip()]


def objects(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
