"""`recollect status`: whether the daemon is running, how it is doing, and usage statistics of its blocks.

The figures come from the daemon if it answers, else from the database. Reading them creates nothing.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect import __version__
from recollect.cli.display import output, pause_notice
from recollect.cli.exit_codes import EXIT_ERROR, EXIT_NOT_RUNNING
from recollect.cli.formats.injection_json import usage_json
from recollect.client import Client, is_older
from recollect.domain.errors import DaemonError, RecollectError
from recollect.paths import Paths, find_paths

if TYPE_CHECKING:
    from recollect.domain.injection import MomentUsage

ANSWER_S = 3.0  # a healthy daemon answers in milliseconds
NAME_COLUMNS = 10
NAMES = {
    "start": "starts",
    "prompt": "prompts",
    "tool_error": "errors",
    "compaction": "compacted",
    "on_demand": "questions",
}
HEADS = ("blocks", "times", "silent", "tokens", "budget", "used", "ms")
NOT_LOADED = "not loaded yet"
COUNTED = "in all projects, including replaced ones"  # `list` shows fewer
USABLE = ("loaded", NOT_LOADED)
WITHOUT_MODEL = "search uses words only (`recollect model build`)"
LAST_PROBLEMS = 3
Facts = Mapping[str, Any]


@click.command()
@output.json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Show whether the daemon is running, and usage statistics.

    The exit code is 0 if the daemon answers, 3 if no daemon is running, and 1 if the daemon does not answer."""
    places = find_paths()
    client = Client(places.socket)
    facts = _ask(client)
    pid = client.pid() if facts is None else facts["pid"]
    usage = None if facts is None else _usage(facts)
    stored: Facts = {}
    if usage is None:
        stored, usage = _read_database(places)
    where = {"database": str(places.database), "socket": str(places.socket), "log": str(places.log)}
    pauses = pause_notice.current_pauses()
    if pid is not None and (port := client.port()) is not None:
        where |= {"tcp": f"127.0.0.1:{port}", "token": str(places.token)}
    if as_json:
        about = {
            "running": pid is not None,
            "answers": facts is not None,
            "pid": pid,
            "pauses": list(map(pause_notice.pause_json, pauses)),
            **(stored if facts is None else facts),
        }
        output.say_json({**about, "usage": list(map(usage_json, usage)), **where})
    else:
        for one in pauses:
            _show("PAUSED", pause_notice.sentence(one).removeprefix("paused ").removeprefix("paused: "))
        for name, text in (*daemon_rows(pid, facts, stored), *_disk_rows(facts, places.database)):
            _show(name, text)
        _show_usage(usage)
        for name, place in where.items():
            _show(name, place)
    if facts is None:
        ctx.exit(EXIT_NOT_RUNNING if pid is None else EXIT_ERROR)


def _ask(client: Client) -> Facts | None:
    with suppress(DaemonError):
        return client.get("/v1/status", timeout_s=ANSWER_S)
    return None


def _usage(facts: Facts) -> "list[MomentUsage] | None":
    """Return the usage in all sessions. None: a daemon of another version counts differently."""
    import msgspec  # not needed if no daemon answers

    from recollect.domain.injection import MomentUsage

    try:
        return msgspec.convert(facts["usage"], list[MomentUsage])
    except (KeyError, msgspec.ValidationError):
        return None


def _read_database(places: Paths) -> "tuple[Facts, list[MomentUsage]]":
    """Return the figures from the database; an unreadable one does not stop `status`."""
    from recollect import wiring  # the answer of a daemon needs neither
    from recollect.cli import context
    from recollect.engine.upkeep import read_figures

    if wiring.existing_database(places.database) is None:
        return {}, []
    try:
        with context.engine() as engine:
            figures = read_figures(engine.store)
            restored, demoted = figures.restored, figures.demoted
            facts: dict[str, Any] = {
                "memories": figures.memories,
                "to_review": figures.to_review,
                "candidates": figures.candidates,
                "to_learn": figures.to_learn,
                "taken_back": restored and restored.id,
                "put_back": demoted and {"deed": demoted.id, "memories": demoted.memories},
                "to_embed": figures.to_embed,
            }
            if places.model.is_dir():
                facts["model"] = NOT_LOADED
            return facts, figures.usage
    except RecollectError as error:
        output.warn(str(error))
        return {}, []


