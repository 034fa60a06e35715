"""The report of `recollect worth` as one page: no script, nothing loaded from elsewhere, every text escaped."""

from collections.abc import Iterable, Sequence
from html import escape

from recollect.cli.display import output
from recollect.cli.worth import report as worth_report
from recollect.cli.worth.report import POINTS, WorthReport, without_prefix
from recollect.rank.worth import ErrorRecurrence, PointFigures, Repetition, ShownLine, Worth
from recollect.text.block import visible

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --dim: #5f6872; --paper: #f7f8f9; --card: #fff; --rule: #e3e6ea;
  --tint: #6d28d9; --good: #15803d; --none: #b45309; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --dim: #98a1ab; --paper: #14171a; --card: #1c2024;
  --rule: #30363c; --tint: #b79cf7; --good: #5fce8b; --none: #f0b35b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 3rem 1.25rem 5rem; max-width: 54rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .3rem; letter-spacing: -.01em; }
h2 { font-size: 1.1rem; margin: 2.6rem 0 .7rem; }
p { margin: .4rem 0; } .dim { color: var(--dim); font-size: .9rem; }
.sum, .card { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; }
.sum { margin: 1.4rem 0 0; padding: 1.1rem 1.3rem; } .sum > p { font-size: 1.15rem; font-weight: 600; margin: 0; }
.sum ul { list-style: none; margin: .6rem 0 0; padding: 0; } .sum li { padding-left: 1.4rem; position: relative; }
.sum li::before { content: "✓"; position: absolute; left: 0; color: var(--good); font-weight: 700; }
.sum li.none::before { content: "–"; color: var(--none); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { color: var(--dim); font-weight: 500; font-size: .85rem; } th, td { padding: .4rem .6rem; text-align: right;
  border-bottom: 1px solid var(--rule); white-space: nowrap; } th:first-child, td:first-child { padding-left: 0; }
th:first-child, td:first-child, .words { text-align: left; } td.words { white-space: normal; }
.wide { overflow-x: auto; } .card { padding: .8rem 1rem; margin: .7rem 0; overflow-wrap: anywhere; }
.card p { margin: .15rem 0; } .card .dim { margin-top: .35rem; }
.bars { display: grid; grid-template-columns: max-content 1fr max-content; gap: .3rem .8rem; align-items: center;
  margin: .3rem 0 1rem; } .bars b { grid-column: 1 / -1; font-weight: 600; }
.bars span:nth-of-type(3n+1) { color: var(--dim); }
.bar { background: var(--rule); border-radius: .25rem; height: .6rem; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--dim); } .bar.own i { background: var(--tint); }
.kind { color: var(--tint); font-size: .8rem; font-weight: 600; margin-right: .5rem; }
.good { color: var(--good); font-weight: 600; } time { color: var(--dim); font-size: .85rem; margin-right: .6rem;
  font-variant-numeric: tabular-nums; }
