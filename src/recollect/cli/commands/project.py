"""`recollect project`: show which project a folder belongs to, and correct it."""

import sys

import click

from recollect.cli import complete_values, context
from recollect.cli.display import output
from recollect.domain.changes import ProjectNameEdit
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId
from recollect.domain.project import BY_NAME, NAMED_AT, NAMED_FROM, ProjectFacts
from recollect.engine.engine import Engine
from recollect.engine.memories.folder_project import (
    accept_name,
    enter_project,
    find_project,
    resolve_here,
    take_name,
)
from recollect.engine.memories.join_projects import join
from recollect.engine.memories.projects import project_by_alias
from recollect.privacy.secrets import redact_identifier
from recollect.workspace import marker
from recollect.workspace.git import branch_of, language_of, root_of

_from = click.argument("source", metavar="FROM", shell_complete=complete_values.project_ids)


@click.group()
def project() -> None:
    """Show, list, merge, move and name projects."""


@project.command()
@output.json_option
def show(as_json: bool) -> None:
    """Show this folder's project, and how it was recognised.

    Recollect also shows the other names of the project, the number of memories, the main programming language and the
    current branch."""
    with context.engine() as engine:
        found = resolve_here(context.request(engine, str(context.folder())))
        known = {facts.id: facts for facts in engine.store.projects()}
    language, branch = language_of(str(context.folder())), branch_of(str(context.folder()))
    own = known.get(found.project)
    memories = own.memories if own else 0
    others = [known[other] for other in sorted(found.others) if other in known and known[other].memories]
    if as_json:
        output.say_json(
            {
                "id": found.project,
                "why": found.reason.value,
                "memories": memories,
                "known_as": sorted({*_names(own), *found.aliases} - {found.project}),
                "claimed": found.claimed,
                "language": language,
                "branch": branch,
                "others": list(map(_json, others)),
            }
        )
        return
    rows: list[tuple[str, str]] = [("project", found.project), ("because", found.reason.value)]
    rows.append(("memories", f"{memories:,}"))
    rows += [("known as", alias) for alias in _names(own) if alias != found.project]
    if language:
        rows.append(("language", language))
    if branch:
        rows.append(("branch", branch))
    output.show_facts(rows)
    if found.claimed:
        output.say(f"\nA {marker.NAME} here names it {found.claimed}, which is a project known from elsewhere.")
        output.say("If you trust this folder with that project's memories: recollect project accept")
    for facts in others:
        if facts.id != found.claimed:
            output.say(f"\nIts remote, path or history belongs to {facts.id}, which has {_count(facts.memories)}.")
            output.say(f"If they are the same project: recollect project merge '{facts.id}'")


@project.command("list")
@output.json_option
def list_projects(as_json: bool) -> None:
    """List all projects, the most recently used project first."""
    with context.engine() as engine:
        found = engine.store.projects()
    if as_json:
        output.say_json({"projects": list(map(_json, found))})
    elif not found:
        output.say_nothing("No projects yet.")
    elif not sys.stdout.isatty():
        for facts in found:
            output.say(f"{facts.id}\t{facts.memories}\t{output.day(facts.last_at)}")
    else:
        output.show_facts(
            [(facts.id, f"{_count(facts.memories)}, last used {output.day(facts.last_at)}") for facts in found]
        )


@project.command()
@_from
@click.argument("into", metavar="[INTO]", required=False, shell_complete=complete_values.project_ids)
@context.yes_option
@output.json_option
def merge(source: str, into: str | None, yes: bool, as_json: bool) -> None:
    """Merge project FROM into INTO (default: this folder's project).

    All memories and sessions of FROM become part of INTO. A memory that exists in both projects is kept once.
    `recollect undo` reverts the merge."""
    with context.writing_engine() as engine:
        target = project_by_alias(engine.store, into) if into else _here(engine)
        _join(engine, project_by_alias(engine.store, source), target, yes, as_json)


