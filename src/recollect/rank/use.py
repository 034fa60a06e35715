"""Guess whether a reply used a memory that was shown with its prompt. Pure.

It looks for words of the memory that the prompt did not have: the words of the prompt are in every reply. The guess
affects only the order of what fits.
"""

from recollect.domain.memory import Memory
from recollect.text.query import IDLE_WORDS
from recollect.text.words import identifiers, index_words, word_set

MIN_WORDS = 2
MIN_SHARE = 0.35  # of the words that only the memory has
MAX_REPLY_CHARS = 50_000


def was_used(memory: Memory, reply: str, prompt: str) -> bool:
    reply, prompt = reply[:MAX_REPLY_CHARS].lower(), prompt[:MAX_REPLY_CHARS].lower()
    if any(name in reply and name not in prompt for name in map(str.lower, identifiers(memory.text))):
        return True
    own = word_set(memory) - frozenset(index_words(prompt)) - IDLE_WORDS
    shared = own.intersection(index_words(reply))
    return len(shared) >= max(MIN_WORDS, MIN_SHARE * len(own))
