import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.capture.said.conversation import MessageReader, find_proposals
from recollect.capture.said.outright import MAX_CHARS
from recollect.domain.learning import Basis, Origin
from recollect.domain.memory import Kind, Role, ScopeLevel, Tier
from tests.requirements import covers
from tests.unit.capture.saying import a_prompt, a_reply, of_agent, of_user, texts

USERS_OWN = {Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION}


@covers("CAP-1")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("From now on, always run `make check` before you commit.", Kind.RULE),
        ("Never edit a migration that has been merged.", Kind.RULE),
        ("Remember that the partner API allows ten requests per second.", Kind.DECISION),
        ("Remember to run the linter before each push.", Kind.RULE),
        ("Let's use PostgreSQL instead of MongoDB for orders, because we need transactions.", Kind.DECISION),
        ("From now on let's use pnpm instead of npm.", Kind.RULE),
        ("I prefer early returns over nested ifs.", Kind.PREFERENCE),
        ("no. just use zerolog like we do everywhere else", Kind.CORRECTION),
        ("stop adding comments everywhere", Kind.CORRECTION),
        ("Our auth uses JWT in httpOnly cookies.", Kind.DECISION),
        ("db is pg 15 on rds", Kind.DECISION),
        ("deployment is Kubernetes with Helm on GCP", Kind.DECISION),
        ("This is a Django app with HTMX.", Kind.DECISION),
        ("new endpoints need an entry in openapi.yaml", Kind.RULE),
        ("hooks go in src/hooks", Kind.RULE),
    ],
)
def test_what_a_user_states_outright_is_confirmed(text: str, kind: Kind) -> None:
    (proposal,) = of_user(text)
    assert (proposal.tier, proposal.kind, proposal.role) == (Tier.CONFIRMED, kind, Role.USER)
    assert proposal.messages == ("m1",)
    assert proposal.evidence


@pytest.mark.parametrize(
    "text",
    [
        "The demo and the staging database share a disk, which the nightly job cleans.",
        "The scheduler compares `created_at` with local time, so jobs run two hours late.",
        "Project settings take precedence over flags in `config.toml`.",
    ],
)
def test_what_a_user_tells_in_their_own_words_is_a_candidate(text: str) -> None:
    (proposal,) = of_user(text)
    assert (proposal.tier, proposal.role) == (Tier.CANDIDATE, Role.USER)


@covers("CAP-13")
@pytest.mark.parametrize(
    "text",
    [
        "/review Always check in the runner that failures of the database are not told as failures of the provider.",
        "no explain how the commit skill works and why its better",
        "Users must always see a confirmation before an order is sent.",
        "The modal should never close by itself.",
        "Never allow negative amounts.",
        "it always shows the old value after a deploy",
        "you never run the tests",
        "The endpoint must always return JSON.",
        "Export: use semicolons, always quote strings.",
        "At my old job we always squashed commits.",
        "Use playwright to check the page.",
        "Do not push and do not run the tests.",
        "If this were mine we would never mock the database.",
        "great, from now on we just delete every failing test /s",
        "- always validate the input\n- never log the body",
    ],
)
def test_specifications_bug_reports_scolding_and_jokes_are_no_rules(text: str) -> None:
    assert all(proposal.tier is Tier.CANDIDATE for proposal in of_user(text))


@covers("CAP-13")
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("no, use uv here", "Use uv here"),
        ("revert it, we use pnpm not npm", "We use pnpm not npm"),
        ("wrong, the app is flutter, please fix the import", "The app is flutter"),
        ("db is pg 15 on rds so you can use an index", "Db is pg 15 on rds"),
        ("Rules for this repo:\n- never force-push to main", "Never force-push to main"),
    ],
)
def test_only_the_lasting_part_of_a_sentence_is_kept(text: str, kept: str) -> None:
    assert [one.text for one in of_user(text) if one.explicit] == [kept]


def test_a_document_states_nothing_outright_unless_it_says_remember() -> None:
    steps = " ".join(f"Step {number} moves the invoices of tenant {number} to the archive." for number in range(30))
    kept = of_user(f"{steps} Always run the linter. Remember that we deploy with Helm.")
    assert [one.text for one in kept if one.explicit] == ["We deploy with Helm."]


