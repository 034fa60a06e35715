import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.naming import (
    FAMILIAR_TOOL,
    MAX_PROMPT_CHUNKS,
    MAX_WORD_DISTANCE,
    ORDINARY_WORD,
    correct_slips,
    find_slips,
    is_slip,
    read_prompt_words,
)

ENGLISH = frozenset("listing strip mango signing singing trail trial error cache policy reach pattern".split())


def knows(word: str) -> bool:
    return word in ENGLISH


def heard_as(prompt: str, *names: str) -> bool:
    """Whether one of the names is called, slips of the finger forgiven."""
    heard = read_prompt_words(prompt)
    heard = correct_slips(heard, find_slips(heard, names, knows))
    return any(map(heard.mentions, names))


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("which graphql server?", "GraphQL"),  # in capitals or not
        ("NEXTJS routing", "Next.js"),
        ("the next js router", "Next.js"),
        ("move to Vue.js", "vuejs"),
        ("our RateLimiter is slow", "rate limiter"),
        ("our ratelimiter is slow", "rate-limiter"),
        ("why does rate_limiter.py fail", "rate limiter"),
        ("reactjs or not", "React"),
        ("is react fast", "React.js"),
        ("tailwindcss classes", "Tailwind"),
        ("deploying it", "Deployment"),  # in another form
        ("the k8s nodes", "Kubernetes"),  # for short
        ("kubernetes nodes", "k8s"),
        ("who may use SSO?", "single sign on"),  # by its initials
        ("RBACs", "role-based access control"),
        ("how long is our time to live?", "time to live"),
        ("retries of the outbox", "Outbox"),
    ],
)
def test_a_name_is_heard_however_it_is_written(prompt: str, name: str) -> None:
    assert read_prompt_words(prompt).mentions(name)


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("read the log", "change log"),  # `change` is idle in a question, and half of this name
        ("TSLint is old", "TS"),  # a short form is not heard inside another name
        ("go on", "Go"),  # nothing but an idle word
        ("go on", "the"),
        ("to which end", "end to end"),  # twice, or not at all
        ("edit package.json", "JSON"),  # a kind of file
        ("the next one", "Next.js"),
        ("the sso", "some other thing"),
        ("ask sso", "single sign on"),  # initials are capitals
        ("an AB test", "audit bucket"),  # two letters stand for anything
        ("", "Redis"),
        ("redis", ""),
    ],
)
def test_what_only_looks_like_a_name_calls_nothing(prompt: str, name: str) -> None:
    assert not read_prompt_words(prompt).mentions(name)


def test_the_words_of_a_name_stand_near_each_other() -> None:
    apart = " ".join(["and"] * MAX_WORD_DISTANCE)
    assert read_prompt_words("the result has another type").mentions("result type")
    assert not read_prompt_words(f"the result {apart} type").mentions("result type")


def test_the_name_of_the_project_calls_nothing_in_it() -> None:
    assert read_prompt_words("pantry is slow").mentions("Pantry")
    assert not read_prompt_words("pantry is slow", without={"pantri"}).mentions("Pantry")


def test_a_mistyped_word_of_a_text_is_mended_too() -> None:
    text = "Charts are drawn by the `chart-renderer` (Puppeteer, headless)."
    assert find_slips(read_prompt_words("the pupeteer timeout, the rendrer and the headles one"), [text], knows) == {
        "pupet": "puppet",
        "rendrer": "render",
        "headl": "headless",
    }


def test_nothing_is_a_slip_of_the_project_s_name() -> None:
    assert find_slips(read_prompt_words("pantryy", without={"pantryy", "pantri"}), ["pantry"], knows) == {}


@pytest.mark.parametrize(
    ("prompt", "names", "surely"),
    [
        ("why oban?", ("oban",), 1.0),  # no word of the language
        ("bring the error here", ("error",), ORDINARY_WORD),
        ("bring the errors here", ("error",), ORDINARY_WORD),
        ("the ERROR board", ("error",), 1.0),
        ("the ER board", ("er",), 1.0),
        ("the er board", ("er",), ORDINARY_WORD),
        ("cache policy", ("cache policy", "cache"), 1.0),  # two words are hardly said by chance
        ("the cache", ("cache policy", "cache"), ORDINARY_WORD),
        ("in rust please", ("Rust",), FAMILIAR_TOOL),  # developers know it by that name
        ("in redis please", ("Redis",), 1.0),
        ("in oak please", ("Rust",), 0.0),
    ],
)
def test_an_ordinary_word_is_a_weaker_sign_than_a_name(prompt: str, names: tuple[str, ...], surely: float) -> None:
    assert read_prompt_words(prompt).name_confidence(names, lambda word: word in ENGLISH | {"rust", "er"}) == surely


def test_without_anybody_who_knows_the_language_every_plain_word_is_ordinary() -> None:
    heard = read_prompt_words("oban, GraphQL, msgpack5 and postgres")
    assert [heard.name_confidence((name,), None) for name in ("oban", "GraphQL", "msgpack5", "postgres")] == [
        ORDINARY_WORD,
        1,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("terrafrom plan fails", "Terraform"),  # swapped
        ("teraform plan fails", "Terraform"),  # dropped
        ("terrafform plan fails", "Terraform"),  # doubled
        ("terraforn plan fails", "Terraform"),  # the key beside
        ("grafanna dashboards", "grafana"),
    ],
)
def test_a_slip_of_the_finger_is_forgiven(prompt: str, name: str) -> None:
    assert heard_as(prompt, name)


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("a new listing", "linting"),  # another word
        ("strip the blanks", "Stripe"),
        ("singing lessons", "signing"),
        ("nestjs modules", "NextJS"),  # another thing
        ("k9s is open", "k8s"),  # too short, and not made of letters
        ("jst run", "Jest"),
        ("raedsi is full", "Redis"),  # two slips
        ("erraform", "Terraform"),  # not in the first letter
    ],
)
def test_another_word_is_no_slip(prompt: str, name: str) -> None:
    assert not heard_as(prompt, name)


@given(st.text(), st.text())
def test_hearing_never_fails(prompt: str, name: str) -> None:
    heard = read_prompt_words(prompt)
    assert heard.mentions(name) in (True, False)
    assert all(
        right in correct_slips(heard, {wrong: right}).places
        for wrong, right in find_slips(heard, [name], knows).items()
    )


@given(st.text(alphabet="abcdef", min_size=5, max_size=9), st.integers(1, 8))
def test_a_letter_dropped_doubled_or_swapped_is_a_slip(word: str, at: int) -> None:
    at = min(at, len(word) - 1)
    for typed in (word[:at] + word[at + 1 :], word[:at] + word[at - 1] + word[at:], _swapped(word, at)):
        assert is_slip(typed, word) == (typed != word and typed[0] == word[0])


def _swapped(word: str, at: int) -> str:
    return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]


def test_of_a_pasted_log_only_the_beginning_is_heard() -> None:
    assert not read_prompt_words("x " * MAX_PROMPT_CHUNKS + "redis").mentions("Redis")
