"""Out of what was said between an error and its end: why it happened and what helped. Pure, deterministic.

Takes whole sentences as they were said. What only tells what the agent does next is left out; nothing is made up.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from recollect.capture.patterns import Pattern
from recollect.text.query import content_words

MAX_REPLIES, MAX_REPLY_CHARS = 12, 6000
MAX_SENTENCES = 80
MIN_CHARS = 12
MAX_CODE_CHARS = 120
RESTATES = 0.8
NOTHING = -4.5  # "Let me check."
SAYS_ENOUGH = 3.0
HELPED = 2.5
TELLS = 2.0  # from here on a sentence says a cause or a remedy

_FENCED = Pattern(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_TAG = Pattern(r"</?[a-z][\w-]{1,30}(?: [^<>\n]{0,200})?>")
_MARKUP = Pattern(r"^\s*(?:#{1,6}\s+|[-*•]\s+|\d{1,2}[.)]\s+|>\s+)|\*\*|__(?=\S)", re.MULTILINE)
_HEADING = Pattern(r"^\s*#{1,6}\s+.*$|^\s*\*\*[^*\n]{1,60}\*\*:?\s*$|<summary>.*?</summary>", re.MULTILINE)
_TABLE = Pattern(r"^\s*\|.*\|\s*$")
_END = Pattern(r"(?<=[.!?])[\"')`]?\s+(?=[A-Z`\"'(*0-9])|(?<=[.!?])\s*$")
_CAUSE = Pattern(
    r"\b(?:because|due to|caused by|root cause|turns out|the reason|comes from|is why|was why|which means|"
    r"(?:issue|problem|cause|culprit|bug|error|failure|mismatch)s? (?:is|was|are|were|here|lies|comes)|happens when)\b",
    re.IGNORECASE,
)
_WHY = Pattern(
    r"\b(?:since|as|so|expects?|expected|requires?|required|needs?|must|only|wrong|stale|deprecated|changed|without|"
    r"already|hard-?coded|missing|shadow\w*|conflict\w*|no longer|instead|never|rather than|not|isn't|wasn't|aren't|"
    r"doesn't|didn't|can't|cannot|couldn't|breaks?|broke|strips?|drops?|treat\w*|converts?|resolves?|removes?|ignor\w*|"
    r"default\w*)\b",
    re.IGNORECASE,
)
_REMEDY = Pattern(
    r"\b(?:the (?:\w+ )?fix|fix(?:ed|es)? (?:by|it by|this by|is|was)|fixed|solution|solved|resolved|"
    r"(?:chang|replac|renam|remov|add|pin|upgrad|downgrad|install|mov|wrap|export|mock|escap|quot|regenerat|rebuil|"
    r"updat|switch|convert|cast|declar|import|enabl|disabl|increas|set|bump|exclud|append|extract|skip|use|using|us)"
    r"(?:e|es|ed|ing|ting|d|s|t)?\b|need(?:s|ed)? to|ha(?:ve|s|d) to|should)",
    re.IGNORECASE,
)
_CHECKS = (  # to run what failed once more is no remedy; to run something else may be one
    r"(?:re-?run|run(?=\s*[.:]|\s+(?:it|them|this|that|all|again|everything|tests?|(?:the|a|full|"
    r"just)\s+(?:\w+\s+){0,2}"
    r"(?:tests?|suite|build|linter|lint|checks?|command|package|program|app|server))\b))"
)
_NARRATES = Pattern(
    r"^(?:(?:ok(?:ay)?|now|next|so|good|great|perfect|alright|right|first|then|and|but|wait|hmm+|ah|interesting)\b"
    r"[,.!—-]*\s*)*"
    r"(?:let me|let's|i'll|i will|i'm going to|i am going to|i need to|i want to|i should|going to|time to)\s+"
    r"(?:(?:also|just|now|first|quickly|actually|try to|go|take a)\s+)*"
    rf"(?:{_CHECKS}|look|check|re-?check|read|re-?read|see|verify|inspect|investigate|find|search|explore|view|"
    r"examine|understand|confirm|make sure|test|debug|start|continue|proceed|open|trace|dig|think|try|ensure|review|"
    r"get|"
    r"grep)\b",
    re.IGNORECASE,
)
_PASSES = Pattern(
    r"^(?:(?:all|the|now|\d+|everything|both|great|perfect|excellent)\b[\w\s,!'-]{0,40})?"
    r"\b(?:tests?|build|checks?|suite|linter|lint|everything|it|all)\b[\w\s]{0,20}"
    r"\b(?:pass(?:es|ed|ing)?|works?|clean|green|succeed\w*)\b"
    r"[\w\s]{0,20}[.!:]*$",
    re.IGNORECASE,
)
_REPORTS = Pattern(  # what comes next, and that all is well
    r"^(?:next(?: up| steps?)?|to-?dos?|follow-?ups?|remaining|still (?:open|to do)|later)\s*[:—–-]|"
    r"^(?:all|everything(?:'s| is)?|tests? (?:are )?|suite(?: is)?|ci(?: is)?|now)\s*(?:green|good|clean|done|"
    r"set|pass(?:es|ed|ing)?)\b|"
    r"^(?:green|done|verified|confirmed|\d+ (?:tests? )?pass(?:ed|ing)?)\b",
    re.IGNORECASE,
)
_HAS_SUBJECT = Pattern(
    r"^(?:the|this|that|these|those|it|i|we|you|there|my|our|your|also|and|they|he|she)\b", re.IGNORECASE
)
_HELPED = Pattern(  # it says which remedy it was: "I fixed it by ...", "linking it solved that", "the fix was to ..."
    r"\b(?:the (?:\w+ )?fix|what (?:helped|fixed|solved|worked)|"
    r"(?:fixed|solved|resolved|cured|cleared|sorted|repaired|got past|worked around)"
    r"(?: (?:it|this|that|them|both|(?:the|that|this) (?:[\w-]+ ){0,3}[\w-]+))?(?: now| up| out)? "
    r"(?:by|with|via|through)|"
    r"(?:fixed|solved|resolved|cured|cleared|helped with) (?:it|this|that|them|"
    r"the (?:[\w-]+ ){0,2}(?:error|issue|problem|failure|tests?|build|import|crash))|"
    r"(?:did|does) the trick|(?:made|makes) (?:it|the (?:\w+ )?(?:tests?|build|suite)) (?:pass|work)|"
    r"(?:it|the (?:tests?|build|suite|command)) (?:works?|pass(?:es)?) (?:now|again) (?:that|because|since|after|"
    r"with))\b",
    re.IGNORECASE,
)
_THAT_DID_IT = Pattern(  # the remedy is the sentence before
    r"^(?:and )?(?:that|this|which|it) (?:\w+ )?"
    r"(?:did it|did the trick|fixed|solved|resolved|cured|cleared|helped|worked)\b",
    re.IGNORECASE,
)
_WAVERS = Pattern(
    r"^(?:wait|hmm|actually|interesting|that's (?:odd|bizarre|strange|weird)|not sure|maybe|perhaps|good progress|"
    r"i see\b.{0,20}$|i see the (?:issue|problem))|\b(?:let me re-?check|not sure|bizarre|no idea|i wonder)\b",
    re.IGNORECASE,
)
_GREETING = Pattern(
    r"^(?:(?:perfect|great|got it|excellent|good|i see(?: the (?:issue|problem))?|ah|okay|ok|right|interesting|yes|"
    r"now i see)\s*[!.,:—-]+\s*)+",
    re.IGNORECASE,
)
_LET_ME = Pattern(
    rf"(?:^|[.;,—-]\s*)(?:let me|i'll)\s+(?:{_CHECKS}|look|check|read|see|verify|find|re-?read)\b[^.]*[.:]?$", re.I
)
_NAME = Pattern(r"`[^`\n]{2,80}`|\b\w+(?:[._]\w+)+\b|\b[a-z]+[A-Z]\w+|\b[A-Z]{3,}[A-Z_0-9]*\b|(?<!\w)--?[a-z][\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What was said of a fix."""

    text: str  # empty: nothing that tells anything
    strength: float  # of its best sentence; from TELLS on it says a cause or a remedy


