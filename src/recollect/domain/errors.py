"""What can go wrong, in words for the person who reads it: what happened, to what, what to do next.

RecollectError
├── InvalidValue        a value that the domain refuses (empty text, unknown kind, bad scope ...)
├── InvalidSettings     a settings file or environment variable that cannot be used
├── StoreError
│   ├── StoreBusy       another process kept the database locked for too long
│   ├── StoreUnusable   another program's, not to be opened, no space
│   │   └── StoreDamaged    not a database any more, or not what was written
│   ├── StoreReadOnly   it can be read but not written
│   └── StoreTooNew     written by a newer Recollect
├── ModelError          the embedding model cannot be made, loaded or removed
│   └── ModelMissing    it is not there: nobody has built it yet
├── DaemonError         the daemon cannot be started, reached or stopped
├── InstallError        a host's files are not what we can safely change
└── PayloadError        a host or script sent something that is not the agreed form
    └── RequestTooLarge     it sent more than is taken at once
"""


class RecollectError(Exception):
    """Base of all errors that Recollect raises on purpose; its text is meant for people."""

    code = "error"


class InvalidValue(RecollectError):
    code = "invalid_value"


class InvalidSettings(RecollectError):
    code = "invalid_settings"


class StoreError(RecollectError):
    code = "store_error"


class StoreBusy(StoreError):
    code = "store_busy"

    def __init__(self, path: str, waited_ms: int) -> None:
        super().__init__(
            f"The database {path} is locked by another process (waited {waited_ms} ms). Try again in a moment."
        )


class StoreUnusable(StoreError):
    code = "store_unusable"


class StoreDamaged(StoreUnusable):
    code = "store_damaged"


class StoreReadOnly(StoreError):
    code = "store_read_only"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The database {path} can be read but not written. Check its folder's owner and permissions, and whether "
            "the disk is mounted read-only; nothing was changed."
        )


class StoreTooNew(StoreError):
    code = "store_too_new"


class ModelError(RecollectError):
    code = "model_error"


class ModelMissing(ModelError):
    code = "model_missing"


class DaemonError(RecollectError):
    code = "daemon_error"


class InstallError(RecollectError):
    code = "install_error"


class PayloadError(RecollectError):
    code = "bad_request"


class RequestTooLarge(PayloadError):
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
