"""Build an Injection from a filled block, with the reasons for the log."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from recollect.domain.injection import Choice, Injection, Placement, QuietReason, Verdict
from recollect.domain.memory import Hit, MemoryId
from recollect.rank.budget import FilledBlock

LOG_DIGITS = 3
MAX_LOGGED_REFUSALS = 20


def silence(placement: Placement, quiet: QuietReason | None = None) -> Injection:
    return Injection(placement=placement, quiet=quiet)


def build_injection(
    placement: Placement,
    filled: FilledBlock,
    hits: Iterable[Hit],
    *,
    budget_tokens: int,
    considered: int,
    needed: Mapping[MemoryId, float] | None = None,
    refused: Sequence[Choice] = (),
) -> Injection:
    """`hits` were offered to the block, `refused` were not. `needed`: the threshold of each memory."""
    shown: list[Choice] = []
    others: list[Choice] = []
    for hit in hits:
        if hit.memory.id in filled.verdicts:
            choice = build_choice(hit, filled.verdicts[hit.memory.id], (needed or {}).get(hit.memory.id, 0.0))
            (shown if choice.verdict is Verdict.SHOWN else others).append(choice)
    return Injection(
        placement=placement,
        block=filled.block,
        tokens=filled.tokens,
        budget_tokens=budget_tokens,
        ids=filled.shown_whole,
        considered=considered,
        choices=(*shown, *[*others, *refused][:MAX_LOGGED_REFUSALS]),
    )


def refuse(hits: Collection[Hit], verdict: Verdict, needed: Mapping[MemoryId, float] | None = None) -> list[Choice]:
    return [build_choice(hit, verdict, (needed or {}).get(hit.memory.id, 0.0)) for hit in hits]


def build_choice(hit: Hit, verdict: Verdict, needed: float) -> Choice:
    return Choice(
        id=hit.memory.id,
        kind=hit.memory.kind,
        verdict=verdict,
        relevance=round(hit.relevance, LOG_DIGITS),
        score=round(hit.score, LOG_DIGITS),
        needed=round(needed, LOG_DIGITS),
        factors={name: round(value, LOG_DIGITS) for name, value in hit.factors.items()},
    )
