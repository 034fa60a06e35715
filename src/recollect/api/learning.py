"""Learning from what waits, by one thread at a time: whoever listens to a session hears each of its words once."""

from threading import Lock

from recollect.engine.engine import Engine

_listening = Lock()


def learn_some(engine: Engine) -> int:
    """From how much; none: nothing waits, and nobody is at it."""
    with _listening:
        return engine.learn_some()