@covers("CAP-1")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The root cause is in `load.py`, which opens files with the platform's encoding.", Kind.ERROR_PATTERN),
        ("The queue stays in `jobs.py`, because without a queue a request holds a connection.", Kind.DECISION),
    ],
)
def test_what_an_agent_finds_out_with_its_reason_is_a_candidate(text: str, kind: Kind) -> None:
    (proposal,) = of_agent(text)
    assert (proposal.tier, proposal.kind, proposal.role) == (Tier.CANDIDATE, kind, Role.ASSISTANT)


def test_an_agent_confirms_nothing_by_its_words_and_states_no_preference() -> None:
    proposals = of_agent(
        "I always prefer early returns. Never use floats for money. Remember that we use pnpm, not npm."
    )
    assert all(proposal.tier is Tier.CANDIDATE for proposal in proposals)
    assert not {proposal.kind for proposal in proposals} & USERS_OWN


@covers("CAP-6")
@pytest.mark.parametrize(
    "text",
    [
        "Should we always run the linter before a commit?",
        "do we never edit old migrations",
        "What if we always cached the images?",
        "maybe we should switch to pnpm",
        "ok",
        "thanks, looks good",
        "address 12 and 14",
        "rename it",
        "look at line 88 of orders.py",
        "it failed again",
        "run the tests again please",
        "I don't want that helper.",
        "drop the second parameter for now",
    ],
)
def test_questions_ideas_chat_and_single_orders_are_not_kept(text: str) -> None:
    assert of_user(text) == []


@covers("CAP-6")
def test_a_question_takes_nothing_away_from_the_statement_beside_it() -> None:
    kept = texts(of_user("Why is there another HTTP client? All requests go through src/http.ts, never around it."))
    assert kept == "All requests go through src/http.ts, never around it."


@pytest.mark.parametrize(
    "text",
    ["Let me look at the tests first.", "Now I'll update the call sites.", "All 42 tests pass.", "Want me to go on?"],
)
def test_an_agent_that_tells_what_it_is_about_to_do_has_said_nothing(text: str) -> None:
    assert of_agent(text) == []


@covers("CAP-6")
def test_an_opted_out_prompt_gives_nothing() -> None:
    assert of_user("no-capture Always use tabs in this repo.") == []


@covers("CAP-8")
@pytest.mark.parametrize("text", ["It must never be null.", "That's always wrong, they should be sorted."])
def test_a_pronoun_that_stands_for_nothing_here_is_left_out(text: str) -> None:
    assert of_user(text) == []


@covers("CAP-8")
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Old handlers return maps and the new ones return a `Record`. The latter is what the API docs show.",
            "Old handlers return maps and the new ones return a `Record`. The latter is what the API docs show.",
        ),
        (
            "Come on. Shell scripts? They are no part of the build since Windows came.",
            "Shell scripts: They are no part of the build since Windows came.",
        ),
    ],
)
def test_a_pronoun_brings_what_it_stands_for(text: str, kept: str) -> None:
    assert kept in texts(of_user(text))


def test_fillers_are_trimmed() -> None:
    (proposal,) = of_user("ok so... yeah, we use pnpm here, not npm")
    assert proposal.text == "We use pnpm here, not npm"


def test_who_speaks_of_all_projects_means_all_of_them() -> None:
    (everywhere,) = of_user("In all my projects commits are conventional and always lower case.")
    (here,) = of_user("Commits are always lower case in this repo.")
    assert (everywhere.level, here.level) == (ScopeLevel.UNIVERSAL, ScopeLevel.PROJECT)


def test_what_is_asked_to_be_remembered_says_so() -> None:
    (proposal,) = of_user("remember: the staging box resets at two in the morning")
    assert (proposal.basis, proposal.explicit) == (Basis.ASKED, True)


@pytest.mark.parametrize(
    "text",
    [
        "We decided to keep sessions in Redis because the API runs on three hosts.",
        "We chose PostgreSQL over MongoDB because we need transactions.",
        "Ok, we're going with trunk-based development since long release branches drifted apart.",
        "Decision: templates are rendered on the server, so that the frontend needs no build step.",
    ],
)
def test_a_decision_that_a_user_tells_with_its_reason_is_confirmed(text: str) -> None:
    (proposal,) = of_user(text)
    assert (proposal.tier, proposal.kind) == (Tier.CONFIRMED, Kind.DECISION)


