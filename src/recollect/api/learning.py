"""Learns from waiting events, one thread at a time: each event of a session must be heard once.

One lock per process, which has one live engine; in tests with several engines, they wait for each other. The engine
itself has no locks; `pipe` and `capture` have an engine of their own and need none.
"""

from threading import Lock

from recollect.engine.engine import Engine

AT_ONCE = 20
_one_learner = Lock()


def learn_some(engine: Engine, *, limit: int = AT_ONCE) -> int:
    """Return the number of events learnt from; 0: nothing waits, and no other thread is learning."""
    with _one_learner:
        return engine.learn_some(limit=limit)
