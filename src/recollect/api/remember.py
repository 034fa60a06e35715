"""Storing one sentence that a user or an agent teaches."""

from dataclasses import dataclass

from recollect.api.operation import Operation, OperationContext, Request
from recollect.api.request_scope import HERE, require_folder, scope_to_store
from recollect.domain.memory import Draft, Kind, Memory, Role, Sensitivity, Source
from recollect.domain.outcome import Contradicts, Updates


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(Request):
    text: str
    kind: Kind | None = None  # null: a rule, a preference or a decision, judged by the words
    scope: str = HERE  # "project": the folder's project
    title: str | None = None
    aliases: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # that the memory is about, relative to the folder
    importance: float = 1.0  # 0..2
    sensitivity: Sensitivity = Sensitivity.PROJECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    outcome: str  # new, same, updates or contradicts
    memory: Memory
    assumed: bool = False  # the request named no kind
    replaced: tuple[Memory, ...] = ()
    contradicted: tuple[Memory, ...] = ()
    unwatched: tuple[str, ...] = ()  # files that are too large to track for changes


def remember(desk: OperationContext, asked: Remember) -> Remembered:
    scope = scope_to_store(desk.engine, asked.scope, asked.folder, desk.now)
    anchors = [desk.engine.anchor(require_folder(asked.folder), path, scope) for path in asked.files]
    draft = Draft(
        text=asked.text,
        kind=asked.kind or _assume_kind(asked.text),
        scope=scope,
        at=desk.now,
        source=Source(role=Role.USER, host=asked.by),
        title=asked.title,
        aliases=asked.aliases,
        anchors=tuple(dict.fromkeys(anchors)),
        importance=asked.importance,
        sensitivity=asked.sensitivity,
    )
    outcome = desk.engine.remember(draft, now=desk.now)
    return Remembered(
        outcome=type(outcome).__name__.lower(),
        memory=outcome.memory,
        assumed=asked.kind is None,
        replaced=outcome.replaced if isinstance(outcome, Updates) else (),
        contradicted=outcome.known if isinstance(outcome, Contradicts) else (),
        unwatched=tuple(anchor.path for anchor in draft.anchors if anchor.hash is None),
    )


def _assume_kind(text: str) -> Kind:
    """An order is a rule or a preference; everything else that a user teaches is a decision."""
    from recollect.capture.said.kinds import kind_of  # a client of the daemon never loads these patterns
    from recollect.imports.kinds import is_order

    kind = kind_of(text, Role.USER)
    if kind in (Kind.RULE, Kind.PREFERENCE):
        return kind
    return Kind.RULE if is_order(text) else Kind.DECISION


REMEMBER = Operation("remember", "Stores one sentence as a memory.", Remember, Remembered, remember, writes=True)
