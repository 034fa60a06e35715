"""An injection as a JSON object: the block, its cost, and on request the reason for each choice."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from recollect.domain.injection import Injection, LogEntry, MomentUsage

DIGITS = 3


def injection_json(injection: Injection, ms: float, *, explain: bool = False) -> dict[str, Any]:
    record: dict[str, Any] = {
        "block": injection.block,
        "tokens": injection.tokens,
        "ids": list(injection.ids),
        "placement": injection.placement,
        "ms": round(ms, DIGITS),
        "budget": injection.budget_tokens,
        "considered": injection.considered,
        "quiet": injection.quiet,
    }
    if injection.notice:
        record["notice"] = injection.notice
    if not injection.kept:
        record["kept"] = False
    if explain:
        record["choices"] = list(map(asdict, injection.choices))
    return record


def log_entry_json(sent: LogEntry) -> dict[str, Any]:
    injection = sent.injection
    shown = Counter(choice.kind.value for choice in injection.choices if choice.id in injection.ids)
    average = injection.relevance
    return {
        "session": sent.session,
        "at": sent.at.isoformat(),
        "point": sent.point,
        "message": sent.message,
        "call": sent.call or None,
        "context": sent.context,
        "confirmed": sent.confirmed,
        **injection_json(injection, sent.took_ms, explain=True),
        "by_kind": dict(shown),
        "relevance": None if average is None else round(average, DIGITS),
        "corrected": list(injection.corrected),
        "quoted": list(map(asdict, injection.quoted)),
    }


def usage_json(usage: MomentUsage) -> dict[str, Any]:
    return {
        "point": usage.point,
        "asked": usage.injections,
        "blocks": usage.blocks,
        "silent": usage.injections - usage.blocks,
        "tokens": usage.tokens,
        "tokens_per_block": round(usage.tokens / usage.blocks) if usage.blocks else 0,
        "budget_per_block": round(usage.budget_tokens / usage.blocks) if usage.blocks else 0,
        "memories": usage.memories,
        "ms": round(usage.took_ms, DIGITS),
    }
