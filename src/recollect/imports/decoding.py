"""Bytes of a text file as text: UTF-8, UTF-16 by its mark, else the old encoding of western Windows. Pure.

Refuses what is no text: a picture that was given by mistake must not become memories.
"""

import codecs

from recollect.domain.errors import InvalidValue

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MAX_CONTROLS = 0.02  # of all characters; in a text there are tabs and line ends, hardly anything else
_CONTROLS = bytes(set(range(32)) - {*b"\t\n\r\f\v\x1b"})


def decode(content: bytes) -> str:
    for mark, encoding in MARKS:
        if content.startswith(mark):
            try:
                return content[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise InvalidValue(f"It says that it is {encoding.upper()} and is not (byte {error.start}).") from None
    if is_binary(content):
        raise InvalidValue("It is no text, or UTF-16 without its mark; save it as UTF-8.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def lines_of(text: str) -> list[str]:
    """As an editor counts them, whatever system wrote them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def is_binary(content: bytes) -> bool:
    """NUL bytes, or far too many control characters."""
    if any(content.startswith(mark) for mark, _ in MARKS):
        return False
    controls = len(content) - len(content.translate(None, _CONTROLS))
    return b"\x00" in content or controls > MAX_CONTROLS * len(content)
