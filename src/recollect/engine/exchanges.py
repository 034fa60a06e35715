"""What a language model may read too, where its user wants that: whole exchanges, one after the other.

They wait in memory alone: what a crash takes from here, the rules have learnt from already.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.event import Event, Prompt, Reply, SessionEnded
from recollect.domain.injection import Session
from recollect.domain.learning import Origin
from recollect.domain.memory import SessionId
from recollect.domain.session import Turn
from recollect.engine.admission import turn_of

WAITING = 50  # exchanges; of more, the oldest are left to the rules
SESSIONS_AT_ONCE = 50
TURNS = 20  # of one exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A prompt, and the replies to it."""

    session: Session
    ended_by: Event  # the last that was heard of it
    turns: tuple[Turn, ...]


class Exchanges:
    def __init__(self) -> None:
        self._open: OrderedDict[str, Exchange] = OrderedDict()
        self._whole: deque[Exchange] = deque(maxlen=WAITING)

    def hear(self, session: Session, event: Event) -> None:
        """The next prompt, or the end of the session, ends an exchange."""
        if isinstance(event, Prompt | SessionEnded):
            ended = self._open.pop(session.id, None)
            if ended is not None and len(ended.turns) > 1:
                self._whole.append(ended)
        if isinstance(event, Prompt) and event.origin is Origin.USER:
            self._keep(session, event, [])
        elif isinstance(event, Reply) and session.id in self._open:
            self._keep(session, event, self._open.pop(session.id).turns)

    def forget(self, session: SessionId) -> None:
        """What is whole is left to whoever takes it: its session is not there any more."""
        self._open.pop(session, None)

    def take(self) -> Exchange | None:
        return self._whole.popleft() if self._whole else None

    def _keep(self, session: Session, event: Prompt | Reply, before: Sequence[Turn]) -> None:
        if event.text.strip():
            turn = turn_of(session, event)
            turns = (*(known for known in before if known.message != turn.message), turn)[:TURNS]
            self._open[session.id] = Exchange(session=session, ended_by=event, turns=turns)
        while len(self._open) > SESSIONS_AT_ONCE:
            self._open.popitem(last=False)
