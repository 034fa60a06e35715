"""Upkeep of the store: delete what has expired (`tidy`), compute vectors, finish the work of an upgrade (`do_chores`,
`recheck_some`), repair, and report figures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from recollect.domain.changes import Change
from recollect.domain.health import Finding
from recollect.domain.injection import MomentUsage
from recollect.domain.session import Turn
from recollect.engine.admission import admit_turn
from recollect.engine.context import Context
from recollect.engine.engine import Engine, dry_run
from recollect.engine.memories import forget, forget_project
from recollect.engine.memories.embedding import BATCH_ITEMS, embed_missing
from recollect.engine.pausing import NO_PAUSES
from recollect.engine.ports import Store


def tidy(ctx: Context) -> None:
    """Delete what has expired."""
    ctx.live.needs_tidying = False  # first: a session that is deleted meanwhile sets it again
    if ctx.store.is_read_only:
        return
    try:
        try:
            forget_project.expire(ctx.store, ctx.now - timedelta(hours=ctx.settings.forget.undo_hours))
        finally:
            forget.tidy(ctx.store, ctx.now, ctx.settings)
    except Exception:  # a busy or full disk
        ctx.live.needs_tidying = True
        raise


def embed_some(ctx: Context, *, limit: int = BATCH_ITEMS, wait_ms: int | None = None) -> int:
    """Compute some missing vectors. Return how many; 0 also without a model."""
    model = None if ctx.store.is_read_only else ctx.model()
    return 0 if model is None else embed_missing(ctx.store, model, limit=limit, wait_ms=wait_ms)


def archive_turns(store: Store, turns: Sequence[Turn]) -> None:
    """Add turns to the archive, without those of deleted sessions and messages."""
    gone = {session: store.find_erased(session) for session in {turn.session for turn in turns}}
    present = [turn for turn in turns if gone[turn.session].isdisjoint((turn.message, ""))]
    with store.transaction():
        store.add_turns(list(filter(None, map(admit_turn, present))))


def do_chores(ctx: Context) -> bool:
    """Take one step of the work that an upgrade left. Return False when all is done."""
    if ctx.store.is_read_only:
        return False
    from recollect.engine.learning import rejudging, undo_doubtful  # needed only after an upgrade

    undo_doubtful.take_back(ctx.store, ctx.now)
    return rejudging.judge_some(ctx.store, ctx.now)


def recheck_some(ctx: Context) -> bool:
    """Check some more of an older version's data with the rules of this version."""
    return not ctx.store.is_read_only and ctx.store.rescan_some()


def repair(ctx: Context) -> list[Finding]:
    done = ctx.store.mend()
    while do_chores(ctx):
        pass
    return done


def warm_up(engine: Engine, folder: str, now: datetime) -> None:
    """Load what the first prompt in this folder needs. It leaves no trace in the store."""
    from recollect.engine.moments.handle import handle
    from recollect.engine.moments.warmup import warmup_events  # once per process

    engine.model()  # before the transaction: no process can write during it
    trial = replace(engine.for_trial(engine.store), pauses=NO_PAUSES)  # also during a pause, which may end soon
    trial.live.prepared = engine.live.prepared  # the background prepares this folder's start block next
    with dry_run(engine.store):
        for event in warmup_events(folder, now):
            handle(trial, event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    memories: int
    to_review: int
    candidates: int
    to_learn: int  # events that wait to be learnt from
    restored: Change | None  # the change that restored memories which an older version had replaced in doubt
    demoted: Change | None  # the change that made candidates of memories which today's rules would not confirm
    to_embed: int  # memories and turns without a vector
    usage: list[MomentUsage]  # tokens and blocks of each moment


def read_figures(store: Store) -> Figures:
    from recollect.engine.learning import rejudging, undo_doubtful  # an idle daemon asks for no figures
    from recollect.engine.memories import review

    waiting = store.count_missing_vectors(None)
    return Figures(
        memories=store.count(),
        to_review=len(review.find_cases(store)),
        candidates=len(store.candidates(limit=review.MAX_LISTED)),
        to_learn=store.count_waiting_events(),
        restored=undo_doubtful.current_change(store),
        demoted=rejudging.current_change(store),
        to_embed=waiting.memories + waiting.turns,
        usage=store.usage(),
    )
