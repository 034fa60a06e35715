"""What Recollect adds to a turn in the real client: the same turns in two of them, one after the other."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, cycle, islice
from pathlib import Path

from tests.e2e.fake_model import fake_model
from tests.e2e.opencode import OpenCodeMachine, Project, Server
from tests.e2e.shop import OFF_TOPIC, ON_DEPLOYMENT, ON_INVOICES, ON_TOKEN, taught_project

EMPTY = "export default { id: 'empty', server: async () => ({}) }\n"
PROMPTS = (ON_DEPLOYMENT, OFF_TOPIC, ON_INVOICES, "Thanks, and now the next step please.", ON_TOKEN)
SESSION_TURNS = 10  # then a new one: what a client does with a long history is not the subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Milliseconds of each turn, in the order they were taken."""

    with_recollect: list[float]
    with_an_empty_plugin: list[float]


def measured(root: Path, turns: int) -> Spent:
    """In turns, and each of them first as often as the other: whatever else the machine does is the same for both."""
    spent = Spent(with_recollect=[], with_an_empty_plugin=[])
    with taught_project(root / "ours") as ours, _empty_project(root / "empty") as empty:
        with ours.serve() as server, empty.serve() as bare:
            pairs = zip(_turns(server), _turns(bare), strict=True)
            next(pairs)  # the first turn of a process loads what the others use
            for number in range(turns):
                one, other = next(pairs)
                del number
                spent.with_recollect.append(one)
                spent.with_an_empty_plugin.append(other)
    return spent
