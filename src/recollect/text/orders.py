"""Recognise a sentence that begins as an order. Pure."""

import re

ORDERS = tuple(
    re.compile(wording, re.IGNORECASE)
    for wording in (
        r"^(?:please |you |we |code )?(?:always\b|never\b|do not\b|don['’]t\b|avoid\b|must\b|ensure\b|make sure\b|only use\b|no )",
        r"^(?:please )?(?:(?:use|follow|keep|be|treat|write|ask)\b)",
    )
)


def is_order(text: str) -> bool:
    """Return True if the first words say what to do."""
    return any(pattern.search(text.strip()) for pattern in ORDERS)
