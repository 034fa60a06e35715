"""`python -m recollect.daemon`: the resident process. Started by `recollect start` and by the hosts' plugins."""

import logging
import sys

from recollect.daemon.lifecycle import serve
from recollect.domain.errors import RecollectError

if __name__ == "__main__":
    try:
        sys.exit(serve())
    except RecollectError as error:
        logging.getLogger("recollect.daemon").error("%s", error)
        sys.stderr.write(f"recollect: {error}\n")
        sys.exit(1)
