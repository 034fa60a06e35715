"""Read memories from the summary that a host's model writes when a session is compacted. Pure.

A model's words prove nothing: a line is a candidate, unless it quotes the user's own words. The list that the compaction
prompt asks for is read first, then the sections of the summary by their headings.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.capture.grounding import Quote, find_quote, is_own_word
from recollect.capture.recaps import line_cues
from recollect.capture.recaps.harvest_kinds import kind_by_words, section_of, split_kind
from recollect.capture.recaps.message_points import RecapPoint, read_points, strip_markdown
from recollect.capture.said.development import paths_in
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import Kind, MessageId, Role, Tier
from recollect.domain.session import Turn
from recollect.text.lazy_pattern import LazyPattern
from recollect.text.sentences import shorten

MAX_CHARS = 400
MAX_READ_CHARS = 60_000
MAX_LISTED, MAX_PROPOSALS = 8, 20
MIN_SHARED = 0.9  # of a line's words in an earlier proposal
MIN_WORDS, MIN_WORD_CHARS = 4, 3
LISTED_DURABILITY = 0.7
PER_NAME, MAX_NAMES = 0.05, 4

# The analysis before a summary says the same less well.
_ANALYSIS = LazyPattern(r"<analysis>.*?(?:</analysis>|\Z)", re.DOTALL | re.IGNORECASE)
_TITLE = LazyPattern(r"[^\w\n]{0,20}(?P<title>analysis|summary):?[^\w\n]{0,20}$", re.IGNORECASE)
_TAG = LazyPattern(r"</?(?:summary|analysis|system-reminder|context)>", re.IGNORECASE)
_LIST_HEADING = LazyPattern(
    r"\b(?:worth (?:remembering|keeping)|to remember|remember(?:ing)? for later)\b", re.IGNORECASE
)
_NOTHING = LazyPattern(r"^\W*(?:none|nothing|n/?a|no (?:new|further))\b.{0,40}$|: none\W*$", re.IGNORECASE)
_QUOTE = LazyPattern(r'\s*[(—–-]*\s*["“](?P<words>[^"“”]{12,400})["”][).]*\s*$')
_BLOCK_MARKS = LazyPattern(r"^\s*(?:- )?(?:\[[A-Z]+\] )?|\s*\(\d+-\d\d-\d\d, [^()]+\)\s*$")
_POINTS_BACK = LazyPattern(
    r"^(?:this|that|these|those|it|its|they|both|he|she|here|there|which|however|therefore|also|then|but"
    r"|the (?:latter|former|above))\b",
    re.IGNORECASE,
)
_PROPOSES = LazyPattern(
    r"^(?:pass|handle|add|consider|design|create|update|implement|write|run|check|verify|review|test|try|make|"
    r"refactor|pros?|cons?|option|whether|how to|what|why|when to|in another|if you|you (?:can|could|may|might|"
    r"should)|the exact|to (?:fix|do|run)|note that)\b",
    re.IGNORECASE,
)
_NUMBER = LazyPattern(r"^(?:#?\d+(?:\s*(?:&|,|and)\s*#?\d+)*|lines? \d+(?:-\d+)?)\s*[:.)]\s+", re.IGNORECASE)


def harvest(summary: str, *messages: MessageId, said: Sequence[Turn] = ()) -> list[Proposal]:
    """Return proposals, the most durable first. `messages`: of the summary; `said`: the user's turns, for quotes."""
    points = read_points(_TAG.sub("\n", _without_analysis(summary[:MAX_READ_CHARS])))
    found: list[Proposal] = []
    known: list[frozenset[str]] = []
    for line, kind, durability in (*_read_list(points), *_read_sections(points)):
        quoted = _QUOTE.search(line)
        quote = find_quote(said, quoted["words"]) if quoted else None
        if quoted and quote:
            line = line[: quoted.start()]
        words = _words(_BLOCK_MARKS.sub("", line))
        is_repeated = any(len(words & other) >= MIN_SHARED * len(words) for other in known)
        if len(words) >= MIN_WORDS and not is_repeated:
            known.append(words)
            found.append(_proposal(line, kind, durability, messages, quote))
    return sorted(found, key=lambda one: -one.durability)[:MAX_PROPOSALS]


def _without_analysis(summary: str) -> str:
    """Cut the analysis in tags, or from its heading to that of the summary. Line by line, so that no text takes long."""
    kept: list[str] = []
    analysis: list[str] | None = None  # lines below its heading; kept if no summary follows
    for line in _ANALYSIS.sub("", summary).split("\n"):
        title = _TITLE.match(line)
        if title and title["title"].lower() == "summary":
            analysis = None
        elif title and analysis is None:
            analysis = []
        (kept if analysis is None else analysis).append(line)
    return "\n".join([*kept, *(analysis or [])])


def _proposal(
    line: str, kind: Kind, durability: float, messages: tuple[MessageId, ...], quote: Quote | None
) -> Proposal:
    proposal = Proposal(
        text=line,
        kind=kind,
        tier=Tier.CANDIDATE,
        basis=Basis.SUMMARY,
        role=Role.ASSISTANT,
        messages=messages,
        evidence=(line,),
        durability=durability,
        paths=paths_in(line)[:5],
    )
    if quote is None or not is_own_word(line, quote):
        return proposal
    own = (quote.turn.message,)
    return replace(proposal, tier=Tier.CONFIRMED, role=Role.USER, messages=own, evidence=(quote.words,))


def _read_list(points: Sequence[RecapPoint]) -> Iterator[tuple[str, Kind, float]]:
    """Read the list that was asked for, in any form."""
    lines: list[str] = []
    for point in points:
        if _LIST_HEADING.search(point.lead):
            lines += [line for line in point.lines if not _NOTHING.match(line)]
    for line in lines[:MAX_LISTED]:
        kind, said = split_kind(line)
        said = shorten(strip_markdown(said), chars=MAX_CHARS)
        yield said, kind or kind_by_words(said) or Kind.RESEARCH, LISTED_DURABILITY


def _read_sections(points: Sequence[RecapPoint]) -> Iterator[tuple[str, Kind, float]]:
    for point in points:
        section = section_of(point.lead)
        if point.is_typed or section is None or _LIST_HEADING.search(point.lead):
            continue
        for line in point.lines:
            said = shorten(_NUMBER.sub("", line_cues.without_filler(line)), chars=MAX_CHARS)
            kind = kind_by_words(said) or section.kind
            names = line_cues.specificity(said)
            if kind is not None and names and not _is_passing(said):
                yield said, kind, min(1.0, section.durability + PER_NAME * min(names, MAX_NAMES))


def _is_passing(line: str) -> bool:
    """Return True if it is talk, matters only today, or cannot be understood alone."""
    if line_cues.is_talk(line) or line_cues.is_question(line) or line_cues.is_to_do(line) or line.endswith(":"):
        return True
    return bool(_POINTS_BACK.match(line) or _PROPOSES.match(line) or _NOTHING.search(line))


def _words(line: str) -> frozenset[str]:
    words = (word.strip(".,;:!?()[]{}'\"`*…") for word in line.casefold().split())
    return frozenset(word for word in words if len(word) >= MIN_WORD_CHARS or word.isdigit())
