"""`recollect project`: which project a folder is, and how to put that right."""

import sys

import click

from recollect.cli import complete_values, context
from recollect.cli.display import output
from recollect.domain.errors import InvalidValue
from recollect.domain.history import Named
from recollect.domain.memory import ProjectId
from recollect.domain.project import BY_NAME, NAMED_AT, NAMED_FROM, ProjectFacts
from recollect.engine.engine import Engine
from recollect.privacy.secrets import redact_name
from recollect.text.json_fields import Fields
from recollect.workspace import marker
from recollect.workspace.git import branch_of, language_of, root_of

_from = click.argument("source", metavar="FROM", shell_complete=complete_values.project_ids)
_yes = click.option("--yes", "-y", is_flag=True, help="Do not ask.")


@click.group()
def project() -> None:
    """Which project this folder is; list, merge, move and name projects."""


@project.command()
@output.json_option
def show(as_json: bool) -> None:
    """The project of this folder: its id and why, what else it is known as, how much is remembered; its main language
    and the branch that is checked out."""
    with context.engine() as engine:
        found = engine.resolve(str(context.folder()))
        known = {facts.id: facts for facts in engine.projects()}
    language, branch = language_of(str(context.folder())), branch_of(str(context.folder()))
    mine = known.get(found.project)
    others = [known[other] for other in sorted(found.others) if other in known and known[other].memories]
    if as_json:
        output.say_json(
            {
                "id": found.project,
                "why": found.reason.value,
                "memories": mine.memories if mine else 0,
                "known_as": sorted({*_names(mine), *found.aliases} - {found.project}),
                "claimed": found.claimed,
                "language": language,
                "branch": branch,
                "others": [_json(facts) for facts in others],
            }
        )
        return
    output.show_facts(
        [
            ("project", found.project),
            ("because", found.reason.value),
            ("memories", f"{mine.memories if mine else 0:,}"),
            *[("known as", alias) for alias in _names(mine) if alias != found.project],
            *[(label, value) for label, value in (("language", language), ("branch", branch)) if value],
        ]
    )
    if found.claimed:
        output.say(f"\nA {marker.NAME} here calls it {found.claimed}, which is known from elsewhere.")
        output.say("If you trust it, so that its sessions see that project's memories: recollect project accept")
    for facts in others:
        if facts.id == found.claimed:
            continue
        held = output.many(facts.memories, "memory", "memories")
        output.say(f"\nIts remote, its place or its history belong to {facts.id}, with {held}.")
        output.say(f"If they are one project: recollect project merge '{facts.id}'")


@project.command("list")
@output.json_option
def list_projects(as_json: bool) -> None:
    """All projects, the last used first."""
    with context.engine() as engine:
        found = engine.projects()
    if as_json:
        output.say_json({"projects": [_json(facts) for facts in found]})
    elif not found:
        output.say_nothing("No project is known yet.")
    elif not sys.stdout.isatty():
        for facts in found:
            output.say(f"{facts.id}\t{facts.memories}\t{output.day(facts.last_at)}")
    else:
        output.show_facts(
            [
                (
                    facts.id,
                    f"{output.many(facts.memories, 'memory', 'memories')}, last used {output.day(facts.last_at)}",
                )
                for facts in found
            ]
        )


@project.command()
@_from
@click.argument("into", metavar="[INTO]", required=False, shell_complete=complete_values.project_ids)
@_yes
@output.json_option
def merge(source: str, into: str | None, yes: bool, as_json: bool) -> None:
    """Everything of project FROM becomes part of INTO (default: the project of this folder). What both know is known
    once. `recollect undo` takes it back."""
    with context.writing_engine() as engine:
        target = engine.project_named(into) if into else _here(engine)
        _join(engine, engine.project_named(source), target, yes, as_json)


