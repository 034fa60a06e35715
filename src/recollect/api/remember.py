"""Teaching one sentence."""

from dataclasses import dataclass

from recollect.api.operation import Desk, Operation, Request
from recollect.api.places import HERE, NO_FOLDER, scope_named
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Draft, Kind, Memory, Role, Sensitivity, Source
from recollect.domain.outcome import Contradicts, Updates


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(Request):
    text: str
    kind: Kind | None = None  # null: a rule, a preference or a decision, by its words
    scope: str = HERE  # "project" is that of the folder
    title: str | None = None
    aliases: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # that it speaks of, from the folder
    importance: float = 1.0  # 0..2
    sensitivity: Sensitivity = Sensitivity.PROJECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    outcome: str  # new, same, updates or contradicts
    memory: Memory
    assumed: bool = False  # nobody said of which kind it is
    replaced: tuple[Memory, ...] = ()
    contradicted: tuple[Memory, ...] = ()
    unwatched: tuple[str, ...] = ()  # files that are too large to know whether they change


def remember(desk: Desk, asked: Remember) -> Remembered:
    scope = scope_named(desk.engine, asked.scope, asked.folder, desk.now)
    anchors = [desk.engine.anchor(_folder(asked), path, scope) for path in asked.files]
    draft = Draft(
        text=asked.text,
        kind=asked.kind or _assumed(asked.text),
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


def _assumed(text: str) -> Kind:
    """What holds from now on is a rule or a preference; whatever else somebody teaches was decided."""
    from recollect.capture.said.kinds import kind_of  # whoever asks the daemon does without their patterns
    from recollect.imports.wording import is_order

    kind = kind_of(text, Role.USER)
    if kind in (Kind.RULE, Kind.PREFERENCE):
        return kind
    return Kind.RULE if is_order(text) else Kind.DECISION


def _folder(asked: Remember) -> str:
    if asked.folder is None:
        raise InvalidValue(NO_FOLDER)
    return asked.folder


REMEMBER = Operation("remember", "Teaches one sentence.", Remember, Remembered, remember, writes=True)
