"""Our own Markdown: what is written is read back the same, and written again byte for byte."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.memory import Kind, Memory, MemoryId, Scope, Sensitivity
from recollect.imports.own_markdown import FIRST_LINE, is_own, parse, render
from tests.builders import NOW, a_memory
from tests.requirements import covers
from tests.unit.imports.reading import FILE, bad, drafts


def read_back(text: str) -> list[Memory]:
    return [
        a_memory(draft.text.strip(), kind=draft.kind, scope=draft.scope, created_at=draft.at, title=draft.title,
                 sensitivity=draft.sensitivity, importance=draft.importance)
        for draft in drafts(parse(text, FILE))
    ]  # fmt: skip


def test_it_is_grouped_by_place_and_kind_with_days() -> None:
    shown = "".join(
        render(
            [
                a_memory("Ports are fixed.", days_old=3, title="Network"),
                a_memory("Never log a token.\n\nNot even a part.", kind=Kind.RULE, scope="universal"),
                a_memory("Old.", valid_to=NOW),
                a_memory("Secret.", sensitivity=Sensitivity.RESTRICTED),
                a_memory("Odd.", flag="asks for something"),
                a_memory("Only here.", scope="session:s1"),
                a_memory(
                    "Use types.",
                    kind=Kind.RULE,
                    scope="language:python",
                    sensitivity=Sensitivity.PUBLIC,
                    importance=1.5,
                ),
            ]
        )
    )
    assert shown == (
        f"{FIRST_LINE}\n\n## Everywhere\n\n### Rules\n\n- Never log a token.\n  \n  Not even a part. *(2026-03-02)*\n"
        "\n## In the language python\n\n### Rules\n\n- Use types. *(2026-03-02, public, importance 1.5)*\n"
        "\n## In the project git:example.org/shop/api\n\n### Decisions\n\n- Ports are fixed. *(2026-02-27; Network)*\n"
    )
    assert is_own(shown)


@given(
    st.lists(
        st.builds(
            lambda text, title, kind, scope, days, number: a_memory(
                text.strip(),
                title=title,
                kind=kind,
                scope=scope,
                id=MemoryId(f"m{number}"),
                created_at=NOW - timedelta(hours=days),
            ),
            text=st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])).filter(
                lambda text: bool(text.strip())
            ),
            title=st.one_of(st.none(), st.text(max_size=20)),
            kind=st.sampled_from(Kind),
            scope=st.sampled_from(["universal", "language:python", "project:a", "project:b c"]),
            days=st.integers(0, 1000),
            number=st.integers(),
        ),
        max_size=8,
    )
)
def test_whatever_is_written_is_read_back_and_written_again_the_same(memories: list[Memory]) -> None:
    written = "".join(render(memories))
    back = read_back(written)
    assert sorted((m.text, m.kind, str(m.scope)) for m in back) == sorted(
        (m.text, m.kind, str(m.scope)) for m in memories
    )
    assert "".join(render(back)) == written


def test_what_was_added_by_hand_counts_and_windows_may_have_saved_it() -> None:
    text = (
        f"{FIRST_LINE}\n\n## Everywhere\n\n### Rules\n\n- Never log a token. *(2026-01-02)*\n- Always ask.\n  Twice.\n"
    )
    for saved in (text, text.replace("\n", "\r\n")):
        found = drafts(parse(saved, FILE))
        assert [(draft.text, draft.kind, str(draft.scope)) for draft in found] == [
            ("Never log a token.", Kind.RULE, "universal"),
            ("Always ask.\nTwice.", Kind.RULE, "universal"),
        ]
        assert found[1].at == FILE.at


@covers("SCN-B14")
def test_what_stands_below_a_place_that_cannot_be_is_refused_with_its_line() -> None:
    text = f"{FIRST_LINE}\n\n## In the project {'x' * 600}\n\n### Rules\n\n- Never.\n\n## Everywhere\n- Always.\n"
    entries = list(parse(text, FILE))
    assert [line for line, _ in bad(entries)] == [7]
    assert [(draft.text, draft.scope) for draft in drafts(entries)] == [("Always.", Scope.parse("universal"))]
