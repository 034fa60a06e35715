"""`python -m recollect.daemon`: the resident process. Started by `recollect start`, plugins and hooks."""

import logging
import os
import sys

from recollect.daemon.lock import make_private_folder, take_lock
from recollect.domain.errors import RecollectError
from recollect.paths import find_paths


def main() -> int:
    """Return 0 also if a daemon of this version or a newer one runs already."""
    places = find_paths()
    make_private_folder(places.runtime)
    make_private_folder(places.log_folder, "XDG_STATE_HOME")
    with take_lock(places) as is_ours:
        if not is_ours:
            return 0
        from recollect.daemon.lifecycle import serve  # most of the start-up time, and only one daemon needs it

        return serve(places)


if __name__ == "__main__":
    try:
        code = main()
    except RecollectError as error:
        logging.getLogger("recollect.daemon").error("%s", error)
        sys.stderr.write(f"recollect: {error}\n")
        code = 1
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)  # the lock is free and the database closed: a hung thread must not keep the process alive
