"""Which words are embedded: of a memory, and of a prompt. Pure."""

import re
from collections.abc import Callable, Collection, Mapping

from recollect.domain.memory import Memory
from recollect.text.aliases import SHORT_FORMS
from recollect.text.query import FUNCTION_WORDS
from recollect.text.words import index_words

_WORD = re.compile(r"(?<![\w./\\:@#+-])\w+(?![\w/\\:@#+-]|\.\w)")  # one that stands alone
_NAME = re.compile(r"\w[-_]\w")
COMMON_SHARE = 0.30  # a word in more of the visible texts than this tells none of them from another
COMMON_FROM = 4  # in a store with three memories every word would be common


def memory_meaning(memory: Memory) -> str:
    """Aliases are left to the word index: in a vector they do nothing."""
    return spelled_out(f"{memory.title}. {memory.text}" if memory.title else memory.text)


def common_words(occurrences: Mapping[str, int], memories: int, project: str = "") -> frozenset[str]:
    """Words that every text here could have: those that many have, and the name of the project itself."""
    least = max(COMMON_FROM, COMMON_SHARE * memories)
    return frozenset(word for word, count in occurrences.items() if count > least) | project_words(project)


def project_words(project: str) -> frozenset[str]:
    """`git:example.org/shop/api` is called api there."""
    return frozenset(index_words(project.rstrip("/").rpartition("/")[2].rpartition(":")[2]))


def prompt_meaning(prompt: str, common: Collection[str]) -> str:
    """The prompt without its common words, for names swamp a small model; all of it if nothing else is left."""
    kept = [chunk for chunk in prompt.split() if not _is_common(chunk, common)]
    return spelled_out(" ".join(kept) or prompt)


def spelled_out(text: str) -> str:
    """Short forms in full: a small model knows Kubernetes, and hardly k8s."""
    return _WORD.sub(lambda word: SHORT_FORMS.get(word[0].lower(), word[0]), text)


def without_names(prompt: str, is_known: Callable[[str], bool] = bool) -> str:
    """The prompt without names like `shop-api` or `order_items`, which a small model hears louder than the rest.

    `is_known` says of a name, as the index has it, whether anything has it; `data-driven` may be none.
    """
    return " ".join(piece for piece in prompt.split() if not _NAME.search(piece) or not is_known(_whole(piece)))


def _whole(name: str) -> str:
    return (index_words(name) or [""])[-1]


def _is_common(chunk: str, common: Collection[str]) -> bool:
    words = [word for word in index_words(chunk) if word not in FUNCTION_WORDS]
    return bool(words) and all(word in common for word in words)
