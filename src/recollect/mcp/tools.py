"""The tools of an agent, as plain calls on the engine. No protocol here: arguments in, a text or a typed error out.

An agent is told only what may be put in front of its model, and changes only that. What it claims is its own word: it
never overrules what the user said.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, assert_never

from recollect.domain.errors import PayloadError, RecollectError
from recollect.domain.event import Asked
from recollect.domain.injection import Injection, Quiet, Verdict
from recollect.domain.memory import (
    UNIVERSAL,
    Draft,
    Kind,
    Memory,
    MemoryId,
    Role,
    Scope,
    ScopeLevel,
    SessionId,
    Source,
    Viewer,
)
from recollect.domain.outcome import Contradicts, New, Same, Stored, Updates
from recollect.engine.changing import is_of_another_project
from recollect.engine.engine import Engine
from recollect.mcp.schema import TOOLS
from recollect.privacy.secrets import redact
from recollect.text.tokens import estimate

BY = "mcp"  # what the history calls us
OPENS = "`details` opens an id in full."
OPENS_TOKENS = estimate(OPENS) + 1  # with its line break
NOTHING = "Nothing is known about that here."
FULL = "This session was told as much as its budget allows: work with what was shown above."
NO_ROOM = "Something is known about that, but there is no room for it. Ask more narrowly, or with more `max_tokens`."
NOWHERE = "No project folder came with this connection: only what holds everywhere is told."
ABOUT = {
    "user": frozenset({Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION}),
    "project": frozenset(Kind) - {Kind.ERROR_PATTERN},
    "recent": frozenset[Kind](),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """The agent at the other end."""

    session: SessionId
    at: datetime
    folder: str | None = None  # None: it works in no project that we know of


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    text: str
    code: str | None = None  # of an error; the text says what to do next


class NotTold(RecollectError):
    """There is nothing with this id, or nothing that this agent may be told."""

    code = "not_found"


class SwitchedOff(RecollectError):
    """The user's settings say that agents get no answers."""

    code = "switched_off"


class OptedOut(RecollectError):
    """The user wants nothing to be kept of this session."""

    code = "opted_out"


class OfAnotherProject(RecollectError):
    """It is seen from here, and changed where it belongs."""

    code = "other_project"


def call(engine: Engine, asker: Asker, name: str, given: Mapping[str, Any]) -> Answer:
    """What the tool of this name answers. Never a RecollectError: these are answers too."""
    try:
        if name not in TOOLS:
            raise PayloadError(f"There is no tool {name[:40]!r}; there are {', '.join(TOOLS)}.")
        return Answer(text=_DONE_BY[name](engine, asker, TOOLS[name].read(given)))
    except RecollectError as error:
        return Answer(text=redact(str(error)).text, code=error.code)


def _search(engine: Engine, asker: Asker, given: Mapping[str, Any]) -> str:
    wanted = {"kinds": _kinds(given), "scope": _scope(engine, asker, given.get("scope"))}
    return _told(engine.handle(_asked(asker, given, query=given["query"], **wanted)))


def _context(engine: Engine, asker: Asker, given: Mapping[str, Any]) -> str:
    kinds = _kinds(given) or frozenset(Kind)
    left_out = {Kind.FILE_CONTEXT: given.get("files", True), Kind.ERROR_PATTERN: given.get("errors", True)}
    kinds -= {kind for kind, wanted in left_out.items() if not wanted}
    if not kinds:
        raise PayloadError("`files` or `errors` leave out every kind that `kinds` names; leave one of them out.")
    every = frozenset[Kind]() if kinds == frozenset(Kind) else kinds
    return _told(engine.handle(_asked(asker, given, query=given["task"], kinds=every)))


def _profile(engine: Engine, asker: Asker, given: Mapping[str, Any]) -> str:
    about = given["about"]
    scope = _scope(engine, asker, "project") if about == "project" else None
    told = engine.handle(_asked(asker, given, newest=True, kinds=ABOUT[about], scope=scope))
    return _told(told, nothing="Nothing is known yet; `add` what lasts.")


def _details(engine: Engine, asker: Asker, given: Mapping[str, Any]) -> str:
    opened = engine.handle(_asked(asker, given, id=MemoryId(given["id"].strip())))
    if opened.notice:
        raise NotTold(opened.notice)
    return _told(opened)


def _add(engine: Engine, asker: Asker, given: Mapping[str, Any]) -> str:
    _refuse_unwanted(engine, asker)
    scope = _scope(engine, asker, given.get("scope", "project"), keeps=True) or UNIVERSAL
    files = given.get("files", [])
    if files and asker.folder is None:
        raise PayloadError("No project folder came with this connection, so no file can be named; leave `files` out.")
    draft = Draft(
        text=given["text"],
        kind=Kind(given["kind"]),
        scope=scope,
        at=asker.at,
        source=_source(asker),
        anchors=tuple(dict.fromkeys(engine.anchor(asker.folder or "", path, scope) for path in files)),
    )
    return _kept(engine.remember(draft, folder=asker.folder), draft)


