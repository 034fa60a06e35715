"""What can go wrong, in words for the person who reads it: what happened, to what, what to do next.

The first line of each class says what its code means, also in docs/reference/errors.md.
"""


class RecollectError(Exception):
    """Something else that Recollect refuses on purpose; the message says what."""

    code = "error"


class InvalidValue(RecollectError):
    """A value that is refused: an empty text, an unknown kind, an id that nothing has."""

    code = "invalid_value"


class InvalidSettings(RecollectError):
    """A settings file or a variable of the environment that cannot be used."""

    code = "invalid_settings"


class StoreError(RecollectError):
    """The database cannot do what was asked of it."""

    code = "store_error"


class StoreBusy(StoreError):
    """Another process kept the database locked for too long; try again."""

    code = "store_busy"

    def __init__(self, path: str, waited_ms: int) -> None:
        super().__init__(
            f"The database {path} is locked by another process (waited {waited_ms} ms). Try again in a moment."
        )


class StoreUnusable(StoreError):
    """The database cannot be opened: it is another program's, or there is no space."""

    code = "store_unusable"


class StoreDamaged(StoreUnusable):
    """The database is not a database any more, or not what was written; `recollect doctor --repair`."""

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
    """The embedding model cannot be made, loaded or removed."""

    code = "model_error"


class ModelMissing(ModelError):
    """The embedding model is not there: nobody has built it yet."""

    code = "model_missing"


class DaemonError(RecollectError):
    """The daemon cannot be started, reached or stopped."""

    code = "daemon_error"


class InstallError(RecollectError):
    """The files of a host are not what can safely be changed."""

    code = "install_error"


class PayloadError(RecollectError):
    """What was sent is not of the agreed form."""

    code = "bad_request"


class RequestTooLarge(PayloadError):
    """More was sent than is taken at once."""

    code = "too_large"

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"The request is larger than {most_bytes:,} bytes; send less at once.")


def named(code: str, message: str) -> RecollectError:
    """The error that another process told us about: of the same kind, in the same words."""
    kinds = {kind.code: kind for kind in _all(RecollectError) if "code" in vars(kind)}  # the others have their parent's
    kind = kinds.get(code, RecollectError)
    error = kind.__new__(kind)  # its own words are made already
    Exception.__init__(error, message)
    return error


def _all(kind: type[RecollectError]) -> list[type[RecollectError]]:
    return [kind, *(below for one in kind.__subclasses__() for below in _all(one))]
