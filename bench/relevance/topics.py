"""`python -m bench.relevance.topics`: how well a prompt about a project's sessions is distinguished from others.

Each memory of a project of the corpus becomes one session. Prompts that fit a memory are about the project; questions of
everyday life are not.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count

import numpy as np

from bench.relevance.corpus import FOLDER, Project, projects
from bench.relevance.fit import auc, logistic, predict_held_out, weights
from bench.relevance.pairs import Floats
from recollect.domain.memory import MessageId, ProjectId, Role, SessionId
from recollect.domain.session import Turn
from recollect.domain.settings import Settings
from recollect.embed.loading import Model
from recollect.engine.memories.embedding import embed_missing
from recollect.engine.moments.quotes import POOL, topic_signs
from recollect.engine.ports import Embeds
from recollect.engine.search import search_turns
from recollect.paths import find_paths
from recollect.rank.quotes import TOPIC_BIAS, TOPIC_NEAREST, TOPIC_WORDS
from recollect.store.sqlite.store import SqliteStore
from recollect.text.query import asks_something

ELSEWHERE = FOLDER / "elsewhere.txt"
MINUTE = timedelta(minutes=1)


def main() -> None:
    model = Model(find_paths().model)()
    if model is None:
        raise SystemExit("There is no model. Build it with `recollect model build`.")
    elsewhere = ELSEWHERE.read_text().splitlines()
    rows = [row for project in projects() for row in _rows(project, elsewhere, model)]
    table = np.array([row[:2] for row in rows])
    fits, groups = np.array([float(row[2]) for row in rows]), [row[3] for row in rows]
    given = np.zeros(len(rows))
    print(f"{int(fits.sum()):,} prompts about a project, {int((1 - fits).sum()):,} about something else")
    held = predict_held_out(table, fits, given, groups)
    print(f"fitted, of a project that was held out: {_figures(logistic(held), fits)}, auc {auc(held, fits):.3f}")
    print(f"weights fitted on all: {np.round(weights(table, fits, given), 2)}")
    now = logistic(TOPIC_BIAS + table @ np.array([TOPIC_NEAREST, TOPIC_WORDS]))
    print(f"as it is: {_figures(now, fits)}")
    by_words = table[:, 1]
    print(f"by words alone: {_figures(by_words, fits)}")


def _figures(said: Floats, fits: Floats) -> str:
    taken = said >= Settings().turn.quote_threshold
    return f"quoted {taken[fits > 0].mean():.3f}, wrongly {taken[fits == 0].mean():.3f}"


def _rows(project: Project, elsewhere: list[str], model: Embeds) -> Iterator[tuple[float, float, bool, str]]:
    """Yield the inputs of each prompt, and whether it is about the project."""
    where = ProjectId(f"name:{project.name}")
    store = SqliteStore(None)
    store.add_turns(_turns(project, where))
    while embed_missing(store, model):
        pass
    asked = [(prompt.ask, True) for prompt in project.prompts if prompt.fits]
    for prompt, is_about in [*asked, *((text, False) for text in elsewhere)]:
        if asks_something(prompt, min_chars=Settings().turn.min_prompt_chars):
            nearest, share = topic_signs(prompt, search_turns(store, model, prompt, where, pool=POOL, running=()))
            yield nearest or 0.0, share, is_about, project.name


def _turns(project: Project, where: ProjectId) -> Iterator[Turn]:
    for number, memory in zip(count(), project.memories, strict=False):
        session, at = SessionId(f"s{number}"), memory.valid_from + number * MINUTE
        for role, text in ((Role.USER, memory.text), (Role.ASSISTANT, "Good to know, I will keep to that.")):
            message = MessageId(f"{number}-{role}")
            yield Turn(session=session, message=message, project=where, role=role, text=text, at=at)


if __name__ == "__main__":
    main()
