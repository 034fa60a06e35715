"""Tell what a prompt wants from a memory: an answer about the project, context for a task, or nothing. Pure.

Forms, not topics: a question that asks how something is or was, words that point to earlier work, a text that brings
its own context. What a prompt is about is for the search to decide.
"""

import re
from enum import StrEnum

from recollect.text.query import content_words

QUESTION_CHARS = 600  # a longer prompt explains itself; a question in it is one point of many
QUESTION_SENTENCES = 3
LEAST_WORDS = 1  # content words: "what does it do?" asks about what is on the screen
FOLLOWING_WORDS = 2  # content words behind a question: "once more, please"
CONTEXT_CHARS = 1500  # a longer text, or a plan of many steps, carries its own context
PLAN_LINES = 6  # headings and list items
LOOKED_AT = 4000

# Interrogatives of the languages that developers mix. A request ("can you add ...?") begins with none of them.
_OPEN = (
    r"what|what's|whats|why|which|who|whose|how|wie|warum|wieso|welche[rsnm]?|qué|cuál|cómo|por qué|quel(?:le)?s?|"
    r"pourquoi|qual|por que|quale|perché|как|что|почему|как(?:ой|ая|ие)"
)
_ASIAN = r"どう|なぜ|何を|どこ|どの|怎么|什么|为什么|哪|如何"
_MARKED = re.compile(
    rf"\b(?:{_OPEN}|where|when|wo|wann|wer|was|dónde|cuándo|comment|como|où|quand|onde|quando|dove|где|когда)\b|"
    rf"{_ASIAN}",
    re.IGNORECASE,
)
_LEADS = r"^\W*(?:(?:so|and|but|ok|okay|hm+|wait|hey|btw|also)\W+)*"
_UNMARKED = re.compile(rf"{_LEADS}(?:(?:{_OPEN}|where(?='s| is| are| did| do))\b|{_ASIAN})", re.IGNORECASE)
_IS_IT = re.compile(rf"{_LEADS}(?:did|do|does|is|are|was|were|have|has|had) (?!you\b|u\b|not\b)\w", re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:remind me|last time|(?:same|like) (?:as )?(?:last|before|yesterday)|as before|left off|yesterday|last week|"
    r"we (?:already )?(?:decided|agreed|chose|discussed|settled)|(?:did|have|had) we|"
    r"(?:earlier|previous|last) (?:session|conversation|chat)|"
    r"letztes mal|beim letzten mal|la última vez|la dernière fois|da última vez|в прошлый раз)\b|上次|前回",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:can|could|would|will|can't|couldn't) (?:you|u|we|i)\b|\b(?:should|shall|shouldn't) (?:we|i|you)\b|"
    r"\b(?:how about|how to|what if|why (?:don't|dont|not))\b|"
    r"\b(?:please|pls|let's|lets|make sure|i want|i need|help me)\b",
    re.IGNORECASE,
)
# The agent's own doing and thinking: the conversation has the answer.
_OF_NOW = re.compile(
    r"\b(?:did|do|are|were|have|will|can) (?:you|u)\b|"
    r"\byou(?:'re|'ve)? (?:\w+ )?(?:think|prefer|recommend|suggest|mean|did)\b|"
    r"\bnext (?:steps?|thing|up)\b|\bwhat(?:'s| is)? (?:next|else)\b(?!\.)|"
    r"\b(?:this|these|those|here|right now)\b(?! (?:project|repo|repository|codebase|app|service|time)\b)|"
    r"\bthe status\b|"
    r"\b(?:are|is) (?:we|it|this|that|everything|all) (?:now )?(?:done|finished|ready|good)\b|"
    r"^\W*(?:(?:so|and|but|ok) )*(?:is|was|are|were|(?:why|how) (?:is|was|did|does)) (?:it|they|those|these)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?？])\s+|\n+|(?<=？)")
_COMMAND = re.compile(r"/[a-z][\w:.-]*(?:\s|$)", re.IGNORECASE)  # `/review 12`, no path
_WRAPPED = re.compile(r"<([a-z][\w-]{2,40})>.{0,20000}?</\1>", re.DOTALL | re.IGNORECASE)
_STEP = re.compile(r"^\s{0,8}(?:#{1,6}\s|[-*•]\s|\d{1,2}[.)]\s)", re.MULTILINE)


class PromptPurpose(StrEnum):
    QUESTION = "question"  # how something is or was, here
    TASK = "task"
    NOTHING = "nothing"  # a command, or a plan or long text that says all it needs


def asking(prompt: str) -> PromptPurpose:
    said = prompt.strip()
    if _COMMAND.match(said) or brings_context(said):
        return PromptPurpose.NOTHING
    return PromptPurpose.QUESTION if len(said) <= QUESTION_CHARS and is_question(said) else PromptPurpose.TASK


def typed(prompt: str) -> str:
    """Without what a program put around the words of the user: `<system_instruction>...</system_instruction>`."""
    return _WRAPPED.sub(" ", prompt) if "</" in prompt else prompt


def brings_context(prompt: str) -> bool:
    return len(prompt) > CONTEXT_CHARS or len(_STEP.findall(prompt[:LOOKED_AT])) >= PLAN_LINES


def is_question(prompt: str) -> bool:
    """Whether it asks how something is, was or was meant; not for something to be done, and not about this moment."""
    said = [sentence for sentence in _SENTENCE.split(prompt) if sentence.strip()]
    if points_back(prompt):
        return True
    if len(said) > QUESTION_SENTENCES or any(map(_REQUEST.search, said)):
        return False
    last = max((at for at, sentence in enumerate(said) if _asks(sentence)), default=None)
    # What follows a question is what to do: "is all of it in git? clean up the branches and push".
    is_last = last is not None and len(content_words(" ".join(said[last + 1 :]))) <= FOLLOWING_WORDS
    return is_last and len(content_words(prompt)) >= LEAST_WORDS


def points_back(prompt: str) -> bool:
    """Whether its words say that something was settled or done before."""
    return bool(_EARLIER.search(prompt[:QUESTION_CHARS]))


def _asks(sentence: str) -> bool:
    if _OF_NOW.search(sentence):
        return False
    if "?" in sentence or "？" in sentence:
        return bool(_MARKED.search(sentence) or _IS_IT.match(sentence))
    return bool(_UNMARKED.match(sentence))
