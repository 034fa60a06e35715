"""Learn corrections: the user refused or reverted something, and accepted something else. In the user's own words.

Without words there is no correction: what was wrong is unknown. The output of a shell is never the user speaking.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.capture.happened.calls import TextChange, changes_of, command_of, is_edit
from recollect.capture.happened.edit_summary import relative_paths, summarise_changes
from recollect.capture.happened.failures import failure_of, is_refusal
from recollect.capture.happened.fixes import split_prose
from recollect.capture.happened.shell import runs
from recollect.domain.event import Event, Prompt, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, MessageId, Role, Tier
from recollect.text.lazy_pattern import LazyPattern
from recollect.text.query import content_words

MAX_EDITS = 40
MAX_WORDS_CHARS, MAX_TEXT_CHARS = 240, 400
MIN_WORDS = 2  # content words
MAX_SENTENCES = 2
DURABILITY = 0.85

# "No, use httpx" answers; "no axios in src/" is a rule, and would mean the opposite without its first word.
_NO = (
    r"no\b(?=\s*(?:[,.!;:\u2014\u2013-]|$|\n)|\s+(?:no|nope|that's|that is|this is|it's|don't|do not|dont|i|we|you|"
    r"please|just|let's)\b)"
)
_REFUSES = LazyPattern(
    rf"^\W*(?:(?:hey|hm+|ah|oh|sorry|ok|wait|stop|please)\W+)*(?:{_NO}(?!,? (?:problem|worries|idea|need|rush|thanks|"
    r"doubt|longer|more|changes?)\b)|nope|wrong|stop\b|revert|undo|roll (?:it|that|this) back|roll ?back|"
    r"don't do (?:that|this)|not like (?:that|this)|that(?:'s| is| was) (?:not|wrong|bad)|this is (?:not|wrong)|"
    r"i (?:said|asked|told)|i (?:didn't|did not|don't) want|take (?:that|it) (?:out|back)|please (?:revert|undo|"
    r"don't)|why did you)",
    re.IGNORECASE,
)
_ONLY_REFUSES = LazyPattern(
    r"^\W*(?:please\s+)?(?:no|nope|wrong|stop|wait|revert|undo|roll ?back|that(?:'s| is) (?:wrong|not (?:it|right|"
    r"what i \w+))|not like (?:that|this)|don't do (?:that|this)|i (?:don't|didn't) want (?:that|this)|take (?:that|"
    r"it) (?:out|back))(?:\s+(?:it|that|this|the (?:last )?(?:change|edit|commit)s?|please|again|back|all|everything|"
    r"one|now|at all))*\W*$",
    re.IGNORECASE,
)
_LEAD = LazyPattern(
    rf"^\W*(?:(?:{_NO}|nope|wrong|stop|wait|hm+|ah|oh|ok|please|sorry|hey|undo (?:it|that|this)|revert (?:it|"
    rf"that|this)|"
    r"not like (?:that|this)|that(?:'s| is) (?:wrong|not right|not it))\b[\s,.;:!—-]*)+(?:and |but )?",
    re.IGNORECASE,
)
_WANTS = LazyPattern(
    r"\b(?:use|using|instead|don't|do not|never|always|should|shouldn't|must|mustn't|keep|prefer|want|need|put|make|"
    r"leave|only|rather|without|we (?:use|have|don't|do|call|keep)|it(?:'s| is) called|belongs?|not|go(?:es)? (?:in|"
    r"into|to)|stick|follow|call it|name it|rename|move|add|remove)\b",
    re.IGNORECASE,
)
# How hosts print the user's words at a refusal: at the beginning, and never in the output of a program.
_FEEDBACK = LazyPattern(
    r"^(?:<\w+>)?\s*(?:Error:?\s*)?(?:The user|User|Permission|Tool use)[^\n]{0,400}?(?:the user said|"
    r"following (?:feedback|message|reason)|feedback|reason given)\s*:\s*(?P<said>\S.{2,600})",
    re.IGNORECASE | re.DOTALL,
)
_PASTE_START = LazyPattern(r":[ \t]*\n|\n\s*\n\s*[\[$>~/]|```")  # the text behind it was not typed
_UNDOES = frozenset({"checkout", "restore", "revert", "reset", "stash"})

_LASTING_WORD = LazyPattern(
    r"\b(?:instead|rather|never|always|don't|do not|not|we|here|everywhere|only|no more)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Edit:
    path: str
    gist: str


@dataclass(slots=True)
class _Refusal:
    words: str  # of the user; empty: none yet
    paths: tuple[str, ...]
    refused: str
    messages: tuple[MessageId, ...]
    waits: bool  # for the next prompt: only then is it known that the next edit was right
    accepted: str = ""


class Rejections:
    def __init__(self) -> None:
        self._edits: deque[_Edit] = deque(maxlen=MAX_EDITS)
        self._fresh = 0  # edits since the last prompt
        self._refusal: _Refusal | None = None

    def hear(self, event: Event) -> list[Proposal]:
        match event:
            case Prompt() if event.origin is Origin.USER:
                return self._hear_prompt(event)
            case ToolFailed() if is_refusal(event.error):
                self._hear_refusal(event)
                return []
            case ToolSucceeded() if not failure_of(event):
                return self._hear_success(event)
            case SessionEnded():
                return self._settle()
            case _:
                return []

    def _hear_prompt(self, prompt: Prompt) -> list[Proposal]:
        refuses = bool(_REFUSES.match(prompt.text[:200]))
        refusal = self._refusal
        if refusal is not None and not refusal.words and not refusal.accepted:
            refusal.words = _find_wish(prompt.text)  # refused without a word; this says why
            refusal.messages = (*refusal.messages, prompt.message)
            if refusal.words:
                return []
        settled = [] if refuses else self._settle()
        if refuses and self._fresh:
            fresh = list(self._edits)[-self._fresh :]
            paths = tuple(dict.fromkeys(edit.path for edit in fresh))
            words = _find_wish(prompt.text)
            self._refusal = _Refusal(words, paths, fresh[-1].gist, (prompt.message,), waits=True)
        self._fresh = 0
        return settled

    def _hear_refusal(self, event: ToolFailed) -> None:
        changes = changes_of(event.tool, event.input)
        if not changes:
            return
        feedback = _FEEDBACK.match(event.error) if is_edit(event.tool) else None
        words = _find_wish(feedback["said"], is_answer=True) if feedback else ""
        messages = (event.message,) if event.message else ()
        paths = _paths(changes, event.folder)
        self._refusal = _Refusal(words, paths, summarise_changes(changes), messages, waits=False)

    def _hear_success(self, event: ToolSucceeded) -> list[Proposal]:
        changes = changes_of(event.tool, event.input)
        if not changes:
            for run in runs(command_of(event.tool, event.input)):
                if run.program == "git" and run.task in _UNDOES and self._refusal is not None:
                    self._refusal.accepted = ""  # an undone edit was not accepted
            return []
        paths = _paths(changes, event.folder)
        gist = summarise_changes(changes)
        self._edits.extend(_Edit(path, gist) for path in paths)
        self._fresh = min(MAX_EDITS, self._fresh + len(paths))
        refusal = self._refusal
        if refusal is None or not set(paths) & set(refusal.paths):
            return []
        refusal.accepted = gist
        return [] if refusal.waits or not refusal.words else self._settle()

    def _settle(self) -> list[Proposal]:
        refusal, self._refusal = self._refusal, None
        if refusal is None or not refusal.words or not refusal.accepted or refusal.accepted == refusal.refused:
            return []
        about = f"refused: {refusal.refused} Accepted: {refusal.accepted}"
        text = f"{refusal.words} ({about})"
        # Words about something else do not refuse that edit, though it was the last one.
        means_it = set(content_words(refusal.words)) & set(content_words(about))
        if not means_it or len(text) > MAX_TEXT_CHARS:
            text = f"{refusal.words} (in {', '.join(refusal.paths[:2])})"
        # The wish is a rule for later only if it says so, about the edited text.
        is_rule = means_it and _LASTING_WORD.search(refusal.words)
        return [
            Proposal(
                text=text[:MAX_TEXT_CHARS],
                kind=Kind.CORRECTION,
                tier=Tier.CONFIRMED if is_rule else Tier.CANDIDATE,
                basis=Basis.REJECTION,
                role=Role.USER,
                messages=refusal.messages,
                evidence=(refusal.words,),
                durability=DURABILITY,
                paths=refusal.paths[:6],
                explicit=True,
            )
        ]


def _paths(changes: Sequence[TextChange], folder: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(relative_paths((change.path for change in changes), folder)))


def _find_wish(said: str, *, is_answer: bool = False) -> str:
    """Return what the user wants instead, in their words; empty: they did not say."""
    kept: list[str] = []
    for sentence in split_prose(_PASTE_START.split(said[:1500], maxsplit=1)[0]):
        wish = _LEAD.sub("", sentence).strip()
        if not wish or wish.endswith("?") or _ONLY_REFUSES.match(wish):
            continue
        is_wish = (is_answer or _WANTS.search(wish)) and len(content_words(wish)) >= MIN_WORDS
        if is_wish and len(" ".join([*kept, wish])) <= MAX_WORDS_CHARS:
            kept.append(wish[:1].upper() + wish[1:])
        if len(kept) == MAX_SENTENCES:
            break
    return " ".join(one if one.endswith((".", "!")) else f"{one}." for one in kept)
