"""`recollect pipe`: the engine in one process, a JSON line in, a JSON line out. For scripts and for evaluation."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import click

from recollect import wiring
from recollect.cli import context
from recollect.cli.formats import pipe_requests
from recollect.cli.formats.injection_json import injection_json
from recollect.cli.formats.memory_json import record_with_freshness
from recollect.domain.errors import InvalidValue, PayloadError, RecollectError, StoreError
from recollect.domain.learning import Proposal
from recollect.domain.memory import Hit, ProjectId, Viewer
from recollect.domain.outcome import Refused, tag_of
from recollect.domain.session import TurnHit
from recollect.engine.engine import Engine
from recollect.engine.learning.worker import extract_some, learn_some
from recollect.engine.memories.folder_project import resolve_scope
from recollect.engine.memories.teaching import remember_all
from recollect.engine.moments.handle import handle
from recollect.engine.search import recall_archive, recall_memories
from recollect.engine.upkeep import archive_turns, embed_some
from recollect.hosts.script import event_of
from recollect.paths import find_paths
from recollect.privacy.secrets import redact
from recollect.text import json_fields as read

Answer = dict[str, Any]


@click.command()
@click.option(
    "--db", type=click.Path(path_type=Path), help="Use this database file. Default: a new empty database in memory."
)
def pipe(db: Path | None) -> None:
    """Answer JSON requests line by line, for scripts and evaluation.

    Recollect reads one JSON object per line from standard input and prints one JSON answer per line. It does not use
    the daemon, and without --db it does not use your memories. docs/reference/pipe.md lists the requests."""
    if db is not None and not db.absolute().parent.is_dir():
        raise InvalidValue(f"The folder {db.absolute().parent} for the database does not exist.")
    with Pipe(db) as session:
        session.run(sys.stdin.buffer, sys.stdout)


class Pipe:
    def __init__(self, database: Path | None) -> None:
        self._database = database
        self._settings = context.settings()
        self._model = context.model()
        self._open = ExitStack()
        self._engine = self._open_engine()
        self._ops: dict[str, Callable[[Mapping[str, Any]], Answer]] = {
            "load": self._load,
            "remember": self._remember,
            "search": self._search,
            "event": self._event,
            "capture": self._capture,
            "redact": self._redact,
            "reset": self._reset,
        }

    def __enter__(self) -> "Pipe":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self, requests_in: BinaryIO, answers_out: TextIO) -> None:
        for line in requests_in:
            if line.strip():
                answer = self.answer(line)
                try:
                    answers_out.write(json.dumps(answer, ensure_ascii=False) + "\n")
                except UnicodeEncodeError:  # a lone surrogate
                    answers_out.write(json.dumps(answer) + "\n")
                answers_out.flush()

    def answer(self, line: bytes | str) -> Answer:
        try:
            request = _parse(line)
            op = request.get("op")
            if op is None:
                raise PayloadError(f"The request has no `op`; known: {', '.join(self._ops)}.")
            if not isinstance(op, str) or op not in self._ops:
                raise PayloadError(f"There is no op {op!r}; known: {', '.join(self._ops)}.")
            return self._ops[op](request)
        except RecollectError as error:
            return _error(error.code, str(error))
        except Exception as error:  # noqa: BLE001  # one bad request must not end the run
            return _error("internal", f"{type(error).__name__}: {error}")

    def _load(self, request: Mapping[str, Any]) -> Answer:
        turns = pipe_requests.read_turns(request, context.now())
        archive_turns(self._engine.store, turns)
        self._do_pending_work()
        return {"loaded": len(turns)}

    def _remember(self, request: Mapping[str, Any]) -> Answer:
        now = context.now()
        drafts = pipe_requests.read_drafts(request, now)
        outcomes = remember_all(self._engine.context(read.optional_text(request, "folder"), now), drafts)
        self._do_pending_work()
        return {
            "ids": [None if isinstance(outcome, Refused) else outcome.memory.id for outcome in outcomes],
            "outcomes": list(map(tag_of, outcomes)),
        }

    def _search(self, request: Mapping[str, Any]) -> Answer:
        search = self._resolve_scope(pipe_requests.read_search(request, context.now()))
        self._do_pending_work()  # other processes may have written into the same file
        began = time.perf_counter()
        memories = [] if search.place == "archive" else self._search_memories(search)
        turns = [] if search.place == "memories" else self._search_turns(search)
        hits = _merge(memories, turns)[: search.limit]
        ms = (time.perf_counter() - began) * 1000
        return {"hits": hits, "ms": round(ms, 3)}

    def _resolve_scope(self, search: pipe_requests.SearchRequest) -> pipe_requests.SearchRequest:
        ctx = self._engine.context(search.folder, search.at)
        filters = resolve_scope(ctx, search.filters, search.project, may_be_new=True)  # its projects are only names
        project = search.project or (ProjectId(filters.project) if filters.project else None)
        return replace(search, filters=filters, project=project)

    def _search_memories(self, search: pipe_requests.SearchRequest) -> list[Answer]:
        hits = recall_memories(
            self._engine.context(search.folder, search.at),
            search.query,
            Viewer(project=search.project, language=search.language),
            limit=search.limit,
            filters=search.filters,
        )
        return list(map(_memory_json, hits))

    def _search_turns(self, search: pipe_requests.SearchRequest) -> list[Answer]:
        limit = search.limit or self._settings.search.hits
        ctx = self._engine.context(search.folder, search.at)
        hits = recall_archive(ctx, search.query, search.project, limit=limit, filters=search.filters)
        return list(map(_turn_json, hits))

    def _event(self, request: Mapping[str, Any]) -> Answer:
        fields = read.section(request, "event")
        if not fields:
            raise PayloadError("`event` is missing.")
        explain = read.flag(request, "explain", False)
        event = event_of(fields, context.now())
        self._do_pending_work()  # other processes may have written into the same file
        began = time.perf_counter()
        injection = handle(self._engine, event)
        ms = (time.perf_counter() - began) * 1000
        self._do_pending_work()
        return injection_json(injection, ms, explain=explain)

    def _capture(self, request: Mapping[str, Any]) -> Answer:
        from recollect.engine.learning.drafts import rehearse  # its tables are needed for this op only

        events = pipe_requests.read_events(request, context.now())
        proposals = rehearse(events, self._settings)
        return {"memories": list(map(_proposal_json, proposals))}

    def _redact(self, request: Mapping[str, Any]) -> Answer:
        redacted = redact(read.any_text(request, "text"))
        found = [{"rule": secret.rule, "start": secret.start, "end": secret.end} for secret in redacted.found]
        return {"text": redacted.text, "found": found}

    def _reset(self, _: Mapping[str, Any]) -> Answer:
        if self._database is not None:
            raise PayloadError(f"`reset` is refused on a database file ({self._database}); nothing was changed.")
        self._open.close()
        self._engine = self._open_engine()
        return {}

    def _open_engine(self) -> Engine:
        places = find_paths()
        is_own = self._database is not None and self._database.absolute() == places.database
        pauses = places.pause if is_own else None  # the user's pauses apply to the user's database only
        return self._open.enter_context(
            wiring.open_engine(lambda _: self._settings, self._database, self._model, pauses=pauses)
        )

    def _do_pending_work(self) -> None:
        """Learn and embed everything before the answer, so that a run can be repeated."""
        with suppress(StoreError):  # such as a full disk: search still finds texts by their words
            ctx = self._engine.context(None, context.now())
            while learn_some(self._engine) or embed_some(ctx) or extract_some(self._engine):
                pass


def _memory_json(hit: Hit) -> Answer:
    memory = hit.memory
    answer: Answer = {"id": memory.id, "text": memory.text}
    if memory.flag is not None:
        answer["flag"] = memory.flag
    if memory.anchors:
        record = record_with_freshness(memory, hit.freshness)
        answer |= {"anchors": record["anchors"], "stale": record["stale"]}
    return answer | _score_json(hit)


def _turn_json(hit: TurnHit) -> Answer:
    turn = hit.turn
    return {
        "id": turn.message,
        "session": turn.session,
        "time": turn.at.isoformat(),
        "role": turn.role.value,
        "text": turn.text,
        **_score_json(hit),
    }


def _score_json(hit: Hit | TurnHit) -> Answer:
    return {"score": hit.score, "relevance": hit.relevance, "factors": dict(hit.factors)}


def _proposal_json(proposal: Proposal) -> Answer:
    return {
        "kind": proposal.kind.value,
        "scope": proposal.level.value,
        "text": proposal.text,
        "status": proposal.tier.value,
        "durability": proposal.durability,
        "source_ids": list(proposal.messages),
    }


def _merge(*lists: list[Answer]) -> list[Answer]:
    """Merge by relevance, because scores of memories and of turns cannot be compared. Each list keeps its own order: a
    hit ranks as high as the most relevant one that comes after it in its list."""
    ranked: list[tuple[float, Answer]] = []
    for hits in lists:
        best, backwards = 0.0, []
        for hit in reversed(hits):
            best = max(best, hit["relevance"])
            backwards.append((best, hit))
        ranked += reversed(backwards)
    ranked.sort(key=lambda entry: -entry[0])
    return [hit for _, hit in ranked]


def _parse(line: bytes | str) -> dict[str, Any]:
    try:
        request = json.loads(line.decode("utf-8") if isinstance(line, bytes) else line)
    except (ValueError, RecursionError) as error:  # also endless numbers and endlessly nested brackets
        raise PayloadError(f"The line is not valid JSON: {error}.") from None
    if not isinstance(request, dict):
        raise PayloadError("A request is a JSON object.")
    return request


def _error(code: str, message: str) -> Answer:
    return {"error": {"code": code, "message": redact(message).text}}  # the message quotes the request
