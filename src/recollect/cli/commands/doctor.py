"""`recollect doctor`: is everything as it should be, and if not, what to do."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import click

from recollect import __version__, config, wiring
from recollect.cli import context
from recollect.cli.commands.status import COUNTED, put_back
from recollect.cli.diagnosis.folders import folder_findings
from recollect.cli.diagnosis.installation import command_findings, installation_findings, opencode_findings
from recollect.cli.diagnosis.lost_database import split_findings
from recollect.cli.display import output, pause_notice
from recollect.cli.exit_codes import EXIT_PARTLY
from recollect.client import Client, is_older
from recollect.config import Paths
from recollect.domain.errors import RecollectError, StoreDamaged, StoreError
from recollect.domain.health import Finding, Health, fine, note, problem
from recollect.domain.model import Condition
from recollect.domain.settings import Settings
from recollect.domain.vector import ModelId
from recollect.engine.engine import Engine

ANSWER_S = 3.0  # one that lives answers in a millisecond
BESIDE = 19  # columns of the sign and what it is about
_SIGNS = {Health.FINE: ("ok", "green"), Health.NOTE: ("note", "yellow"), Health.PROBLEM: ("PROBLEM", "red")}


@click.command()
@click.option("--repair", is_flag=True, help="Mend what can be mended; what cannot be kept is written beside it.")
@output.json_option
@click.pass_context
def doctor(ctx: click.Context, repair: bool, as_json: bool) -> None:
    """Check everything, and say what to do: installation, settings, folders and disks, database, project, model,
    daemon and hosts. Exit code 4: there is a problem."""
    findings = [*dict.fromkeys(_findings(repair=repair))]  # the folders and the database may find the same
    healthy = all(finding.health is not Health.PROBLEM for finding in findings)
    if as_json:
        output.say_json(
            {
                "healthy": healthy,
                "findings": [
                    {"health": f.health.value, "about": f.about, "says": f.says, "advice": f.advice} for f in findings
                ],
            }
        )
    else:
        for finding in findings:
            _show(finding)
    if not healthy:
        ctx.exit(EXIT_PARTLY)


def _show(finding: Finding) -> None:
    sign, colour = _SIGNS[finding.health]
    output.say_beside(f"{output.styled(f'{sign:8}', fg=colour)}{finding.about:10} ", BESIDE, finding.says)
    if finding.advice:
        output.say_beside(" " * BESIDE, BESIDE, finding.advice)


def _findings(*, repair: bool) -> Iterator[Finding]:
    """Each check for itself: what is broken in one place hides nothing in another."""
    yield from installation_findings()
    try:
        places = config.places()
    except RecollectError as error:
        yield problem("settings", str(error), "Without it nothing else can be looked at.")
        return
    if repair:
        yield from _repair(places)
    for about, check in (
        ("settings", _settings),
        ("pause", _pause),
        ("disk", folder_findings),
        ("database", _database),
        ("database", split_findings),
        ("project", _project),
        ("model", _model),
        ("daemon", _daemon),
        ("hooks", command_findings),
        ("opencode", opencode_findings),
    ):
        try:
            yield from check(places)
        except (RecollectError, OSError) as error:
            yield problem(about, f"it cannot be checked: {error}", "")


def _repair(places: Paths) -> list[Finding]:
    if Client(places.socket).is_running():
        return [problem("repair", "the daemon uses the database", "`recollect stop` first, then repair.")]
    if not places.database.exists():
        return [note("repair", "there is no database yet")]
    try:
        return _mended(places)
    except RecollectError as error:
        return [problem("repair", str(error), "Nothing was changed.")]


def _mended(places: Paths) -> list[Finding]:
    with suppress(StoreDamaged), _engine(places) as engine:
        return engine.mend(context.now())
    return wiring.save_what_can_be_read(places.database)


def _settings(places: Paths) -> Iterator[Finding]:
    try:
        context.settings()
    except RecollectError as error:
        yield problem("settings", str(error), "Commands refuse to work until it is mended.")
        return
    for file in (places.settings, config.project_file(context.folder_to_look_in() or "/")):
        if file is not None:
            yield fine("settings", f"{file}" + ("" if file.exists() else " (not there: the defaults hold)"))


def _pause(places: Paths) -> Iterator[Finding]:
    """Nothing where it is not paused."""
    why = wiring.PauseFile(places.pause).problem
    if why is not None:
        yield problem("pause", why, "Nothing is captured or injected until then.")
        return
    for pause in pause_notice.on():
        yield note("pause", pause_notice.sentence(pause))


def _database(places: Paths) -> Iterator[Finding]:
    path = places.database
    if wiring.database_to_read(path) is None:
        yield note("database", f"{path} is not there yet", "It comes with the first `recollect remember`.")
        return
    try:
        with _engine(places) as engine:
            size_mb = path.stat().st_size / 1e6
            held = f"{output.many(engine.count(), 'memory', 'memories')} {COUNTED}"
            yield fine("database", f"{path}, {size_mb:.1f} MB, {held}")
            if engine.is_read_only:
                yield problem(
                    "database",
                    "it can be read but not written",
                    "Check owner, permissions and how the disk is mounted.",
                )
            yield from engine.check()
            back = engine.taken_back()
            if back is not None:
                many = output.many(back.memories, "memory", "memories")
                says = f"{many} that an older version had ended in doubt are valid again"
                yield fine("upgrade", f"{says} (`recollect undo {back.id}` ends them as before)")
            demoted = engine.put_back()
            if demoted is not None:
                yield fine("upgrade", put_back(demoted.id, demoted.memories))
            waiting = len(engine.cases())
            if waiting:
                says = output.many(waiting, "memory waits", "memories wait")
                advice = f"`recollect review --all` shows {'it' if waiting == 1 else 'them'}."
                yield note("review", f"{says} for your decision", advice)
    except RecollectError as error:
        repairable = isinstance(error, StoreDamaged)
        yield problem("database", str(error), "`recollect doctor --repair`" if repairable else "")
    backups = list((path.parent / "backups").glob("*.db"))
    if backups:
        yield fine("backups", f"{len(backups)} in {path.parent / 'backups'}")


def _engine(places: Paths) -> AbstractContextManager[Engine]:
    """Whatever the settings say: a mistake in them is one finding, not three."""
    return wiring.open_engine(lambda _: Settings(), wiring.database_to_read(places.database))


def _project(places: Paths) -> Iterator[Finding]:
    try:
        with _engine(places) as engine:
            yield fine("project", context.project_of(engine, None))
    except StoreError:
        return  # told already
    except RecollectError as error:
        yield problem("project", str(error), "Commands in this folder cannot tell whose memories they mean.")


def _model(places: Paths) -> Iterator[Finding]:
    state = wiring.model_state(places.model)
    if state.facts:
        yield fine("model", f"{state.facts.id}, every byte is what was built")
        yield from _waiting(places, state.facts.id)
    elif state.condition is Condition.MISSING:
        yield note("model", "not there: search works by words alone", state.advice)
    else:
        yield problem("model", state.says, f"{state.advice} Until then search works by words alone.")


def _waiting(places: Paths, model: ModelId) -> Iterator[Finding]:
    try:
        with _engine(places) as engine:
            waiting = engine.waiting(model)
    except RecollectError:
        return  # told already
    if waiting.memories or waiting.turns:
        says = f"{output.many(waiting.memories, 'memory', 'memories')} and {output.many(waiting.turns, 'turn')}"
        says += " so far found by words only"
        yield note("vectors", says, "`recollect model embed` makes their vectors, and so does the daemon.")


def _daemon(places: Paths) -> Iterator[Finding]:
    client = Client(places.socket)
    pid = client.pid()
    if pid is None:
        yield from _no_daemon(places.socket)
        return
    try:
        hello = client.get("/v1/hello", timeout_s=ANSWER_S)
    except RecollectError:
        says = f"process {pid} did not answer, or not properly, within {ANSWER_S:.0f} s"
        yield problem("daemon", says, f"`recollect restart` ends it and starts another; its log is {places.log}.")
        return
    version = hello.get("version")
    if is_older(version):
        yield problem("daemon", f"it is version {version}, this is {__version__}", "`recollect restart` renews it.")
    elif version != __version__:
        says = f"it is version {version}, this is {__version__}: another, newer installation started it"
        yield problem("daemon", says, "Upgrade this one too. Until then, its commands go past the daemon.")
    else:
        yield fine("daemon", f"running, process {pid}")
        if hello.get("environment") != config.fingerprint(places, os.environ):
            says = "it has other RECOLLECT_ variables or folders than this shell: commands here go past it"
            yield note("daemon", says, "`recollect restart` gives it those of this shell.")
    yield from _port(client, places)


def _port(client: Client, places: Paths) -> Iterator[Finding]:
    """What is set and what it listens on: the daemon goes on without a port that it does not get."""
    try:
        wanted, listens = context.settings(None).daemon.port, client.port()
    except RecollectError:
        return  # told already
    if not wanted or wanted == listens:
        return
    instead = "does not" if listens is None else f"listens on {listens}"
    says = f"it shall listen on 127.0.0.1:{wanted} ([daemon] port) and {instead}"
    advice = f"It was set after the start, or another program has that port: {places.log} says so. `recollect restart`"
    yield problem("daemon", says, f"{advice} tries again, with the port that is set then.")


def _no_daemon(socket: Path) -> Iterator[Finding]:
    if socket.is_dir():
        yield problem("daemon", f"{socket} is a folder: no daemon can listen there", "Remove it.")
        return
    left = "; what one that was killed left behind is taken over then" if os.path.lexists(socket) else ""
    yield note("daemon", f"not running; hosts start it when they need it{left}")
