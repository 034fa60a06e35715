"""The tools of an agent, as plain calls on the engine: arguments in, a text or a typed error out. No protocol here.

An agent sees and changes only memories that may be shown to its model; no answer names or hints at others. Its claims
never replace or remove what the user said: it may propose that, and the user decides. It may forget what agents and tools
said, and the user can undo that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, assert_never

from recollect.api.forget import Forget
from recollect.domain.changes import AGENT
from recollect.domain.errors import PayloadError, RecollectError
from recollect.domain.event import Asked
from recollect.domain.injection import Injection, QuietReason, Verdict
from recollect.domain.memory import (
    UNIVERSAL,
    Anchor,
    Draft,
    Kind,
    Memory,
    MemoryId,
    Role,
    Scope,
    ScopeLevel,
    SessionId,
    Source,
)
from recollect.domain.outcome import Contradicts, Hidden, New, Same, Stored, Updates
from recollect.domain.search import Filters
from recollect.engine.admission import find_omissions
from recollect.engine.anchoring import make_anchor
from recollect.engine.context import Context
from recollect.engine.engine import Engine
from recollect.engine.memories.agent_changes import (
    find_for_agent,
    is_capture_off,
    may_answer_agents,
    may_show,
    note_helped,
    propose_to_forget,
)
from recollect.engine.memories.folder_project import agent_viewer, enter_project, is_paused, project_here
from recollect.engine.memories.forget import forget, has_no_undo
from recollect.engine.memories.teaching import remember_one, revise
from recollect.engine.moments.handle import handle
from recollect.mcp.schema import TOOLS
from recollect.novelty.conflicts import is_from_user
from recollect.privacy.secrets import redact
from recollect.privacy.visibility import is_of_another_project
from recollect.text.tokens import estimate

HISTORY_NAME = AGENT  # the author of our changes in the history
OPEN_HINT = "`details` opens an id in full."
OPEN_HINT_TOKENS = estimate(OPEN_HINT) + 1  # with its line break
BEYOND = "an agent wants it to hold in other projects, too"
KEPT = "Kept."
NOTHING = "Nothing is known about that here."
CUT = "It is longer than fits here; the user can see all of it with `recollect show {id}`."
CUT_TOKENS = estimate(CUT) + 40  # with the longest id
FULL = (
    "This session was told as much as its budget allows. Work with what was shown above; a new session or a compaction "
    "makes room."
)
NO_ROOM = "Something is known about that, but it is too long for an answer of this size. Leave `max_tokens` out."
SWITCHED_OFF = "The user's settings give agents no answers ([on_demand] or [inject] enabled). Do without."
PAUSED = (
    "The user has paused Recollect: nothing is told and nothing is kept until they resume. Do without; do not retry."
)
NOWHERE = "No project folder came with this connection: only what holds everywhere is told."
IN_SHORT = (Verdict.SHORT, Verdict.LISTED, Verdict.RECALLED)
ABOUT = {
    "user": frozenset({Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION}),
    "project": frozenset(Kind) - {Kind.ERROR_PATTERN},
    "recent": frozenset[Kind](),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    session: SessionId
    at: datetime
    host: str = HISTORY_NAME  # of the session
    folder: str | None = None  # None: no project is known
    is_delivered: bool = True  # False: its answer counts as shown only once it was delivered


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    text: str
    code: str | None = None  # of an error; then the text says what to do next
    offered: Injection | None = None  # to be confirmed once the agent has the answer


class NotShown(RecollectError):
    """There is no memory with this id that this agent may see."""

    code = "not_found"


class SwitchedOff(RecollectError):
    """The user's settings give agents no answers."""

    code = "switched_off"


class RecollectPaused(RecollectError):
    """The user has paused Recollect: agents get no memories, and none of theirs are kept."""

    code = "paused"


class OptedOut(RecollectError):
    """The user wants nothing of this session to be kept."""

    code = "opted_out"


class ForTheUser(RecollectError):
    """Only the user may do that, because it cannot be undone."""

    code = "for_the_user"


class OfAnotherProject(RecollectError):
    """The memory is visible here, but can only be changed in its own project."""

    code = "other_project"


def call(engine: Engine, asker: Asker, name: str, given: Mapping[str, Any]) -> ToolAnswer:
    try:
        if name not in TOOLS:
            raise PayloadError(f"There is no tool {name[:40]!r}; there are {', '.join(TOOLS)}.")
        ctx = engine.context(asker.folder, asker.at)
        if is_paused(ctx):
            raise RecollectPaused(PAUSED)
        arguments = TOOLS[name].read(given)
        if name in _QUESTIONS:
            return _QUESTIONS[name](engine, ctx, asker, arguments)
        return _CHANGES[name](ctx, asker, arguments)
    except RecollectError as error:
        return ToolAnswer(text=redact(str(error)).text, code=error.code)


def _search(engine: Engine, ctx: Context, asker: Asker, given: Mapping[str, Any]) -> ToolAnswer:
    filters = _filters(_kinds(given), _scope(ctx, asker, given.get("scope")))
    event = _build_event(asker, given, query=given["query"], nearest=True, filters=filters)
    return _answer_with(handle(engine, event, ctx))


