"""Learn error and fix: a command of the project failed, something changed, and the same command passes.

The fix is the change: a command that set something up, another way to call it, an edit. Ignores errors of one moment:
those that passed by themselves, that the agent caused and mended, of a host, or of a tool that only reads.
Bounded: the oldest open error makes room.
"""

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.capture.happened.calls import TextChange, changes_of, command_of, is_shell, normalise_tool
from recollect.capture.happened.command_purposes import Purpose, purpose_of
from recollect.capture.happened.edit_summary import relative_paths, summarise_changes
from recollect.capture.happened.failures import failure_of, is_work_error
from recollect.capture.happened.fixes import find_explanation
from recollect.capture.happened.folders import Folders
from recollect.capture.happened.shell import Run, display_line, folder_of, is_cosmetic, is_filter, runs
from recollect.capture.said.outright import gives_rules
from recollect.capture.said.voice import own_words
from recollect.domain.event import Event, Prompt, Reply, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, MessageId, Role, Tier
from recollect.text.lazy_pattern import LazyPattern
from recollect.text.query import content_words
from recollect.text.signature import Signature, signature

MAX_OPEN, MAX_STEPS = 24, 120
MAX_AGE_EVENTS = 200  # after a failure; later, other work came between
MAX_CHANGES = 3  # with more, it was work and not a fix
MAX_TITLE_CHARS, MAX_TEXT_CHARS, MAX_COMMAND_CHARS = 110, 400, 140
MAX_EVIDENCE_CHARS = 300
MIN_CHARS = 20  # a shorter headline fits anything
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
# Programs that look, move files about, use a network, or run a one-off script.
_ONE_OFF_PROGRAMS = frozenset(
    """
    gh curl wget http ssh scp rsync jq xargs rm cp mv ln chmod chown kill pkill ps lsof nc ping du df tar unzip diff
    tree stat file open osascript wsl powershell pwsh cmd xxd od base64 aws az gcloud
    sqlite3 psql mysql strings for while timeout cat
    """.split()
)
_INTERPRETERS = frozenset("python node ruby perl php bash sh zsh tsx ts-node deno".split())
_DELEGATING_TOOLS = frozenset({"task", "agent", "skill", "workflow"})  # another agent works behind them
_WRITES = LazyPattern(
    r"\b(?:sed|perl)\b[^|;&]*\s-\w*i|<<|(?<![\d&])>>?\s*(?!/dev/|&|/tmp/)\S|--(?:fix|write)\b|\btee\s+[^|-]"
)
_ALWAYS_SUCCEEDS = LazyPattern(r"\|\||;\s*(?:echo|true|exit)")
_MOVES = frozenset("mv cp rm patch gofmt black prettier isort".split())
_GIT_CHANGES = frozenset(
    "stash checkout restore apply revert reset merge rebase pull cherry-pick switch am clean".split()
)
_GIT_WORK = frozenset({"commit", "push", "clone", "submodule", "lfs"})
# Tasks and programs that set something up.
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
# Their `add` changes the project itself.
_PACKAGE_MANAGERS = frozenset("npm pnpm yarn bun cargo uv poetry composer pdm".split())
_LONG_PATH = LazyPattern(r"(?:[A-Za-z]:)?(?:[/\\][\w.@+ -]+){2,}([/\\][\w.@+-]+[/\\][\w.@+-]+)")
_BYPASS_FLAG = LazyPattern(r"--no-verify|--force\S*|-f|--skip\S*|--ignore\S*|--allow\S*|--no-check\S*|-n")
_TRIVIAL = LazyPattern(
    r"-[qvxs]{1,3}|--(?:quiet|verbose|silent)|[\d.]+|[\w.-]*run|[\w.@-]*[/\\:].*|\.+|[\"'].*|--tb=\S+"
)


