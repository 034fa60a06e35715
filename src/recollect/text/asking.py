"""Decide what a prompt needs from memory: an answer about the project, context for a task, or nothing. Pure.

It looks at the form only: a question, words that refer to earlier work, a text that brings its own context. The search
decides what a prompt is about.
"""

import re
from enum import StrEnum

from recollect.text.query import content_words

MAX_QUESTION_CHARS = 600  # a longer prompt explains itself; a question in it is one point of many
MAX_QUESTION_SENTENCES = 3
MIN_CONTENT_WORDS = 1  # "what does it do?" has none: it asks about what is on the screen
MAX_WORDS_AFTER_QUESTION = 2  # content words: "once more, please"
MAX_CHARS_WITHOUT_CONTEXT = 1500  # a longer text, or a plan of many steps, carries its own context
MIN_PLAN_LINES = 6  # headings and list items
MAX_PLAN_CHARS = 4000  # only these are searched for headings and list items

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
# Questions about what the agent does or thinks: the conversation has the answer.
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
    QUESTION = "question"  # asks how something is or was in this project
    TASK = "task"
    NOTHING = "nothing"  # a command, a plan or a long text: it needs no memory


def prompt_purpose(prompt: str) -> PromptPurpose:
    prompt = prompt.strip()
    if _COMMAND.match(prompt) or brings_context(prompt):
        return PromptPurpose.NOTHING
    if len(prompt) <= MAX_QUESTION_CHARS and is_question(prompt):
        return PromptPurpose.QUESTION
    return PromptPurpose.TASK


def without_host_tags(prompt: str) -> str:
    """Remove tagged text that a program added to the user's words: `<system_instruction>...</system_instruction>`."""
    return _WRAPPED.sub(" ", prompt) if "</" in prompt else prompt


def brings_context(prompt: str) -> bool:
    return len(prompt) > MAX_CHARS_WITHOUT_CONTEXT or len(_STEP.findall(prompt[:MAX_PLAN_CHARS])) >= MIN_PLAN_LINES


def is_question(prompt: str) -> bool:
    """Return True if it asks how something is, was or was meant: not for work, and not about the current moment."""
    if refers_to_earlier_work(prompt):
        return True
    sentences = [sentence for sentence in _SENTENCE.split(prompt) if sentence.strip()]
    if len(sentences) > MAX_QUESTION_SENTENCES or any(map(_REQUEST.search, sentences)):
        return False
    questions = [at for at, sentence in enumerate(sentences) if _asks(sentence)]
    if not questions:
        return False
    # Text after the question is a task: "is all of it in git? clean up the branches and push".
    after = " ".join(sentences[questions[-1] + 1 :])
    if len(content_words(after)) > MAX_WORDS_AFTER_QUESTION:
        return False
    return len(content_words(prompt)) >= MIN_CONTENT_WORDS


def refers_to_earlier_work(prompt: str) -> bool:
    return bool(_EARLIER.search(prompt[:MAX_QUESTION_CHARS]))


def _asks(sentence: str) -> bool:
    if _OF_NOW.search(sentence):
        return False
    if "?" in sentence or "？" in sentence:
        return bool(_MARKED.search(sentence) or _IS_IT.match(sentence))
    return bool(_UNMARKED.match(sentence))