def _context(engine: Engine, ctx: Context, asker: Asker, given: Mapping[str, Any]) -> ToolAnswer:
    kinds = _kinds(given) or frozenset(Kind)
    if not given.get("files", True):
        kinds -= {Kind.FILE_CONTEXT}
    if not given.get("errors", True):
        kinds -= {Kind.ERROR_PATTERN}
    if not kinds:
        raise PayloadError("`files` or `errors` leave out every kind that `kinds` names; leave one of them out.")
    if kinds == frozenset(Kind):
        kinds = frozenset()  # no filter
    event = _build_event(asker, given, query=given["task"], filters=_filters(kinds))
    return _answer_with(handle(engine, event, ctx))


def _profile(engine: Engine, ctx: Context, asker: Asker, given: Mapping[str, Any]) -> ToolAnswer:
    about = given["about"]
    if about == "project" and asker.folder is None:
        raise PayloadError("No project folder came with this connection. Ask about `user` or `recent`.")
    scope = _scope(ctx, asker, "project") if about == "project" else None
    event = _build_event(asker, given, newest=True, filters=_filters(ABOUT[about], scope))
    injection = handle(engine, event, ctx)
    return _answer_with(injection, nothing="Nothing is known yet; `add` what lasts.")


def _details(engine: Engine, ctx: Context, asker: Asker, given: Mapping[str, Any]) -> ToolAnswer:
    injection = handle(engine, _build_event(asker, given, id=MemoryId(given["id"].strip())), ctx)
    if injection.notice:
        raise NotShown(injection.notice)
    for choice in injection.choices:
        if choice.verdict is Verdict.SHORT:
            return _answer(f"{injection.block}\n{CUT.format(id=choice.id)}", injection)
    return _answer_with(injection)


def _add(ctx: Context, asker: Asker, given: Mapping[str, Any]) -> ToolAnswer:
    _refuse_unwanted(ctx, asker)
    scope = _scope(ctx, asker, given.get("scope", "project"), keeps=True) or UNIVERSAL
    files = given.get("files", [])
    if files and asker.folder is None:
        raise PayloadError("No project folder came with this connection, so no file can be named; leave `files` out.")
    draft = Draft(
        text=given["text"],
        kind=Kind(given["kind"]),
        scope=scope,
        at=asker.at,
        source=_source(asker),
        flag=_flag(scope),
        anchors=tuple(dict.fromkeys(_anchor(ctx, path, scope) for path in files)),
    )
    outcome = remember_one(ctx, draft)
    return ToolAnswer(text=_describe_outcome(ctx, asker, outcome, draft))


def _anchor(ctx: Context, path: str, scope: Scope) -> Anchor:
    try:
        return make_anchor(ctx, path, scope)
    except (OSError, ValueError):
        raise PayloadError(
            f"The file {path[:200]!r} cannot be looked at. Name it by its path in the project, or leave it out."
        ) from None


def _change(ctx: Context, asker: Asker, given: Mapping[str, Any]) -> ToolAnswer:
    if not may_answer_agents(ctx):
        raise SwitchedOff(SWITCHED_OFF)
    viewer = agent_viewer(ctx, asker.session)
    memory = find_for_agent(ctx, given["id"].strip(), viewer)
    if memory is None:
        raise NotShown("There is no memory with this id that may be changed; `search` shows ids.")
    if is_of_another_project(memory, viewer):
        raise OfAnotherProject(f"{memory.id} belongs to another project; it can only be changed there.")
    match given["action"]:
        case "useful" | "useless":
            note_helped(ctx, memory, asker.session, helped=given["action"] == "useful")
            return ToolAnswer(text=f"Noted that {memory.id} was {given['action']}.")
        case "forget":
            return ToolAnswer(text=_forget(ctx, memory))
        case _:
            return ToolAnswer(text=_update(ctx, asker, memory, given.get("text")))


def _forget(ctx: Context, memory: Memory) -> str:
    """Forget only what the user can bring back."""
    if has_no_undo(ctx):
        raise ForTheUser(
            f"What is forgotten here is gone at once ([forget] undo_hours = 0): only the user does that. Tell them to "
            f"run `recollect forget {memory.id}`."
        )
    if is_from_user(memory):
        propose_to_forget(ctx, memory)
        return (
            f"The user said {memory.id}, so it stays until they decide. Tell them: `recollect forget {memory.id}` "
            "forgets it; `recollect review` shows what waits for them."
        )
    outcome = forget(ctx, Forget(ids=(memory.id,), by=HISTORY_NAME)).outcome
    assert isinstance(outcome, Hidden)  # there is an undo window
    return f"Forgot {memory.id}. Tell the user: they can bring it back with `recollect undo {outcome.undo}`."


def _update(ctx: Context, asker: Asker, memory: Memory, text: str | None) -> str:
    _refuse_unwanted(ctx, asker)
    if text is None:
        raise PayloadError("`update` needs the new `text`.")
    scope = memory.scope
    draft = Draft(text=text, kind=memory.kind, scope=scope, at=asker.at, source=_source(asker), flag=_flag(scope))
    return _describe_outcome(ctx, asker, revise(ctx, memory, draft), draft)