@project.command()
@_from
@_yes
@output.json_option
def move(source: str, yes: bool, as_json: bool) -> None:
    """Project FROM lies in this folder now: for folders without git, which nothing else can tell. `recollect undo`
    takes it back."""
    with context.writing_engine() as engine:
        target = _here(engine)
        held = _held(engine, target)
        if held:
            raise InvalidValue(
                f"This folder has {output.many(held, 'memory', 'memories')} of its own as {target}. "
                f"To bring both together: recollect project merge '{source}'"
            )
        _join(engine, engine.project_named(source), target, yes, as_json)


@project.command()
@click.argument("name")
@_yes
@output.json_option
def name(name: str, yes: bool, as_json: bool) -> None:
    """Give this project a NAME of its own, in a file .recollect.toml at its top that can be committed. Folders with the
    same name are one project. What was remembered here comes along."""
    wanted = name.strip()
    marker.check_project_name(wanted)
    file = root_of(context.folder()) / marker.NAME
    written = marker.project_name(file) if file.exists() else None
    if written not in (None, f"{BY_NAME}{wanted}"):
        raise InvalidValue(f"{file} calls it {written} already. Change it there by hand.")
    with context.writing_engine() as engine:
        before = _here(engine)
        named = engine.project_named(f"{BY_NAME}{wanted}")
        moved = _held(engine, before) if named != before else 0
        if named != before and _held(engine, named) and not yes:
            held = output.many(_held(engine, named), "memory", "memories")
            question = f"{named} is known already, with {held}. Make this folder part of it?"
            if not output.confirmed(question, f"{question} Add --yes to do so."):
                return
        if written is None:
            marker.give_name(file, wanted)
        after = engine.take_name(
            str(context.folder()),
            brings=before if moved else None,
            named=None if written or redact_name(str(file)) != str(file) else Named(str(file), wanted),
            at=context.now(),
            by=context.BY,
        )
    _say({"project": after, "file": str(file), "memories": moved}, f"This is {after} now.", as_json)
    if not as_json and written is None:
        output.say(f"`recollect undo` takes it back, the line in {file} too.")


@project.command()
@output.json_option
def accept(as_json: bool) -> None:
    """Accept the name that a file .recollect.toml gives this project, where the name is known from elsewhere: a cloned
    repository cannot do so by itself."""
    with context.writing_engine() as engine:
        claimed = engine.resolve(str(context.folder())).claimed
        if claimed is None:
            raise InvalidValue("No file here uses the name of a project that is known from elsewhere.")
        accepted = engine.accept_name(str(context.folder()), at=context.now(), by=context.BY)
    _say({"project": accepted}, f"This is {accepted} now.", as_json)


def _held(engine: Engine, project: ProjectId) -> int:
    facts = engine.project(project)
    return facts.memories if facts else 0


def _here(engine: Engine) -> ProjectId:
    return engine.enter_project(str(context.folder()), context.now())


def _join(engine: Engine, source: ProjectId, into: ProjectId, yes: bool, as_json: bool) -> None:
    facts = engine.project(source)
    if facts is None:
        raise InvalidValue(f"Nothing is known of a project {source!r}; `recollect project list` shows all.")
    held = output.many(facts.memories, "memory", "memories")
    if not yes and not output.confirmed(
        f"{held} of {source} will belong to {into}. Go on?",
        f"{held} of {source} would belong to {into}. Add --yes to do so.",
    ):
        return
    deed = engine.join(source, into, at=context.now(), by=context.BY)
    _say(
        {"from": source, "into": into, "memories": facts.memories, "deed": deed},
        f"Now of {into}: {held} of {source}. `recollect undo {deed}` takes it back.",
        as_json,
    )


def _say(report: Fields, sentence: str, as_json: bool) -> None:
    if as_json:
        output.say_json(report)
    else:
        output.say(sentence)


def _names(facts: ProjectFacts | None) -> list[ProjectId]:
    """What it is known as; who may use its name is another matter."""
    return [alias for alias in (facts.aliases if facts else ()) if not alias.startswith((NAMED_FROM, NAMED_AT))]


def _json(facts: ProjectFacts) -> dict[str, object]:
    return {
        "id": facts.id,
        "memories": facts.memories,
        "last_at": facts.last_at.isoformat(),
        "aliases": list(facts.aliases),
    }