def _change(engine: Engine, asker: Asker, given: Mapping[str, Any]) -> str:
    viewer = engine.viewer_in(asker.folder, asker.session)
    memory = engine.told(given["id"].strip(), viewer, asker.folder)
    if memory is None:
        raise NotTold("There is no memory with this id that may be changed; `search` shows ids.")
    match given["action"]:
        case "useful" | "useless":
            engine.feedback([memory.id], useful=given["action"] == "useful")
            return f"Noted that {memory.id} was {given['action']}."
        case "forget":
            _refuse_elsewhere(memory, viewer)
            done = engine.forget([memory.id], at=asker.at, by=BY)
            back = "for good" if done.for_good else "the user can bring it back: `recollect undo --list` has its number"
            return f"Forgot {memory.id}; {back}."
        case _:
            _refuse_elsewhere(memory, viewer)
            return _update(engine, asker, memory, given.get("text"))


def _update(engine: Engine, asker: Asker, memory: Memory, text: str | None) -> str:
    _refuse_unwanted(engine, asker)
    if text is None:
        raise PayloadError("`update` needs the new `text`.")
    draft = Draft(text=text, kind=memory.kind, scope=memory.scope, at=asker.at, source=_source(asker))
    return _kept(engine.revise(memory, draft), draft)


def _refuse_unwanted(engine: Engine, asker: Asker) -> None:
    if engine.keeps_nothing(asker.session):
        raise OptedOut("The user wants nothing to be kept of this session. Do not add; ask them first.")


def _refuse_elsewhere(memory: Memory, viewer: Viewer) -> None:
    if is_of_another_project(memory, viewer):
        raise OfAnotherProject(f"{memory.id} belongs to another project; it can only be changed there.")


def _asked(asker: Asker, given: Mapping[str, Any], **wanted: Any) -> Asked:
    return Asked(
        session=asker.session,
        at=asker.at,
        host=BY,
        folder=asker.folder,
        budget_tokens=given.get("max_tokens"),
        reserved_tokens=OPENS_TOKENS,
        **wanted,
    )


def _source(asker: Asker) -> Source:
    return Source(role=Role.ASSISTANT, host=BY, session=asker.session)


def _kinds(given: Mapping[str, Any]) -> frozenset[Kind]:
    return frozenset(map(Kind, given.get("kinds", [])))


def _scope(engine: Engine, asker: Asker, level: str | None, *, keeps: bool = False) -> Scope | None:
    """An agent names a level; which project or language that is follows from its folder."""
    match level:
        case None:
            return None
        case "universal":
            return UNIVERSAL
        case _ if asker.folder is None:
            raise PayloadError(
                f"No project folder came with this connection: the scope {level} means nothing here. What holds "
                "everywhere takes the scope universal."
            )
        case "project":
            entered = engine.enter_project if keeps else lambda folder, _: engine.project_of(folder)
            return Scope.project(entered(asker.folder, asker.at))
        case _:
            language = engine.viewer_in(asker.folder, asker.session).language
            if language is None:
                raise PayloadError("The language of this project is not known; use the scope project or universal.")
            return Scope(ScopeLevel.LANGUAGE, language)


def _told(injection: Injection, nothing: str = NOTHING) -> str:
    if injection.quiet is Quiet.OFF:
        raise SwitchedOff("The user's settings give agents no answers ([on_demand] or [inject] enabled). Do without.")
    if injection.quiet is Quiet.CAP:
        return FULL
    if not injection.block:
        has_no_room = any(choice.verdict is Verdict.BUDGET for choice in injection.choices)
        return NO_ROOM if has_no_room else nothing
    in_short = any(choice.verdict in (Verdict.SHORT, Verdict.LISTED) for choice in injection.choices)
    return f"{injection.block}\n{OPENS}" if in_short else injection.block


def _kept(outcome: Stored, draft: Draft) -> str:
    memory = outcome.memory
    said = [f"Kept as {memory.id} ({memory.kind}, {memory.scope.level})."]
    match outcome:
        case New():
            pass
        case Same():
            said = [f"Known already as {memory.id}."]
        case Updates(_, replaced):
            said.append(f"It takes the place of {', '.join(known.id for known in replaced)}.")
        case Contradicts(_, known):
            others = ", ".join(other.id for other in known)
            said.append(f"It contradicts {others}: both stay until the user decides. Tell them: `recollect review`.")
        case _ as never:
            assert_never(never)
    if memory.kind != draft.kind and not isinstance(outcome, Same):
        said.append(f"An agent's word on that is kept as {memory.kind}.")
    if memory.flag is not None:
        said.append(
            "It reads as an order to an agent: it is not shown until the user accepts it in `recollect review`."
        )
    if redact(draft.text).found:
        said.append("A secret in it was redacted.")
    return " ".join(said)


_DONE_BY: Mapping[str, Callable[[Engine, Asker, Mapping[str, Any]], str]] = {
    "search": _search,
    "details": _details,
    "context": _context,
    "profile": _profile,
    "add": _add,
    "change": _change,
}