def told(replies: Sequence[str], error: str, *, chars: int, after: Sequence[str] = ()) -> Told:
    """The sentences that say most about why and what helped, in the order they were said. `after`: what was said when
    it worked again: of that, only why it had not, and what helped."""
    explained = list(_explaining(_sentences(after)))
    sentences = list(dict.fromkeys([*_sentences(replies), *explained]))[-MAX_SENTENCES:]
    about = frozenset(content_words(error))
    scored = [
        (_score(sentence, about) + position / len(sentences), number, sentence)
        for number, (sentence, position) in enumerate(zip(sentences, range(1, len(sentences) + 1), strict=True))
    ]
    kept: dict[int, str] = {}
    left = chars
    for score, number, sentence in sorted(scored, key=lambda one: (-one[0], one[1])):
        if score < 0 or left < MIN_CHARS:
            break
        if score < TELLS and not _is_near(number, sentences, about):
            continue  # of something else
        fitting = sentence if len(sentence) <= left else _cut(sentence, left)
        if fitting and (fitting == sentence or not kept or score >= TELLS):
            kept[number] = fitting
            left -= len(fitting) + 1
    if not kept and scored:  # nothing tells anything; what there is may still name it
        score, number, sentence = max(scored, key=lambda one: (one[0], -one[1]))
        if fitting := (sentence if len(sentence) <= left else _cut(sentence, left)) if score > NOTHING else "":
            kept[number] = fitting
            left -= len(fitting) + 1
    best = max((score for score, number, _ in scored if number in kept), default=0.0)
    text = _joined(kept)
    shown = "" if best >= SAYS_ENOUGH else code_of(replies)
    if shown and len(text) + len(shown) < chars - 2 and shown not in text:
        text = f"{text} `{shown}`".strip()
    return Told(text=text, strength=best)


