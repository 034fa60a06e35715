"""The results of a search with their scores: a line or a table for people, JSON for scripts."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_with_freshness
from recollect.domain.memory import Hit
from recollect.domain.session import TurnHit
from recollect.text.block import stale_notes, visible

EXCERPT_CHARS = 300  # of a turn; --json has all of it
_OF_RELEVANCE = ("words", "meaning", "named")


def memory_json(hit: Hit) -> dict[str, Any]:
    return {**record_with_freshness(hit.memory, hit.freshness), **_reasons_json(hit)}


def turn_json(hit: TurnHit) -> dict[str, Any]:
    turn = hit.turn
    return {
        "id": turn.message,
        "session": turn.session,
        "role": turn.role.value,
        "time": turn.at.isoformat(),
        "text": turn.text,
        **_reasons_json(hit),
    }


def show_memory_hits(hits: Sequence[Hit], *, why: bool, uncertain: bool = False) -> None:
    reasons = list(map(reason, hits)) if why else None
    output.show_memories([hit.memory for hit in hits], [_note(hit, uncertain) for hit in hits], reasons)


def show_turn_hits(hits: Sequence[TurnHit], query: str, *, why: bool) -> None:
    from recollect.text.excerpt import excerpt  # for turns only
    from recollect.text.query import search_words

    words = search_words(query)
    excerpts = [(hit, excerpt(visible(hit.turn.text), words, chars=EXCERPT_CHARS)) for hit in hits]
    if sys.stdout.isatty():
        _show_turn_table(excerpts, why)
        return
    for hit, text in excerpts:
        turn = hit.turn
        session = f"session {turn.session}"
        output.say("\t".join([turn.message, turn.role, output.day(turn.at), session, _score(hit), text]))
        if why:
            output.say(f"  {reason(hit)}")


def reason(hit: Hit | TurnHit) -> str:
    """`score 0.71: relevance 0.80 (words 0.67, meaning 0.80), recency 0.98, ...`"""
    made_of = {name: hit.factors[name] for name in _OF_RELEVANCE if name in hit.factors}
    others = {name: value for name, value in hit.factors.items() if name not in ("relevance", *_OF_RELEVANCE)}
    return f"{_score(hit)}: relevance {hit.relevance:.2f} ({_list_factors(made_of)}), {_list_factors(others)}"


def _show_turn_table(excerpts: Sequence[tuple[TurnHit, str]], why: bool) -> None:
    from rich.text import Text

    table = output.list_table(folds_ids=False)
    for hit, text in excerpts:
        turn = hit.turn
        about = f"session {turn.session}  turn {turn.message}  {_score(hit)}"
        if why:
            about += f"\n{reason(hit)}"
        body = Text(text) + Text(f"\n{about}", style="dim")
        table.add_row(Text(output.day(turn.at), style="cyan"), Text(turn.role, style="bold magenta"), body)
    output.console().print(table)


def _note(hit: Hit, uncertain: bool) -> str:
    notes = [_score(hit)]
    if uncertain:
        notes.append("uncertain")
    if not hit.memory.is_live:
        ended = hit.memory.valid_to
        notes.append(f"valid until {output.day(ended)}" if ended else "superseded")
    return ", ".join([*notes, *stale_notes(hit.freshness)])


def _score(hit: Hit | TurnHit) -> str:
    return f"score {hit.score:.2f}"


def _list_factors(factors: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in factors.items())


def _reasons_json(hit: Hit | TurnHit) -> dict[str, Any]:
    return {
        "score": round(hit.score, 4),
        "relevance": round(hit.relevance, 4),
        "factors": {name: round(value, 4) for name, value in hit.factors.items()},
    }
