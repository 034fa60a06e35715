"""Values below a name that tells: a column of a table, of comma separated values, or of an SQL statement. Pure."""

from collections.abc import Iterator

from recollect.privacy.secret_names import Telling
from recollect.privacy.secret_patterns import Pattern
from recollect.privacy.secret_values import Frame, is_secret

Found = tuple[int, int, str]  # start, end, rule

_LONGEST_LINE, _MOST_ROWS = 600, 200
_SEPARATORS = (b"|", b"\t", b",", b";")
_HEAD = Pattern(rb"[\w .\-*`\"'/()|\t,;\x02]+\r?$")
_RULER = Pattern(rb"[\s|:\-+=]*$")
_CELL = Pattern(rb"[\s\"'`*]*([^\s\"'`*](?:.*[^\s\"'`*])?)[\s\"'`*]*$")
_VALUES = Pattern(rb"[^()]{0,300}\)\s{0,9}values\s{0,9}\(", 2)  # 2: in any case
_SQL_VALUE = Pattern(rb"\s{0,9}(?:'([^'\n]{0,300})'|\"([^\"\n]{0,300})\"|([^,()'\"\n]{0,100}))\s{0,9}[,)]")


def in_column(text: bytes, start: int, end: int, told: Telling) -> Iterator[Found]:
    after = text[end : end + 3].lstrip(b" \"'`*")[:1]
    if after not in (b"|", b"\t", b",", b";", b")", b"\r", b"\n") and text[end : end + 1] != b"\t":
        return
    yield from _in_rows(text, start, end, told)
    values = _VALUES.match(text, end)
    opened = text.rfind(b"(", max(0, start - _LONGEST_LINE), start) if values is not None else -1
    if values is not None and opened >= 0:
        yield from _in_values(text, values.end(), text.count(b",", opened, start), told)


def _in_rows(text: bytes, start: int, end: int, told: Telling) -> Iterator[Found]:
    begin = text.rfind(b"\n", max(0, start - _LONGEST_LINE), start) + 1
    stop = text.find(b"\n", end, end + _LONGEST_LINE)
    head = text[begin:stop] if stop >= 0 else b""
    separator = next((sign for sign in _SEPARATORS if sign in head), None)
    if separator is None or _HEAD.match(head) is None:
        return
    column, cells = text.count(separator, begin, start), head.count(separator)
    for _ in range(_MOST_ROWS):
        begin, stop = stop + 1, text.find(b"\n", stop + 1, stop + _LONGEST_LINE)
        stop = stop if stop >= 0 else min(len(text), begin + _LONGEST_LINE)
        row = text[begin:stop]
        if row.count(separator) != cells:
            return
        if _RULER.match(row) is None:
            offset = begin + sum(len(cell) + 1 for cell in row.split(separator)[:column])
            cell = _CELL.match(row.split(separator)[column])
            if cell is not None and is_secret(cell.group(1), told.strength, Frame.ASSIGNED):
                yield offset + cell.start(1), offset + cell.end(1), told.rule


def _in_values(text: bytes, at: int, column: int, told: Telling) -> Iterator[Found]:
    """`INSERT INTO users (name, password) VALUES ('me', '...')`: the first row."""
    for number in range(column + 1):
        value = _SQL_VALUE.match(text, at)
        if value is None:
            return
        at = value.end()
        if number == column:
            group = value.lastindex or 0
            if is_secret(value.group(group), told.strength, Frame.QUOTED if group < 3 else Frame.ASSIGNED):
                yield *value.span(group), told.rule
