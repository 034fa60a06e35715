"""The moment of a session start. The start block is built once per live context, now or in advance by the background:
rules, the project's commands, and where its last session ended. What needs a question to be useful is left to the
prompts: a budget is a cap, not a target. Use never decides about a rule: a rule that is followed is silent."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from recollect.capture.happened.choices import is_choice
from recollect.capture.happened.command_purposes import is_own_task, is_standard_command
from recollect.capture.happened.shell import Run, runs
from recollect.domain.event import Event, SessionStarted, StartSource
from recollect.domain.freshness import FileState
from recollect.domain.injection import Injection, Moment, Placement, QuietReason
from recollect.domain.memory import Hit, Kind, Memory, MemoryId, Role, SessionId
from recollect.domain.session import NoteCode, Recap, Session
from recollect.domain.settings import Budgets, StartStyle
from recollect.engine.admission import MAX_CLOCK_AHEAD
from recollect.engine.anchoring import demote_stale
from recollect.engine.context import Context
from recollect.engine.engine import Engine
from recollect.engine.moments import continuity, full_start, session_state
from recollect.engine.moments.disputes import Disputes
from recollect.engine.moments.forks import copy_parent_log
from recollect.engine.moments.full_start import LEVELS, RULES, STANDING, level_of
from recollect.engine.moments.injections import build_injection, silence
from recollect.engine.moments.prepared_starts import StartBlockKey
from recollect.engine.moments.sent_log import record, replay_injection
from recollect.engine.moments.situation import LiveBlocks, Situation, find_quiet_reason, find_situation, load_live
from recollect.engine.ports import SearchableMemories
from recollect.engine.redaction import redact_for_block
from recollect.rank.budget import BlockItem, block_budget, fill, item_for_memory
from recollect.rank.score import start_factors, start_score
from recollect.text.intent import Task, task_of
from recollect.text.query import content_words

PLACEHOLDER_SESSION = SessionId("nobody")  # the session that a start block is prepared for
WELCOME = "Recollect has no memories here yet; `recollect remember` teaches it a sentence."
RENEWED_SHARE = 0.5  # a block is built again after this part of its time
FACTS, COMMANDS, TIED = "Facts and decisions", "Commands", "About the open work"
MAX_PER_PURPOSE, MAX_COMMANDS = 2, 5
# Every model knows how to install dependencies and format files: only prompts that name it get these.
WELL_KNOWN_PURPOSES = ("install", "format")
MAX_CONSIDERED = 200  # of a kind
COMMAND_TITLE = "Command for "
KINDS_ABOUT_WORK = (Kind.DECISION, Kind.FILE_CONTEXT)  # not errors: they are shown when a tool fails
MIN_BRANCH_WORDS = 2  # `fix` or `main` say nothing
_GENERIC_BRANCH_WORDS = frozenset(
    "fix feat feature bug bugfix hotfix chore docs doc test refactor main master dev release".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWork:
    """The work in progress, as far as the folder and the last session show it."""

    branch: str = ""
    files: frozenset[str] = frozenset()

    def is_about(self, memory: Memory) -> bool:
        if any(anchor.path in self.files for anchor in memory.anchors):
            return True
        words = set(content_words(self.branch.replace("/", " ").replace("-", " "))) - _GENERIC_BRANCH_WORDS
        return len(words) >= MIN_BRANCH_WORDS and words <= set(content_words(memory.text))


def answer(ctx: Context, session: Session, event: SessionStarted) -> Injection:
    session = session_state.apply_opt_outs(ctx.store, session, recalls=event.recalls, captures=event.captures)
    if event.source in (StartSource.CLEAR, StartSource.COMPACT):
        session = session_state.start_new_context(ctx.store, session, event.at, source=event.source)
    session = copy_parent_log(ctx.store, session, event)
    logged = ctx.store.start_block(session.id, session.context)
    if logged is not None:
        return replay_injection(logged, event)
    started_s = ctx.seconds()
    quiet = find_quiet_reason(ctx, session, enabled=ctx.settings.start.enabled)
    if quiet is not None:
        built = silence(Placement.SYSTEM, quiet)
    else:
        live = load_live(ctx.store, session)  # a prompt may have come before the start
        prepared = None if live.sent else _find_prepared(ctx, session, event)
        built = prepared or build_start(ctx, session, event, live)
    return record(ctx, session, None, built, event, started_s, Moment.START)


def _find_prepared(ctx: Context, session: Session, event: SessionStarted) -> Injection | None:
    """Only a new session can use one: nothing is known of it but its place."""
    place = StartBlockKey(project=session.project, language=session.language, folder=event.folder, agent=event.agent)
    ctx.live.prepared.note(place)
    budgets = ctx.settings.budgets
    usual_tokens = block_budget(budgets.start_tokens, budgets)
    has_small_window = block_budget(budgets.start_tokens, budgets, window_tokens=event.window_tokens) < usual_tokens
    is_new = session.started_at == event.at and event.source is StartSource.STARTUP
    if event.task or not is_new or has_small_window:
        return None
    return ctx.live.prepared.get(place, revision=ctx.store.revision(), settings=ctx.settings, now=ctx.seconds())


def prepare_start_blocks(engine: Engine, now: datetime) -> int:
    """Background work: build start blocks for recently used places. Return how many were built."""
    revision, seconds, built = engine.store.revision(), engine.seconds(), 0
    for place in engine.live.prepared.places():
        ctx = engine.context(place.folder, now)
        known = engine.live.prepared.get(
            place, revision=revision, settings=ctx.settings, now=seconds, share=RENEWED_SHARE
        )
        if known is None and ctx.settings.start.prepared_minutes:
            block = _build_for(ctx, place)
            engine.live.prepared.keep(place, block, revision=revision, settings=ctx.settings, now=seconds)
            built += 1
    return built


def _build_for(ctx: Context, place: StartBlockKey) -> Injection:
    session = Session(
        id=PLACEHOLDER_SESSION,
        host=PLACEHOLDER_SESSION,
        project=place.project,
        language=place.language,
        started_at=ctx.now,
    )
    event = SessionStarted(session=PLACEHOLDER_SESSION, at=ctx.now, folder=place.folder, agent=place.agent)
    return build_start(ctx, session, event, LiveBlocks())


def build_start(ctx: Context, session: Session, event: Event, live: LiveBlocks) -> Injection:
    situation = find_situation(ctx, session, event, live)
    settings = ctx.settings.start
    recaps = find_recaps(ctx, session, settings.sessions + settings.older_sessions, event)
    branch = ctx.folders.branch_of(event.folder) if event.folder else None
    task, work = _likely_task(event, branch, recaps), _open_work(branch, recaps)
    built = build_start_block(ctx.store, situation, recaps=recaps, task=task, work=work)
    if not built.block and not ctx.store.count(situation.viewer):
        return replace(built, notice=WELCOME)
    return built


def find_recaps(ctx: Context, session: Session, limit: int, event: Event) -> list[Recap]:
    """Recaps of other sessions. A session's own summary is in its context already, unless it was cleared."""
    if session.project is None:
        return []
    is_cleared = isinstance(event, SessionStarted) and event.source is StartSource.CLEAR
    found = ctx.store.recaps(session.project, limit=limit + 1, until=event.at + MAX_CLOCK_AHEAD)
    recaps = [recap for recap in found if recap.is_current and (is_cleared or recap.session != session.id)]
    return continuity.without_outdated_lines(ctx.store, recaps[:limit])


