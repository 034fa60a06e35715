"""Errors, in words for the person who reads them: what happened, to what, what to do next. The first line of each class
says what its code means, also in docs/reference/errors.md."""

from collections.abc import Collection

SHOWN_CHARS = 40  # of an unknown name


def describe_unknown(what: str, given: str, known: Collection[str]) -> str:
    """Return the error message for an unknown name."""
    return f"There is no {what} {given[:SHOWN_CHARS]!r}; {suggest(given, known)}"


def suggest(given: str, known: Collection[str]) -> str:
    """Return the end of an error message: the known name that the user may have meant, or all of them."""
    from difflib import get_close_matches  # only for errors: start-up stays quick

    near = get_close_matches(given[:SHOWN_CHARS], known, n=1)  # a long text would take long
    return f"did you mean '{near[0]}'?" if near else f"use one of {', '.join(known)}."


class RecollectError(Exception):
    """Recollect refused the request on purpose; the message says why."""

    code = "error"


class InvalidValue(RecollectError):
    """A value is not acceptable: an empty text, an unknown kind, an id that does not exist."""

    code = "invalid_value"


class InvalidSettings(RecollectError):
    """A settings file or an environment variable is not valid."""

    code = "invalid_settings"


class StoreError(RecollectError):
    """The database could not do what was asked."""

    code = "store_error"


class StoreBusy(StoreError):
    """Another process kept the database locked for too long; try again."""

    code = "store_busy"

    def __init__(self, path: str, waited_ms: int) -> None:
        super().__init__(
            f"The database {path} is locked by another process (waited {waited_ms} ms). Try again in a moment."
        )


class StoreUnusable(StoreError):
    """The database cannot be opened: it belongs to another program, or the disk is full."""

    code = "store_unusable"


class StoreDamaged(StoreUnusable):
    """The database file is damaged; run `recollect doctor --repair`."""

    code = "store_damaged"


class StoreReadOnly(StoreError):
    """The database can be read but not written."""

    code = "store_read_only"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The database {path} can be read but not written. Check its folder's owner and permissions, and whether "
            "the disk is mounted read-only; nothing was changed."
        )


class StoreTooNew(StoreError):
    """The database was written by a newer Recollect."""

    code = "store_too_new"


class ModelError(RecollectError):
    """The embedding model cannot be built, loaded or removed."""

    code = "model_error"


class ModelMissing(ModelError):
    """The embedding model has not been built yet."""

    code = "model_missing"


class DaemonError(RecollectError):
    """The daemon cannot be started, reached or stopped."""

    code = "daemon_error"


class DaemonDiffers(DaemonError):
    """The daemon has another version or environment than the request names; it has done nothing."""

    code = "daemon_differs"


class InstallError(RecollectError):
    """A host's files are not in a state that can be changed safely."""

    code = "install_error"


class PayloadError(RecollectError):
    """The request does not have the agreed form."""

    code = "bad_request"


class RequestTooLarge(PayloadError):
    """The request is larger than the limit."""

    code = "too_large"

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"The request is larger than {most_bytes:,} bytes; send less at once.")


def error_from_code(code: str, message: str) -> RecollectError:
    """Rebuild an error that another process reported: the same class, the same message."""
    kind = RecollectError
    for known in _with_subclasses(RecollectError):
        if vars(known).get("code") == code:  # a class without a code of its own has its parent's
            kind = known
    error = kind.__new__(kind)  # __init__ would compose a new message
    Exception.__init__(error, message)
    return error


def _with_subclasses(kind: type[RecollectError]) -> list[type[RecollectError]]:
    found = [kind]
    for subclass in kind.__subclasses__():
        found += _with_subclasses(subclass)
    return found
