"""`python -m recollect.daemon`: the resident process. Started by `recollect start` and by the hosts' plugins."""

import logging
import os
import sys

from recollect.daemon.lifecycle import serve
from recollect.domain.errors import RecollectError

if __name__ == "__main__":
    try:
        code = serve()
    except RecollectError as error:
        logging.getLogger("recollect.daemon").error("%s", error)
        sys.stderr.write(f"recollect: {error}\n")
        code = 1
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)  # the lock is free and the database closed: a thread that hangs must not make an orphan of us
