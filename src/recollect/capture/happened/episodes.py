"""Error, then fix: a command of the project failed, something was changed, and the very same command passes.

The fix is the change: a command that put something in place, another way to call it, an edit. An error of one moment is
forgotten: one that passed by itself, that the agent caused and mended, of a host or of a tool that only looks.
Bounded: the oldest open error makes room.
"""

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.capture.happened.calls import TextChange, changes_of, command_of, is_shell, normalise_tool
from recollect.capture.happened.command_purposes import Purpose, purpose_of
from recollect.capture.happened.failures import failure_of, is_work
from recollect.capture.happened.fixes import find_explanation
from recollect.capture.happened.folders import Folders
from recollect.capture.happened.gist import relative_paths, summarise_changes
from recollect.capture.happened.shell import Run, display_line, folder_of, is_cosmetic, is_filter, runs
from recollect.capture.patterns import LazyPattern
from recollect.capture.said.outright import gives_rules
from recollect.capture.said.voice import own_words
from recollect.domain.event import Event, Prompt, Reply, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, MessageId, Role, Tier
from recollect.text.query import content_words
from recollect.text.signature import Signature, signature

MAX_OPEN, MAX_STEPS = 24, 120
MAX_AGE_EVENTS = 200  # events: so long after a failure, other work lies between
MAX_CHANGES = 3  # with more of them, it was work and not a fix
MAX_TITLE_CHARS, MAX_TEXT_CHARS, MAX_COMMAND_CHARS = 110, 400, 140
MAX_EVIDENCE_CHARS = 300
MIN_CHARS = 20  # what is shorter could be said of anything
DURABILITY, DOUBTFUL = 0.8, 0.6