@pytest.mark.parametrize(
    "text",
    [
        "We decided to meet again tomorrow.",
        "Have we decided on Redis because of the three hosts?",
        "Maybe we go with Redis because the API runs on three hosts, not sure yet.",
        "They chose PostgreSQL over MongoDB because they need transactions.",
    ],
)
def test_a_decision_without_a_reason_a_doubt_and_what_others_decided_are_not(text: str) -> None:
    assert not any(one.tier is Tier.CONFIRMED for one in of_user(text))


def test_what_is_said_for_this_once_is_not_confirmed() -> None:
    for text in ("For this PR always use the old parser.", "Just this time we use npm, not pnpm."):
        assert all(proposal.tier is Tier.CANDIDATE for proposal in of_user(text))


def test_the_docs_and_a_reviewer_are_not_the_user() -> None:
    for text in ("The reviewer says we should never use globals.", "He said we always have to squash."):
        assert all(proposal.tier is Tier.CANDIDATE for proposal in of_user(text))


def test_what_a_user_copies_from_the_agent_is_still_the_agents() -> None:
    said_before = a_reply("You should never call `close` twice on this pool, it must stay open until shutdown.")
    copied = "You should never call `close` twice on this pool, it must stay open until shutdown."
    assert of_user(copied, said_before) == []


@pytest.mark.parametrize("origin", [Origin.COMMAND, Origin.SUBAGENT, Origin.NOTIFICATION, Origin.TOOL])
def test_what_no_person_said_is_not_kept(origin: Origin) -> None:
    assert of_user("Always run the tests twice, never once.", origin=origin) == []


def test_a_session_is_heard_in_order_and_other_events_say_nothing() -> None:
    conversation = MessageReader()
    echoed = "All amounts are always stored in cents, never in floats."
    assert conversation.hear(a_reply(echoed)) is not None
    assert conversation.hear(a_prompt(echoed)) == []
    assert conversation.hear(a_prompt("All dates are always stored in UTC.", message="m3"))[0].messages == ("m3",)


def test_a_long_message_gives_few_passages() -> None:
    rules = "\n\n".join(
        f"The {word} service must never call the database of another one." for word in "abcdefghijklmnop"
    )
    assert 1 <= len(of_user(rules)) <= 8
    facts = rules.replace("must never call", "reads from")
    assert 1 <= len(of_user(facts)) <= 3


@covers("CAP-1")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("please always use absolute imports", Kind.RULE),
        ("Use pnpm instead of npm in this repo.", Kind.RULE),
        ("use pnpm, not npm", Kind.RULE),
        ("no default exports", Kind.RULE),
        ("dont use moment, use date-fns", Kind.RULE),
        ("lets always use uv", Kind.RULE),
        ("no console.log in src/", Kind.RULE),
        ("we dont mock the database in tests", Kind.RULE),
        ("dont push without asking me", Kind.RULE),
        ("never push until ci is green", Kind.RULE),
        ("no, use structlog everywhere, not the standard logging module", Kind.CORRECTION),
    ],
)
def test_a_short_rule_is_confirmed_by_its_form(text: str, kind: Kind) -> None:
    (proposal,) = of_user(text)
    assert (proposal.tier, proposal.kind) == (Tier.CONFIRMED, kind)
    assert proposal.text.lower() in text.lower()


@covers("CAP-6")
@pytest.mark.parametrize(
    "text",
    [
        "i hate alembic autogenerate so much. it dropped my index AGAIN",
        "omg why does this ALWAYS break when i touch it",
        "always the same with this stupid linter",
        "I love how fast vite is now",
        "from now on until the demo, skip lint",
        "always keep the tab open while you debug this",
        "I'd prefer the blue one here",
        "use the other one, not this",
        "no errors in the log",
        "no logs in the console",
        "how come we never test this",
        "i dont get why its always red",
        "we dont have a staging server",
        "we only see it on windows",
    ],
)
def test_moods_and_orders_for_a_while_are_not_confirmed(text: str) -> None:
    assert all(proposal.tier is Tier.CANDIDATE for proposal in of_user(text))


