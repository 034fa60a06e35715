"""Ports of learning: what the engine needs from the world to learn from sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from recollect.domain.changes import Change
from recollect.domain.event import Event, InboxEntry
from recollect.domain.extraction import ExtractorState, Question
from recollect.domain.learning import Proposal
from recollect.domain.memory import Memory, SessionId, Tier
from recollect.domain.session import Session, Turn


class KeepsInbox(Protocol):
    """Events, stored before they are answered and learnt from in the background."""

    def put_event(self, event: Event) -> None:
        """Store an event. The same message again changes nothing; a longer one replaces it and waits again."""

    def waiting_events(self, *, limit: int) -> list[InboxEntry]:
        """Return events that were not learnt from yet, in their order; those tried before come last."""

    def count_waiting_events(self, session: SessionId | None = None) -> int: ...

    def past_events(self, session: SessionId, *, limit: int, waiting: bool = False) -> list[Event]:
        """Return the last events of an open session that were learnt from, in order; `waiting`: also those that wait."""

    def try_event(self, received: InboxEntry) -> InboxEntry:
        """Record that learning from it begins, and return it with the new count."""

    def wait_again(self, tried: InboxEntry) -> None:
        """Take the try back: learning was interrupted, and the event is not at fault."""

    def finish_event(self, received: InboxEntry) -> bool:
        """Return False if it was finished already, or if the message has grown since."""

    def drop_events(self, session: SessionId) -> None:
        """Drop the events of a closed session that were learnt from."""

    def silent_sessions(self, since: datetime) -> list[tuple[SessionId, datetime]]:
        """Return open sessions without an event since then, each with the time of its last event."""

    def find_erased(self, session: SessionId) -> frozenset[str]:
        """Return the messages and calls of a session that contained something forgotten for good: they are never read
        again. An empty name among them means the whole session."""


class KeepsCandidates(Protocol):
    def candidates(self, *, limit: int) -> list[Memory]:
        """Return live candidates without a flag, the most likely to matter first."""

    def count_learnt(self, session: SessionId, tier: Tier) -> int:
        """Count the memories of this tier learnt from a session; confirmed ones also after they ended."""

    def least_durable_candidate(self, session: SessionId) -> Memory | None:
        """Return the session's live candidate that is least likely to matter."""

    def candidates_of(self, session: SessionId) -> list[Memory]: ...

    def candidates_only_from(self, session: SessionId) -> list[Memory]:
        """Return candidates that only this session mentioned, also those that have ended."""

    def fading_candidates(self, before: datetime) -> list[Memory]:
        """Return live candidates from before then that were not used, repeated or called useful since."""

    def find_captured(self, *, rules: int, after: str, limit: int) -> list[Memory]:
        """Return live confirmed memories learnt under rules older than these, unless a person or agent remembered,
        imported, edited, approved or restored them; ordered by id, those after this one."""

    def learning_change(self, session: SessionId) -> Change | None:
        """Return the change with everything learnt from a session, unless it was undone."""


class ReadsExchanges(Protocol):
    """A language model that the user has switched on. It never raises because of its provider."""

    def propose(self, turns: Sequence[Turn]) -> list[Proposal]: ...

    @property
    def state(self) -> ExtractorState: ...


@runtime_checkable
class AsksHost(ReadsExchanges, Protocol):
    """The host's own model, asked by its plugin."""

    def is_asked(self, session: SessionId) -> bool:
        """Return True while a plugin that still runs has a question about the session."""

    def is_worth_asking(self, turns: Sequence[Turn]) -> bool: ...

    def question(
        self, session: Session, turns: Sequence[Turn], purges: int, client: int | None = None
    ) -> Question | None:
        """Return None if there is nothing to ask, or if today's tokens are used up. `purges`: their count before the
        turns were read."""

    def read_answer(
        self, question_id: str, text: str, tokens: int | None
    ) -> tuple[Session, list[Proposal], int] | None:
        """Read the answer to a question, with its session and the count of purges from before it; None: it was not asked."""


class Learns(KeepsInbox, KeepsCandidates, Protocol): ...
