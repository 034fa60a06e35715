"""Exit codes, one place. `docs/reference/exit-codes.md` says the same to people."""

EXIT_ERROR = 1  # Recollect could not do it; the message says why and what to do
EXIT_USAGE = 2  # the call is wrong (click's own)
EXIT_NOT_RUNNING = 3  # `status`: the daemon does not run
EXIT_NOT_READY = 3  # `model status`: there is no model that can be used
EXIT_PARTLY = 4  # done, but not all of it is as it should be: lines refused, problems found, traces left
EXIT_INTERRUPTED = 130  # Ctrl-C
