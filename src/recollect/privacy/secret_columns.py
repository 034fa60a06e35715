"""Finds values below the name of a secret: in a table, in comma-separated values or in an SQL statement. Pure."""

from collections.abc import Iterator

from recollect.privacy.secret_names import NameClue
from recollect.privacy.secret_reading import Found, line_start
from recollect.privacy.secret_values import Frame, is_secret
from recollect.text.lazy_pattern import LazyPattern

_MAX_LINE_CHARS, _MAX_ROWS = 600, 100
_SEPARATORS = (b"|", b"\t", b",", b";")
_HEAD = LazyPattern(rb"[\w .\-*`\"'/()|\t,;\x02]+\r?$")
_RULER = LazyPattern(rb"[\s|:\-+=]*$")
_CELL = LazyPattern(rb"[\s\"'`*]*([^\s\"'`*](?:.*[^\s\"'`*])?)[\s\"'`*]*$")
_VALUES = LazyPattern(rb"[^()]{0,300}\)\s{0,9}values\s{0,9}\(", 2)  # 2: in any case
_SQL_VALUE = LazyPattern(rb"\s{0,9}(?:'([^'\n]{0,300})'|\"([^\"\n]{0,300})\"|([^,()'\"\n]{0,100}))\s{0,9}[,)]")
_CLOSED = LazyPattern(rb"[\s\w]{0,20}</t[hd]>")
_OPENED = LazyPattern(rb"<t[hd]\b[^<>]{0,80}>")
_INSIDE = LazyPattern(rb"\s{0,20}(?:<\w[^<>]{0,60}>){0,3}([^\s<>]{4,300})\s{0,20}<")
_HTML_REACH = 4_000


class TableRange:
    """The lines of the last table that was read: none of its rows is the head of another table."""

    def __init__(self) -> None:
        self.start = self.end = -1


def find_in_column(text: bytes, start: int, end: int, clue: NameClue, table: TableRange) -> Iterator[Found]:
    if text.find(b"</t", end, end + 24) >= 0 and _CLOSED.match(text, end) is not None:
        yield from _find_in_html(text, start, end, clue)
    after = text[end : end + 4].lstrip(b" \"'`*")[:1]
    if after in (b"|", b"\t", b",", b";", b"\r", b"\n") or text[end : end + 2] in (b"  ", b" \t", b"\t"):
        yield from _find_in_rows(text, start, end, clue, table)
    if after in (b",", b")"):
        values = _VALUES.match(text, end)
        bracket = text.rfind(b"(", max(0, start - _MAX_LINE_CHARS), start)
        if values is not None and bracket >= 0:
            yield from _find_in_sql(text, values.end(), text.count(b",", bracket, start), clue)


def _find_in_html(text: bytes, start: int, end: int, clue: NameClue) -> Iterator[Found]:
    head = text.rfind(b"<tr", max(0, start - _MAX_LINE_CHARS), start)
    if head < 0:
        return
    column = len(list(_OPENED.finditer(text, head, start))) - 1
    if column < 0:
        return
    rows = text[end : end + _HTML_REACH].split(b"<tr")
    at = end + len(rows[0]) + 3
    for row in rows[1:]:
        cells = list(_OPENED.finditer(row))
        if column < len(cells):
            cell = _INSIDE.match(text, at + cells[column].end())
            if cell is not None and is_secret(cell.group(1), clue.strength, Frame.ASSIGNED):
                yield *cell.span(1), clue.rule
        at += len(row) + 3


def _find_in_rows(text: bytes, start: int, end: int, clue: NameClue, table: TableRange) -> Iterator[Found]:
    begin = line_start(text, start, _MAX_LINE_CHARS)
    if table.start < begin < table.end:
        return
    stop = text.find(b"\n", end, end + _MAX_LINE_CHARS)
    if stop < 0 or _HEAD.match(text, begin, stop) is None:
        return
    separator = next((sign for sign in _SEPARATORS if sign in text[begin:stop]), b"  ")
    head = _cells(text, begin, stop, separator)
    table.start = begin
    if sum(bool(text[first:last].strip(b" \t\r\"'`*")) for first, last in head) < 2:
        return
    column = next((number for number, cell in enumerate(head) if cell[0] <= start < cell[1]), 0)
    for _ in range(_MAX_ROWS):
        begin, stop = stop + 1, text.find(b"\n", stop + 1, stop + _MAX_LINE_CHARS)
        if stop < 0:
            stop = min(len(text), begin + _MAX_LINE_CHARS)
        if _RULER.match(text, begin, stop) is not None:
            if not text[begin:stop].strip():
                return
            continue
        cells = _cells(text, begin, stop, separator)
        if separator == b"  " and len(cells) != len(head):
            cells = _cells(text, begin, stop, b" ")
        if len(cells) != len(head):
            return
        table.end = stop
        cell = _CELL.match(text, *cells[column])
        if cell is not None:
            value = cell.group(1).rpartition(b" / ")[2]  # a user may come before it
            if is_secret(value, clue.strength, Frame.ASSIGNED):
                yield cell.end(1) - len(value), cell.end(1), clue.rule


def _cells(text: bytes, start: int, end: int, separator: bytes) -> list[tuple[int, int]]:
    """Return where the cells of a line are; any number of blanks separates two cells."""
    cells: list[tuple[int, int]] = []
    at = start
    for part in text[start:end].split(separator):
        if part.strip() or not separator.isspace() or separator == b"\t":
            cells.append((at, at + len(part)))
        at += len(part) + len(separator)
    return cells


def _find_in_sql(text: bytes, at: int, column: int, clue: NameClue) -> Iterator[Found]:
    """`INSERT INTO users (name, password) VALUES ('me', '...')`: look at the first row."""
    for _ in range(column):
        value = _SQL_VALUE.match(text, at)
        if value is None:
            return
        at = value.end()
    value = _SQL_VALUE.match(text, at)
    if value is not None:
        group = value.lastindex or 0
        if is_secret(value.group(group), clue.strength, Frame.QUOTED if group < 3 else Frame.ASSIGNED):
            yield *value.span(group), clue.rule
