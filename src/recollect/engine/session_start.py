"""The stable block, chosen without a question and built once per live context: rules, the project's commands, and where
its last session ended.

A budget is a cap, not a target: what needs a question to be useful is left to the turns. Whether a rule was used never
decides about it: a rule that is followed is silent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.capture.happened.choices import is_choice
from recollect.capture.happened.command_purposes import is_known_to_all, is_own_task
from recollect.capture.happened.shell import Run, runs
from recollect.domain.freshness import FileState
from recollect.domain.injection import Injection, Moment, Placement, Quiet
from recollect.domain.memory import Hit, Kind, Memory, Role
from recollect.domain.session import Recap
from recollect.domain.settings import Settings, StartStyle
from recollect.engine import continuity, full_start
from recollect.engine.anchoring import settled
from recollect.engine.disputes import leave_out_lone_claims
from recollect.engine.full_start import LEVELS, RULES, STANDING, level_of
from recollect.engine.ports import FindsMemories
from recollect.engine.redaction import redact_for_block
from recollect.engine.situation import Situation, build_injection, silence
from recollect.rank.budget import Offer, allowance, fill, offer
from recollect.rank.score import start_factors, start_score
from recollect.text.intent import Task
from recollect.text.query import content_words

FACTS, COMMANDS, TIED = "Facts and decisions", "Commands", "About the open work"
OF_A_PURPOSE, COMMANDS_SHOWN = 2, 5  # commands
# Everybody knows how dependencies are installed and files formatted: prompts that name it get it.
UNTOLD = ("install", "format")
POOL = 200  # of the newest of a kind that are looked at
COMMAND = "Command for "  # as the title of one begins
MAY_BE_TIED = (Kind.DECISION, Kind.FILE_CONTEXT)  # an error is told when it comes
LEAST_BRANCH_WORDS = 2  # `fix` or `main` say nothing
_NO_SUBJECT = frozenset(
    "fix feat feature bug bugfix hotfix chore docs doc test refactor main master dev release".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWork:
    """What is being worked on, as far as the folder and the last session tell."""

    branch: str = ""
    files: frozenset[str] = frozenset()

    def has(self, memory: Memory) -> bool:
        if any(anchor.path in self.files for anchor in memory.anchors):
            return True
        words = set(content_words(self.branch.replace("/", " ").replace("-", " "))) - _NO_SUBJECT
        return len(words) >= LEAST_BRANCH_WORDS and words <= set(content_words(memory.text))


NO_WORK = OpenWork()


def build(
    memories: FindsMemories,
    situation: Situation,
    *,
    recaps: Sequence[Recap] = (),
    task: Task | None = None,
    work: OpenWork = NO_WORK,
) -> Injection:
    """`recaps`: what the last sessions left, the newest first."""
    settings = situation.settings
    budgets = settings.budgets
    left = budgets.live_start_tokens - situation.live.tokens(Moment.ON_DEMAND)
    budget_tokens = min(allowance(budgets.start_tokens, budgets, window_tokens=situation.window_tokens), left)
    if budget_tokens <= 0:
        return silence(Placement.SYSTEM, Quiet.CAP)
    if settings.start.style is StartStyle.FULL:
        return full_start.build(memories, situation, budget_tokens, recaps=recaps, task=task)
    hits = _Hits(memories, situation, task)
    standing = hits.of(STANDING, lambda _: True, POOL)
    commands = _commands(hits.of((Kind.RESEARCH,), _is_command, POOL))
    since = situation.now - timedelta(days=settings.start.decision_days)
    facts = hits.of((Kind.DECISION, Kind.RESEARCH), _is_fact, settings.start.facts, since=since)
    tied = [hit for hit in hits.of(MAY_BE_TIED, work.has, settings.start.tied) if hit not in facts]
    by_section = {FACTS: facts, COMMANDS: commands, TIED: tied}
    chosen = leave_out_lone_claims([*standing, *(hit for group in by_section.values() for hit in group)], situation)
    section_of = {hit.memory.id: section for section, group in by_section.items() for hit in group}
    last = continuity.offer_last_session(recaps, [hit.memory for hit in chosen])
    offers = [*last, *(_offer(hit, section_of.get(hit.memory.id)) for hit in map(redact_for_block, chosen))]
    filled = fill(
        offers,
        budget_tokens=budget_tokens,
        shares=_shares(settings, budget_tokens),
        sections=[*RULES, *by_section, *dict.fromkeys(one.section for one in last)],
        counts_rest=situation.counts_rest,
    )
    return build_injection(Placement.SYSTEM, filled, chosen, budget_tokens=budget_tokens, considered=hits.considered)


class _Hits:
    """What may be shown of what is confirmed, the best first."""

    def __init__(self, memories: FindsMemories, situation: Situation, task: Task | None) -> None:
        self._memories = memories
        self._situation = situation
        self._task = task
        self.considered = 0

    def of(
        self, kinds: Sequence[Kind], is_wanted: Callable[[Memory], bool], limit: int, since: datetime | None = None
    ) -> list[Hit]:
        situation = self._situation
        wanted = [kind for kind in kinds if situation.settings.kinds.injected[kind]]
        if not wanted:
            return []
        newest = self._memories.newest(
            situation.viewer, limit=POOL, kinds=wanted, since=since, injectable=True, confirmed=True
        )
        pool = [
            memory
            for memory in newest
            if is_wanted(memory)
            and situation.may_show(memory)
            and not situation.is_said_here(memory)
            and memory.id not in situation.live.memory_ids
        ]
        self.considered += len(pool)
        hits = sorted(map(self._weighed, pool), key=lambda hit: (-hit.score, -hit.memory.valid_from.timestamp()))
        looked_at = settled(hits, min(limit, len(hits)), situation.look_up_freshness, situation.settings.stale)
        return [hit for hit in looked_at if not _has_lost_all(hit)][:limit]

    def _weighed(self, memory: Memory) -> Hit:
        """Nothing is asked, so all of it is relevant."""
        situation = self._situation
        factors = start_factors(memory, situation.viewer, self._task, situation.now, situation.settings)
        return Hit(memory=memory, relevance=1.0, score=start_score(factors, situation.settings), factors=factors)


def _has_lost_all(hit: Hit) -> bool:
    """The files that it speaks of."""
    files = hit.freshness.files
    return bool(files) and all(file.state is FileState.GONE and file.moved_to is None for file in files)


def _is_command(memory: Memory) -> bool:
    return (memory.title or "").startswith(COMMAND)


def _is_fact(memory: Memory) -> bool:
    """Said by the user, or saved by an agent with its tool; not read out of what an agent said. A choice in a question
    is about one feature: prompts about that get it."""
    is_told = memory.source.role is Role.USER or (memory.source.role is Role.ASSISTANT and memory.rules is None)
    return is_told and not _is_command(memory) and not is_choice(memory)


def _commands(known: Iterable[Hit]) -> list[Hit]:
    """The newest for each purpose, and one more of a part of the project; of a monorepo's many, a few. Where a project
    has tasks of its own, what everybody knows of its language is not told."""
    newest = sorted(known, key=lambda hit: (hit.memory.valid_from, hit.memory.id), reverse=True)
    each = list({hit.memory.title or "": hit for hit in reversed(newest)}.values())
    each.sort(key=lambda hit: ("(" in (hit.memory.title or ""), -hit.memory.valid_from.timestamp()))
    taken: Counter[str] = Counter()
    lines: set[str] = set()
    kept = []
    for hit in each:
        purpose = (hit.memory.title or "").removeprefix(COMMAND).partition(" (")[0]
        line = hit.memory.text.partition(" (in ")[0]
        taken[purpose] += 1
        if taken[purpose] <= OF_A_PURPOSE and purpose not in UNTOLD and line not in lines:
            lines.add(line)
            kept.append(hit)
    if any(is_own_task(run) for hit in kept for run in _runs(hit)):
        kept = [hit for hit in kept if not any(map(is_known_to_all, _runs(hit)))]
    return kept[:COMMANDS_SHOWN]


def _runs(command: Hit) -> Sequence[Run]:
    return runs(command.memory.evidence[0]) if command.memory.evidence else ()


def _offer(hit: Hit, section: str | None) -> Offer:
    level = level_of(hit.memory)
    place = LEVELS.index(level)
    return offer(hit.memory, section or RULES[place], hit.freshness, (level,), order=0 if section else place)


def _shares(settings: Settings, budget_tokens: int) -> dict[str, int]:
    """Of what memories may take; the last session comes first, and flows on."""
    budgets = settings.budgets
    scale = budget_tokens / max(1, budgets.start_tokens)
    shares = (budgets.universal_tokens, budgets.language_tokens, budgets.project_tokens)
    return {level: int(tokens * scale) for level, tokens in zip(LEVELS, shares, strict=False)}
