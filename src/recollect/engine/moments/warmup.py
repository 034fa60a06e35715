"""A dummy session that loads everything the first prompt needs, so that no real prompt waits for it."""

from collections.abc import Iterator
from datetime import datetime

from recollect.domain.event import Event, Prompt, SessionStarted, ToolFailed
from recollect.domain.memory import MessageId, SessionId

HOST = "recollect"
SESSION, MESSAGE = SessionId("rehearsal"), MessageId("rehearsal")
QUESTION = "How do we build, test and deploy what is in src/main?"  # a question that contains a name
ERROR = "ModuleNotFoundError: No module named 'rehearsal'"


def warmup_events(folder: str, now: datetime) -> Iterator[Event]:
    yield SessionStarted(session=SESSION, at=now, host=HOST, folder=folder)
    yield Prompt(session=SESSION, at=now, host=HOST, folder=folder, message=MESSAGE, text=QUESTION)
    yield ToolFailed(session=SESSION, at=now, host=HOST, folder=folder, tool="bash", error=ERROR)