def _likely_task(event: Event, branch: str | None, recaps: Sequence[Recap]) -> Task | None:
    """From what the host says, the branch, or the open notes of the last session."""
    said = event.task if isinstance(event, SessionStarted) else None
    notes = recaps[0].notes if recaps else ()
    left = " ".join(note.text for note in notes if note.code in (NoteCode.NEXT, NoteCode.BLOCK))
    for text in filter(None, (said, branch, left)):
        task = task_of(text)
        if task is not Task.GENERAL:
            return task
    return None


def _open_work(branch: str | None, recaps: Sequence[Recap]) -> OpenWork:
    """The branch, and the files that the last session changed and did not commit."""
    files: Sequence[str] = ()
    if recaps and not recaps[0].summary.done:
        files = recaps[0].summary.files
    return OpenWork(branch=branch or "", files=frozenset(files))


def build_start_block(
    memories: SearchableMemories, situation: Situation, *, recaps: Sequence[Recap], task: Task | None, work: OpenWork
) -> Injection:
    """`recaps`: of the last sessions, newest first."""
    settings = situation.settings
    budgets = settings.budgets
    left = budgets.live_start_tokens - situation.live.tokens(Moment.ON_DEMAND)
    budget_tokens = min(block_budget(budgets.start_tokens, budgets, window_tokens=situation.window_tokens), left)
    if budget_tokens <= 0:
        return silence(Placement.SYSTEM, QuietReason.CAP)
    if settings.start.style is StartStyle.FULL:
        return full_start.build(memories, situation, budget_tokens, recaps=recaps, task=task)
    search = _NewestMemories(memories, situation, task)
    standing = search.pick(STANDING, lambda _: True, MAX_CONSIDERED)
    commands = _choose_commands(search.pick((Kind.RESEARCH,), _is_command, MAX_CONSIDERED))
    since = situation.now - timedelta(days=settings.start.decision_days)
    facts = search.pick((Kind.DECISION, Kind.RESEARCH), _is_fact, settings.start.facts, since=since)
    tied = [hit for hit in search.pick(KINDS_ABOUT_WORK, work.is_about, settings.start.tied) if hit not in facts]
    by_section = {FACTS: facts, COMMANDS: commands, TIED: tied}
    found = list(standing)
    section_of: dict[MemoryId, str] = {}
    for section, hits in by_section.items():
        found.extend(hits)
        section_of |= dict.fromkeys((hit.memory.id for hit in hits), section)
    chosen = Disputes(memories, situation).leave_out_lone_claims(found)
    last = continuity.offer_last_session(recaps, [hit.memory for hit in chosen])
    offers = [_offer(hit, section_of.get(hit.memory.id)) for hit in map(redact_for_block, chosen)]
    filled = fill(
        [*last, *offers],
        budget_tokens=budget_tokens,
        shares=_shares(settings.budgets, budget_tokens),
        sections=[*RULES, *by_section, *dict.fromkeys(one.section for one in last)],
        show_omitted_count=situation.shows_omitted_count,
    )
    return build_injection(Placement.SYSTEM, filled, chosen, budget_tokens=budget_tokens, considered=search.considered)


