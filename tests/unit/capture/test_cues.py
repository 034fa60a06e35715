import pytest

from recollect.capture.said.cues import LANGUAGES, Cue, cues_of
from recollect.domain.memory import Kind, ScopeLevel, Tier
from tests.requirements import covers
from tests.unit.capture.saying import of_user


@covers("CAP-13")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ab sofort immer zuerst die Tests laufen lassen, nie direkt auf main pushen.", Kind.RULE),
        ("Wir bevorzugen kleine Funktionen statt langer Klassen.", Kind.PREFERENCE),
        ("Siempre usamos pnpm en este repo, nunca npm.", Kind.RULE),
        ("Prefiero funciones cortas en lugar de clases largas.", Kind.PREFERENCE),
        ("On ne mock jamais la base dans les tests.", Kind.RULE),
        ("Aqui sempre usamos pnpm, nunca npm.", Kind.RULE),
        ("Всегда запускай тесты перед коммитом.", Kind.RULE),
        ("提交前必须运行测试。", Kind.RULE),
        ("コミットの前に必ずテストを実行して。", Kind.RULE),
    ],
)
def test_a_rule_in_another_language_is_confirmed(text: str, kind: Kind) -> None:
    (proposal,) = of_user(text)
    assert (proposal.tier, proposal.kind) == (Tier.CONFIRMED, kind)


@pytest.mark.parametrize(
    "text",
    [
        "Heute immer zuerst die Tests laufen lassen.",
        "Quizás siempre usamos pnpm.",
        "Dans mon ancienne boîte on faisait toujours des commits squash.",
        "用户必须先登录，永远不要显示密码。",
    ],
)
def test_what_takes_a_rule_back_is_known_in_other_languages(text: str) -> None:
    assert all(one.tier is Tier.CANDIDATE for one in of_user(text))


def test_all_projects_are_all_projects_in_every_language() -> None:
    (proposal,) = of_user("In allen meinen Projekten verwenden wir immer uv, nie pip.")
    assert proposal.level is ScopeLevel.UNIVERSAL


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_can_ask_to_remember_and_say_that_something_lasts(language: str) -> None:
    assert {Cue.ASKED, Cue.LASTING, Cue.OURS, Cue.PREFERENCE, Cue.REFUSAL, Cue.ONCE} <= set(LANGUAGES[language])


def test_words_without_their_signs_are_read_as_with_them() -> None:
    assert cues_of("dont forget the tests") == cues_of("don't forget the tests")
    assert cues_of("its called invoice here") == cues_of("it's called invoice here")
