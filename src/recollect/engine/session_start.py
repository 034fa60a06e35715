"""The start block, built once per live context: rules, the project's commands, and where its last session ended. What
needs a question to be useful is left to the prompts: a budget is a cap, not a target. Use never decides about a rule: a
rule that is followed is silent."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.capture.happened.choices import is_choice
from recollect.capture.happened.command_purposes import is_own_task, is_standard_command
from recollect.capture.happened.shell import Run, runs
from recollect.domain.freshness import FileState
from recollect.domain.injection import Injection, Moment, Placement, QuietReason
from recollect.domain.memory import Hit, Kind, Memory, MemoryId, Role
from recollect.domain.session import Recap
from recollect.domain.settings import Settings, StartStyle
from recollect.engine import continuity, full_start
from recollect.engine.anchoring import demote_stale
from recollect.engine.disputes import leave_out_lone_claims
from recollect.engine.full_start import LEVELS, RULES, STANDING, level_of
from recollect.engine.injections import build_injection, silence
from recollect.engine.ports import FindsMemories
from recollect.engine.redaction import redact_for_block
from recollect.engine.situation import Situation
from recollect.rank.budget import BlockItem, block_budget, fill, item_for_memory
from recollect.rank.score import start_factors, start_score
from recollect.text.intent import Task
from recollect.text.query import content_words

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


def build_start_block(
    memories: FindsMemories, situation: Situation, *, recaps: Sequence[Recap], task: Task | None, work: OpenWork
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
    chosen = leave_out_lone_claims(found, situation)
    last = continuity.offer_last_session(recaps, [hit.memory for hit in chosen])
    offers = [_offer(hit, section_of.get(hit.memory.id)) for hit in map(redact_for_block, chosen)]
    filled = fill(
        [*last, *offers],
        budget_tokens=budget_tokens,
        shares=_shares(settings, budget_tokens),
        sections=[*RULES, *by_section, *dict.fromkeys(one.section for one in last)],
        show_omitted_count=situation.shows_omitted_count,
    )
    return build_injection(Placement.SYSTEM, filled, chosen, budget_tokens=budget_tokens, considered=search.considered)


class _NewestMemories:
    def __init__(self, memories: FindsMemories, situation: Situation, task: Task | None) -> None:
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
        factors = start_factors(memory, situation.viewer, self._task, situation.now, situation.settings)
        return Hit(memory=memory, relevance=1.0, score=start_score(factors, situation.settings), factors=factors)


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


def _shares(settings: Settings, budget_tokens: int) -> dict[str, int]:
    """The memories' shares of the budget. The last session is filled first and has no share."""
    budgets = settings.budgets
    scale = budget_tokens / max(1, budgets.start_tokens)
    shares = (budgets.universal_tokens, budgets.language_tokens, budgets.project_tokens)
    return {level: int(tokens * scale) for level, tokens in zip(LEVELS, shares, strict=False)}
