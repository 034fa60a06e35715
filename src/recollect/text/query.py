"""Find the words of a prompt that a search is about. Pure."""

import re
from collections.abc import Callable
from itertools import filterfalse

from recollect.text.words import chunks, identifiers, index_words

MAX_QUERY_CHARS = 50_000
MAX_QUERY_WORDS = 48  # a pasted log has thousands; the first ones carry the question

# Words of any prompt, whatever its topic: function words, courtesies, and verbs of asking.
STOP_WORDS = frozenset(
    """
    a about above after again all almost already also although always am an and another any anybody anyone anything are
    around as ask at away back be because been before being below between both but by came can cannot could did do does
    doing don done down during each either else enough etc even ever every everything few first for from further get
    gets getting give given go goes going good got had has have having he hello help her here hers hey hi him his how
    however i if in instead into is it its itself just keep kind know last later least less let like ll look looks lot
    made make makes making many may maybe me mean might mine more most much must my myself need needs neither next no
    nor not nothing now of off ok okay on once one only onto or other others our ours out over own per perhaps please
    quite rather re really right s same say see seem several shall she should show since so some somehow something
    soon still such sure t take tell than thank thanks that the their theirs them then there these they thing things
    think this those though through thus to together too try trying two under until up upon us use used uses using ve
    very via want wants was way we well went were what whatever when where whether which while who whole whom whose why
    will with within without won work works would yes yet you your yours
    """.split()
)
# Words for the task, not the topic: every prompt is about fixing, adding or changing something.
TASK_WORDS = frozenset(
    """
    add bug change check create explain find fix handle implement improve issue new problem question update write wrong
    """.split()
)
# Stems of both that are not in the lists. Written down, because stemming them at every start takes 20 ms.
IDLE_STEMS = frozenset(
    """
    abov alreadi alway ani anoth anybodi anyon anyth becaus befor chang creat doe dure els everi everyth goe handl
    howev improv issu mani mayb noth onc onli perhap pleas quit realli sever sinc someth togeth tri updat veri whatev
    whi
    """.split()
)
IDLE_WORDS = STOP_WORDS | TASK_WORDS | IDLE_STEMS
# Words without any meaning of their own. The other idle words mean a little: in a search of old turns, `first` or
# `made` may be the difference between two of them.
FUNCTION_WORDS = frozenset(
    """
    a am an and are as at be been being but by can could d did do doe does doing for from had has have having he her
    here him his how i if in is it it its ll m may me might must my no not of on or our re s shall she should so t than
    that the their them then there these they this those to us ve was we were what when where which who whom whose whi
    why will with would you your
    """.split()
)
# A question with one of these does not want the newest version only. English, German, Spanish.
_PAST = re.compile(
    r"\b(?:did|was|were|had|used to|when|originally|initially|first|before"
    r"|wann|war|waren|wurden?|hatten?|damals|zuerst|cuándo|era|fue|había|antes)\b",
    re.IGNORECASE,
)
IDLE_WEIGHT = 1 / 3
NAME_WEIGHT = 0.5  # of a name with parts: it is the place (`in the shop-api`) more often than the topic


def content_words(text: str) -> list[str]:
    """Return the words that a search is about, each once, in order."""
    found = dict.fromkeys(filterfalse(IDLE_WORDS.__contains__, index_words(text[:MAX_QUERY_CHARS])))
    return list(found)[:MAX_QUERY_WORDS]


def search_words(text: str) -> list[str]:
    """Like `content_words`, but a question made of idle words only keeps them: the user asked it."""
    return content_words(text) or list(dict.fromkeys(index_words(text[:MAX_QUERY_CHARS])))[:MAX_QUERY_WORDS]


def asks_something(prompt: str, *, min_chars: int) -> bool:
    """Short prompts without a name from code ("go on", "thanks!") need no memory."""
    return bool(content_words(prompt)) and (len(prompt.strip()) >= min_chars or bool(identifiers(prompt)))


def asks_about_the_past(text: str) -> bool:
    """`When did we ...`: the question may mean an older version."""
    return bool(_PAST.search(text[:MAX_QUERY_CHARS]))


def word_weights(text: str, is_known: Callable[[str], bool] = bool) -> dict[str, float]:
    """Return the words of a question about old turns with their weights. A name with parts counts once in all, unless no
    turn has it (`is_known`, as the index writes it): `test-related` is two words with a hyphen."""
    found: dict[str, float] = {}
    for chunk in chunks(text[:MAX_QUERY_CHARS]):
        words = [*filterfalse(FUNCTION_WORDS.__contains__, index_words(chunk))]
        # In a run of Chinese, each pair of letters is a word.
        is_name = len(words) > 1 and chunk.isascii() and is_known(words[-1])
        share = NAME_WEIGHT / len(words) if is_name else 1.0
        for word in words:
            weight = share * IDLE_WEIGHT if word in IDLE_WORDS else share
            found[word] = max(found.get(word, 0.0), weight)
    return dict(list(found.items())[:MAX_QUERY_WORDS]) or dict.fromkeys(search_words(text), 1.0)
