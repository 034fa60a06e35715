"""Whatever a session brings: the same events give the same proposals, once, and within limits."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.happened.listeners import Structure
from recollect.domain.event import Event
from recollect.domain.memory import Kind, Role
from tests.builders import a_prompt, a_reply, an_end, compacted
from tests.unit.capture.episode_examples import EPISODES
from tests.unit.capture.hearing import failed, heard, ran, used

WORDS = st.sampled_from(
    [
        "no, use httpx instead of requests",
        "2",
        "yes, do it",
        "Should we use Redis or Memcached for the cache?",
        "1. **Redis** - fast\n2. **Postgres** - there\n\nWhich one do you prefer?",
        "The issue is that `rates` is None because the fixture never ran.",
        "I decided to use Redis because it is there.",
        "```\ncode\n```",
        "",
        "git commit -m 'x y z'",
    ]
) | st.text(max_size=80)
COMMANDS = st.sampled_from(
    ["pytest -q", "make test", "npm test", "git commit -m 'Add rounding rules'", "ls"]
) | st.text(max_size=40)
ERRORS = st.sampled_from([episode.error for episode in EPISODES]) | st.text(max_size=60)
VALUES = st.text(max_size=20) | st.integers() | st.none() | st.lists(st.text(max_size=5), max_size=2)
GIVEN = st.dictionaries(
    st.sampled_from(
        ["file_path", "content", "old_string", "new_string", "todos", "plan", "questions", "command", "edits"]
    ),
    VALUES,
    max_size=4,
)
TOOLS = st.sampled_from(
    ["Edit", "write", "bash", "TodoWrite", "ExitPlanMode", "AskUserQuestion", "apply_patch", "mcp__x"]
)


@st.composite
def sessions(draw: st.DrawFn) -> list[Event]:
    events: list[Event] = []
    for number in range(draw(st.integers(0, 14))):
        name = f"m{number}"
        match draw(st.integers(0, 5)):
            case 0:
                events.append(a_prompt(draw(WORDS), message=name))
            case 1:
                events.append(a_reply(draw(WORDS), message=name))
            case 2:
                events.append(ran(draw(COMMANDS), draw(ERRORS), call=name))
            case 3:
                events.append(failed(draw(COMMANDS), draw(ERRORS), call=name))
            case 4:
                events.append(used(draw(TOOLS), draw(GIVEN), draw(WORDS), call=name))
            case _:
                events.append(compacted())
    return [*events, an_end()]


@given(sessions())
def test_the_same_session_proposes_the_same_and_only_once(events: list[Event]) -> None:
    structure = Structure()
    proposals = heard(*events, structure=structure)
    assert heard(*events) == proposals
    assert heard(*events, structure=structure) == []
    for proposal in proposals:
        assert len(proposal.text) <= 500
        assert proposal.role is Role.USER or proposal.kind not in (Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION)
        assert all(part.strip() for part in proposal.evidence)


@given(sessions())
def test_a_session_that_is_heard_again_after_a_crash_goes_on_as_it_would_have(events: list[Event]) -> None:
    middle = len(events) // 2
    whole = heard(*events)
    first, again = Structure(), Structure()
    before = heard(*events[:middle], structure=first)
    heard(*events[:middle], structure=again)
    assert before + heard(*events[middle:], structure=again) == whole
