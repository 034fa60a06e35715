"""`recollect remember`"""

import sys
from collections.abc import Sequence

import click

from recollect.api.places import HERE
from recollect.api.remember import REMEMBER, Remember, Remembered
from recollect.cli import client_call, context, direct
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind, Memory, Sensitivity
from recollect.privacy.exclude import without_fences, without_private
from recollect.privacy.secrets import redact
from recollect.text.block import visible


@click.command()
@click.argument("text")
@click.option(
    "--kind",
    type=click.Choice([kind.value for kind in Kind]),
    help="What it is; default: a rule, a preference or a decision, by its words.",
)
@click.option(
    "--scope",
    default="project",
    show_default=True,
    help="Where it holds: project (this folder's), universal, language:NAME or project:ID.",
)
@click.option("--title", help="A few words that stand for it where the whole text does not fit.")
@click.option("--alias", "aliases", multiple=True, help="Another word that should find it; may be repeated.")
@click.option(
    "--file",
    "files",
    metavar="PATH",
    multiple=True,
    type=click.Path(),
    help="A file of this project that it speaks of: once that changes, the memory is stale; may be repeated.",
)
@click.option("--importance", type=click.FloatRange(0, 2), default=1.0, show_default=True, help="0 to 2.")
@click.option(
    "--sensitivity",
    type=click.Choice(["public", "project", "restricted"]),
    default=Sensitivity.PROJECT.value,
    show_default=True,
    help="public: also in other projects; restricted: found when asked for, never injected.",
)
@direct.option
@output.json_option
def remember(
    text: str,
    kind: str | None,
    scope: str,
    title: str | None,
    aliases: tuple[str, ...],
    files: tuple[str, ...],
    importance: float,
    sensitivity: str,
    as_json: bool,
) -> None:
    """Teach one sentence. TEXT "-" reads it from standard input.

    What is known already is counted. What says otherwise takes the place of the known one, which stays in the
    history, or waits for your decision in `recollect review`. Secrets are redacted first. Without --kind the words
    tell a rule or a preference from a decision, and the answer says so.
    """
    said = from_stdin() if text == "-" else text
    asked = Remember(
        text=said,
        kind=None if kind is None else Kind(kind),
        scope=scope,
        title=title,
        aliases=aliases,
        files=files,
        importance=importance,
        sensitivity=Sensitivity(sensitivity),
        folder=client_call.here(None if scope == HERE or files else scope),
        by=context.BY,
    )
    done = client_call.ask(REMEMBER, asked)
    for large in done.unwatched:
        output.warn(f"{large} is too large: whether it changes will not be known.")
    if as_json:
        about = {"outcome": done.outcome, "assumed_kind": done.assumed, **record_of(done.memory)}
        output.say_json(about | _others(done) | {"redacted": redacted(_given(asked))})
    else:
        output.say("\n".join([_sentence(done, asked), *left_out(_given(asked))]))


def _others(done: Remembered) -> dict[str, object]:
    match done.outcome:
        case "updates":
            return {"replaced": [known.id for known in done.replaced]}
        case "contradicts":
            return {"contradicted": [other.id for other in done.contradicted]}
        case _:
            return {}


def _sentence(done: Remembered, asked: Remember) -> str:
    memory = done.memory
    kind = f"{memory.kind} by its words" if done.assumed else memory.kind
    stored = f"Remembered as {memory.id} ({kind}, {memory.scope})."
    match done.outcome:
        case "new" if memory.superseded_by is not None:
            return f"{stored} It is older than {memory.superseded_by}, which holds instead."
        case "same":
            known_as = f"Known already as {memory.id}; seen {memory.seen} times, importance {memory.importance:g}."
            return "\n".join([known_as + _kept(memory, asked), *_in_other_words(memory, asked)])
        case "updates":
            return "\n".join([stored, *(f"It takes the place of {_quoted(known)}" for known in done.replaced)])
        case "contradicts":
            decide = (
                f"Both are kept until you decide: `recollect review accept {memory.id}` lets the new one hold alone, "
                "`reject` the known one, `keep` both."
            )
            against = [f"It contradicts {_quoted(other)}" for other in done.contradicted]
            return "\n".join([stored, *against, decide])
        case _:
            return stored


def _quoted(memory: Memory) -> str:
    return f"{memory.id} of {output.day(memory.valid_from)}: {visible(memory.text)}"


def _kept(memory: Memory, asked: Remember) -> str:
    """What was asked for and is not so: of two, the stricter sensitivity holds."""
    return "" if memory.sensitivity == asked.sensitivity else f" It keeps its sensitivity {memory.sensitivity}."


def _in_other_words(memory: Memory, asked: Remember) -> list[str]:
    known, said = (visible(text).casefold().rstrip(".!") for text in (memory.text, asked.text))
    return [] if known == said else [f"It says: {visible(memory.text)}"]


def left_out(given: Sequence[str]) -> list[str]:
    """Say which of the given words were not kept."""
    rules = redacted(given)
    said = {
        f"{'A secret was' if len(rules) == 1 else 'Secrets were'} redacted ({', '.join(rules)}).": bool(rules),
        "What is marked as private was left out.": any(without_private(text) != text for text in given),
        "What looks like a block of Recollect was left out: <recollect> and what follows it.": any(
            without_fences(text) != text for text in map(without_private, given)
        ),
    }
    return [sentence for sentence, is_so in said.items() if is_so]


def redacted(given: Sequence[str]) -> list[str]:
    """The rules that found a secret in what was given."""
    found = [secret.rule for text in given for secret in redact(without_private(text)).found]
    return list(dict.fromkeys(found))


def _given(asked: Remember) -> list[str]:
    return [asked.text, asked.title or "", *asked.aliases]


def from_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidValue(f"Standard input is not UTF-8 (byte {error.start}).") from None