_CLASS_AND_VALUE = LazyPattern(r"^(?!Timeout)(?:\w+\.)*[A-Z]\w*(?:Error|Exception): ['\"`]?[A-Za-z_]\w{2,}")
_SHELL_ERROR = LazyPattern(r"(?:^|\s)(?:cd|pushd): |^(?:ls|grep|cat|rm|sed|find|head|tail): |unexpected (?:EOF|token)")
_IN_CODE = LazyPattern(
    r"\.(?:py|[jt]sx?|mjs|go|rs|java|kt|rb|php|cs|swift|c|h|cc|cpp|vue|svelte)[:(]\d+|"
    r"assert|expect\(|Expected|\bwant\b|^\s*(?:FAIL|✗|✕|×)|\d+ fail",
    re.MULTILINE,
)
_CONFIGURATION = LazyPattern(
    r"(?:^|/)(?:package|composer|turbo|nx|project|angular|deno|biome|vercel|launch|settings|\w*tsconfig[\w.-]*|"
    r"jsconfig|appsettings[\w.]*|[\w.-]+\.config|\.\w+rc)\.jsonc?$|\.config\.[cm]?[jt]s$|\.(?:toml|ini|cfg|conf|"
    r"properties|gradle|kts|csproj|sln|tf|mod)$|(?:^|/)(?:\.env[\w.]*|\.[\w-]+rc|Makefile|[\w.-]*Dockerfile[\w.-]*|"
    r"[Jj]ustfile|Gemfile|Procfile|pom\.xml|requirements[\w.-]*\.txt|conftest\.py|\.tool-versions|\.nvmrc|"
    r"(?:docker-)?compose[\w.-]*\.ya?ml|Taskfile\.ya?ml|\.[\w./-]+\.ya?ml|[\w-]*config[\w-]*\.ya?ml)$"
)
# Programs that look, move files about, talk to somewhere, or run a text of the moment.
_ONE_OFF_PROGRAMS = frozenset(
    """
    gh curl wget http ssh scp rsync jq xargs rm cp mv ln chmod chown kill pkill ps lsof nc ping du df tar unzip diff
    tree stat file open osascript wsl powershell pwsh cmd xxd od base64 aws az gcloud
    sqlite3 psql mysql strings for while timeout cat
    """.split()
)
_INTERPRETERS = frozenset("python node ruby perl php bash sh zsh tsx ts-node deno".split())
_DELEGATING_TOOLS = frozenset({"task", "agent", "skill", "workflow"})  # tools behind which others work
_WRITES = LazyPattern(
    r"\b(?:sed|perl)\b[^|;&]*\s-\w*i|<<|(?<![\d&])>>?\s*(?!/dev/|&|/tmp/)\S|--(?:fix|write)\b|\btee\s+[^|-]"
)
_MOVES = frozenset("mv cp rm patch gofmt black prettier isort".split())
_GIT_CHANGES = frozenset(
    "stash checkout restore apply revert reset merge rebase pull cherry-pick switch am clean".split()
)
_GIT_WORK = frozenset({"commit", "push", "clone", "submodule", "lfs"})
# Tasks, programs and scripts that put something in place.
_SETUP_TASKS = frozenset(
    """
    install i ci sync restore setup bootstrap deps up start enable use login auth generate gen codegen migrate
    seed create init link build compile tidy download pull reset clean prune dev serve allow trust
    submodule lfs ensure prepare
    """.split()
)
_SETUP_PROGRAMS = frozenset(
    "nvm fnm volta corepack sdk asdf brew apt apt-get yum dnf apk pacman gem createdb systemctl service pip playwright "
    "chmod cp ln kill pkill killall rm open colima minikube redis-server pg_ctl ollama direnv rustup".split()
)
_SYSTEMS = frozenset("kubectl helm terraform alembic docker prisma supabase flyctl".split())
_READING_TASKS = frozenset(
    "get describe logs plan show ps status list ls diff history current heads images inspect".split()
)
_PACKAGE_MANAGERS = frozenset("npm pnpm yarn bun cargo uv poetry composer pdm".split())  # and write it into the project
_LONG_PATH = LazyPattern(r"(?:[A-Za-z]:)?(?:[/\\][\w.@+ -]+){2,}([/\\][\w.@+-]+[/\\][\w.@+-]+)")
_BYPASS_FLAG = LazyPattern(r"--no-verify|--force\S*|-f|--skip\S*|--ignore\S*|--allow\S*|--no-check\S*|-n")
_TRIVIAL = LazyPattern(
    r"-[qvxs]{1,3}|--(?:quiet|verbose|silent)|[\d.]+|[\w.-]*run|[\w.@-]*[/\\:].*|\.+|[\"'].*|--tb=\S+"
)