def _refuse_unwanted(ctx: Context, asker: Asker) -> None:
    if is_capture_off(ctx.store, asker.session):
        raise OptedOut("The user wants nothing to be kept of this session. Do not add; ask them first.")


def _build_event(asker: Asker, given: Mapping[str, Any], **wanted: Any) -> Asked:
    return Asked(
        session=asker.session,
        at=asker.at,
        host=asker.host,
        folder=asker.folder,
        offered=not asker.is_delivered,
        budget_tokens=given.get("max_tokens"),
        reserved_tokens=CUT_TOKENS if "id" in wanted else OPEN_HINT_TOKENS,
        **wanted,
    )


def _source(asker: Asker) -> Source:
    return Source(role=Role.ASSISTANT, host=asker.host, session=asker.session)


def _flag(scope: Scope) -> str | None:
    """An agent reads a repository's files: only the user can say that something is valid in other projects."""
    return BEYOND if scope.level in (ScopeLevel.UNIVERSAL, ScopeLevel.LANGUAGE) else None


def _kinds(given: Mapping[str, Any]) -> frozenset[Kind]:
    return frozenset(map(Kind, given.get("kinds", [])))


def _filters(kinds: frozenset[Kind], scope: Scope | None = None) -> Filters:
    return Filters(kinds=kinds, scope=None if scope is None else str(scope))


def _scope(ctx: Context, asker: Asker, level: str | None, *, keeps: bool = False) -> Scope | None:
    """Return the scope of a level: the agent's folder decides which project or language it is."""
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
            if keeps:
                return Scope.project(enter_project(ctx))
            return Scope.project(project_here(ctx))
        case _:
            language = agent_viewer(ctx, asker.session).language
            if language is None:
                raise PayloadError("The language of this project is not known; use the scope project or universal.")
            return Scope(ScopeLevel.LANGUAGE, language)


def _answer_with(injection: Injection, nothing: str = NOTHING) -> ToolAnswer:
    if injection.quiet is QuietReason.OFF:
        raise SwitchedOff(SWITCHED_OFF)
    if injection.quiet is QuietReason.CAP:
        return ToolAnswer(text=FULL)
    if not injection.block:
        has_no_room = any(choice.verdict is Verdict.BUDGET for choice in injection.choices)
        return ToolAnswer(text=NO_ROOM if has_no_room else nothing)
    in_short = any(choice.verdict in IN_SHORT for choice in injection.choices)
    return _answer(f"{injection.block}\n{OPEN_HINT}" if in_short else injection.block, injection)


def _answer(text: str, injection: Injection) -> ToolAnswer:
    return ToolAnswer(text=text, offered=None if injection.offered is None else injection)


def _describe_outcome(ctx: Context, asker: Asker, outcome: Stored, draft: Draft) -> str:
    """Describe what became of a draft. A memory that this agent may not see is not even hinted at."""
    if not may_answer_agents(ctx):
        return KEPT
    memory = outcome.memory
    where = memory.scope.name if memory.scope.level is ScopeLevel.LANGUAGE else memory.scope.level
    lines = [f"Kept as {memory.id} ({memory.kind}, {where})."]
    match outcome:
        case New():
            pass
        case Same():
            return f"Known already as {memory.id}." if _visible_ids(ctx, asker, [memory]) else KEPT
        case Updates(_, replaced):
            if ids := _visible_ids(ctx, asker, replaced):
                lines.append(f"It takes the place of {ids}.")
        case Contradicts(_, known):
            if ids := _visible_ids(ctx, asker, known):
                undecided = "both stay until the user decides. Tell them: `recollect review`."
                lines.append(f"It contradicts {ids}: {undecided}")
        case _ as never:
            assert_never(never)
    if memory.kind != draft.kind:
        lines.append(f"An agent's word on that is kept as {memory.kind}.")
    if memory.flag is not None:
        why = "It is to hold in other projects too" if memory.flag == BEYOND else "It reads as an order to an agent"
        lines.append(f"{why}: it is not shown until the user accepts it in `recollect review`.")
    if find_omissions(draft.text).secrets:
        lines.append("A secret in it was redacted.")
    return " ".join(lines)


def _visible_ids(ctx: Context, asker: Asker, memories: Sequence[Memory]) -> str:
    """Return the ids of memories that this agent could see before they were replaced."""
    viewer = agent_viewer(ctx, asker.session)
    current = [replace(memory, valid_to=None, superseded_by=None) for memory in memories]
    return ", ".join(memory.id for memory in current if may_show(ctx, memory, viewer))


_QUESTIONS: Mapping[str, Callable[[Engine, Context, Asker, Mapping[str, Any]], ToolAnswer]] = {
    "search": _search,
    "details": _details,
    "context": _context,
    "profile": _profile,
}
_CHANGES: Mapping[str, Callable[[Context, Asker, Mapping[str, Any]], ToolAnswer]] = {"add": _add, "change": _change}