def test_what_holds_everywhere_carries_nothing_of_this_project() -> None:
    client = "Staging of client A deploys on Thursdays."
    asked = f"Remember that {client}"
    assert {one.level for one in of_user(f"I prefer small commits. {asked}")} == {ScopeLevel.PROJECT}
    levels = {one.text: one.level for one in of_user(f"In all my projects I prefer small commits. {asked}")}
    assert levels == {
        "In all my projects I prefer small commits.": ScopeLevel.UNIVERSAL,
        client: ScopeLevel.PROJECT,
    }


@covers("CAP-6")
@pytest.mark.parametrize(
    "text",
    [
        "Look at this page:\nAlways use tabs in all my projects.",
        "from the docs: you must never call close twice",
        "here's what Bob said: we always use tabs, not spaces",
        "Bob 10:32 AM\nwe always use tabs here, not spaces\nAnn 10:33 AM\nnever use tabs",
        "Acme > Docs > Policy\nAlways encrypt backups in every project.",
        "# Shop\n\n## Rules\n\n- Always run make check\n- Never push to main",
        "/review\n\nAlways check the diff for secrets.",
        "Perform a review of the code.\n\nSteps:\n1. Always run the linter first\n2. Never skip tests",
        "[RULE] Always use tabs in all my projects. (2026-01-01, ab12)",
        "- [rule] Always use tabs",
    ],
)
def test_what_is_pasted_confirms_nothing(text: str) -> None:
    found = {(one.tier, one.level) for one in of_user(text)}
    assert found <= {(Tier.CANDIDATE, ScopeLevel.PROJECT)}


def test_what_is_typed_above_a_paste_counts() -> None:
    assert [one.text for one in of_user("use pnpm, not npm\n\nfrom the docs: always use yarn") if one.explicit] == [
        "Use pnpm, not npm"
    ]


ANY = st.text(max_size=600)
LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["We always use tabs, not spaces.", "- never `push` to main", "1. item:", "```", "~~~", "> quoted", "# H",
             "| a | b |", "**Fix**: `x()` now returns null because y", "It must be so.", "<tool>", "</tool>", "why?",
             "$ make", "Traceback (most recent call last):", "@@ -1 +1 @@", "…", "...", "Same.", "Options:", "e.g."]
        ),
        st.text(max_size=80),
    ),
    max_size=25,
).map("\n".join)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.one_of(ANY, LINES))
def test_any_text_gives_the_same_proposals_twice_and_none_is_too_long(text: str) -> None:
    for event in (a_prompt(text), a_reply(text)):
        proposals = find_proposals(event)
        assert proposals == find_proposals(event)
        for proposal in proposals:
            assert len(proposal.text) <= MAX_CHARS
            assert 0 <= proposal.durability <= 1
            assert proposal.text.strip()
            if isinstance(event, type(a_reply(""))):
                assert proposal.tier is Tier.CANDIDATE


SHOWN = [
    "```\n{}\n```", "~~~ text\n{}\n~~~", "```python\n{}", "> {}", "<system-reminder>\n{}\n</system-reminder>",
    "<tool-result>{}</tool-result>", "$ cat rules.txt\n{}", "Got this feedback from a colleague:\n\n{}",
]  # fmt: skip


@covers("CAP-6")
@settings(max_examples=60, deadline=None)
@given(
    shown=st.sampled_from(SHOWN),
    rule=st.sampled_from(["We always use zebra tabs.", "Never commit zebra files, because they break the build."]),
    before=st.sampled_from(["", "We use pnpm here, not npm.\n\n", "can you fix this?\n\n"]),
)
def test_nothing_inside_code_a_quote_or_a_paste_is_proposed(shown: str, rule: str, before: str) -> None:
    assert "zebra" not in texts(of_user(before + shown.format(rule)))


def test_where_something_holds_is_no_memory_of_its_own() -> None:
    (proposal,) = of_user("I always want short answers, no summaries at the end of a message. In all my projects.")
    assert proposal.level is ScopeLevel.UNIVERSAL
    assert "short answers" in proposal.text