class _NewestMemories:
    def __init__(self, memories: SearchableMemories, situation: Situation, task: Task | None) -> None:
        self._memories = memories
        self._situation = situation
        self._task = task
        self.considered = 0

    def pick(
        self, kinds: Sequence[Kind], is_wanted: Callable[[Memory], bool], limit: int, since: datetime | None = None
    ) -> list[Hit]:
        """Return confirmed memories that may be shown and are not live yet, best first."""
        situation = self._situation
        switched_on = [kind for kind in kinds if situation.settings.kinds.injected[kind]]
        if not switched_on:
            return []
        newest = self._memories.newest(
            situation.viewer, limit=MAX_CONSIDERED, kinds=switched_on, since=since, injectable=True, confirmed=True
        )
        hits = [self._score(memory) for memory in newest if is_wanted(memory) and situation.is_news(memory)]
        self.considered += len(hits)
        hits.sort(key=lambda hit: (-hit.score, -hit.memory.valid_from.timestamp()))
        looked_at = demote_stale(hits, min(limit, len(hits)), situation.look_up_freshness, situation.settings.stale)
        return [hit for hit in looked_at if not _has_lost_all_files(hit)][:limit]

    def _score(self, memory: Memory) -> Hit:
        """There is no question, so every memory is relevant."""
        situation = self._situation
        factors = start_factors(memory, situation.viewer, self._task, situation.now, situation.settings.kinds)
        return Hit(memory=memory, relevance=1.0, score=start_score(factors, situation.settings.start), factors=factors)


def _has_lost_all_files(hit: Hit) -> bool:
    files = hit.freshness.files
    return bool(files) and all(file.state is FileState.GONE and file.moved_to is None for file in files)


def _is_command(memory: Memory) -> bool:
    return (memory.title or "").startswith(COMMAND_TITLE)


def _is_fact(memory: Memory) -> bool:
    """The user said it, or an agent saved it with its tool; capture did not read it in an agent's reply. Prompts about a
    feature get the choices about that feature."""
    is_by_user = memory.source.role is Role.USER
    is_saved_by_agent = memory.source.role is Role.ASSISTANT and memory.rules is None
    return (is_by_user or is_saved_by_agent) and not _is_command(memory) and not is_choice(memory)


def _choose_commands(found: Iterable[Hit]) -> list[Hit]:
    """The newest command for each purpose and one more for a part of the project; of a monorepo's many, a few. If the
    project has tasks of its own, the usual commands of its language are left out."""
    by_title: dict[str, Hit] = {}
    for hit in sorted(found, key=lambda hit: (hit.memory.valid_from, hit.memory.id)):
        by_title[hit.memory.title or ""] = hit
    # A title with "(" is a command for a part of the project.
    ordered = sorted(by_title.items(), key=lambda one: ("(" in one[0], -one[1].memory.valid_from.timestamp()))
    per_purpose: Counter[str] = Counter()
    lines: set[str] = set()
    kept = []
    for title, hit in ordered:
        purpose = title.removeprefix(COMMAND_TITLE).partition(" (")[0]
        line = hit.memory.text.partition(" (in ")[0]
        per_purpose[purpose] += 1
        is_too_many = per_purpose[purpose] > MAX_PER_PURPOSE
        if not is_too_many and purpose not in WELL_KNOWN_PURPOSES and line not in lines:
            lines.add(line)
            kept.append(hit)
    if any(any(map(is_own_task, _parse_command(hit))) for hit in kept):
        kept = [hit for hit in kept if not any(map(is_standard_command, _parse_command(hit)))]
    return kept[:MAX_COMMANDS]


def _parse_command(command: Hit) -> Sequence[Run]:
    return runs(command.memory.evidence[0]) if command.memory.evidence else ()


def _offer(hit: Hit, section: str | None) -> BlockItem:
    level = level_of(hit.memory)
    if section is not None:
        return item_for_memory(hit.memory, section, hit.freshness, (level,))
    place = LEVELS.index(level)
    return item_for_memory(hit.memory, RULES[place], hit.freshness, (level,), order=place)


def _shares(budgets: Budgets, budget_tokens: int) -> dict[str, int]:
    """The memories' shares of the budget. The last session is filled first and has no share."""
    scale = budget_tokens / max(1, budgets.start_tokens)
    shares = (budgets.universal_tokens, budgets.language_tokens, budgets.project_tokens)
    return {level: int(tokens * scale) for level, tokens in zip(LEVELS, shares, strict=False)}
