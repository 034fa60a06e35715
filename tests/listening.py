"""A server of a test's own, listening while the test runs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer

POLL_S = 0.02


@contextmanager
def listening(server: BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": POLL_S}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
