"""Learning from what waits, by one thread at a time: whoever listens to a session hears each of its words once.

The lock is that of the process, which has one live engine; where it has more, as in tests, they wait for each other.
The engine itself knows no threads, and whoever has it alone (`pipe`, `capture`) does without.
"""

from threading import Lock

from recollect.engine.engine import Engine

AT_ONCE = 20
_listening = Lock()


def learn_some(engine: Engine, *, limit: int = AT_ONCE) -> int:
    """From how much; none: nothing waits, and nobody is at it."""
    with _listening:
        return engine.learn_some(limit=limit)
