"""Choose what fits. Pure: same offers and budget, same choice. The budget is for the rendered text, fence included."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.domain.freshness import NOT_LOOKED_AT, Freshness
from recollect.domain.injection import Injection, Placement
from recollect.domain.memory import Memory
from recollect.text.block import Entry, line_of, render, title_line_of
from recollect.text.tokens import estimate


@dataclass(frozen=True, slots=True)
class Offer:
    """A memory that may be shown, under a heading."""

    memory: Memory
    section: str = ""
    freshness: Freshness = NOT_LOOKED_AT


def fill(
    offers: Sequence[Offer],
    placement: Placement,
    *,
    budget_tokens: int,
    max_lines: int | None = None,
    sections: Sequence[str] = ("",),
) -> Injection:
    """Take offers in their order: whole, else as a title, else counted. What does not fit blocks nothing after it."""
    chosen: list[_Line] = []
    # The note on what was left out is paid for from the start, so that adding it never breaks the budget.
    spent = estimate(render([Entry("", "")], more=len(offers)))
    for offer in offers:
        if max_lines is not None and len(chosen) >= max_lines:
            break
        heading = 0 if any(offer.section == line.offer.section for line in chosen) else estimate(f"{offer.section}:\n")
        for line in _lines(offer):
            cost = heading + estimate(line.text + "\n")
            if spent + cost <= budget_tokens:
                chosen.append(line)
                spent += cost
                break
    block, kept = _rendered(chosen, len(offers), budget_tokens, sections)
    return Injection(
        placement=placement,
        block=block,
        tokens=estimate(block),
        ids=tuple(line.offer.memory.id for line in kept if line.is_whole),  # a title line does not count as shown
        considered=len(offers),
    )


@dataclass(frozen=True, slots=True)
class _Line:
    offer: Offer
    text: str
    is_whole: bool


def _lines(offer: Offer) -> list[_Line]:
    """The ways to show a memory, best first."""
    title = title_line_of(offer.memory, offer.freshness)
    whole = _Line(offer, line_of(offer.memory, offer.freshness), is_whole=True)
    return [whole] if title is None else [whole, _Line(offer, title, is_whole=False)]


def _rendered(
    chosen: list[_Line], offered: int, budget_tokens: int, sections: Sequence[str]
) -> tuple[str, list[_Line]]:
    """Lines were counted one by one; what counts is the rendered whole, so it has the last word."""
    while True:
        ordered = sorted(chosen, key=lambda line: sections.index(line.offer.section))
        block = render([Entry(line.offer.section, line.text) for line in ordered], more=offered - len(chosen))
        if estimate(block) <= budget_tokens:
            return block, chosen
        chosen = chosen[:-1]
