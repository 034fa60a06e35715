"""Send a request to the daemon, or to an engine in this process. The answers are the same.

The daemon is bypassed with `--direct`, if it does not answer, or if it could answer differently: another version, or
other settings in its environment. If it dies during a request, a read is repeated without it. A write is not: it may
have been applied, and the error says so.
"""

import os
from collections.abc import Callable
from contextlib import closing

from recollect.api.operation import AnswerT, Operation, Request, RequestT
from recollect.cli import context, direct
from recollect.cli.display import output
from recollect.connection import MAX_BODY_BYTES, HttpAnswer, client_header, explain, open_connection
from recollect.domain.errors import DaemonError, PayloadError
from recollect.paths import find_paths, fingerprint, has_settings

SIGN_OF_LIFE_S = 0.5  # a healthy daemon accepts a request in a millisecond
NO_RESPONSE = "The daemon did not respond; used the database directly. `recollect restart` may help."
MAYBE_APPLIED = (
    "The change may already have been applied; check with `recollect undo --list --direct` before you retry."
)


def current_folder(project: str | None = None) -> str | None:
    """Return the current folder; with a project named, the folder may be missing."""
    return context.folder_to_look_in() if project else str(context.folder())


def run_operation(operation: Operation[RequestT, AnswerT], request: RequestT) -> AnswerT:
    if has_settings(find_paths(), request.folder, os.environ):
        context.settings(request.folder)  # a mistake in them is an error, even if the daemon answers
    try:
        answered = _ask_daemon(f"/v1/{operation.name}", lambda: _encode(request), operation.within_s)
    except DaemonError as error:
        if operation.writes:
            raise DaemonError(f"{error} {MAYBE_APPLIED}") from None
        _bypass_daemon_and_warn()
        answered = None
    if answered is not None:
        return _decode(answered, operation)
    model = context.model()
    with context.engine(model, request.folder) as engine:
        from recollect.operations import answer  # not needed if the daemon answers

        return answer(engine, operation, request, context.now(), model)


def notify_daemon() -> bool:
    """Tell the daemon that new memories were written without it; False: no daemon will compute their vectors."""
    try:
        answer = _ask_daemon("/v1/wake", _encode_folder, SIGN_OF_LIFE_S)
    except DaemonError:
        return False
    return answer is not None and answer.status == 200


def _ask_daemon(path: str, encode: Callable[[], bytes | None], timeout_s: float) -> HttpAnswer | None:
    """Ask over one connection. None: no daemon has the request, and this process has to do the work itself.
    DaemonError: the daemon has the request, but there is no answer."""
    if direct.is_wanted():
        return None
    paths = find_paths()
    try:
        connection = open_connection(paths.socket, SIGN_OF_LIFE_S)
    except DaemonError as error:  # the folder is not ours
        _bypass_daemon_and_warn(f"{error} Used the database directly.")
        return None
    except OSError:  # no daemon runs
        return None
    with closing(connection):
        body = encode()
        if body is None:
            return None
        try:
            if not connection.offer(path, len(body), client_header(fingerprint(paths, os.environ))):
                return None
        except OSError:
            _bypass_daemon_and_warn()
            return None
        try:
            return connection.send(body, timeout_s)
        except OSError as error:
            raise explain(error, timeout_s) from None


def _bypass_daemon_and_warn(warning: str = NO_RESPONSE) -> None:
    direct.insist()  # also for a second request of the same command
    output.remark(warning)


def _encode(request: Request) -> bytes | None:
    """Return JSON. None: too large, or JSON cannot carry it (an unpaired surrogate, a huge number); the engine takes it."""
    from recollect.api import json_codec  # needed with a daemon only

    try:
        body = json_codec.encode_request(request)
    except (UnicodeError, OverflowError):
        return None
    return body if len(body) <= MAX_BODY_BYTES else None


def _encode_folder() -> bytes:
    import json  # rarely needed

    return json.dumps({"folder": current_folder()}).encode()


def _decode(answer: HttpAnswer, operation: Operation[RequestT, AnswerT]) -> AnswerT:
    from recollect.api import json_codec

    if answer.status != 200:
        json_codec.raise_error(answer.body)
    try:
        return json_codec.decode(answer.body, operation.answers)
    except PayloadError as error:
        raise DaemonError(f"{error} {MAYBE_APPLIED}" if operation.writes else str(error)) from None
