"""Sessions as tests tell them: what was said and done, in order."""

from typing import Any

from recollect.capture.happened.listeners import Structure
from recollect.domain.event import Event, ToolSucceeded
from recollect.domain.learning import Proposal
from recollect.domain.memory import SessionId
from tests.builders import NOW, PROJECT, a_failure, a_prompt, a_reply, an_end
from tests.unit.capture.episode_examples import Episode

FOLDER = "/home/ann/shop"
CODE = {"file_path": "src/shop/code.py", "old_string": "before"}


def ran(command: str, output: str = "ok", **fields: Any) -> ToolSucceeded:
    return used("bash", {"command": command}, output, **fields)


def failed(command: str, error: str, **fields: Any) -> Event:
    return a_failure(error, tool="bash", input={"command": command}, message=None, **fields)


def used(tool: str, given: dict[str, Any], output: str = "", **fields: Any) -> ToolSucceeded:
    known: dict[str, Any] = {"at": NOW, "project": PROJECT, "folder": FOLDER}
    return ToolSucceeded(session=SessionId("s1"), tool=tool, input=given, output=output, **(known | fields))


def heard(*events: Event, structure: Structure | None = None) -> list[Proposal]:
    structure = structure or Structure()
    return [proposal for event in events for proposal in structure.hear(event)]


def lived(episode: Episode) -> list[Event]:
    """The whole session, as a host tells it."""
    given = episode.edit or ({} if episode.ran else {**CODE, "new_string": episode.said})
    edit = [used("edit" if "content" not in given else "write", given)] if given else []
    return [
        a_prompt("Please make the checks pass again."),
        failed(episode.command, episode.error),
        *([a_reply(episode.said)] if episode.said else []),
        *edit,
        *([ran(episode.ran)] if episode.ran else []),
        ran(episode.command),
        a_reply("It passes now.", message="r2"),
        an_end(),
    ]