@dataclass(frozen=True, slots=True)
class _EpisodeStep:
    at: int
    said: str = ""  # by the agent
    typed: str = ""  # by the user, who may also have shown what others said
    message: MessageId | None = None
    ran: Run | None = None  # a command that set something up
    line: str = ""  # of that command
    is_unclear: bool = False  # something was changed, and the events do not say what
    changes: tuple[TextChange, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _CommandLine:
    line: str  # for display
    runs: tuple[Run, ...]
    folder: str | None
    entered_folder: str  # the folder that it entered first, as written

    @property
    def is_of_the_project(self) -> bool:
        """It does not only look, and is no one-off script."""
        if not self.runs or len(self.line) > MAX_COMMAND_CHARS or "<<" in self.line:
            return False
        is_formatting = all(purpose_of(run) is Purpose.FORMAT for run in self.runs)
        return not is_formatting and all(map(_is_of_the_project, self.runs))

    @property
    def purpose(self) -> Purpose | None:
        return next(filter(None, map(purpose_of, self.runs)), None)

    def is_covered_by(self, other: "_CommandLine") -> bool:
        """Return True if the other is the same, or runs all of what this one runs a part of."""
        if list(map(_plain, self.runs)) == list(map(_plain, other.runs)):
            return True
        return len(self.runs) == len(other.runs) == 1 and _covers(other.runs[0], self.runs[0])


@dataclass(slots=True)
class _OpenError:
    work: _CommandLine
    sign: Signature
    error: str
    since: int  # when it occurred last
    message: MessageId | None
    is_caused: bool  # the agent had edited something before
    until: int | None = None  # when the same command failed with another error

    @property
    def is_in_code(self) -> bool:
        """Such an error goes away with the code that has it."""
        start = self.sign.headline[:40]
        line = next((line for line in self.error.splitlines() if start in line), start)
        return bool(_IN_CODE.search(line))


class Episodes:
    def __init__(self) -> None:
        self._now = 0
        self._open: list[_OpenError] = []
        self._steps: deque[_EpisodeStep] = deque(maxlen=MAX_STEPS)
        self._has_edited = False
        self._folders = Folders()

    def hear(self, event: Event) -> list[Proposal]:
        self._now += 1
        self._folders.hear(event)
        match event:
            case ToolFailed() | ToolSucceeded():
                return self._hear_tool(event)
            case Reply():
                self._say(_EpisodeStep(self._now, said=event.text, message=event.message))
            case Prompt() if event.origin is Origin.USER:
                self._say(_EpisodeStep(self._now, typed=event.text, message=event.message))
            case SessionEnded():
                self._open.clear()
            case _:
                pass
        return []

    def _say(self, step: _EpisodeStep) -> None:
        """A message that has grown since replaces itself."""
        if self._steps and self._steps[-1].message == step.message:
            self._steps.pop()
        self._steps.append(step)

    def _hear_tool(self, event: ToolFailed | ToolSucceeded) -> list[Proposal]:
        changes = tuple(changes_of(event.tool, event.input)) if isinstance(event, ToolSucceeded) else ()
        if changes:
            self._has_edited = True
            paths = tuple(relative_paths((change.path for change in changes), event.folder))
            self._steps.append(_EpisodeStep(self._now, changes=changes, paths=paths))
        if normalise_tool(event.tool) in _DELEGATING_TOOLS:
            self._steps.append(_EpisodeStep(self._now, is_unclear=True))
        if not is_shell(event.tool):
            return []
        command = command_of(event.tool, event.input)
        line = display_line(command)
        if event.folder:
            line = line.replace(f"{event.folder}/", "")
        work = _CommandLine(line, runs(command), self._folders.folder_below_root(event), folder_of(command))
        error = failure_of(event)
        if error or isinstance(event, ToolFailed):
            self._hear_failure(work, error, event)
            return []
        fixes = self._close_errors(command, work, event.output)
        self._note_setup(command, work)
        return fixes

    def _close_errors(self, command: str, work: _CommandLine, output: str) -> list[Proposal]:
        fixes: list[Proposal] = []
        still_open: list[_OpenError] = []
        for one in self._open:
            if self._now - one.since > MAX_AGE_EVENTS:
                continue
            # The line succeeds whatever the work did, or still shows the error.
            is_hidden = _ALWAYS_SUCCEEDS.search(command) or one.sign.headline in output
            fix = None if is_hidden else self._fix(one, work)
            if fix is not None:
                fixes.append(fix)
            elif not one.work.is_covered_by(work):
                still_open.append(one)
        self._open = still_open
        return fixes

    def _note_setup(self, command: str, work: _CommandLine) -> None:
        setups = [(part, run) for part in work.line.split(" && ") for run in runs(part) if _is_setup(run)]
        if setups:
            part, run = setups[-1]
            self._steps.append(_EpisodeStep(self._now, ran=run, line=part))
        elif _changes_unclearly(command, work.runs):
            self._steps.append(_EpisodeStep(self._now, is_unclear=True))

    def _hear_failure(self, work: _CommandLine, error: str, event: ToolFailed | ToolSucceeded) -> None:
        if not is_work_error(error) or not work.is_of_the_project:
            return
        sign = signature(error)
        for one in self._open:  # the same command with another error: the first one is overcome
            if one.until is None and one.sign.key != sign.key and one.work.is_covered_by(work):
                one.until = self._now
        known = next((one for one in self._open if one.sign.key == sign.key), None)
        if known is not None:
            known.until, known.since = None, self._now
        elif not sign.is_generic and _is_specific(sign.headline):
            message = event.message if isinstance(event, ToolFailed) else None
            self._open.append(_OpenError(work, sign, error[:20_000], self._now, message, self._has_edited))
            del self._open[:-MAX_OPEN]

    def _fix(self, one: _OpenError, work: _CommandLine) -> Proposal | None:
        """Return what helped; None: this is another command, or nothing that would help again."""
        steps = [step for step in self._steps if one.since < step.at < (one.until or self._now)]
        if any(step.is_unclear for step in steps):
            return None
        edits = [step for step in steps if step.changes]
        setups = [step for step in steps if step.ran is not None]
        is_done = one.work.is_covered_by(work)
        if setups and not edits and is_done:
            return self._fix_by_setup(one, steps)
        if edits and is_done and len(edits) <= MAX_CHANGES:
            return self._fix_by_edit(one, steps, edits)
        if setups or edits or one.is_in_code:
            return None
        if (
            is_done
            and work.entered_folder
            and work.entered_folder != one.work.entered_folder
            and work.purpose
            and work.folder is not None
        ):
            where = f"in {work.folder}/" if work.folder else "in the project's folder"
            return self._proposal(one, f"run it {where}.", steps)
        if work.entered_folder == one.work.entered_folder and _is_another_way(one, work):
            return self._proposal(one, f"use `{work.line}` instead of `{one.work.line}`.", steps)
        return None

    def _fix_by_setup(self, one: _OpenError, steps: Sequence[_EpisodeStep]) -> Proposal | None:
        lines = dict.fromkeys(step.line for step in steps if step.ran and _helps(step.ran, step.line, one))
        commands = ", then ".join(f"`{line}`" for line in [*lines][-2:])
        return self._proposal(one, f"run {commands} first.", steps) if commands else None

    def _fix_by_edit(
        self, one: _OpenError, steps: Sequence[_EpisodeStep], edits: Sequence[_EpisodeStep]
    ) -> Proposal | None:
        """An edit of the configuration is confirmed; one of the code is a candidate."""
        paths = [change.path.replace("\\", "/") for step in edits for change in step.changes]
        is_sure = all(map(_CONFIGURATION.search, paths))
        is_slip = one.work.purpose in (Purpose.LINT, Purpose.TYPES) and (one.is_in_code or not is_sure)
        if one.is_caused or is_slip:
            return None
        error_words = frozenset(content_words(one.sign.headline))
        gists = [summarise_changes(step.changes) for step in edits]
        related = [gist for gist in gists if error_words & frozenset(content_words(gist))]
        return self._proposal(one, " ".join(dict.fromkeys(related or gists)), steps, is_sure=is_sure)

    def _proposal(self, one: _OpenError, fix: str, steps: Sequence[_EpisodeStep], *, is_sure: bool = True) -> Proposal:
        # Only the ends of long paths: their beginnings belong to one machine.
        title = _shorten(_LONG_PATH.sub(r"…\1", one.sign.headline).rstrip(" .:;,"), MAX_TITLE_CHARS)
        room = MAX_TEXT_CHARS - len(title) - 4
        said = [*filter(None, (step.said or own_words(step.typed) for step in steps))]
        why = find_explanation(said, one.sign.headline, f"{one.error} {one.work.line}", chars=min(240, room))
        tier, durability = Tier.CONFIRMED, DURABILITY
        if not is_sure:
            tier, durability = Tier.CANDIDATE, DOUBTFUL
            fix = f"{why} {fix}".strip()
        elif frozenset(content_words(why)) & frozenset(content_words(fix)):
            fix = f"{fix} {why}"
        messages = filter(None, [one.message, *(step.message for step in steps)])
        return Proposal(
            text=f"{title} -> {_shorten(fix, room)}",
            kind=Kind.ERROR_PATTERN,
            tier=tier,
            basis=Basis.PAIR,
            role=Role.ASSISTANT,
            messages=tuple(dict.fromkeys(messages))[:12],
            evidence=(one.sign.headline[:MAX_EVIDENCE_CHARS],),
            durability=durability,
            title=title,
            paths=tuple(dict.fromkeys(path for step in steps for path in step.paths))[:MAX_CHANGES],
        )


def _is_specific(headline: str) -> bool:
    """`KeyError: 'tenant'` is short but specific. An order in a headline may come from anywhere."""
    is_long = len(headline) >= MIN_CHARS or bool(_CLASS_AND_VALUE.match(headline))
    return is_long and not _SHELL_ERROR.search(headline) and not gives_rules(headline)


def _shorten(text: str, chars: int) -> str:
    if len(text) <= chars:
        return text
    end = text.rfind(" ", chars // 2, chars - 1)
    return f"{text[: end if end > 0 else chars - 1].rstrip(' .:;,')}…"


def _is_another_way(failed: _OpenError, passed: _CommandLine) -> bool:
    """Return True for the same work with another wrapper, setting or flag, unless the error itself names that word."""
    if len(failed.work.runs) != 1 or len(passed.runs) != 1:
        return False
    one, other = failed.work.runs[0], passed.runs[0]
    before, after = failed.work.line.split(), passed.line.split()
    removed, added = Counter(before) - Counter(after), Counter(after) - Counter(before)
    words = [word for word in (*removed, *added) if word in (before[0], after[0]) or not _TRIVIAL.fullmatch(word)]
    if not words or any(is_filter(word) or _BYPASS_FLAG.fullmatch(word) or word in failed.error for word in words):
        return False
    if not other.targets <= one.targets:
        return False
    if failed.work.line.endswith(f" {passed.line}") or passed.line.endswith(f" {failed.work.line}"):
        return True
    is_one_task = one.task == other.task and (one.program == other.program or failed.work.purpose is passed.purpose)
    is_near = not removed or not added or removed.total() == added.total() == 1
    return is_one_task and passed.purpose is not None and is_near


def _plain(run: Run) -> list[str]:
    return [word for word in run.words if not is_cosmetic(word)]


def _covers(whole: Run, part: Run) -> bool:
    is_one_task = (whole.program, whole.task, whole.part) == (part.program, part.task, part.part)
    return is_one_task and bool(part.targets) and set(_plain(whole)) < set(_plain(part)) and not whole.targets


def _is_of_the_project(run: Run) -> bool:
    if run.program == "git":
        return run.task in _GIT_WORK
    if run.program in _INTERPRETERS:
        return run.words[1:2] == (run.task,) and not re.search(r"^[/~$]|^[A-Za-z]:|\btmp\b", run.task)
    return run.program not in _ONE_OFF_PROGRAMS


def _helps(run: Run, line: str, one: _OpenError) -> bool:
    """Return False for the same run, a build against an error in the code, a command of the error, a machine's path."""
    failed = one.work.runs[-1]
    is_again = (run.program, run.task, run.targets) == (failed.program, failed.task, failed.targets)
    is_build = purpose_of(run) is Purpose.BUILD or run.task in ("build", "compile")
    has_own_path = re.search(r"(?:^|[\s=])[/~$]", line)
    return not (is_again or line in one.error or has_own_path or (is_build and one.is_in_code))


def _changes_unclearly(command: str, work: Sequence[Run]) -> bool:
    """Return True if it changes or restores files without saying which."""
    if _WRITES.search(command):
        return True
    return any(run.program in _MOVES or (run.program == "git" and run.task in _GIT_CHANGES) for run in work)


def _is_setup(run: Run) -> bool:
    if run.program in _PACKAGE_MANAGERS and run.task in ("install", "add"):
        has_package = any(not word.startswith("-") for word in run.words[2:])
        if has_package:
            return False  # the project has the package from then on
    if run.program in ("rm", "cp", "chmod", "ln"):
        return bool(re.search(r"node_modules|\.env|cache|\.next|\bdist\b|\bbuild\b|\+x|\.lock", " ".join(run.words)))
    if run.program == "git":
        return run.task in ("submodule", "lfs")
    if run.program in _SYSTEMS:
        return run.task.rpartition(" ")[2] not in _READING_TASKS
    return run.program in _SETUP_PROGRAMS or bool(_SETUP_TASKS & {*re.split(r"[ :]", run.task), run.task.split("-")[0]})
