"""`recollect pipe`: the engine in one process, a JSON line in, a JSON line out. For scripts and for evaluation."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import click

from recollect import config, wiring
from recollect.cli import context
from recollect.cli.formats import pipe_requests
from recollect.cli.formats.injection_json import injection_json
from recollect.cli.formats.memory_json import seen_record_of
from recollect.domain.errors import InvalidValue, PayloadError, RecollectError, StoreError
from recollect.domain.learning import Proposal
from recollect.domain.memory import Hit, Viewer
from recollect.domain.outcome import Refused
from recollect.domain.session import Turn, TurnHit
from recollect.engine.engine import Engine
from recollect.hosts.script import event_of
from recollect.privacy.secrets import redact
from recollect.text import json_fields as read

Answer = dict[str, Any]


@click.command()
@click.option(
    "--db", type=click.Path(path_type=Path), help="Work on this database file; default: a fresh one in memory."
)
def pipe(db: Path | None) -> None:
    """Answer requests, one JSON object per line, until the input ends. Never goes through the daemon."""
    if db is not None and not db.absolute().parent.is_dir():
        raise InvalidValue(f"There is no folder {db.absolute().parent} for the database.")
    with Pipe(db) as session:
        session.run(sys.stdin.buffer, sys.stdout)


class Pipe:
    def __init__(self, database: Path | None) -> None:
        self._database = database
        self._settings = context.settings()
        self._model = context.model()
        self._open = ExitStack()
        self._engine = self._fresh_engine()
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
                answers_out.write(json.dumps(self.answer(line), ensure_ascii=False) + "\n")
                answers_out.flush()

    def answer(self, line: bytes | str) -> Answer:
        try:
            request = _parsed(line)
            op = request.get("op")
            if op is None:
                raise PayloadError(f"A request has an `op`; known are {', '.join(self._ops)}.")
            if not isinstance(op, str) or op not in self._ops:
                raise PayloadError(f"There is no op {op!r}; known are {', '.join(self._ops)}.")
            return self._ops[op](request)
        except RecollectError as error:
            return _error(error.code, str(error))
        except Exception as error:  # noqa: BLE001  # one of the four places: one bad request must not end the run
            return _error("internal", f"{type(error).__name__}: {error}")

    def _load(self, request: Mapping[str, Any]) -> Answer:
        turns = pipe_requests.turns(request, context.now())
        self._engine.archive(turns)
        self._work_off()
        return {"loaded": len(turns)}

    def _remember(self, request: Mapping[str, Any]) -> Answer:
        now = context.now()
        drafts = pipe_requests.drafts(request, now)
        outcomes = self._engine.remember_all(drafts, folder=read.optional(request, "folder"), now=now)
        self._work_off()
        return {
            "ids": [None if isinstance(outcome, Refused) else outcome.memory.id for outcome in outcomes],
            "outcomes": [type(outcome).__name__.lower() for outcome in outcomes],
        }

    def _search(self, request: Mapping[str, Any]) -> Answer:
        search = pipe_requests.search(request, context.now())
        self._work_off()  # of what others have written into the same file
        began = time.perf_counter()
        found = self._found(search)
        ms = (time.perf_counter() - began) * 1000
        return {"hits": found, "ms": round(ms, 3)}

    def _found(self, search: pipe_requests.SearchRequest) -> list[Answer]:
        memories: list[Answer] = []
        turns: list[Answer] = []
        if search.place != "archive":
            viewer = Viewer(project=search.project, language=search.language)
            found = self._engine.recall(
                search.query,
                viewer,
                limit=search.limit,
                now=search.at,
                filters=search.filters,
                folder=search.folder,
            )
            memories = [
                {"id": hit.memory.id, "text": hit.memory.text, **_flag(hit), **_files(hit), **_reasons(hit)}
                for hit in found
            ]
        if search.place != "memories":
            at_most = search.limit or self._settings.search.hits
            said = self._engine.recall_turns(search.query, search.project, limit=at_most, filters=search.filters)
            turns = [{**_said(hit.turn), **_reasons(hit)} for hit in said]
        return _merged(memories, turns)[: search.limit]

    def _event(self, request: Mapping[str, Any]) -> Answer:
        fields = read.part(request, "event")
        if not fields:
            raise PayloadError("`event` is missing.")
        explain = read.truth(request, "explain", False)
        event = event_of(fields, context.now())
        self._work_off()  # of what others have written into the same file
        began = time.perf_counter()
        injection = self._engine.handle(event)
        ms = (time.perf_counter() - began) * 1000
        self._work_off()
        return injection_json(injection, ms, explain=explain)

    def _capture(self, request: Mapping[str, Any]) -> Answer:
        from recollect.engine.learning import rehearse  # only who asks for it pays for its tables

        events = pipe_requests.heard(request, context.now())
        proposals = rehearse(events, self._settings)
        return {"memories": [_proposed(proposal) for proposal in proposals]}

    def _redact(self, request: Mapping[str, Any]) -> Answer:
        redacted = redact(pipe_requests.text_to_redact(request))
        found = [{"rule": secret.rule, "start": secret.start, "end": secret.end} for secret in redacted.found]
        return {"text": redacted.text, "found": found}

    def _reset(self, _: Mapping[str, Any]) -> Answer:
        if self._database is not None:
            raise PayloadError(f"`reset` is refused on a database file ({self._database}); nothing was changed.")
        self._open.close()
        self._engine = self._fresh_engine()
        return {}

    def _fresh_engine(self) -> Engine:
        places = config.places()
        is_own = self._database is not None and self._database.absolute() == places.database
        pauses = places.pause if is_own else None  # of another database, its owner decides
        return self._open.enter_context(
            wiring.open_engine(lambda _: self._settings, self._database, self._model, pauses=pauses)
        )

    def _work_off(self) -> None:
        """What waits is done before the answer, so that a run can be repeated."""
        with suppress(StoreError):  # a full disk, say: what waits is found by its words
            while self._engine.learn_some() or self._engine.embed_some() or self._engine.extract_some():
                pass


def _said(turn: Turn) -> Answer:
    return {
        "id": turn.message,
        "session": turn.session,
        "time": turn.at.isoformat(),
        "role": turn.role.value,
        "text": turn.text,
    }


def _proposed(proposal: Proposal) -> Answer:
    return {
        "kind": proposal.kind.value,
        "scope": proposal.level.value,
        "text": proposal.text,
        "status": proposal.tier.value,
        "durability": proposal.durability,
        "source_ids": list(proposal.messages),
    }


def _flag(hit: Hit) -> Answer:
    return {} if hit.memory.flag is None else {"flag": hit.memory.flag}


def _files(hit: Hit) -> Answer:
    """Only of what speaks of files."""
    record = seen_record_of(hit.memory, hit.freshness)
    return {"anchors": record["anchors"], "stale": record["stale"]} if hit.memory.anchors else {}


def _reasons(hit: Hit | TurnHit) -> Answer:
    return {"score": hit.score, "relevance": hit.relevance, "factors": dict(hit.factors)}


def _merged(*lists: list[Answer]) -> list[Answer]:
    """By relevance: scores of memories and of turns cannot be compared. Each list keeps its own order, so a hit stands
    as high as the most relevant one that comes after it there."""
    placed: list[tuple[float, Answer]] = []
    for hits in lists:
        best, ordered = 0.0, []
        for hit in reversed(hits):
            best = max(best, hit["relevance"])
            ordered.append((best, hit))
        placed += reversed(ordered)
    return [hit for _, hit in sorted(placed, key=lambda place: -place[0])]


def _parsed(line: bytes | str) -> dict[str, Any]:
    try:
        request = json.loads(line.decode("utf-8") if isinstance(line, bytes) else line)
    except (ValueError, RecursionError) as error:  # also numbers without end and brackets without bottom
        raise PayloadError(f"The line is not JSON that can be read: {error}.") from None
    if not isinstance(request, dict):
        raise PayloadError("A request is a JSON object.")
    return request


def _error(code: str, message: str) -> Answer:
    return {"error": {"code": code, "message": redact(message).text}}  # it quotes what was asked
