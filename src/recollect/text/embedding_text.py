"""Choose the words of a memory or a prompt that are embedded. Pure."""

import re
from collections.abc import Callable, Collection, Mapping

from recollect.domain.memory import Memory
from recollect.text.aliases import SHORT_FORMS
from recollect.text.query import FUNCTION_WORDS
from recollect.text.words import index_words

_WORD = re.compile(r"(?<![\w./\\:@#+-])\w+(?![\w/\\:@#+-]|\.\w)")  # not part of a name
_LETTERS = re.compile(r"\w+")
_NAME = re.compile(r"\w[-_]\w")
COMMON_SHARE = 0.30  # a word in more of the visible texts than this distinguishes none of them
MIN_COMMON_COUNT = 4  # in a store with three memories every word would be common


def memory_meaning(memory: Memory) -> str:
    """Return the text to embed, without aliases: they help the word index, but not a vector."""
    return spell_out(f"{memory.title}. {memory.text}" if memory.title else memory.text)


def common_words(occurrences: Mapping[str, int], memories: int, project: str = "") -> frozenset[str]:
    """Return words that any text here could have: those of many texts, and the project's own name."""
    most = max(MIN_COMMON_COUNT, COMMON_SHARE * memories)
    return frozenset(word for word, count in occurrences.items() if count > most) | project_words(project)


def project_words(project: str) -> frozenset[str]:
    """`git:example.org/shop/api` is named api there."""
    return frozenset(index_words(project.rstrip("/").rpartition("/")[2].rpartition(":")[2]))


def prompt_meaning(prompt: str, common: Collection[str]) -> str:
    """Remove common words, for names swamp a small model; a prompt of common words only stays whole."""
    kept = [chunk for chunk in prompt.split() if not _is_common(chunk, common)]
    return spell_out(" ".join(kept) or prompt)


def spell_out(text: str) -> str:
    """Replace short forms: a small model knows Kubernetes, but hardly k8s."""
    if SHORT_FORMS.keys().isdisjoint(_LETTERS.findall(text.lower())):
        return text
    return _WORD.sub(lambda word: SHORT_FORMS.get(word[0].lower(), word[0]), text)


def without_names(prompt: str, is_known: Callable[[str], bool] = bool) -> str:
    """Remove names like `shop-api`, which outweigh the other words in a small model. `is_known`: a text has the name, as
    the index writes it; `data-driven` may be no name."""

    def is_name(chunk: str) -> bool:
        return bool(_NAME.search(chunk)) and is_known((index_words(chunk) or [""])[-1])

    return " ".join(chunk for chunk in prompt.split() if not is_name(chunk))


def _is_common(chunk: str, common: Collection[str]) -> bool:
    words = frozenset(index_words(chunk)) - FUNCTION_WORDS
    return bool(words) and words.issubset(common)
