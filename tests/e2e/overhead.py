"""What Recollect adds to a turn in the real client: the same turns in two of them, one after the other."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.fake_model import fake_model
from tests.e2e.opencode import OpenCodeMachine, Project, Server, Session
from tests.e2e.shop import ON_INVOICES, ON_TOKEN, taught_project
from tests.e2e.taught import OFF_TOPIC, ON_TOPIC

EMPTY = "export default { id: 'empty', server: async () => ({}) }\n"
PROMPTS = (ON_TOPIC, OFF_TOPIC, ON_INVOICES, "Thanks, and now the next step please.", ON_TOKEN)
SESSION_TURNS = 10  # then a new one: what a client does with a long history is not the subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Milliseconds of each turn."""

    with_recollect: list[float] = field(default_factory=list)
    with_an_empty_plugin: list[float] = field(default_factory=list)


def measured(root: Path, turns: int) -> Spent:
    """Turn by turn, and by turns first: whatever else the machine does meanwhile is the same for both."""
    spent = Spent()
    with (
        taught_project(root / "ours") as ours,
        _empty_project(root / "empty") as empty,
        _as_users_have_it(ours).serve() as server,
        _as_users_have_it(empty).serve() as bare,
    ):
        for each in (server, bare):
            each.session().prompt(ON_TOPIC)  # the first turn of a process loads what all others use
        sessions: list[tuple[Session, list[float]]] = []
        for number in range(turns):
            if number % SESSION_TURNS == 0:
                sessions = [(server.session(), spent.with_recollect), (bare.session(), spent.with_an_empty_plugin)]
            for session, times in sessions if number % 2 else reversed(sessions):
                times.append(_turn_ms(session, PROMPTS[number % len(PROMPTS)]))
        _check(server, bare)
    return spent


def _as_users_have_it(project: Project) -> Project:
    project.configure({"snapshot": True})
    return project


def _turn_ms(session: Session, prompt: str) -> float:
    turn = session.prompt(prompt)
    assert turn.error is None, turn.error
    return turn.seconds * 1000


def _check(ours: Server, bare: Server) -> None:
    """What is compared is what it seems to be."""
    assert any(request.fences for request in ours.model.requests)
    assert not any(request.fences for request in bare.model.requests)


@contextmanager
def _empty_project(root: Path) -> Iterator[Project]:
    with fake_model() as model, OpenCodeMachine(root, model) as machine:
        project = machine.project()
        project.write(".opencode/plugin/empty.js", EMPTY)
        yield project