@dataclass(frozen=True, slots=True)
class _EpisodeStep:
    """Something said or done."""

    at: int
    said: str = ""
    message: MessageId | None = None
    ran: Run | None = None  # a command that put something in place
    line: str = ""  # of that command
    is_unclear: bool = False  # something was changed, and the events do not tell what
    changes: tuple[TextChange, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _CommandLine:
    line: str  # without where it was run and how its output was shortened
    runs: tuple[Run, ...]
    folder: str | None
    gone: str  # where it went before, as it was written

    @property
    def is_of_the_project(self) -> bool:
        """Not a look, and no text of the moment."""
        if not self.runs or len(self.line) > MAX_COMMAND_CHARS or "<<" in self.line:
            return False
        is_formatting = all(purpose_of(run) is Purpose.FORMAT for run in self.runs)
        return not is_formatting and all(_is_of_the_project(run) for run in self.runs)

    @property
    def purpose(self) -> Purpose | None:
        return next((purpose for run in self.runs if (purpose := purpose_of(run)) is not None), None)

    def is_covered_by(self, other: "_CommandLine") -> bool:
        """Whether the other is the very same, or runs all of what this runs a part of."""
        return [_plain(run) for run in self.runs] == [_plain(run) for run in other.runs] or (
            len(self.runs) == len(other.runs) == 1 and _covers(other.runs[0], self.runs[0])
        )


@dataclass(slots=True)
class _OpenError:
    """An error that nothing has ended yet."""

    work: _CommandLine
    sign: Signature
    error: str
    since: int  # when it was met last
    message: MessageId | None
    is_caused: bool  # the agent had changed something before
    until: int | None = None  # when another error of the same command took its place

    @property
    def is_in_code(self) -> bool:
        """An error in the code is gone with the code."""
        near = self.sign.headline[:40]
        return bool(_IN_CODE.search(next((line for line in self.error.splitlines() if near in line), near)))


class Episodes:
    """Hears a session; gives an error pattern when an error has met its end."""

    def __init__(self) -> None:
        self._now = 0
        self._open: list[_OpenError] = []
        self._steps: deque[_EpisodeStep] = deque(maxlen=MAX_STEPS)
        self._edited: set[str] = set()
        self._folders = Folders()

    def hear(self, event: Event) -> list[Proposal]:
        self._now += 1
        self._folders.hear(event)
        match event:
            case ToolFailed() | ToolSucceeded():
                return self._hear_tool(event)
            case Reply():
                self._say(event.message, event.text)
            case Prompt() if event.origin is Origin.USER:
                self._say(event.message, own_words(event.text))
            case SessionEnded():
                self._open.clear()
            case _:
                pass
        return []

    def _say(self, message: MessageId, text: str) -> None:
        """A message that has grown since takes its own place."""
        if self._steps and self._steps[-1].message == message:
            self._steps.pop()
        self._steps.append(_EpisodeStep(self._now, said=text, message=message))

    def _hear_tool(self, event: ToolFailed | ToolSucceeded) -> list[Proposal]:
        changes = tuple(changes_of(event.tool, event.input)) if isinstance(event, ToolSucceeded) else ()
        if changes:
            paths = tuple(relative_paths((change.path for change in changes), event.folder))
            self._edited.update(change.path for change in changes)
            self._steps.append(_EpisodeStep(self._now, changes=changes, paths=paths))
        if not is_shell(event.tool):
            if normalise_tool(event.tool) in _DELEGATING_TOOLS:
                self._steps.append(_EpisodeStep(self._now, is_unclear=True))
            return []
        command = command_of(event.tool, event.input)
        line = display_line(command).replace(f"{event.folder}/", "") if event.folder else display_line(command)
        work = _CommandLine(line, runs(command), self._folders.folder_below_root(event), folder_of(command))
        error = failure_of(event)
        if error or isinstance(event, ToolFailed):
            self._hear_failure(work, error, event)
            return []
        self._open = [one for one in self._open if self._now - one.since <= MAX_AGE_EVENTS]
        ended = [(one, self._fix(one, work)) for one in self._open if not _hides_result(command, one, event.output)]
        passed = [one for one in self._open if one.work.is_covered_by(work)]
        self._open = [one for one in self._open if one not in passed and not any(one is e and fix for e, fix in ended)]
        puts = [(part, run) for part in line.split(" && ") for run in runs(part) if _is_setup(run)]
        self._steps.extend(_EpisodeStep(self._now, ran=run, line=part) for part, run in puts[-1:])
        if not puts and _changes_unclearly(command, work.runs):
            self._steps.append(_EpisodeStep(self._now, is_unclear=True))
        return [fix for _, fix in ended if fix is not None]

    def _hear_failure(self, work: _CommandLine, error: str, event: ToolFailed | ToolSucceeded) -> None:
        if not is_work(error) or not work.is_of_the_project:
            return
        sign = signature(error)
        for one in self._open:  # the same work, another error: the first one is overcome
            if one.until is None and one.sign.key != sign.key and one.work.is_covered_by(work):
                one.until = self._now
        known = next((one for one in self._open if one.sign.key == sign.key), None)
        if known is not None:
            known.until, known.since = None, self._now
            return
        if sign.is_generic or not _is_specific(sign.headline):
            return
        message = event.message if isinstance(event, ToolFailed) else None
        is_caused = bool(self._edited)
        self._open.append(_OpenError(work, sign, error[:20_000], self._now, message, is_caused))
        del self._open[:-MAX_OPEN]

    def _fix(self, one: _OpenError, work: _CommandLine) -> Proposal | None:
        """What helped, if this command is the one that failed; None: it is not, or nothing that would help again."""
        steps = [step for step in self._steps if one.since < step.at < (one.until or self._now)]
        edits = [step for step in steps if step.changes]
        ran = [step for step in steps if step.ran is not None]
        if any(step.is_unclear for step in steps):
            return None
        is_done = one.work.is_covered_by(work)
        if ran and not edits and is_done:
            lines = dict.fromkeys(step.line for step in ran if step.ran and _helps(step.ran, step.line, one))
            told = ", then ".join(f"`{line}`" for line in [*lines][-2:])
            return self._proposal(one, f"run {told} first.", steps) if told else None
        if edits and is_done and len(edits) <= MAX_CHANGES:
            return self._fix_by_edit(one, steps, edits)
        if ran or edits or one.is_in_code:
            return None
        if is_done and work.gone and work.gone != one.work.gone and work.purpose and work.folder is not None:
            where = f"in {work.folder}/" if work.folder else "in the project's folder"
            return self._proposal(one, f"run it {where}.", steps)
        if work.gone == one.work.gone and _is_another_way(one, work):
            return self._proposal(one, f"use `{work.line}` instead of `{one.work.line}`.", steps)
        return None

    def _fix_by_edit(
        self, one: _OpenError, steps: Sequence[_EpisodeStep], edits: Sequence[_EpisodeStep]
    ) -> Proposal | None:
        """An edit of the configuration is told; one of the code may help again, if it is explained."""
        paths = [change.path.replace("\\", "/") for step in edits for change in step.changes]
        is_sure = all(map(_CONFIGURATION.search, paths))
        is_slip = one.work.purpose in (Purpose.LINT, Purpose.TYPES) and (one.is_in_code or not is_sure)
        if one.is_caused or is_slip:
            return None
        known = frozenset(content_words(one.sign.headline))
        told = [(summarise_changes(step.changes), step) for step in edits]
        near = [gist for gist, _ in told if known & frozenset(content_words(gist))] or [gist for gist, _ in told]
        return self._proposal(one, " ".join(dict.fromkeys(near)), steps, is_sure=is_sure)

    def _proposal(
        self, one: _OpenError, fix: str, steps: Sequence[_EpisodeStep], *, is_sure: bool = True
    ) -> Proposal | None:
        title = _title(one.sign)
        room = MAX_TEXT_CHARS - len(title) - 4
        said = [step.said for step in steps if step.said]
        why = find_explanation(said, one.sign.headline, f"{one.error} {one.work.line}", chars=min(240, room))
        if not is_sure:
            fix = f"{why} {fix}".strip()
        elif frozenset(content_words(why)) & frozenset(content_words(fix)):
            fix = f"{fix} {why}"
        messages = [one.message, *(step.message for step in steps)]
        return Proposal(
            text=f"{title} -> {fix if len(fix) <= room else _shorten(fix, room)}",
            kind=Kind.ERROR_PATTERN,
            tier=Tier.CONFIRMED if is_sure else Tier.CANDIDATE,
            basis=Basis.PAIR,
            role=Role.ASSISTANT,
            messages=tuple(dict.fromkeys(message for message in messages if message))[:12],
            evidence=(one.sign.headline[:MAX_EVIDENCE_CHARS],),
            durability=DURABILITY if is_sure else DOUBTFUL,
            title=title,
            paths=tuple(dict.fromkeys(path for step in steps for path in step.paths))[:MAX_CHANGES],
        )


def _is_specific(headline: str) -> bool:
    """`KeyError: 'tenant'` is short, and says which. An order in it may come from anywhere."""
    is_long = len(headline) >= MIN_CHARS or bool(_CLASS_AND_VALUE.match(headline))
    return is_long and not _SHELL_ERROR.search(headline) and not gives_rules(headline)


def _title(sign: Signature) -> str:
    """The line of the error, with the ends of long paths alone: they are of one machine."""
    line = _LONG_PATH.sub(r"…\1", sign.headline).rstrip(" .:;,")
    return line if len(line) <= MAX_TITLE_CHARS else _shorten(line, MAX_TITLE_CHARS)


def _shorten(text: str, chars: int) -> str:
    end = text.rfind(" ", chars // 2, chars - 1)
    return f"{text[: end if end > 0 else chars - 1].rstrip(' .:;,')}…"


def _hides_result(command: str, one: _OpenError, output: str) -> bool:
    """Whether the line ends well whatever the work did, or still tells of the error."""
    return bool(re.search(r"\|\||;\s*(?:echo|true|exit)", command)) or one.sign.headline in output


def _is_another_way(failed: _OpenError, passed: _CommandLine) -> bool:
    """The same work with a word more, less, or in the place of another: a wrapper, a setting, a flag. Where the error
    itself tells of that word, there is nothing to remember."""
    if len(failed.work.runs) != 1 or len(passed.runs) != 1:
        return False
    one, other = failed.work.runs[0], passed.runs[0]
    before, after = failed.work.line.split(), passed.line.split()
    gone, come = Counter(before) - Counter(after), Counter(after) - Counter(before)
    told = [word for word in (*gone, *come) if word in (before[0], after[0]) or not _TRIVIAL.fullmatch(word)]
    if not told or any(is_filter(word) or _BYPASS_FLAG.fullmatch(word) or word in failed.error for word in told):
        return False
    if not other.targets <= one.targets:
        return False
    is_one_task = one.task == other.task and (one.program == other.program or failed.work.purpose is passed.purpose)
    is_around = failed.work.line.endswith(f" {passed.line}") or passed.line.endswith(f" {failed.work.line}")
    is_near = not gone or not come or gone.total() == come.total() == 1
    return is_around or (is_one_task and passed.purpose is not None and is_near)


def _plain(run: Run) -> list[str]:
    return [word for word in run.words if not is_cosmetic(word)]


def _covers(whole: Run, part: Run) -> bool:
    is_one_task = (whole.program, whole.task, whole.part) == (part.program, part.task, part.part)
    return is_one_task and bool(part.targets) and set(_plain(whole)) < set(_plain(part)) and not whole.targets


def _is_of_the_project(run: Run) -> bool:
    """Not a look, and no text of the moment."""
    if run.program == "git":
        return run.task in _GIT_WORK
    if run.program in _INTERPRETERS:
        return run.words[1:2] == (run.task,) and not re.search(r"^[/~$]|^[A-Za-z]:|\btmp\b", run.task)
    return run.program not in _ONE_OFF_PROGRAMS


def _helps(run: Run, line: str, one: _OpenError) -> bool:
    """Not: the same once more, a build against an error in the code, what the error itself says, a place of one
    machine."""
    failed = one.work.runs[-1]
    is_again = (run.program, run.task, run.targets) == (failed.program, failed.task, failed.targets)
    is_build = purpose_of(run) is Purpose.BUILD or run.task in ("build", "compile")
    return not (is_again or line in one.error or re.search(r"(?:^|[\s=])[/~$]", line) or (is_build and one.is_in_code))


def _changes_unclearly(command: str, work: Sequence[Run]) -> bool:
    """Whether it changes files, or brings back older ones, without saying which."""
    return bool(_WRITES.search(command)) or any(
        run.program in _MOVES or (run.program == "git" and run.task in _GIT_CHANGES) for run in work
    )


def _is_setup(run: Run) -> bool:
    if (
        run.program in _PACKAGE_MANAGERS
        and run.task in ("install", "add")
        and any(not word.startswith("-") for word in run.words[2:])
    ):
        return False  # a package that is in the project from then on
    if run.program in ("rm", "cp", "chmod", "ln"):
        return bool(re.search(r"node_modules|\.env|cache|\.next|\bdist\b|\bbuild\b|\+x|\.lock", " ".join(run.words)))
    if run.program == "git":
        return run.task in ("submodule", "lfs")
    if run.program in _SYSTEMS:
        return run.task.rpartition(" ")[2] not in _READING_TASKS
    return run.program in _SETUP_PROGRAMS or bool(_SETUP_TASKS & {*re.split(r"[ :]", run.task), run.task.split("-")[0]})
