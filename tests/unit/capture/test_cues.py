import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.capture.cues import TABLES, Cue, cues_of
from recollect.capture.cues.phrases import Phrases, starts
from recollect.domain.memory import Kind, ScopeLevel, Tier
from tests.unit.capture.saying import of_user


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("From now on we squash.", Cue.STANDING),
        ("Ab jetzt laufen die Tests immer zuerst.", Cue.STANDING),
        ("A partir de ahora usamos pnpm.", Cue.STANDING),
        ("Wir bevorzugen kurze Funktionen.", Cue.PREFERENCE),
        ("Prefiero funciones cortas.", Cue.PREFERENCE),
        ("Vielleicht geht das schneller.", Cue.HEDGE),
        ("Tal vez sea mejor así.", Cue.HEDGE),
    ],
)
def test_each_language_has_its_words(text: str, cue: Cue) -> None:
    assert cue in cues_of(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ab sofort immer zuerst die Tests laufen lassen, nie direkt auf main pushen.", Kind.RULE),
        ("Wir bevorzugen kleine Funktionen statt langer Klassen.", Kind.PREFERENCE),
        ("Siempre usamos pnpm en este repo, nunca npm.", Kind.RULE),
        ("Prefiero funciones cortas en lugar de clases largas.", Kind.PREFERENCE),
    ],
)
def test_a_rule_in_another_language_is_confirmed(text: str, kind: Kind) -> None:
    (proposal,) = of_user(text)
    assert (proposal.tier, proposal.kind) == (Tier.CONFIRMED, kind)


def test_all_projects_are_all_projects_in_every_language() -> None:
    (proposal,) = of_user("In allen meinen Projekten verwenden wir immer uv, nie pip.")
    assert proposal.level is ScopeLevel.UNIVERSAL


@pytest.mark.parametrize("table", TABLES)
def test_every_phrase_is_a_pattern(table: dict[Cue, str]) -> None:
    for block in table.values():
        for phrase in re.split(r"\s{2,}|\n", block.strip()):
            re.compile(phrase.replace("<", "").replace(">", "") if "<" in phrase and "(?<" not in phrase else phrase)


def test_a_phrase_is_looked_for_only_where_it_may_begin() -> None:
    assert starts("(?:please )?remember") == {"pl", "re"}
    assert starts("a|bcd") == {"a", "bc"}
    assert starts(r"\S+ now") == {""}
    assert starts("[ab]x?y") == {"ax", "ay", "bx", "by"}


PHRASES = [
    "always",
    "(?:don't|do not) want",
    r"(?:our|the) (?:\w+ )?rule is",
    "^(?:now )?let me",
    "use[ds]?",
    r"\w+ly done",
]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from("always don't want do not our the odd rule is now let me used quickly done x-always".split()),
        max_size=12,
    ).map(" ".join)
)
def test_the_quick_way_finds_what_the_plain_way_finds(sentence: str) -> None:
    plain = {phrase for phrase in PHRASES if re.search(rf"(?<![\w-])(?:{phrase})(?![\w-])", sentence)}
    assert Phrases({phrase: [phrase] for phrase in PHRASES}).found(sentence) == plain
