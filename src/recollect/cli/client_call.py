"""How a command gets its answer: from the daemon where one runs, else from the engine itself. The answers are the same.

The daemon is passed over where it could answer otherwise: one of another version, or with other settings in its
environment; and where it does not answer at all. `--direct` always passes it over. Where it dies over a question, what
only reads is asked once more without it; whether something was written nobody knows then, and that is said.
"""

import os

from recollect import __version__, config
from recollect.api.operation import Answers, Asks, Desk, Operation, Request
from recollect.cli import context, direct
from recollect.cli.display import output
from recollect.client import MAX_BODY_BYTES, Client
from recollect.domain.errors import DaemonError

HELLO_S = 0.5  # one that lives answers in a millisecond
UNCERTAIN = "It may have been done all the same: look first (`recollect undo --list --direct`), then try again."


def here(project: str | None = None) -> str | None:
    """Where somebody asks. Who names a project need not be anywhere."""
    return context.folder_to_look_in() if project else str(context.folder())


def ask(operation: Operation[Asks, Answers], request: Asks) -> Answers:
    settings = context.settings(request.folder)  # one that is mistaken is said, whoever answers
    client = None if direct.is_wanted() else _daemon()
    if client is not None and (body := _body(request)) is not None:
        try:
            return _through(client, operation, body)
        except DaemonError as error:
            if operation.writes:
                raise DaemonError(f"{error} {UNCERTAIN}") from None
            _go_past_it()
    model = context.model()
    with context.engine(model, request.folder) as engine:
        desk = Desk(engine=engine, live=engine, settings=settings, model=model, now=context.now())
        return operation.answer(desk, request)


def _daemon() -> Client | None:
    """One that would answer as we do."""
    places = config.places()
    client = Client(places.socket)
    try:
        if not client.is_running():
            return None
        hello = client.get("/v1/hello", timeout_s=HELLO_S)
    except DaemonError:
        _go_past_it()
        return None
    same = (__version__, config.fingerprint(places, os.environ))
    return client if (hello.get("version"), hello.get("environment")) == same else None


def left_to_the_daemon() -> bool:
    """Tell the daemon that something was written past it; whether there is one that gives it its meaning."""
    client = None if direct.is_wanted() else _daemon()
    if client is None:
        return False
    try:
        client.post("/v1/wake", {"folder": here(None)}, timeout_s=HELLO_S)
    except DaemonError:
        return False
    return True


def _go_past_it() -> None:
    direct.insist()  # of a command that asks twice, both go past it
    output.remark("The daemon does not answer; this went past it. `recollect restart` may help.")


def _body(request: Request) -> bytes | None:
    """None: too much, or what no JSON carries: half a character, a number of a hundred digits. The engine takes it."""
    from recollect.api import wire  # only where a daemon answers

    try:
        body = wire.written(request)
    except (UnicodeError, OverflowError):
        return None
    return body if len(body) <= MAX_BODY_BYTES else None


def _through(client: Client, operation: Operation[Asks, Answers], body: bytes) -> Answers:
    from recollect.api import wire

    status, answer = client.exchange("POST", f"/v1/{operation.name}", body, timeout_s=operation.within_s)
    if status != 200:
        wire.raise_error(answer)
    return wire.read(answer, operation.answers, "answer")