@project.command()
@_from
@context.yes_option
@output.json_option
def move(source: str, yes: bool, as_json: bool) -> None:
    """Tell Recollect that project FROM is now in this folder.

    Use this after you have moved or renamed a folder without git. Recollect recognises moved git repositories by
    itself. `recollect undo` reverts the command."""
    with context.writing_engine() as engine:
        target = _here(engine)
        memories = _memories(engine, target)
        if memories:
            raise InvalidValue(
                f"This folder already has {_count(memories)}, as project {target}. "
                f"To combine both: recollect project merge '{source}'"
            )
        _join(engine, project_by_alias(engine.store, source), target, yes, as_json)


@project.command()
@click.argument("name")
@context.yes_option
@output.json_option
def name(name: str, yes: bool, as_json: bool) -> None:
    """Give this project a NAME, in a file that can be committed.

    Recollect writes NAME to .recollect.toml in the top folder of the project. All folders with the same NAME are one
    project. The memories of this folder then belong to project NAME."""
    wanted = name.strip()
    marker.check_project_name(wanted)
    file = root_of(context.folder()) / marker.NAME
    present = marker.project_name(file) if file.exists() else None
    if present not in (None, f"{BY_NAME}{wanted}"):
        raise InvalidValue(f"{file} already names this project {present}. Change it there by hand.")
    with context.writing_engine() as engine:
        before = _here(engine)
        named = project_by_alias(engine.store, f"{BY_NAME}{wanted}")
        moved = _memories(engine, before) if named != before else 0
        known = _memories(engine, named) if named != before else 0
        if known and not yes:
            question = f"{named} already exists, with {_count(known)}. Make this folder part of it?"
            if not output.confirm(question, f"{question} Not a terminal: pass --yes to confirm."):
                return
        if present is None:
            marker.write_name(file, wanted)
        is_undoable = present is None and redact_identifier(str(file)) == str(file)
        after = take_name(
            context.request(engine),
            moves_from=before if moved else None,
            written=ProjectNameEdit(str(file), wanted) if is_undoable else None,
            by=context.BY,
        )
    output.say_result(
        {"project": after, "file": str(file), "memories": moved}, f"This is project {after} now.", as_json
    )
    if not as_json and present is None:
        output.say(f"`recollect undo` reverts it, including the line in {file}.")


@project.command()
@output.json_option
def accept(as_json: bool) -> None:
    """Accept the project name in the .recollect.toml of this folder.

    You need this only if another folder already uses the same project name. Without your consent, a cloned repository
    cannot read the memories of that project."""
    with context.writing_engine() as engine:
        ctx = context.request(engine, str(context.folder()))
        claimed = resolve_here(ctx).claimed
        if claimed is None:
            raise InvalidValue(f"No {marker.NAME} here claims the name of a project that is known from elsewhere.")
        accepted = accept_name(ctx, by=context.BY)
    output.say_result({"project": accepted}, f"This is project {accepted} now.", as_json)


def _memories(engine: Engine, project: ProjectId) -> int:
    facts = find_project(engine.store, project)
    return facts.memories if facts else 0


def _count(memories: int) -> str:
    return output.many(memories, "memory", "memories")


def _here(engine: Engine) -> ProjectId:
    return enter_project(context.request(engine, str(context.folder())))


def _join(engine: Engine, source: ProjectId, into: ProjectId, yes: bool, as_json: bool) -> None:
    facts = find_project(engine.store, source)
    if facts is None:
        raise InvalidValue(f"There is no project {source!r}; `recollect project list` shows all.")
    what = f"{_count(facts.memories)} of {source}"
    if not yes and not output.confirm(
        f"Move {what} to {into}?", f"Not a terminal: pass --yes to move {what} to {into}."
    ):
        return
    change = join(engine.store, source, into, at=context.now(), by=context.BY)
    output.say_result(
        {"from": source, "into": into, "memories": facts.memories, "deed": change},
        f"Moved {what} to {into}. `recollect undo {change}` reverts this.",
        as_json,
    )


def _names(facts: ProjectFacts | None) -> list[ProjectId]:
    """Return the names a project is known by, without the entries that say which folders may use them."""
    aliases = facts.aliases if facts else ()
    return [alias for alias in aliases if not alias.startswith((NAMED_FROM, NAMED_AT))]


def _json(facts: ProjectFacts) -> dict[str, object]:
    return {
        "id": facts.id,
        "memories": facts.memories,
        "last_at": facts.last_at.isoformat(),
        "aliases": list(facts.aliases),
    }
