"""The report of `recollect worth` as one page: no script, nothing loaded from elsewhere, every text escaped."""

from collections.abc import Iterable, Sequence
from html import escape

from recollect.cli import output, worth_report
from recollect.cli.worth_report import POINTS, Report, without_prefix
from recollect.rank.worth import MetAgain, Repetition, ShownLine
from recollect.text.block import visible

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --dim: #626a73; --paper: #fcfcfd; --card: #fff; --rule: #e3e6ea;
  --tint: #6d28d9; --good: #15803d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --dim: #98a1ab; --paper: #14171a; --card: #1c2024;
  --rule: #30363c; --tint: #b79cf7; --good: #5fce8b; } }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 56rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
.dim { color: var(--dim); font-size: .9rem; } .verdict { font-size: 1.15rem; font-weight: 600; margin: 1.2rem 0 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { color: var(--dim); font-weight: 500; font-size: .85rem; } th, td { padding: .35rem .6rem; text-align: right;
  border-bottom: 1px solid var(--rule); } th:first-child, td:first-child, .words { text-align: left; padding-left: 0; }
.wide { overflow-x: auto; } .card { background: var(--card); border: 1px solid var(--rule); border-radius: .5rem;
  padding: .7rem .9rem; margin: .6rem 0; overflow-wrap: anywhere; } .card p { margin: .15rem 0; }
.kind { color: var(--tint); font: 600 .8rem ui-monospace, monospace; margin-right: .5rem; }
.good { color: var(--good); } time { color: var(--dim); font-size: .85rem; margin-right: .5rem; }
code { font: .85rem ui-monospace, monospace; background: var(--rule); padding: .1rem .35rem; border-radius: .25rem; }
"""


def page(report: Report) -> str:
    measured = report.worth
    parts = [f"<h1>What Recollect was worth</h1>{_dim(worth_report.scope(report))}"]
    if report.is_interrupted:
        parts.append(_dim(worth_report.interrupted(report)))
    parts += [f'<p class="verdict">{_text(sentence)}</p>' for sentence in worth_report.verdict(measured)]
    if measured.sessions:
        parts += _sections(report)
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>What Recollect was worth</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _sections(report: Report) -> Iterable[str]:
    measured = report.worth
    yield _section("How often it speaks, and how much", _table(worth_report.moments_table(measured)))
    yield f"<p>{_text(worth_report.price(report))}</p>{_dim(worth_report.COUNTED_ONCE)}"
    if measured.kinds:
        rows = [
            (POINTS.get(point, point), "  ".join(f"{kind} {count:,}" for kind, count in kinds))
            for point, kinds in measured.kinds
        ]
        yield _section("Lines by kind", _table([("moment", ""), *rows]))
    later = worth_report.later_table(measured)
    told = _table(later) if later else "<p>No line on a prompt or an error had rare terms that were new.</p>"
    yield _section("Did the lines come up later?", told + _dim(worth_report.PROXY))
    twice = f"<p>{_text(worth_report.said_twice(measured))}</p>"
    yield _section("Explained twice", twice + "".join(map(_repetition, worth_report.spared_first(measured))))
    again = f"<p>{_text(worth_report.met_again(measured))}</p>"
    yield _section("Errors met again", again + "".join(map(_error, worth_report.at_hand_first(measured))))
    helped = "".join(_line(one, _dim(worth_report.taken_up(one))) for one in measured.helped)
    yield _section("Lines that helped most", helped or f"<p>{worth_report.NONE_HELPED}</p>")
    idle = "".join(_line(one, _forgetting(report, one)) for one in measured.idle)
    yield _section("Prompt lines shown often and never taken up", idle or f"<p>{worth_report.NONE_IDLE}</p>")


def _section(title: str, content: str) -> str:
    return f"<section><h2>{_text(title)}</h2>{content}</section>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A last column without a name has words."""
    last = len(rows[0]) - 1
    words = "" if rows[0][last] else ' class="words"'

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{words if place == last else ''}>{_text(cell)}</{tag}>" for place, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows[1:])
    return f'<div class="wide"><table><thead><tr>{cells(rows[0], "th")}</tr></thead><tbody>{body}</tbody></table></div>'


def _repetition(one: Repetition) -> str:
    quotes = "".join(
        f"<p><time>{output.day(at)}</time>“{_text(text)}”</p>"
        for at, text in ((one.first_at, one.first), (one.again_at, one.again))
    )
    return f'<div class="card">{quotes}{_had("A block had it", "No block had it.", one.block_line)}</div>'


def _error(one: MetAgain) -> str:
    at = f"{output.day(one.first_at)}, again {output.day(one.at)}"
    had = _had("Fix", "No fix was at hand.", one.fix_line)
    return f'<div class="card"><p><time>{at}</time>{_text(one.error)}</p>{had}</div>'


def _had(label: str, otherwise: str, line: str | None) -> str:
    return _dim(otherwise) if line is None else f'<p><span class="good">{label}:</span> {_text(output.cut(line))}</p>'


def _line(one: ShownLine, about: str) -> str:
    said = _text(output.cut(without_prefix(one.line)))
    return f'<div class="card"><p><span class="kind">{_text(one.line.kind)}</span>{said}</p>{about}</div>'


def _forgetting(report: Report, one: ShownLine) -> str:
    what = _text(worth_report.forgetting(report, one))
    told = f"<code>{what}</code>" if one.line.text in report.own_ids else what
    return f'<p class="dim">Shown {one.shown:,} times; {told}</p>'


def _dim(text: str) -> str:
    return f'<p class="dim">{_text(text)}</p>'


def _text(text: str) -> str:
    return escape(visible(text))
