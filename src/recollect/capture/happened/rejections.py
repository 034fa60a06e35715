"""The user refused or reverted, and something else was accepted: a correction, in the user's own words.

Without words there is no correction: nobody knows what was wrong. What a shell prints is never the user speaking.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.capture.happened.calls import TextChange, changes_of, command_of, is_edit
from recollect.capture.happened.failures import failure_of, is_refusal
from recollect.capture.happened.fixes import split_prose
from recollect.capture.happened.gist import relative_paths, summarise_changes
from recollect.capture.happened.shell import runs
from recollect.capture.patterns import LazyPattern
from recollect.domain.event import Event, Prompt, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, MessageId, Role, Tier
from recollect.text.query import content_words

MAX_EDITS = 40
MAX_WORDS_CHARS, MAX_TEXT_CHARS = 240, 400
MIN_WORDS = 2  # that say something
MAX_SENTENCES = 2
DURABILITY = 0.85

# "No, use httpx" answers; "no axios in src/" is a rule, which would say the opposite without its first word.
_NO = (
    r"no\b(?=\s*(?:[,.!;:\u2014\u2013-]|$|\n)|\s+(?:no|nope|that's|that is|this is|it's|don't|do not|dont|i|we|"
    r"you|please|just|"
    r"let's)\b)"
)
_REFUSES = LazyPattern(
    rf"^\W*(?:(?:hey|hm+|ah|oh|sorry|ok|wait|stop|please)\W+)*(?:{_NO}(?!,? (?:problem|worries|idea|need|rush|thanks|"
    r"doubt|longer|more|changes?)\b)|nope|wrong|stop\b|"
    r"revert|undo|"
    r"roll (?:it|that|this) back|roll ?back|don't do (?:that|this)|not like (?:that|this)|"
    r"that(?:'s| is| was) (?:not|wrong|bad)|this is (?:not|wrong)|i (?:said|asked|told)|i (?:didn't|did not|"
    r"don't) want|"
    r"take (?:that|it) (?:out|back)|please (?:revert|undo|don't)|why did you)",
    re.IGNORECASE,
)
_ONLY_REFUSES = LazyPattern(
    r"^\W*(?:please\s+)?(?:no|nope|wrong|stop|wait|revert|undo|roll ?back|that(?:'s| is) (?:wrong|not (?:it|right|"
    r"what i \w+))|"
    r"not like (?:that|this)|don't do (?:that|this)|i (?:don't|didn't) want (?:that|this)|take (?:that|it) (?:out|"
    r"back))"
    r"(?:\s+(?:it|that|this|the (?:last )?(?:change|edit|commit)s?|please|again|back|all|everything|one|now|"
    r"at all))*\W*$",
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
    r"leave|"
    r"only|rather|without|we (?:use|have|don't|do|call|keep)|it(?:'s| is) called|belongs?|not|go(?:es)? (?:in|into|to)|"
    r"stick|follow|call it|name it|rename|move|add|remove)\b",
    re.IGNORECASE,
)
# How hosts print what the user said when they refused: at the beginning, and never in the output of a program.
_FEEDBACK = LazyPattern(
    r"^(?:<\w+>)?\s*(?:Error:?\s*)?(?:The user|User|Permission|Tool use)[^\n]{0,400}?(?:the user said|"
    r"following (?:feedback|"
    r"message|reason)|feedback|reason given)\s*:\s*(?P<said>\S.{2,600})",
    re.IGNORECASE | re.DOTALL,
)
_PASTE_START = LazyPattern(r":[ \t]*\n|\n\s*\n\s*[\[$>~/]|```")  # what comes behind it was not typed
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
    waits: bool  # for the user to go on: until then nobody knows that the next edit is the right one
    accepted: str = ""


class Rejections:
    """Hears a session; gives a correction when something was accepted in the place of what was refused."""

    def __init__(self) -> None:
        self._edits: deque[_Edit] = deque(maxlen=MAX_EDITS)  # since the user spoke before the last time
        self._fresh = 0  # how many of them since the user spoke last
        self._refusal: _Refusal | None = None

    def hear(self, event: Event) -> list[Proposal]:
        match event:
            case Prompt() if event.origin is Origin.USER:
                return self._hear_prompt(event)
            case ToolFailed():
                self._hear_failure(event)
                return []
            case ToolSucceeded() if not failure_of(event):
                return self._hear_success(event)
            case SessionEnded():
                return self._settle()
            case _:
                return []

    def _hear_prompt(self, prompt: Prompt) -> list[Proposal]:
        refuses = bool(_REFUSES.match(prompt.text[:200]))
        open_one = self._refusal
        if open_one is not None and not open_one.words and not open_one.accepted:
            open_one.words = _find_wish(prompt.text)  # refused without a word; this says why
            open_one.messages = (*open_one.messages, prompt.message)
            if open_one.words:
                return []
        settled = [] if refuses else self._settle()
        fresh = list(self._edits)[-self._fresh :] if self._fresh else []
        if refuses and fresh:
            self._refusal = _Refusal(
                _find_wish(prompt.text),
                tuple(dict.fromkeys(edit.path for edit in fresh)),
                fresh[-1].gist,
                (prompt.message,),
                waits=True,
            )
        elif not refuses:
            self._refusal = None
        self._fresh = 0
        return settled

    def _hear_failure(self, event: ToolFailed) -> None:
        if not is_refusal(event.error):
            return
        changes = changes_of(event.tool, event.input)
        if not changes:
            return
        said = _FEEDBACK.match(event.error) if is_edit(event.tool) else None
        messages = (event.message,) if event.message else ()
        words = _find_wish(said["said"], is_answer=True) if said else ""
        self._refusal = _Refusal(
            words, _paths(changes, event.folder), summarise_changes(changes), messages, waits=False
        )

    def _hear_success(self, event: ToolSucceeded) -> list[Proposal]:
        changes = changes_of(event.tool, event.input)
        if not changes:
            self._hear_undo(event)
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

    def _hear_undo(self, event: ToolSucceeded) -> None:
        """A file that was just edited is as it was before: what the user said last may be the reason."""
        for run in runs(command_of(event.tool, event.input)):
            if run.program == "git" and run.task in _UNDOES and self._refusal is not None:
                self._refusal.accepted = ""

    def _settle(self) -> list[Proposal]:
        refusal, self._refusal = self._refusal, None
        if refusal is None or not refusal.words or not refusal.accepted or refusal.accepted == refusal.refused:
            return []
        about = f"refused: {refusal.refused} Accepted: {refusal.accepted}"
        text = f"{refusal.words} ({about})"
        # Who speaks of something else has not refused that edit, though it was the last one.
        means_it = set(content_words(refusal.words)) & set(content_words(about))
        if not means_it or len(text) > MAX_TEXT_CHARS:
            text = f"{refusal.words} (in {', '.join(refusal.paths[:2])})"
        return [
            Proposal(
                text=text[:MAX_TEXT_CHARS],
                kind=Kind.CORRECTION,
                # What was wanted there is a rule for later only if it says so, of what was edited.
                tier=Tier.CONFIRMED if means_it and _LASTING_WORD.search(refusal.words) else Tier.CANDIDATE,
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
    """What the user wants instead, as they said it; empty: they did not say."""
    kept: list[str] = []
    for sentence in split_prose(_PASTE_START.split(said[:1500], maxsplit=1)[0]):
        wanted = _LEAD.sub("", sentence).strip()
        if not wanted or wanted.endswith("?") or _ONLY_REFUSES.match(wanted):
            continue
        is_wish = is_answer or _WANTS.search(wanted)
        if is_wish and len(content_words(wanted)) >= MIN_WORDS and len(" ".join([*kept, wanted])) <= MAX_WORDS_CHARS:
            kept.append(wanted[:1].upper() + wanted[1:])
        if len(kept) == MAX_SENTENCES:
            break
    return " ".join(one if one.endswith((".", "!")) else f"{one}." for one in kept)
