"""Whole exchanges for a language model to read, where the user has set one. They wait in memory only: the rules have
already learnt from whatever a crash loses here."""

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recollect.domain.event import Event, Prompt, Reply, SessionEnded
from recollect.domain.learning import Origin
from recollect.domain.session import Session, SessionKey, Turn

MAX_WAITING = 50  # exchanges; when there are more, the oldest are left to the rules
MAX_SESSIONS = 50
MAX_TURNS = 20  # of one exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A prompt and the replies to it."""

    session: Session
    ended_by: Event  # its last event
    turns: tuple[Turn, ...]


class Exchanges:
    def __init__(self) -> None:
        self._open: OrderedDict[SessionKey, Exchange] = OrderedDict()
        self._whole: deque[Exchange] = deque(maxlen=MAX_WAITING)

    def hear(self, session: Session, event: Event) -> None:
        """Collect turns. The next prompt, or the end of the session, ends an exchange."""
        if isinstance(event, Prompt | SessionEnded):
            ended = self._open.pop(session.key, None)
            if ended is not None and len(ended.turns) > 1:
                self._whole.append(ended)
        if isinstance(event, Prompt) and event.origin is Origin.USER:
            self._add_turn(session, event, [])
        elif isinstance(event, Reply) and session.key in self._open:
            self._add_turn(session, event, self._open.pop(session.key).turns)

    def take(self) -> Exchange | None:
        return self._whole.popleft() if self._whole else None

    def keep_only(self, is_kept: Callable[[SessionKey], bool]) -> None:
        """Drop the exchanges of other sessions."""
        self._open = OrderedDict((key, one) for key, one in self._open.items() if is_kept(key))
        self._whole = deque((one for one in self._whole if is_kept(one.session.key)), maxlen=MAX_WAITING)

    def _add_turn(self, session: Session, event: Prompt | Reply, before: Sequence[Turn]) -> None:
        from recollect.engine.admission import turn_from_event  # an idle daemon needs none of its rules

        if event.text.strip():
            turn = turn_from_event(session, event)
            others = [known for known in before if known.message != turn.message]
            self._open[session.key] = Exchange(session=session, ended_by=event, turns=(*others, turn)[:MAX_TURNS])
        while len(self._open) > MAX_SESSIONS:
            self._open.popitem(last=False)
