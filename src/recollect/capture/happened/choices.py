"""Read choices in a host's question tool: the question about the design, the user's option and why, as one line. Pure.

Ignores menu answers, which decide nothing about the project: go on, do this next, yes, all of it. They are recognised by
their question ("what next?", "shall I ...?") and by their options, which name a step of the work or nothing.
"""

import re
from dataclasses import dataclass
from typing import Any

from recollect.capture.happened.calls import normalise_tool
from recollect.domain.event import Event, ToolSucceeded
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import Kind, Memory, Role, Tier
from recollect.text.lazy_pattern import LazyPattern
from recollect.text.query import content_words
from recollect.text.sentences import sentences

MAX_QUESTION_CHARS, MAX_WHY_CHARS, MAX_OTHERS_CHARS = 200, 140, 80
MIN_WORDS = 3  # content words of question and choice together

_CHOSE_PHRASE = " The user chose "
_FIRST_VERSION = LazyPattern(r"^Chose:? .+? over ", re.DOTALL)  # as the first version wrote it
_ASKING_TOOLS = frozenset({"askuserquestion", "question", "askquestion", "requestuserinput"})
_ANSWER = LazyPattern(r'"(?P<question>[^"\n]{2,400})"\s*=\s*"(?P<answer>[^"\n]{1,400})"')
# About the next step or a point of a list: nothing about how the project is made.
_ABOUT_THE_WORK = LazyPattern(
    r"\b(?:how (?:much|far)|first|when you|right now|this (?:delivery|iteration|effort)|where should it land|next|"
    r"proceed|continue|go ahead|ready|begin|resume|approve|confirm|commit|push|merge|pull request|phases?|plan|"
    r"document|questions|review|done\?|now\?|(?:look|sound)s? (?:good|right|ok)|work for you|interests you|"
    r"start(?:ing)? (?:with|now|on)|which (?:\w+ )?(?:files?|tasks?|issues?|areas?|items?|steps?|sections?|findings?)|"
    r"what (?:would you like|do you want|do you mean)|(?:would|how would) you like|(?:shall|should|do you want|"
    r"want) (?:i|me)|how should i)\b|^(?:\w+ )?(?:issue|finding|item|comment|question|point|step)\s*#?\d",
    re.IGNORECASE,
)
_ERRAND = LazyPattern(
    r"^\W*(?:yes|no|nope|ok|okay|sure|continue|proceed|commit|push|stop|skip|wait|show|explain|run|re-?run|test|start|"
    r"review|abort|cancel|retry|try|check|looks?|leave|do nothing|something else|other|open|merge|finish|pause|none|"
    r"both|all|fix|investigate|research|move on|go ahead|next|you decide|your call|not sure|later|defer|done|approve|"
    r"accept|let me|i'll|i'm|i will|whatever|either|ship|plan|implement|create|update|delete|revert|discard|"
    r"keep going)\b",
    re.IGNORECASE,
)
_ADVICE = LazyPattern(r"\s*\((?:recommended|default|suggested)\)\s*$", re.IGNORECASE)


def is_choice(memory: Memory) -> bool:
    has_form = _CHOSE_PHRASE in memory.text or _FIRST_VERSION.match(memory.text) is not None
    return memory.kind is Kind.DECISION and has_form


@dataclass(frozen=True, slots=True)
class _Option:
    name: str
    why: str  # the first sentence of its description


class Choices:
    def hear(self, event: Event) -> list[Proposal]:
        if not isinstance(event, ToolSucceeded) or normalise_tool(event.tool) not in _ASKING_TOOLS:
            return []
        answers = _answers(event)
        found = (_propose(question, options, answers) for question, options in _questions(event.input))
        return list(filter(None, found))


def _propose(question: str, options: list[_Option], answers: dict[str, str]) -> Proposal | None:
    answer = _ADVICE.sub("", answers.get(question.rstrip("?"), "")).strip()
    taken = next((one for one in options if one.name.lower() == answer.lower()), None)
    if taken is None or _ERRAND.match(taken.name) or _ABOUT_THE_WORK.search(question):
        return None
    asked = _main_question(question)
    if not asked or len(set(content_words(f"{asked} {taken.name}"))) < MIN_WORDS:
        return None
    text = f"{asked}{_CHOSE_PHRASE}{taken.name}"
    if taken.why and len(taken.why) <= MAX_WHY_CHARS:
        text += f" ({taken.why})"
    others = ", ".join(one.name for one in options if one is not taken and not _ERRAND.match(one.name))
    if 0 < len(others) <= MAX_OTHERS_CHARS:
        text += f", not {others}"
    return Proposal(
        text=f"{text}.",
        kind=Kind.DECISION,
        tier=Tier.CONFIRMED,
        basis=Basis.PICK,
        role=Role.USER,
        evidence=(question, answer),
        durability=1.0,
        explicit=True,
    )


def _main_question(question: str) -> str:
    """The sentence that asks, after the one before it if it says nothing alone: `Two caches exist. Which?`"""
    said = sentences(question)
    at = max((number for number, one in enumerate(said) if one.endswith("?")), default=len(said) - 1)
    asked = said[at]
    if at and len(content_words(asked)) < MIN_WORDS:
        asked = f"{said[at - 1]} {asked}"
    return asked if len(asked) <= MAX_QUESTION_CHARS else ""  # too long to be read later


def _answers(event: ToolSucceeded) -> dict[str, str]:
    answers = {found["question"]: found["answer"] for found in _ANSWER.finditer(event.output[:20_000])}
    given = event.input.get("answers")
    if isinstance(given, dict):
        answers |= {question: answer for question, answer in given.items() if isinstance(answer, str)}
    return {question.strip().rstrip("?"): answer for question, answer in answers.items()}


def _questions(given: dict[str, Any]) -> list[tuple[str, list[_Option]]]:
    asked = given.get("questions")
    found = []
    for one in asked if isinstance(asked, list) else [given]:
        if not isinstance(one, dict) or not isinstance(one.get("question"), str):
            continue
        parts = one["options"] if isinstance(one.get("options"), list) else []
        options = [_option(part) for part in parts if isinstance(part, dict) and isinstance(part.get("label"), str)]
        if len(options) >= 2:
            found.append((" ".join(one["question"].split()), options))
    return found


def _option(part: dict[str, Any]) -> _Option:
    description = part.get("description")
    why = ""
    if isinstance(description, str):
        why = next(iter(sentences(" ".join(description.split()))), "")
    return _Option(_ADVICE.sub("", " ".join(part["label"].split())), why.rstrip(". "))