@media (max-width: 36rem) { th, td { padding: .35rem .3rem; } td { font-size: .85rem; } }
code { font: .85rem ui-monospace, monospace; background: var(--rule); padding: .1rem .35rem; border-radius: .25rem; }
"""

NONE = ' class="none"'  # for a sentence that claims nothing


def page(report: WorthReport) -> str:
    measured = report.worth
    parts = [f"<h1>What Recollect was worth</h1>{_dim(worth_report.scope(report))}"]
    if report.is_interrupted:
        parts.append(_dim(worth_report.interruption(report)))
    parts.append(_summary(report))
    if measured.sessions:
        parts += _sections(report)
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>What Recollect was worth</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _summary(report: WorthReport) -> str:
    measured = report.worth
    if not measured.sessions:
        return f'<div class="sum"><p>{_text(worth_report.NOTHING_PLAYED)}</p></div>'
    claims = ""
    for claim in worth_report.verdict(measured):
        claims += f"<li{NONE if claim in worth_report.NO_CLAIMS else ''}>{_text(claim)}</li>"
    more = "" if measured.tokens else _dim(worth_report.MORE)
    return f'<div class="sum"><p>{_text(worth_report.headline(report))}</p><ul>{claims}</ul></div>{more}'


def _sections(report: WorthReport) -> Iterable[str]:
    measured = report.worth
    often = _table(worth_report.moments_table(measured))
    if measured.tokens:
        often += f"<p>{_text(worth_report.price(report))}</p>{_dim(worth_report.COUNTED_ONCE)}"
    yield _section("How often it shows a block, and how much", often)
    if measured.tokens:
        rows = [(POINTS.get(point, point), worth_report.kinds_of(kinds)) for point, kinds in measured.kinds]
        yield _section("Lines by kind", _table([("moment", ""), *rows]))
        yield _section("Did the lines come up later?", _later_bars(measured))
    twice = f"<p>{_text(worth_report.repetition_summary(measured))}</p>"
    shown = worth_report.repetitions_to_show(measured)
    twice += "".join(map(_repetition, shown)) + _rest(measured.repetitions, shown)
    yield _section("Explained twice", twice)
    again = f"<p>{_text(worth_report.error_summary(measured))}</p>"
    errors = worth_report.errors_to_show(measured)
    yield _section("Errors met again", again + "".join(map(_error, errors)) + _rest(measured.by_error, errors))
    if measured.tokens:
        helped = "".join(_line(one, _dim(worth_report.later_words(one))) for one in measured.helpful_lines)
        yield _section("Lines that helped most", helped or f"<p>{worth_report.NONE_HELPED}</p>")
        idle = "".join(_line(one, _how_to_forget(report, one)) for one in measured.unused_lines)
        yield _section("Prompt lines shown often that never came up later", idle or f"<p>{worth_report.NONE_IDLE}</p>")


def _section(title: str, content: str) -> str:
    return f"<section><h2>{_text(title)}</h2>{content}</section>"


def _later_bars(measured: Worth) -> str:
    judged = worth_report.find_judged(measured)
    if not judged:
        return f"<p>{worth_report.NONE_JUDGED}</p>"
    return "".join(map(_bars, judged)) + _dim(worth_report.PROXY)


def _bars(one: PointFigures) -> str:
    lines = output.many(one.judged_lines, "line")
    title = f"On a {POINTS[one.point]} ({lines}): {worth_report.effect(one)}"
    rows = _bar("came up later", one.later, " own") + _bar("by chance", one.placebo, "")
    return f'<div class="bars"><b>{_text(title)}</b>{rows}</div>'


def _bar(label: str, value: float | None, style: str) -> str:
    bar = f'<span class="bar{style}"><i style="width:{100 * (value or 0):.0f}%"></i></span>'
    return f"<span>{label}</span>{bar}<span>{worth_report.share(value)}</span>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A last column without a heading has words, not numbers."""
    style = "" if rows[0][-1] else ' class="words"'

    def cells(row: Sequence[str], tag: str) -> str:
        numbers = "".join(f"<{tag}>{_text(cell)}</{tag}>" for cell in row[:-1])
        return f"{numbers}<{tag}{style}>{_text(row[-1])}</{tag}>"

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows[1:])
    return f'<div class="wide"><table><thead><tr>{cells(rows[0], "th")}</tr></thead><tbody>{body}</tbody></table></div>'


def _repetition(one: Repetition) -> str:
    quotes = ""
    for at, text in ((one.first_at, one.first), (one.again_at, one.again)):
        quotes += f"<p><time>{output.day(at)}</time>“{_text(text)}”</p>"
    return f'<div class="card">{quotes}{_line_if_any("Was there", "No block had it.", one.block_line)}</div>'


def _error(one: ErrorRecurrence) -> str:
    when = _dim(worth_report.error_times(one))
    had = _line_if_any("Its fix", "No fix was known.", one.fix_line)
    return f'<div class="card"><p>{_text(output.shorten(one.error))}</p>{when}{had}</div>'


def _line_if_any(label: str, otherwise: str, line: str | None) -> str:
    if line is None:
        return _dim(otherwise)
    return f'<p><span class="good">{label}:</span> {_text(output.shorten(line))}</p>'


def _rest(all_of: Sequence[object], shown: Sequence[object]) -> str:
    more = worth_report.rest(all_of, shown)
    return _dim(more) if more else ""


def _line(one: ShownLine, about: str) -> str:
    kind, _ = worth_report.names_of(one.line.kind)
    text = _text(output.shorten(without_prefix(one.line)))
    return f'<div class="card"><p><span class="kind">{_text(kind)}</span>{text}</p>{about}</div>'


def _how_to_forget(report: WorthReport, one: ShownLine) -> str:
    what = _text(worth_report.how_to_forget(report, one))
    if one.line.text in report.own_ids:
        what = f"<code>{what}</code>"
    return f'<p class="dim">Shown {worth_report.times(one.shown)}; {what}</p>'


def _dim(text: str) -> str:
    return f'<p class="dim">{_text(text)}</p>'


def _text(text: str) -> str:
    return escape(visible(text))
