"""Of which kind a sentence is that somebody teaches without saying so."""

import pytest

from recollect.domain.memory import Kind
from recollect.engine.memories.teaching import _assume_kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Always run make lint before you push.", Kind.RULE),
        ("Never commit to main.", Kind.RULE),
        ("Don't use any in TypeScript.", Kind.RULE),
        ("Please keep functions short.", Kind.RULE),
        ("No emojis in commit messages.", Kind.RULE),
        ("Make sure that every PR has a test.", Kind.RULE),
        ("From now on use uv.", Kind.RULE),
        ("I prefer tabs over spaces.", Kind.PREFERENCE),
        ("I like short answers.", Kind.PREFERENCE),
        ("The team prefers squash merges.", Kind.PREFERENCE),
        ("We deploy with Helm to GKE.", Kind.DECISION),
        ("We use Postgres instead of MySQL.", Kind.DECISION),
        ("We chose FastAPI because of its types.", Kind.DECISION),
        ("Money is stored as integer cents.", Kind.DECISION),
        ("Sessions live in Redis, not in Postgres.", Kind.DECISION),
    ],
)
def test_rules_and_preferences_are_told_from_decisions(text: str, kind: Kind) -> None:
    assert _assume_kind(text) is kind
