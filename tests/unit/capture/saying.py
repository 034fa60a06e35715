"""Messages as a session has them, and what is proposed of them."""

from datetime import UTC, datetime

from recollect.capture.said.conversation import find_proposals
from recollect.domain.event import Prompt, Reply
from recollect.domain.learning import Origin, Proposal
from recollect.domain.memory import MessageId, SessionId

AT = datetime(2026, 3, 2, tzinfo=UTC)


def a_prompt(text: str, *, message: str = "m1", origin: Origin = Origin.USER) -> Prompt:
    return Prompt(session=SessionId("s"), at=AT, message=MessageId(message), text=text, origin=origin)


def a_reply(text: str, *, message: str = "m2") -> Reply:
    return Reply(session=SessionId("s"), at=AT, message=MessageId(message), text=text, final=True)


def of_user(text: str, *before: Prompt | Reply, origin: Origin = Origin.USER) -> list[Proposal]:
    return find_proposals(a_prompt(text, origin=origin), before)


def of_agent(text: str) -> list[Proposal]:
    return find_proposals(a_reply(text))


def texts(proposals: list[Proposal]) -> str:
    return "\n".join(proposal.text for proposal in proposals)
