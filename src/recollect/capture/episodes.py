"""Error, then fix: what failed is kept until the same work succeeds; what was said and done in between is the fix.

One error becomes one proposal. What only says that something failed, what a person stopped, and what nothing was done
about is forgotten. Bounded: the oldest open error makes room.
"""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.capture.calls import changes_of, command_of, is_shell, named, target_of
from recollect.capture.failures import failure_of, is_work
from recollect.capture.fixes import TELLS, Told, told
from recollect.capture.gist import gist_of, last_part, places
from recollect.capture.outright import gives_rules
from recollect.capture.patterns import Pattern
from recollect.capture.shell import Run, adds, folder_of, normalised, repeats, runs, shown
from recollect.capture.voice import own_words
from recollect.domain.event import Compacted, Compacting, Event, Prompt, Reply, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, MessageId, Role, Tier
from recollect.text.error_lines import further_lines
from recollect.text.query import content_words
from recollect.text.signature import Signature, signature

MAX_OPEN, MAX_ELSEWHERE, MAX_STEPS = 24, 3, 240
MAX_AGE = 400  # events: whoever comes back to a command after that long has done other things in between
MAX_TITLE_CHARS, MAX_TEXT_CHARS = 110, 400
MAX_EVIDENCE, MAX_EVIDENCE_CHARS = 5, 300
MAX_PATHS = 6
MAX_ABOUT_CHARS = 2000
MIN_CHARS = 20  # what is shorter could be said of anything
PATIENCE = 12  # events that a fix without words waits for the words
DURABILITY, DOUBTFUL = 0.8, 0.4

_CLASS_AND_VALUE = Pattern(r"^(?!Timeout)(?:\w+\.)*[A-Z]\w*(?:Error|Exception): ['\"`]?[A-Za-z_]\w{2,}")
_DOCUMENT = Pattern(
    r"\.(?:md|mdx|rst|adoc|txt)$|^docs?/|/docs?/|(?:^|/)(?:CHANGELOG|README|LICENSE|NOTES)\b", re.IGNORECASE
)
_WHERE = ("workdir", "cwd", "dir_path", "working_directory")  # what hosts call the folder of a command
# A command that only looks, or checks, has put nothing in place.
_LOOKING = frozenset(
    "log show diff status get describe logs list view version help test lint check info blame fmt typecheck config "
    "outdated why ps plan validate branch remote whoami env doctor search".split()
)
_CHECKING = frozenset("pytest jest vitest mypy pyright tsc eslint ruff rspec phpunit golangci-lint curl jq ps".split())


@dataclass(frozen=True, slots=True)
class _Step:
    """Something said or done after an error."""

    at: int
    said: str = ""
    message: MessageId | None = None
    changed: str = ""  # what an edit did, in short
    ran: str = ""  # a command that put something in place
    paths: tuple[str, ...] = ()


@dataclass(slots=True)
class _Open:
    """An error that nothing has ended yet."""

    work: "_Work"
    elsewhere: "list[_Work]"  # other work that met it, too
    sign: Signature
    error: str
    since: int
    until: int | None = None  # when another error took its place
    passed: int | None = None  # when the work succeeded, while the words for it are still awaited
    passed_as: str = ""
    messages: list[MessageId] = field(default_factory=list)

    def is_met_by(self, work: "_Work") -> bool:
        """Whether this does the work that the error stopped."""
        return any(one.is_done_by(work, self.error) for one in (self.work, *self.elsewhere))


@dataclass(frozen=True, slots=True)
class _Work:
    tool: str
    command: str  # by which it is known again
    shown: str  # as people read it
    runs: tuple[Run, ...]
    target: str
    folder: str  # where it was run; empty: where the host works

    @classmethod
    def of(cls, tool: str, given: dict[str, Any]) -> "_Work":
        command = command_of(tool, given)
        where = folder_of(command) or next((given[name] for name in _WHERE if isinstance(given.get(name), str)), "")
        return cls(named(tool), normalised(command), shown(command), runs(command), target_of(given), last_part(where))

    def is_done_by(self, other: "_Work", error: str) -> bool:
        if self.folder and other.folder and self.folder != other.folder:  # another package of the same repository
            return False
        if self.command or other.command:
            return self.command == other.command or repeats(self.runs, other.runs, error)
        return (self.tool, self.target) == (other.tool, other.target)