def _explaining(sentences: Sequence[str]) -> Iterator[str]:
    for sentence, following in zip(sentences, [*sentences[1:], ""], strict=False):
        if _CAUSE.search(sentence) or _HELPED.search(sentence) or _THAT_DID_IT.match(following):
            yield sentence


def _is_near(number: int, sentences: Sequence[str], about: frozenset[str]) -> bool:
    """Whether it speaks of the error, or says what to do right behind a sentence that does."""
    if about & frozenset(content_words(sentences[number])):
        return True
    before = sentences[number - 1] if number else ""
    is_order = not _HAS_SUBJECT.match(sentences[number])
    return is_order and bool(_CAUSE.search(before) or about & frozenset(content_words(before)))


def code_of(replies: Sequence[str]) -> str:
    """The first line of the last piece of code that was shown; empty: there is none that is short."""
    for reply in reversed(replies[-MAX_REPLIES:]):
        for block in reversed(_FENCED.findall(reply[:MAX_REPLY_CHARS])):
            lines = [line.strip() for line in block.splitlines()[1:] if re.search(r"\w{3}", line)]
            if lines and len(lines[0]) <= MAX_CODE_CHARS:
                return lines[0].replace("`", "'")
    return ""


def _joined(kept: Mapping[int, str]) -> str:
    """In the order they were said; a colon only before what it announces."""
    parts = []
    for number in sorted(kept):
        said = kept[number]
        if said.endswith(":") and number + 1 not in kept:
            said = said[:-1]
        parts.append(said if said.endswith((".", "!", "…", ":", ";")) else f"{said}.")
    return " ".join(parts)


def sentences_of(text: str) -> list[str]:
    """What is said in prose, without code, tables and marks; one sentence each."""
    prose = _HEADING.sub(" ", _FENCED.sub("\n", text[:MAX_REPLY_CHARS]))
    prose = _MARKUP.sub("", _TAG.sub(" ", prose))
    lines = (line.strip() for line in prose.splitlines() if not _TABLE.match(line))
    return [part.strip() for line in lines for part in _END.split(line) if part.strip()]


def _sentences(replies: Sequence[str]) -> list[str]:
    said = dict.fromkeys(sentence for reply in replies[-MAX_REPLIES:] for sentence in _shortened(reply))
    return list(said)[-MAX_SENTENCES:]


@lru_cache(maxsize=32)  # each open error reads the same replies
def _shortened(reply: str) -> tuple[str, ...]:
    """Without what only greets, and what the agent looks at next."""
    found = (_LET_ME.sub("", _GREETING.sub("", sentence)).strip() for sentence in dict.fromkeys(sentences_of(reply)))
    return tuple(sentence for sentence in found if len(sentence) >= MIN_CHARS)


def _score(sentence: str, about: frozenset[str]) -> float:
    is_report = _REPORTS.match(sentence) and not _CAUSE.search(sentence)
    if sentence.endswith("?") or _PASSES.match(sentence) or is_report:
        return 2 * NOTHING
    score = 0.0
    if _NARRATES.match(sentence):
        score -= 4.0
    if _WAVERS.search(sentence):
        score -= 2.5
    if _CAUSE.search(sentence):
        score += 2.5
    score += min(1.5, 0.5 * len(_WHY.findall(sentence)))
    if _REMEDY.search(sentence):
        score += 1.5
    if _HELPED.search(sentence) and not _THAT_DID_IT.match(sentence):
        score += HELPED  # a cause without its remedy helps nobody
    score += min(1.5, 0.5 * len(_NAME.findall(sentence)))
    words = frozenset(content_words(sentence))
    score += min(1.2, 0.3 * len(about & words))
    if len(about & words) >= RESTATES * len(words):  # it says the error once more
        score -= 2.0
    return score - (0.5 if sentence.endswith(":") else 0.0)


_CLAUSE = Pattern(r"(?:\s—|\s-|;|,|\.)\s")


def _cut(sentence: str, chars: int) -> str:
    """At a clause where that leaves most of it, else at a word; empty: too little would be left."""
    if chars < 40:
        return ""
    clauses = [end.start() for end in _CLAUSE.finditer(sentence, chars // 2, chars - 1)]
    words = [at for at in range(chars // 2, chars - 2) if sentence[at] == " "]
    for ends, mark in ((clauses, ""), (words, " …")):
        whole = [end for end in ends if sentence.count("`", 0, end) % 2 == 0]  # not within a name
        if whole:
            return sentence[: whole[-1]].rstrip(" ,;—-(") + mark
    return ""
