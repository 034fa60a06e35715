"""`recollect status`: whether the daemon runs, how it goes with it, and what its blocks came to.

Where a daemon runs and answers, the figures are its own; else they are read from the database. Asking makes nothing.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect import __version__, config
from recollect.cli.display import output, pause_notice
from recollect.cli.exit_codes import EXIT_ERROR, EXIT_NOT_RUNNING
from recollect.cli.formats.injection_json import usage_json
from recollect.client import Client, is_older
from recollect.domain.errors import DaemonError, RecollectError

if TYPE_CHECKING:
    from recollect.domain.history import Change
    from recollect.domain.injection import MomentUsage

ANSWER_S = 3.0  # one that lives answers in milliseconds
BESIDE = 10  # columns of a name
MOMENTS = {
    "start": "starts",
    "prompt": "prompts",
    "tool_error": "errors",
    "compaction": "compacted",
    "on_demand": "asked",
}
HEADS = ("blocks", "times", "silent", "tokens", "budget", "used", "ms")
NOT_LOADED = "not loaded yet"
COUNTED = "in all projects, with those that were replaced"  # `list` shows fewer
USABLE = ("loaded", NOT_LOADED)
WITHOUT_MODEL = "search goes by words alone (`recollect model build`)"
Facts = Mapping[str, Any]


@click.command()
@output.json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Say whether the daemon runs, how it goes, and what its blocks came to. Exit code 3: it does not run."""
    places = config.places()
    client = Client(places.socket)
    pid = client.pid()
    facts = None if pid is None else _asked(client)
    usage = None if facts is None else _usage(facts)
    kept: Facts = {}
    if usage is None:
        kept, usage = _looked_up(places)
    where = {"database": str(places.database), "socket": str(places.socket), "log": str(places.log)}
    on = pause_notice.on()
    port = client.port() if pid is not None else None
    if port is not None:
        where |= {"tcp": f"127.0.0.1:{port}", "token": str(places.token)}
    if as_json:
        about = {
            "running": pid is not None,
            "answers": facts is not None,
            "pid": pid,
            "pauses": [pause_notice.pause_json(one) for one in on],
            **(kept if facts is None else facts),
        }
        output.say_json({**about, "usage": [*map(usage_json, usage)], **where})
    else:
        _show([("PAUSED", pause_notice.sentence(one).removeprefix("paused ").removeprefix("paused: ")) for one in on])
        _show([*told(pid, facts, kept), *_written(facts, places.database)])
        _show_usage(usage)
        _show([(name, where[name]) for name in ("database", "socket", "log", "tcp", "token") if name in where])
    if facts is None:
        ctx.exit(EXIT_NOT_RUNNING if pid is None else EXIT_ERROR)


def _asked(client: Client) -> Facts | None:
    """None: it hangs."""
    try:
        return client.get("/v1/status", timeout_s=ANSWER_S)
    except DaemonError:
        return None


def _usage(facts: Facts) -> "list[MomentUsage] | None":
    """Of all sessions. None: a daemon of another version counts otherwise."""
    from recollect.domain.injection import Moment, MomentUsage

    try:
        return [MomentUsage(**{**one, "point": Moment(one["point"])}) for one in facts["usage"]]
    except (KeyError, TypeError, ValueError):
        return None


def _looked_up(places: config.Paths) -> "tuple[Facts, list[MomentUsage]]":
    """What the database says of itself. Whether the daemon runs is said in any case."""
    from recollect import wiring  # what only says whether it runs starts quicker without them
    from recollect.cli import context

    if wiring.database_to_read(places.database) is None:
        return {}, []
    try:
        with context.engine() as engine:
            waiting, back = engine.waiting(None), engine.put_back()
            figures = {
                "memories": engine.count(),
                "to_review": len(engine.cases()),
                "candidates": len(engine.candidates()),
                "to_learn": engine.to_learn(),
                "taken_back": _deed_of(engine.taken_back()),
                "put_back": None if back is None else {"deed": back.id, "memories": back.memories},
                "to_embed": waiting.memories + waiting.turns,
            }
            return figures | ({"model": NOT_LOADED} if places.model.is_dir() else {}), engine.log.usage()
    except RecollectError as error:
        output.warn(str(error))
        return {}, []


def _deed_of(deed: "Change | None") -> int | None:
    return None if deed is None else deed.id