class Episodes:
    """Hears a session; gives an error pattern when an error has met its end."""

    def __init__(self) -> None:
        self._now = 0
        self._open: list[_Open] = []
        self._steps: deque[_Step] = deque(maxlen=MAX_STEPS)

    def hear(self, event: Event) -> list[Proposal]:
        self._now += 1
        match event:
            case ToolFailed() | ToolSucceeded():
                return self._used(event)
            case Reply():
                self._say(event.message, event.text)
                return self._settled()
            case Prompt():
                settled = self._settled()
                if event.origin is Origin.USER:
                    self._say(event.message, own_words(event.text))
                return settled
            case SessionEnded():
                settled = self._settled()
                self._open.clear()
                self._steps.clear()
                return settled
            case Compacting() | Compacted():
                return self._settled()
            case _:
                return []

    def _say(self, message: MessageId, text: str) -> None:
        """A message that has grown since takes its own place."""
        if self._steps and self._steps[-1].message == message:
            self._steps.pop()
        self._steps.append(_Step(self._now, said=text, message=message))

    def _used(self, event: ToolFailed | ToolSucceeded) -> list[Proposal]:
        work = _Work.of(event.tool, event.input)
        error = failure_of(event)
        settled = self._settled(patience=PATIENCE)
        if error:
            self._failed(work, error, event)
            return settled
        if not isinstance(event, ToolSucceeded):
            return settled
        for one in self._open:
            if one.passed is None and one.is_met_by(work):
                one.passed = self._now
                one.passed_as = work.shown if adds(work.shown, one.work.shown) else ""
        told_already = [one for one in self._open if one.passed == self._now and self._is_told(one)]
        self._note(work, event)
        return [*settled, *self._proposed(told_already)]

    def _failed(self, work: _Work, error: str, event: ToolFailed | ToolSucceeded) -> None:
        if not is_work(error):
            return
        sign = signature(error)
        for one in self._open:  # the same work, another error: the first one is overcome
            if one.until is None and one.sign.key != sign.key and one.is_met_by(work):
                one.until = self._now
        known = next((one for one in self._open if one.sign.key == sign.key), None)
        if known is not None:
            known.until = known.passed = None
            if not known.is_met_by(work):
                known.elsewhere = [*known.elsewhere, work][-MAX_ELSEWHERE:]
            return
        if sign.is_generic or not _is_specific(sign.headline) or gives_rules(sign.headline):
            return
        message = event.message if isinstance(event, ToolFailed) else None
        self._open.append(_Open(work, [], sign, error[:20_000], self._now, messages=[message] if message else []))
        del self._open[:-MAX_OPEN]

    def _note(self, work: _Work, event: ToolSucceeded) -> None:
        """What the call did, if it may be part of a fix."""
        changes = changes_of(event.tool, event.input)
        if changes:
            paths = tuple(places((change.path for change in changes), event.folder))
            self._steps.append(_Step(self._now, changed=gist_of(changes), paths=paths))
        elif (
            is_shell(event.tool)
            and not any(one.work.command == work.command for one in self._open)
            and any(_puts_in_place(run) for run in work.runs)
        ):
            self._steps.append(_Step(self._now, ran=work.shown))

    def _settled(self, patience: int = 0) -> list[Proposal]:
        """What has waited for words long enough."""
        self._open = [one for one in self._open if one.passed is not None or self._now - one.since <= MAX_AGE]
        ready = [one for one in self._open if one.passed is not None and self._now - one.passed >= patience]
        return self._proposed(ready)

    def _is_told(self, one: _Open) -> bool:
        return self._told(one, self._between(one)).strength >= TELLS

    def _proposed(self, ended: Sequence[_Open]) -> list[Proposal]:
        self._open = [one for one in self._open if one not in ended]
        found = (self._proposal(one) for one in ended)
        return [proposal for proposal in found if proposal is not None]

    def _between(self, one: _Open) -> list[_Step]:
        end = one.until or self._now
        return [step for step in self._steps if one.since < step.at <= end]

    def _told(self, one: _Open, steps: Iterable[_Step]) -> Told:
        room = MAX_TEXT_CHARS - len(_title(one.sign)) - 2
        passed = self._now if one.passed is None else one.passed
        before = [step.said for step in steps if step.said and step.at <= passed]
        after = [step.said for step in steps if step.said and step.at > passed]
        return told(before, one.sign.headline, chars=room, after=after)

    def _proposal(self, one: _Open) -> Proposal | None:
        steps = self._between(one)
        if not steps and one.until is not None:  # it gave way to another error, and what helped is told after that
            steps = [step for step in self._steps if step.at > one.since]
        done = [step for step in steps if (step.changed or step.ran) and step.at < (one.passed or self._now)]
        words = self._told(one, steps)
        done = _about(done, f"{one.error[:MAX_ABOUT_CHARS]} {one.work.shown} {words.text}")
        if not words.text and not done and not one.passed_as:
            return None
        if not one.work.command and words.strength < TELLS:  # a tool of the agent that it used wrongly
            return None
        title = _title(one.sign)
        room = MAX_TEXT_CHARS - len(title) - 2
        fix = _with_context(
            _with_deeds(words.text, done, one.passed_as, room), one, room, is_told=words.strength >= TELLS
        )
        is_proven = words.strength >= 0 or bool(done) or bool(one.passed_as)  # else it may have gone away by itself
        messages = [*one.messages, *(step.message for step in steps if step.message)]
        return Proposal(
            text=f"{title}: {fix}",
            kind=Kind.ERROR_PATTERN,
            tier=Tier.CONFIRMED if is_proven else Tier.CANDIDATE,
            basis=Basis.PAIR,
            role=Role.ASSISTANT,
            messages=tuple(dict.fromkeys(messages))[:12],
            evidence=_evidence(one),
            durability=DURABILITY if is_proven else DOUBTFUL,
            title=title,
            paths=tuple(dict.fromkeys(path for step in done for path in step.paths))[:MAX_PATHS],
        )


