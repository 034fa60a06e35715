"""`recollect project`: which project a folder is, and how to put that right."""

import click

from recollect.cli import context, output
from recollect.domain.project import ProjectFacts


@click.group()
def project() -> None:
    """Which project this folder is; list, merge, move, name projects."""


@project.command()
@output.json_option
def show(as_json: bool) -> None:
    """The project of this folder: its id, what else it is known as, how much is remembered."""
    with context.engine() as engine:
        mine = engine.project_of(str(context.folder()))
        facts = next((known for known in engine.projects() if known.id == mine), None)
    if as_json:
        output.say_json(_json(facts) if facts else {"id": mine, "memories": 0, "last_at": None, "aliases": []})
        return
    output.show_facts(
        [
            ("project", mine),
            ("memories", f"{facts.memories if facts else 0:,}"),
            *[("known as", alias) for alias in (facts.aliases if facts else ()) if alias != mine],
        ]
    )


@project.command("list")
@output.json_option
def list_projects(as_json: bool) -> None:
    """All projects, the last used first."""
    with context.engine() as engine:
        found = engine.projects()
    if as_json:
        output.say_json({"projects": [_json(facts) for facts in found]})
    elif not found:
        output.say("No project is known yet.")
    else:
        for facts in found:
            output.say(f"{facts.id}\t{facts.memories}\t{output.day(facts.last_at)}")


def _json(facts: ProjectFacts) -> dict[str, object]:
    return {
        "id": facts.id,
        "memories": facts.memories,
        "last_at": facts.last_at.isoformat(),
        "aliases": list(facts.aliases),
    }
