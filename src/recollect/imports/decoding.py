"""Decode the bytes of a text file: UTF-8, UTF-16 or UTF-32 by its byte order mark, else Windows-1252. Pure.

Refuses binary files: a picture that was given by mistake must not become memories.
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
MAX_CONTROLS = 0.02  # share of all bytes; a text has tabs and line ends, hardly any others
_CONTROLS = bytes(set(range(32)) - {*b"\t\n\r\f\v\x1b"})


def decode(content: bytes) -> str:
    for mark, encoding in MARKS:
        if content.startswith(mark):
            try:
                return content[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                place = f"byte {error.start}"
                raise InvalidValue(f"The file is marked as {encoding.upper()} but is not ({place}).") from None
    if is_binary(content):
        raise InvalidValue("The file is binary, or UTF-16 without a byte order mark. Save it as UTF-8.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def lines_of(text: str) -> list[str]:
    """Split the text into lines as an editor counts them, with the line ends of any system."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def is_binary(content: bytes) -> bool:
    if any(content.startswith(mark) for mark, _ in MARKS):
        return False
    controls = len(content) - len(content.translate(None, _CONTROLS))
    return b"\x00" in content or controls > MAX_CONTROLS * len(content)
