"""Every exit code. `docs/reference/exit-codes.md` explains them to users."""

EXIT_ERROR = 1  # Recollect could not do it; the message says why and what to do
EXIT_NOT_RUNNING = 3  # `status`: the daemon is not running
EXIT_NOT_READY = 3  # `model status`: there is no usable model
EXIT_PARTLY = 4  # done, but incomplete: lines refused, problems found, traces left
EXIT_INTERRUPTED = 130  # Ctrl-C