@pytest.mark.parametrize(
    ("text", "kept", "kind"),
    [
        ("Remember that we deploy with Helm.", "We deploy with Helm.", Kind.DECISION),
        ("Please remember: the staging URL is shop.example.", "The staging URL is shop.example.", Kind.DECISION),
        ("Don't forget that the invoices restart in January.", "The invoices restart in January.", Kind.DECISION),
        ("keep in mind that we never mock the database", "We never mock the database", Kind.RULE),
        ("For the record, orders are kept for ten years.", "Orders are kept for ten years.", Kind.DECISION),
        ("Remember that I prefer short answers.", "I prefer short answers.", Kind.PREFERENCE),
        ("Hey Claude, remember that I like short answers.", "I like short answers.", Kind.PREFERENCE),
        ("Remember our staging box is read-only.", "Our staging box is read-only.", Kind.DECISION),
    ],
)
def test_what_is_to_be_remembered_is_kept_without_the_asking(text: str, kept: str, kind: Kind) -> None:
    (proposal,) = of_user(text)
    assert (proposal.text, proposal.kind) == (kept, kind)
    assert (proposal.basis, proposal.tier, proposal.explicit) == (Basis.ASKED, Tier.CONFIRMED, True)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("the staging box resets on mondays, note that down and go on", "The staging box resets on mondays"),
        ("fix the login spec. put it in your notes that seeds need redis", "Seeds need redis"),
        ("ok next: for future sessions: `make world` wipes the volumes", "`make world` wipes the volumes"),
        ("Remember this: the export runs on the mac mini only.", "The export runs on the mac mini only."),
        ("The export runs on the mac mini only. Remember that.", "The export runs on the mac mini only."),
        ("merk dir bitte, der staging server hat nur ipv6", "Der staging server hat nur ipv6"),
        ("the vpn is needed for psql, remember that ok? now migrate", "The vpn is needed for psql"),
    ],
)
def test_the_words_that_ask_stand_anywhere(text: str, kept: str) -> None:
    stated = [one for one in of_user(text) if one.basis is Basis.ASKED]
    assert [one.text for one in stated] == [kept]


@pytest.mark.parametrize(
    "text",
    [
        "Remember that.",
        "Don't forget to eat.",
        "do you remember when the seeds needed redis?",
        "the editor has to remember the last cursor position per file",
        "make a note in the ticket that we wait for the vendor",
        "write down what you found about the flaky seeds",
        "remember to rename the flag on line 14",
    ],
)
def test_what_asks_for_something_else_is_not_remembered(text: str) -> None:
    assert not [one for one in of_user(text) if one.basis is Basis.ASKED]


def test_lines_of_a_terminal_are_no_statements() -> None:
    shown = (
        "› Compiling the launcher of shop-app\n› Using the device of ann\nFound the shop-cli in your project folder."
    )
    assert of_user(f"why is it slow\n\n{shown}") == []
    (kept,) = of_user(f"{shown}\n\nRemember that the launcher needs two builds.")
    assert kept.text == "The launcher needs two builds."


@pytest.mark.parametrize(
    "text",
    [
        "prod runs on two hetzner boxes behind caddy",
        "we only ship arm builds",
    ],
)
def test_a_plain_statement_lasts_without_a_marker(text: str) -> None:
    assert [one.tier for one in of_user(text)] == [Tier.CONFIRMED]


@pytest.mark.parametrize(
    "choice",
    [
        "Let's use PostgreSQL instead of MongoDB for orders, because we need transactions across tables.",
        "We chose Kafka over RabbitMQ because we need replay.",
    ],
)
def test_a_preference_and_a_decision_of_one_message_are_two_memories(choice: str) -> None:
    liking = "I prefer short answers without emojis."
    expected = {liking: Kind.PREFERENCE, choice: Kind.DECISION}
    assert {one.text: one.kind for one in of_user(f"{liking} {choice}")} == expected
    assert {one.text: one.kind for one in of_user(f"{choice} {liking}")} == expected


@covers("CAP-8")
def test_rules_and_decisions_of_one_message_are_memories_of_their_own() -> None:
    carts = "We decided to keep carts in Redis instead of Postgres, because carts expire after an hour."
    linter, legacy = "Always run the linter before you commit.", "Never touch the legacy/ folder."
    expected = {carts: Kind.DECISION, linter: Kind.RULE, legacy: Kind.RULE}
    assert {one.text: one.kind for one in of_user(f"{carts} {linter} {legacy}")} == expected
    assert {one.text: one.kind for one in of_user(f"{legacy} {carts} {linter}")} == expected