def _about(done: Sequence[_Step], matter: str) -> list[_Step]:
    """Of what was done, what may have helped: no page of documentation, and where an edit has to do with the error, no
    other ones."""
    known = frozenset(content_words(matter))
    helped = [step for step in done if step.ran or not all(_DOCUMENT.search(path) for path in step.paths or ("",))]
    near = [
        step for step in helped if step.ran or known & frozenset(content_words(" ".join((step.changed, *step.paths))))
    ]
    return near if any(step.changed for step in near) else helped


def _is_specific(headline: str) -> bool:
    """`KeyError: 'tenant'` is short, and says which."""
    return len(headline) >= MIN_CHARS or bool(_CLASS_AND_VALUE.match(headline))


def _title(sign: Signature) -> str:
    line = sign.headline.rstrip(" .:;,")
    if len(line) <= MAX_TITLE_CHARS:
        return line
    end = line.rfind(" ", MAX_TITLE_CHARS // 2, MAX_TITLE_CHARS - 1)
    return f"{line[: end if end > 0 else MAX_TITLE_CHARS - 1].rstrip(' .:;,')}…"


def _evidence(one: _Open) -> tuple[str, ...]:
    """By which it is known again: its line, and the others that came with it."""
    lines = [one.sign.headline, *(line for line in further_lines(one.error) if not gives_rules(line))]
    return tuple(dict.fromkeys(line[:MAX_EVIDENCE_CHARS] for line in lines))[:MAX_EVIDENCE]


def _with_deeds(words: str, done: Sequence[_Step], passed_as: str, chars: int) -> str:
    """What was said; and where there is room, what was done."""
    parts = [words] if words else []
    deeds = [
        *(f"Ran `{step.ran}`." for step in done if step.ran and len(step.ran) <= 120 and step.ran not in words),
        *([f"Works as `{passed_as}`."] if passed_as and not done and len(passed_as) <= 160 else []),
        *(step.changed for step in reversed(done) if step.changed),
    ]
    for deed in dict.fromkeys(deeds):
        if len(" ".join([*parts, deed])) <= chars:
            parts.append(deed)
    if not parts and deeds:
        parts = [f"{deeds[0][: chars - 1]}…"]
    return " ".join(parts) or "it passed when it was run again."


def _with_context(fix: str, one: _Open, chars: int, *, is_told: bool) -> str:
    """Where there is room, on which command; and beside words that tell little, what else the error said."""
    known = frozenset(content_words(f"{one.sign.headline} {fix}"))
    parts = []
    if one.work.runs and not known.issuperset(content_words(one.work.runs[-1].program)):
        parts.append(f"(On `{one.work.shown}`.)")
    lines = [] if is_told else further_lines(one.error, also_doubtful=True)
    telling = [line for line in lines if not known.issuperset(content_words(line)) and not gives_rules(line)]
    parts += [f"It also said: {line}" for line in telling[:1]]
    for part in parts:
        fix = f"{fix} {part}" if len(fix) + len(part) < chars else fix
    return fix


def _puts_in_place(run: Run) -> bool:
    return run.program not in _CHECKING and run.task.split(" ")[-1] not in _LOOKING and not run.task.startswith("-")
