"""`recollect remember`"""

from typing import assert_never

import click

from recollect.api.operation import HERE
from recollect.api.remember import REMEMBER, Remember, Remembered
from recollect.cli import client_call, context, direct
from recollect.cli.display import output
from recollect.cli.display.output import quote
from recollect.cli.formats.memory_json import record_of
from recollect.domain.memory import Kind, Memory, Sensitivity
from recollect.domain.outcome import Contradicts, New, Omissions, Same, Stored, Updates, tag_of
from recollect.text.block import visible


@click.command()
@click.argument("text")
@context.kind_option(
    f"{', '.join(Kind)}. docs/reference/kinds.md explains them. Default: rule, preference or decision, chosen by the "
    "wording."
)
@click.option(
    "--scope",
    default="project",
    show_default=True,
    help="Where the memory is valid: project (the project of this folder), universal (everywhere), language:NAME or "
    "project:ID.",
)
@click.option("--title", help="Short title, shown where the full text does not fit.")
@click.option("--alias", "aliases", multiple=True, help="Extra search word for this memory. May be repeated.")
@click.option(
    "--file",
    "files",
    metavar="PATH",
    multiple=True,
    type=click.Path(),
    help="A file that the memory is about. May be repeated. After the file has changed, Recollect marks the memory as "
    "stale (possibly outdated).",
)
@click.option(
    "--importance",
    type=click.FloatRange(0, 2),
    default=1.0,
    show_default=True,
    help="0 (low) to 2 (high). A higher value ranks the memory higher in searches and for prompts.",
)
@click.option(
    "--sensitivity",
    type=click.Choice(["public", "project", "restricted"]),
    default=Sensitivity.PROJECT.value,
    show_default=True,
    help="project: shown where --scope says. public: also shown in all other projects. restricted: your own searches "
    "find the memory, but no model sees it.",
)
@direct.option
@output.json_option
def remember(
    text: str,
    kind: Kind | None,
    scope: str,
    title: str | None,
    aliases: tuple[str, ...],
    files: tuple[str, ...],
    importance: float,
    sensitivity: str,
    as_json: bool,
) -> None:
    """Store one memory. If TEXT is "-", Recollect reads the text from standard input.

    If the sentence is already stored, Recollect only increases its counter. If the sentence contradicts a stored
    memory, the new memory replaces the old memory, and the old memory stays in the history. If it is not clear which
    memory is valid, both are kept, and `recollect review` asks you which one is right. Secrets are redacted before
    anything is stored."""
    asked = Remember(
        text=context.read_stdin() if text == "-" else text,
        kind=kind,
        scope=scope,
        title=title,
        aliases=aliases,
        files=files,
        importance=importance,
        sensitivity=Sensitivity(sensitivity),
        folder=client_call.current_folder(None if scope == HERE or files else scope),
        by=context.BY,
    )
    done = client_call.run_operation(REMEMBER, asked)
    for file in done.unwatched:
        output.warn(f"{file} is too large to track for changes.")
    if as_json:
        outcome = done.outcome
        about = {"outcome": tag_of(outcome), "assumed_kind": done.assumed, **record_of(outcome.memory)}
        output.say_json(about | _others_json(outcome) | {"redacted": done.omitted.secrets})
    else:
        output.say("\n".join([*_report(done, asked), *describe_omissions(done.omitted)]))


def _others_json(outcome: Stored) -> dict[str, object]:
    match outcome:
        case New() | Same():
            return {}
        case Updates(_, replaced):
            return {"replaced": [known.id for known in replaced]}
        case Contradicts(_, known):
            return {"contradicted": [other.id for other in known]}
        case _ as never:
            assert_never(never)


def _report(done: Remembered, asked: Remember) -> list[str]:
    memory = done.outcome.memory
    kind = f"{memory.kind} by its wording" if done.assumed else memory.kind
    stored = f"Remembered as {memory.id} ({kind}, {memory.scope})."
    match done.outcome:
        case New() if memory.superseded_by is not None:
            return [f"{stored} It is stored as history: {memory.superseded_by} is newer and stays current."]
        case New():
            return [stored]
        case Same():
            return _report_same(memory, asked)
        case Updates(_, replaced):
            return [stored, *(f"It replaces {quote(known)}" for known in replaced)]
        case Contradicts(_, others):
            accept = f"`recollect review accept {memory.id}` keeps the new one"
            decide = f"Both stay until you decide: {accept}, `reject` the old one, `keep` both."
            return [stored, *(f"It contradicts {quote(other)}" for other in others), decide]
        case _ as never:
            assert_never(never)


def _report_same(memory: Memory, asked: Remember) -> list[str]:
    known = f"Already known as {memory.id}; seen {memory.seen} times, importance {memory.importance:g}."
    if memory.sensitivity != asked.sensitivity:  # the stricter of the two applies
        known += f" It keeps its sensitivity {memory.sensitivity}."
    if _plain(memory.text) == _plain(asked.text):
        return [known]
    return [known, f"It says: {visible(memory.text)}"]


def _plain(text: str) -> str:
    return visible(text).casefold().rstrip(".!")


def describe_omissions(omitted: Omissions) -> list[str]:
    """Say which parts of the given texts were not stored."""
    lines = []
    if omitted.secrets:
        many = "A secret was" if len(omitted.secrets) == 1 else "Secrets were"
        lines.append(f"{many} redacted ({', '.join(omitted.secrets)}).")
    if omitted.private:
        lines.append("Text marked as private was left out.")
    if omitted.blocks:
        lines.append("Text that looks like a block of Recollect was left out: <recollect> and everything after it.")
    return lines
