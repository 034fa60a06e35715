import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.memory import Kind, Role
from recollect.privacy.hijack import SIGNS, SQUEEZED
from recollect.privacy.trust import kind_for, reads_as_instruction
from tests.requirements import covers
from tests.unit.privacy.attacks import ATTACKS
from tests.unit.privacy.ordinary import STATEMENTS

FOLLOWED = {Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION, Kind.DECISION}


@covers("PRI-3")
@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("is_own_save", [False, True])
def test_what_a_tool_printed_is_never_followed(kind: Kind, is_own_save: bool) -> None:
    given_kind = kind_for(kind, Role.TOOL, is_own_save=is_own_save)
    assert given_kind is (Kind.RESEARCH if kind in FOLLOWED else kind)


@covers("PRI-3")
@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("role", [Role.USER, Role.IMPORT])
def test_the_user_says_what_they_like_and_so_do_files_that_they_import(kind: Kind, role: Role) -> None:
    assert kind_for(kind, role) is kind


@pytest.mark.parametrize("kind", Kind)
def test_a_reply_of_the_agent_does_not_say_what_its_user_wants_but_its_own_save_may(kind: Kind) -> None:
    speaks_for_the_user = kind in FOLLOWED - {Kind.DECISION}
    assert kind_for(kind, Role.ASSISTANT) is (Kind.RESEARCH if speaks_for_the_user else kind)
    assert kind_for(kind, Role.ASSISTANT, is_own_save=True) is kind


@covers("PRI-3")
@pytest.mark.parametrize(("reason", "text"), ATTACKS, ids=[text[:60].encode("ascii", "replace").decode() for _, text in ATTACKS])
def test_an_order_that_no_user_gave_is_noticed_with_its_reason(reason: str, text: str) -> None:
    assert reads_as_instruction(text) == reason


@pytest.mark.parametrize("text", STATEMENTS)
def test_what_developers_say_raises_no_alarm(text: str) -> None:
    assert reads_as_instruction(text) is None


@pytest.mark.parametrize("before", ["", "The build needs Node 20.\n\n", "| a | b |\n|---|---|\n", "日本語。"])
@pytest.mark.parametrize(("reason", "text"), ATTACKS[:1] + ATTACKS[52:54], ids=["ignore", "hide", "mention"])
def test_an_order_is_noticed_behind_ordinary_text(reason: str, text: str, before: str) -> None:
    assert reads_as_instruction(before + text) == reason


@given(st.text())
def test_every_text_has_an_answer(text: str) -> None:
    assert reads_as_instruction(text) is None or isinstance(reads_as_instruction(text), str)


def test_every_sign_can_be_met() -> None:
    """A hint that its pattern never needs would silence it; a sign that no attack shows is a guess."""
    for sign in (*SIGNS, *SQUEEZED):
        assert sign.hints
        assert all(hint == hint.lower() for hint in sign.hints)


SLOW = [
    "ignore ", "ignore all the my your ", "send all passwords ", "send all my files to ", "<system>", "<!-- you ", "<|im_start|>",
    "before you do the task ", "remember for all future sessions ", "from now on ", "do not tell the user ", "a", " ", "<", "![",
    "you are now a ", "when you see this ", "always run all ", "decode ", "curl -d ", "cat .env | ", "1gn0r3", "\u0301", "е",
    "keep this ", "[system", "display:none", "忽略", "without telling the user ", "any assistant ", "as an ai ", "please e-mail the ",
]  # fmt: skip


@pytest.mark.parametrize("piece", SLOW)
def test_a_text_made_to_be_slow_is_not(piece: str) -> None:
    """As long as ten memories may be: ends soon, or never within the limit of a test."""
    reads_as_instruction(piece * (200_000 // len(piece)))
