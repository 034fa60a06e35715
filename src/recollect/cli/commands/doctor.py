"""`recollect doctor`: check that everything works, and say what to do if it does not."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from pathlib import Path

import click

from recollect import __version__, wiring
from recollect.cli import context
from recollect.cli.commands.status import ANSWER_S, COUNTED, describe_demotion
from recollect.cli.diagnosis.folders import folder_findings, lost_database_findings
from recollect.cli.diagnosis.installation import command_findings, installation_findings, opencode_findings
from recollect.cli.display import output, pause_notice
from recollect.cli.exit_codes import EXIT_PARTLY
from recollect.client import Client, is_older
from recollect.domain.errors import RecollectError, StoreDamaged, StoreError
from recollect.domain.health import Finding, Health, fine, note, problem
from recollect.domain.model import Condition
from recollect.domain.settings import Settings
from recollect.domain.vector import ModelId
from recollect.engine.engine import Engine
from recollect.engine.upkeep import Figures, read_figures, repair
from recollect.paths import Paths, find_paths, find_project_file, fingerprint

HEAD_COLUMNS = 19  # the sign and the subject
_SIGNS = {Health.FINE: ("ok", "green"), Health.NOTE: ("note", "yellow"), Health.PROBLEM: ("PROBLEM", "red")}


@click.command()
@click.option(
    "--repair",
    is_flag=True,
    help="Repair a damaged database. Recollect first saves a copy of the damaged data beside the database.",
)
@output.json_option
@click.pass_context
def doctor(ctx: click.Context, repair: bool, as_json: bool) -> None:
    """Check the whole installation and say how to fix problems.

    Recollect checks the installation, settings, folders and disks, database, project, model, daemon and hosts. The exit
    code is 4 if there is a problem."""
    findings = list(dict.fromkeys(_findings(repair=repair)))  # the folders and the database may find the same
    healthy = all(finding.health is not Health.PROBLEM for finding in findings)
    if as_json:
        output.say_json({"healthy": healthy, "findings": list(map(asdict, findings))})
    else:
        for finding in findings:
            _show(finding)
    if not healthy:
        ctx.exit(EXIT_PARTLY)


def _show(finding: Finding) -> None:
    sign, colour = _SIGNS[finding.health]
    output.say_beside(f"{output.style_text(f'{sign:8}', fg=colour)}{finding.about:10} ", HEAD_COLUMNS, finding.says)
    if finding.advice:
        output.say_beside(" " * HEAD_COLUMNS, HEAD_COLUMNS, finding.advice)


def _findings(*, repair: bool) -> Iterator[Finding]:
    """Run each check by itself, so that a problem in one place hides nothing in another."""
    yield from installation_findings()
    try:
        places = find_paths()
    except RecollectError as error:
        yield problem("settings", str(error), "Nothing else can be checked until this is fixed.")
        return
    if repair:
        yield from _repair(places)
    for about, check in (
        ("settings", _settings),
        ("pause", _pause),
        ("disk", folder_findings),
        ("database", _database),
        ("database", lost_database_findings),
        ("project", _project),
        ("model", _model),
        ("daemon", _daemon),
        ("hooks", command_findings),
        ("opencode", opencode_findings),
    ):
        try:
            yield from check(places)
        except (RecollectError, OSError) as error:
            yield problem(about, f"cannot be checked: {error}", "")


def _repair(places: Paths) -> list[Finding]:
    if Client(places.socket).is_running():
        return [problem("repair", "the daemon uses the database", "Run `recollect stop` first, then repair.")]
    if not places.database.exists():
        return [note("repair", "there is no database yet")]
    try:
        with suppress(StoreDamaged), _engine(places) as engine:
            return repair(engine.context(None, context.now()))
        return wiring.salvage_database(places.database)
    except RecollectError as error:
        return [problem("repair", str(error), "Nothing was changed.")]


def _settings(places: Paths) -> Iterator[Finding]:
    try:
        context.settings()
    except RecollectError as error:
        yield problem("settings", str(error), "Commands do not work until this is fixed.")
        return
    for file in (places.settings, find_project_file(context.folder_to_look_in() or "/")):
        if file is not None:
            yield fine("settings", f"{file}" if file.exists() else f"{file} (does not exist: the defaults apply)")


def _pause(places: Paths) -> Iterator[Finding]:
    why = wiring.PauseFile(places.pause).problem
    if why is not None:
        yield problem("pause", why, "Nothing is captured or injected until this is fixed.")
        return
    for pause in pause_notice.current_pauses():
        yield note("pause", pause_notice.sentence(pause))


def _database(places: Paths) -> Iterator[Finding]:
    path = places.database
    if wiring.existing_database(path) is None:
        yield note("database", f"{path} does not exist yet", "The first `recollect remember` creates it.")
        return
    try:
        with _engine(places) as engine:
            size_mb = path.stat().st_size / 1e6
            figures = read_figures(engine.store)
            memories = output.many(figures.memories, "memory", "memories")
            yield fine("database", f"{path}, {size_mb:.1f} MB, {memories} {COUNTED}")
            if engine.store.is_read_only:
                advice = "Check the owner, the permissions and how the disk is mounted."
                yield problem("database", "it can be read but not written", advice)
            yield from engine.store.check()
            yield from _upgrades(figures)
            waiting = figures.to_review
            if waiting:
                says = output.many(waiting, "memory waits", "memories wait")
                advice = f"`recollect review --all` shows {'it' if waiting == 1 else 'them'}."
                yield note("review", f"{says} for your decision", advice)
    except StoreDamaged as error:
        yield problem("database", str(error), "`recollect doctor --repair`")
    except RecollectError as error:
        yield problem("database", str(error), "")
    backups = list((path.parent / "backups").glob("*.db"))
    if backups:
        yield fine("backups", f"{len(backups)} in {path.parent / 'backups'}")


def _upgrades(figures: Figures) -> Iterator[Finding]:
    restored = figures.restored
    if restored is not None:
        many = output.many(restored.memories, "memory", "memories")
        says = f"{many} that an older version had replaced in doubt are valid again"
        yield fine("upgrade", f"{says} (`recollect undo {restored.id}` reverts this)")
    demoted = figures.demoted
    if demoted is not None:
        yield fine("upgrade", describe_demotion(demoted.id, demoted.memories))


def _engine(places: Paths) -> AbstractContextManager[Engine]:
    """Open the engine with default settings: a mistake in the user's settings is one finding, not three."""
    return wiring.open_engine(lambda _: Settings(), wiring.existing_database(places.database))


