"""What the engine needs from the world to learn from sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from recollect.domain.event import Event
from recollect.domain.extraction import ExtractorState, Question
from recollect.domain.history import Change
from recollect.domain.inbox import Received
from recollect.domain.learning import Proposal
from recollect.domain.memory import Memory, SessionId, Tier
from recollect.domain.session import Turn


class KeepsInbox(Protocol):
    """What happened, written down before it is answered and worked off in the background."""

    def put_event(self, event: Event) -> None:
        """The same message again changes nothing; a longer one takes its place and is heard again."""
        ...

    def waiting_events(self, *, limit: int) -> list[Received]:
        """What nobody has learnt from yet, in the order in which it came; what somebody has tried comes last."""
        ...

    def count_waiting_events(self, session: SessionId | None = None) -> int: ...

    def heard_events(self, session: SessionId, *, limit: int, waiting: bool = False) -> list[Event]:
        """The last of what was learnt from in a session that is not closed, in order; with what is `waiting` too."""
        ...

    def try_event(self, received: Received) -> Received:
        """As it is now: somebody has begun to learn from it."""
        ...

    def finish_event(self, received: Received) -> bool:
        """False: it is done already, or it has grown since."""
        ...

    def drop_events(self, session: SessionId) -> None:
        """The session is closed: what was learnt from is not needed any more."""
        ...

    def silent_sessions(self, since: datetime) -> list[tuple[SessionId, datetime]]:
        """Sessions that are not closed, with nothing heard since then, and when they last spoke."""
        ...

    def gone(self, session: SessionId) -> frozenset[str]:
        """The messages and calls of a session that had what was forgotten for good: none is read again. With an empty
        name among them, nothing of the session is."""
        ...


class KeepsCandidates(Protocol):
    def candidates(self, *, limit: int) -> list[Memory]:
        """Live candidates that nobody has flagged, the likeliest to matter first."""
        ...

    def count_learnt(self, session: SessionId, tier: Tier) -> int:
        """How many live memories of this tier a session brought."""
        ...

    def least_learnt(self, session: SessionId) -> Memory | None:
        """Of the live candidates that a session brought, the one that is the least likely to matter."""
        ...

    def candidates_of(self, session: SessionId) -> list[Memory]:
        """Live candidates that a session brought."""
        ...

    def taught_only_by(self, session: SessionId) -> list[Memory]:
        """Candidates that a session brought and no other has said, also those that hold no more."""
        ...

    def fading(self, before: datetime) -> list[Memory]:
        """Live candidates from before then that nobody has used, said again or called useful since."""
        ...

    def captured(self, *, rules: int, after: str, limit: int) -> list[Memory]:
        """Live confirmed memories that sessions taught under earlier rules than these, and that no person or agent has
        remembered, imported, edited, approved or brought back; by their ids, those after this one."""
        ...

    def learning_deed(self, session: SessionId) -> Change | None:
        """The deed under which a session's learning stands, unless it was undone."""
        ...


class ReadsExchanges(Protocol):
    """A language model that its user has switched on. It never raises for what a provider does."""

    def propose(self, turns: Sequence[Turn]) -> list[Proposal]: ...

    @property
    def state(self) -> ExtractorState: ...


@runtime_checkable
class AsksHost(ReadsExchanges, Protocol):
    """A host's own model, which its plugin asks."""

    def is_asked(self, session: SessionId) -> bool:
        """Whether a plugin is at it just now: its client has not ended."""
        ...

    def is_worth_asking(self, turns: Sequence[Turn]) -> bool: ...

    def question(self, turns: Sequence[Turn], client: int | None = None) -> Question | None:
        """None: there is nothing to ask, or today has no tokens left."""
        ...

    def answered(self, question_id: str, text: str, tokens: int | None) -> tuple[SessionId, list[Proposal]] | None:
        """None: that was not asked."""
        ...


class Learns(KeepsInbox, KeepsCandidates, Protocol):
    """All of it."""
