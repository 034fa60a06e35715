"""Send a request to the daemon, or to an engine in this process. The answers are the same.

The daemon is bypassed with `--direct`, if it does not answer, or if it could answer differently: another version, or
other settings in its environment. If it dies during a request, a read is repeated without it. A write is not: it may
have been applied, and the error says so.
"""

import os
from contextlib import suppress

from recollect import __version__, config
from recollect.api.operation import AnswerT, Operation, OperationContext, Request, RequestT
from recollect.cli import context, direct
from recollect.cli.display import output
from recollect.client import MAX_BODY_BYTES, Client
from recollect.domain.errors import DaemonError

HELLO_TIMEOUT_S = 0.5  # a healthy daemon answers in a millisecond
MAYBE_APPLIED = (
    "The change may already have been applied; check with `recollect undo --list --direct` before you retry."
)


def current_folder(project: str | None = None) -> str | None:
    """Return the current folder; with a project named, the folder may be missing."""
    return context.folder_to_look_in() if project else str(context.folder())


def run_operation(operation: Operation[RequestT, AnswerT], request: RequestT) -> AnswerT:
    settings = context.settings(request.folder)  # a mistake in them is an error, even if the daemon answers
    client = _find_matching_daemon()
    body = None if client is None else _encode(request)
    if client is not None and body is not None:
        try:
            return _send(client, operation, body)
        except DaemonError as error:
            if operation.writes:
                raise DaemonError(f"{error} {MAYBE_APPLIED}") from None
            _bypass_daemon_and_warn()
    model = context.model()
    with context.engine(model, request.folder) as engine:
        operation_context = OperationContext(
            engine=engine, live=engine, settings=settings, model=model, now=context.now()
        )
        return operation.answer(operation_context, request)


def _find_matching_daemon() -> Client | None:
    """Return a client of the daemon, if it would answer exactly as this process does."""
    if direct.is_wanted():
        return None
    paths = config.find_paths()
    client = Client(paths.socket)
    try:
        if not client.is_running():
            return None
        hello = client.get("/v1/hello", timeout_s=HELLO_TIMEOUT_S)
    except DaemonError:
        _bypass_daemon_and_warn()
        return None
    expected = (__version__, config.fingerprint(paths, os.environ))
    return client if (hello.get("version"), hello.get("environment")) == expected else None


def notify_daemon() -> bool:
    """Tell the daemon that new memories were written without it; False: no daemon will compute their vectors."""
    client = _find_matching_daemon()
    if client is None:
        return False
    with suppress(DaemonError):
        client.post("/v1/wake", {"folder": current_folder(None)}, timeout_s=HELLO_TIMEOUT_S)
        return True
    return False


def _bypass_daemon_and_warn() -> None:
    direct.insist()  # also for a second request of the same command
    output.remark("The daemon did not respond; used the database directly. `recollect restart` may help.")


def _encode(request: Request) -> bytes | None:
    """Return JSON. None: too large, or JSON cannot carry it (an unpaired surrogate, a huge number); the engine takes it."""
    from recollect.api import json_codec  # needed with a daemon only

    try:
        body = json_codec.encode(request)
    except (UnicodeError, OverflowError):
        return None
    return body if len(body) <= MAX_BODY_BYTES else None


def _send(client: Client, operation: Operation[RequestT, AnswerT], body: bytes) -> AnswerT:
    from recollect.api import json_codec

    status, answer = client.exchange("POST", f"/v1/{operation.name}", body, timeout_s=operation.within_s)
    if status != 200:
        json_codec.raise_error(answer)
    return json_codec.decode(answer, operation.answers, "answer")