def _project(places: Paths) -> Iterator[Finding]:
    try:
        with _engine(places) as engine:
            yield fine("project", context.project_of(engine, None))
    except StoreError:
        return  # reported already
    except RecollectError as error:
        yield problem("project", str(error), "Commands in this folder cannot tell which project they are for.")


def _model(places: Paths) -> Iterator[Finding]:
    state = wiring.model_state(places.model)
    if state.facts:
        yield fine("model", f"{state.facts.id}, every byte is as built")
        yield from _missing_vectors(places, state.facts.id)
    elif state.condition is Condition.MISSING:
        yield note("model", "not built: search uses words only", state.advice)
    else:
        yield problem("model", state.says, f"{state.advice} Until then, search uses words only.")


def _missing_vectors(places: Paths, model: ModelId) -> Iterator[Finding]:
    try:
        with _engine(places) as engine:
            waiting = engine.store.count_missing_vectors(model)
    except RecollectError:
        return  # reported already
    if waiting.memories or waiting.turns:
        memories, turns = output.many(waiting.memories, "memory", "memories"), output.many(waiting.turns, "turn")
        advice = "`recollect model embed` computes their vectors, and so does the daemon."
        yield note("vectors", f"{memories} and {turns} are found by words only so far", advice)


def _daemon(places: Paths) -> Iterator[Finding]:
    client = Client(places.socket)
    pid = client.pid()
    if pid is None:
        yield from _no_daemon(places.socket)
        return
    try:
        hello = client.get("/v1/hello", timeout_s=ANSWER_S)
    except RecollectError:
        says = f"process {pid} gave no valid answer within {ANSWER_S:.0f} s"
        yield problem("daemon", says, f"`recollect restart` replaces it; its log is {places.log}.")
        return
    version = hello.get("version")
    versions = f"the daemon is version {version}, this command is {__version__}"
    if is_older(version):
        yield problem("daemon", versions, "`recollect restart` updates it.")
    elif version != __version__:
        advice = "Upgrade this installation too. Until then, its commands bypass the daemon."
        yield problem("daemon", f"{versions}: another, newer installation started it", advice)
    else:
        yield fine("daemon", f"running, process {pid}")
        if hello.get("environment") != fingerprint(places, os.environ):
            says = "it has other RECOLLECT_ variables or folders than this shell: commands here bypass it"
            yield note("daemon", says, "`recollect restart` gives it those of this shell.")
    yield from _port(client, places)


def _port(client: Client, places: Paths) -> Iterator[Finding]:
    """Compare the port in the settings with the real one: the daemon also runs without a port that it cannot get."""
    try:
        wanted, listens = context.settings(None).daemon.port, client.port()
    except RecollectError:
        return  # reported already
    if not wanted or wanted == listens:
        return
    instead = "does not" if listens is None else f"listens on {listens}"
    says = f"it should listen on 127.0.0.1:{wanted} ([daemon] port) but {instead}"
    advice = f"The setting changed after the start, or another program has that port: see {places.log}."
    yield problem("daemon", says, f"{advice} `recollect restart` tries again, with the present setting.")


def _no_daemon(socket: Path) -> Iterator[Finding]:
    if socket.is_dir():
        yield problem("daemon", f"{socket} is a folder: no daemon can listen there", "Remove it.")
        return
    left_behind = "; it then replaces the socket of a killed daemon" if os.path.lexists(socket) else ""
    yield note("daemon", f"not running; hosts start it when they need it{left_behind}")