def daemon_rows(pid: int | None, facts: Facts | None, stored: Facts) -> Iterator[tuple[str, str]]:
    """Yield names and texts about the daemon; `stored`: the figures from the database, if no daemon answers."""
    if facts is None:
        if pid is None:
            yield "daemon", "not running; hosts start it, or `recollect start`"
        else:
            yield "daemon", f"process {pid} does not answer; `recollect restart` replaces it"
        if stored:
            yield "memories", f"{stored['memories']:,} {COUNTED}"
            yield from _waiting_rows(stored)
        return
    memory_mb = facts.get("memory_mb")
    memory = "" if memory_mb is None else f", {memory_mb:.0f} MB"
    uptime = _duration(facts["uptime_s"])
    yield "daemon", f"running for {uptime}, version {facts['version']}, process {facts['pid']}{memory}"
    if is_older(facts["version"]):
        yield "", f"older than this command, {__version__}: `recollect restart` updates it"
    elif facts["version"] != __version__:
        yield "", f"another version than this command, {__version__}: commands bypass the daemon"
    yield "memories", f"{facts['memories']:,} {COUNTED}"
    yield from _waiting_rows(facts)
    model = facts["model"]  # "loaded", "not loaded yet", or the reason why there is none
    yield "model", model if model in USABLE else f"{model.replace('_', ' ')}: {WITHOUT_MODEL}"
    for name in ("secrets", "extractor"):
        if facts.get(name):
            yield name, str(facts[name])
    yield from _problem_rows(facts.get("last_errors") or [])


def _waiting_rows(facts: Facts) -> Iterator[tuple[str, str]]:
    if facts.get("to_review"):
        waits = output.many(facts["to_review"], "memory waits", "memories wait")
        yield "review", f"{waits} for your decision (`recollect review --all`)"
    if facts.get("candidates"):
        yield "learnt", f"{output.many(facts['candidates'], 'candidate')} (`recollect review --candidates --all`)"
    if facts.get("taken_back"):
        undo = f"`recollect undo {facts['taken_back']}` reverts this"
        yield "upgrade", f"memories that an older version had replaced in doubt are valid again ({undo})"
    if facts.get("put_back"):
        yield "upgrade", describe_demotion(**facts["put_back"])
    waiting = []
    if facts.get("to_learn"):
        waiting.append(f"{output.many(facts['to_learn'], 'event')} to learn from")
    if facts.get("to_embed") and facts.get("model") in USABLE:
        waiting.append(f"{output.many(facts['to_embed'], 'text')} without a vector yet")
    if waiting:
        yield "waiting", ", ".join(waiting)


def describe_demotion(deed: int, memories: int) -> str:
    """Say what an upgrade did to captured memories, and how to undo it."""
    many = output.many(memories, "captured memory is a candidate", "captured memories are candidates")
    them = "it" if memories == 1 else "them"
    return f"{many} now: today's rules would not confirm {them} (`recollect undo {deed}` confirms {them} again)"


def _problem_rows(errors: Sequence[Facts]) -> Iterator[tuple[str, str]]:
    name = "problems"
    for one in reversed(errors[-LAST_PROBLEMS:]):
        at = output.minute(datetime.fromisoformat(one["at"]))
        yield name, f"{at}  {one['where']}: {one['code']}"
        name = ""


def _disk_rows(facts: Facts | None, database: Path) -> Iterator[tuple[str, str]]:
    if facts is None:
        read_only = database.exists() and not os.access(database, os.W_OK)
    else:
        read_only = facts.get("read_only", False)
        if facts.get("unwritten"):
            events = output.many(facts["unwritten"], "event")
            yield "DISK", f"{events} cannot be written and wait in memory; free some space"
    if read_only:
        yield "READ-ONLY", "the database can be read but not written: nothing can be learnt (`recollect doctor`)"


def _duration(seconds: float) -> str:
    minutes = int(seconds) // 60
    hours, days = minutes // 60, minutes // 1440
    if days:
        return f"{output.many(days, 'day')} {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{seconds:.0f} s"


def _show(name: str, text: str) -> None:
    is_alarm = name.isupper()
    head = output.style_text(f"{name:{NAME_COLUMNS}}", fg="red" if is_alarm else None, dim=not is_alarm)
    output.say_beside(head, NAME_COLUMNS, text)


def _show_usage(usage: "Sequence[MomentUsage]") -> None:
    if not usage:
        return
    output.say("")
    rows = [HEADS, *map(_usage_row, usage)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *figures in rows:
        line = "  ".join(figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=True))
        is_head = name == HEADS[0]
        output.say(output.style_text(f"{name:{NAME_COLUMNS}}", dim=True) + output.style_text(line, dim=is_head or None))
    output.say("")


def _usage_row(usage: "MomentUsage") -> tuple[str, ...]:
    """Return the number of moments, the share without a block, and the tokens and budget of an average block."""
    blocks = usage.blocks
    tokens = budget = used = "-"
    if blocks:
        tokens, budget = f"{usage.tokens / blocks:,.0f}", f"{usage.budget_tokens / blocks:,.0f}"
        if usage.budget_tokens:
            used = f"{usage.tokens / usage.budget_tokens:.0%}"
    silent = 1 - blocks / usage.injections
    name = NAMES.get(usage.point, usage.point)
    return (name, f"{usage.injections:,}", f"{silent:.0%}", tokens, budget, used, f"{usage.took_ms:.1f}")