def told(pid: int | None, facts: Facts | None, kept: Facts) -> Iterator[tuple[str, str]]:
    """`kept`: what the database says, where no daemon does."""
    if facts is None:
        hangs = f"process {pid} does not answer; `recollect restart` ends it and starts another"
        yield "daemon", "not running; hosts start it, or `recollect start`" if pid is None else hangs
        if kept:
            yield "memories", f"{kept['memories']:,} {COUNTED}"
            yield from _waiting(kept)
        return
    uptime, memory = _duration(facts["uptime_s"]), facts.get("memory_mb")
    held = "" if memory is None else f", {memory:.0f} MB"
    yield "daemon", f"running for {uptime}, version {facts['version']}, process {facts['pid']}{held}"
    if facts["version"] != __version__:
        yield "", _other_version(facts["version"])
    yield "memories", f"{facts['memories']:,} {COUNTED}"
    yield from _waiting(facts)
    yield "model", _model(facts["model"])
    if facts.get("secrets"):
        yield "secrets", str(facts["secrets"])
    if facts.get("extractor"):
        yield "extractor", str(facts["extractor"])
    yield from _problems(facts.get("last_errors") or [])


def _other_version(version: str) -> str:
    if is_older(version):
        return f"older than this command, {__version__}: `recollect restart` renews it"
    return f"another version than this command, {__version__}: commands go past it"


def _waiting(facts: Facts) -> Iterator[tuple[str, str]]:
    if facts.get("to_review"):
        waits = output.many(facts["to_review"], "memory waits", "memories wait")
        yield "review", f"{waits} for your decision (`recollect review --all`)"
    if facts.get("candidates"):
        yield "learnt", f"{output.many(facts['candidates'], 'candidate')} (`recollect review --candidates --all`)"
    if facts.get("taken_back"):
        undo = f"`recollect undo {facts['taken_back']}` ends them as before"
        yield "upgrade", f"memories that an older version had ended in doubt are valid again ({undo})"
    if facts.get("put_back"):
        yield "upgrade", put_back(**facts["put_back"])
    waiting = [
        f"{output.many(count, one)} {what}"
        for count, one, what in (
            (facts.get("to_learn"), "event", "to learn from"),
            (facts.get("to_embed") if facts.get("model") in USABLE else 0, "text", "without a meaning yet"),
        )
        if count
    ]
    if waiting:
        yield "waiting", ", ".join(waiting)


def put_back(deed: int, memories: int) -> str:
    """What an upgrade did to captured memories, and how to undo it."""
    many = output.many(memories, "captured memory is a candidate", "captured memories are candidates")
    undo = f"`recollect undo {deed}` confirms {'it' if memories == 1 else 'them'} again"
    return f"{many} now: today's rules would not confirm {'it' if memories == 1 else 'them'} ({undo})"


def _model(state: str) -> str:
    """As the daemon calls it: loaded, not loaded yet, or why there is none."""
    if state in USABLE:
        return state
    return f"{state.replace('_', ' ')}: {WITHOUT_MODEL}"


def _problems(errors: Sequence[Facts]) -> Iterator[tuple[str, str]]:
    """The last ones, the newest first; the log has all."""
    for number, one in enumerate(reversed(errors[-3:])):
        at = output.minute(datetime.fromisoformat(one["at"]))
        yield "problems" if not number else "", f"{at}  {one['where']}: {one['code']}"


def _written(facts: Facts | None, database: Path) -> Iterator[tuple[str, str]]:
    if facts and facts.get("unwritten"):
        events = output.many(facts["unwritten"], "event")
        yield "DISK", f"{events} cannot be written and wait in memory; free some space"
    read_only = database.exists() and not os.access(database, os.W_OK) if facts is None else facts.get("read_only")
    if read_only:
        yield "READ-ONLY", "the database can be read but not written: nothing can be learnt (`recollect doctor`)"


def _duration(seconds: float) -> str:
    minutes = int(seconds) // 60
    if not minutes:
        return f"{seconds:.0f} s"
    hours, days = minutes // 60, minutes // 1440
    if days:
        return f"{output.many(days, 'day')} {hours % 24} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"


def _show(facts: Sequence[tuple[str, str]]) -> None:
    for name, says in facts:
        loud = name.isupper()
        output.say_beside(output.styled(f"{name:10}", fg="red" if loud else None, dim=not loud), BESIDE, says)


def _show_usage(usage: "Sequence[MomentUsage]") -> None:
    if not usage:
        return
    output.say("")
    rows = [HEADS, *map(_row, usage)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, (name, *figures) in enumerate(rows):
        line = "  ".join(figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=True))
        head = not number
        output.say(output.styled(f"{name:10}", dim=True) + output.styled(line, dim=head or None))
    output.say("")


def _row(usage: "MomentUsage") -> tuple[str, ...]:
    """How often it was asked, how often it said nothing, and of a block on average the tokens and its budget."""
    blocks, silent = usage.blocks, 1 - usage.blocks / usage.injections
    spent = ("-", "-", "-")
    if blocks:
        used = f"{usage.tokens / usage.budget_tokens:.0%}" if usage.budget_tokens else "-"
        spent = (f"{usage.tokens / blocks:,.0f}", f"{usage.budget_tokens / blocks:,.0f}", used)
    return (
        MOMENTS.get(usage.point, usage.point),
        f"{usage.injections:,}",
        f"{silent:.0%}",
        *spent,
        f"{usage.took_ms:.1f}",
    )
