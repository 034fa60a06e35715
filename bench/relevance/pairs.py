"""All pairs of a prompt of the corpus and a memory visible to it, with the inputs of relevance.

The inputs come from the product's own functions, so that the fit is for the real values.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.relevance.corpus import Project, Prompt
from recollect.domain.memory import Kind
from recollect.domain.vector import Vector
from recollect.embed.minilm import MiniLm
from recollect.rank.calibrate import Coverage, coverage, rarity
from recollect.text.embedding_text import common_words, memory_meaning, prompt_meaning
from recollect.text.naming import correct_slips, find_slips, read_prompt_words
from recollect.text.query import asks_something, content_words, search_words
from recollect.text.words import index_words, names_of, words_of

MIN_PROMPT_CHARS = 20

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    project: str
    prompt: int  # the same number for all pairs of a prompt
    kind: Kind
    fits: bool
    heard: bool  # False: the prompt is short and does not name the memory
    cosine: float
    words: Coverage
    alone: Coverage  # the same without a model, which tells words from slips and names
    plain: float  # the yardstick: the larger of the two shares


def pairs(corpus: list[Project], model: MiniLm) -> list[Pair]:
    """Return all pairs, except of prompts that ask nothing ("hm okay"): these never show a memory."""
    found: list[Pair] = []
    for project in corpus:
        vectors = [_vector(model.embed(memory_meaning(memory))) for memory in project.memories]
        known = [frozenset(words_of(memory)) for memory in project.memories]
        having = Counter(word for words in known for word in words)
        for prompt in project.prompts:
            if content_words(prompt.ask):
                found += _pairs_of_prompt(project, prompt, len(found), known, having, vectors, model)
    return found


def _pairs_of_prompt(
    project: Project,
    prompt: Prompt,
    number: int,
    known: list[frozenset[str]],
    having: Counter[str],
    vectors: list[Floats],
    model: MiniLm,
) -> list[Pair]:
    asked = search_words(prompt.ask)
    occurrences = {word: having[word] for word in asked}
    own_name = frozenset(index_words(project.name))
    own_words = [word for word in asked if word not in own_name] or asked
    weight = rarity({word: having[word] for word in own_words}, len(known))
    common = common_words(occurrences, len(known), project.name)
    meant = _vector(model.embed(prompt_meaning(prompt.ask, common)))
    brief = not asks_something(prompt.ask, min_chars=MIN_PROMPT_CHARS)
    typed = read_prompt_words(prompt.ask, without=own_name)
    names = [name for memory in project.memories for name in names_of(memory)]
    texts = [memory.text for memory in project.memories]
    instead = find_slips(typed, texts, model.knows) | find_slips(typed, names, model.knows)
    heard, mended_words = correct_slips(typed, instead), [instead.get(word, word) for word in own_words]
    weight |= rarity({word: 0 for word in mended_words if word not in weight}, len(known))
    found = []
    for memory, words, vector in zip(project.memories, known, vectors, strict=True):
        shares = coverage(mended_words, words, weight, named=heard.name_confidence(names_of(memory), model.knows))
        alone = coverage(own_words, words, weight, named=typed.name_confidence(names_of(memory), None))
        found.append(
            Pair(
                project=project.name,
                prompt=number,
                kind=memory.kind,
                fits=memory.id in prompt.fits,
                heard=bool(shares.named) or not brief,
                cosine=float(vector @ meant),
                words=shares,
                alone=alone,
                plain=max(alone.of_asked, 0.8 * alone.of_known, 0.75 * alone.named),
            )
        )
    return found


def _vector(made: Vector) -> Floats:
    return np.frombuffer(made, "<f4").astype(np.float64)
