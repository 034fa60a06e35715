"""Choose what fits. Pure: same offers and budget, same choice. The budget is for the rendered text, fence included."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from recollect.domain.freshness import NOT_CHECKED, Freshness
from recollect.domain.injection import Verdict
from recollect.domain.memory import Hit, Kind, Memory, MemoryId
from recollect.domain.settings import Budgets
from recollect.text.block import BlockLine, line_of, render, short_line_of
from recollect.text.tokens import estimate

MAX_CACHED_CHARS = 2000  # the cost of longer lines is not cached: hardly any fits


@dataclass(frozen=True, slots=True)
class BlockItem:
    """A memory, or a line about a session, that may go into a block."""

    forms: tuple[str, ...]  # its forms, the best first; the first is complete
    section: str = ""
    memory_id: MemoryId | None = None
    shares: tuple[str, ...] = ()  # the parts of the budget that pay for it
    order: int = 0  # within its section, before the order of the offers
    verdict: Verdict = Verdict.SHOWN  # on the memory, if the first form is chosen


def item_for_memory(
    memory: Memory, section: str = "", freshness: Freshness = NOT_CHECKED, shares: tuple[str, ...] = (), order: int = 0
) -> BlockItem:
    forms = filter(None, (line_of(memory, freshness), short_line_of(memory, freshness)))
    return BlockItem(tuple(forms), section, memory.id, shares, order)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledBlock:
    block: str
    tokens: int
    verdicts: Mapping[MemoryId, Verdict]
    included: tuple[BlockItem, ...] = ()  # in the block, each with its chosen form only, in the order of the offers

    @property
    def shown_whole(self) -> tuple[MemoryId, ...]:
        """Memories that are shown whole: a title line does not count."""
        return tuple(memory for memory, verdict in self.verdicts.items() if verdict is Verdict.SHOWN)


@dataclass(frozen=True, slots=True)
class _Line:
    index: int  # of its offer
    offer: BlockItem
    form_index: int

    @property
    def text(self) -> str:
        return self.offer.forms[self.form_index]

    @property
    def verdict(self) -> Verdict:
        return self.offer.verdict if self.form_index == 0 else Verdict.SHORT

    @property
    def chosen_form_only(self) -> BlockItem:
        offer = self.offer
        return BlockItem((self.text,), offer.section, offer.memory_id, offer.shares, offer.order, self.verdict)


Renderer = Callable[[Sequence[BlockLine], int], str]


def _cost(line: str) -> int:
    return _cached_cost(line) if len(line) <= MAX_CACHED_CHARS else estimate(line + "\n")


@lru_cache(maxsize=1024)
def _cached_cost(line: str) -> int:
    """The same few lines are offered several times for one block, and again for the next."""
    return estimate(line + "\n")


def _render_fenced(entries: Sequence[BlockLine], more: int) -> str:
    return render(entries, more=more)


def fill(
    offers: Sequence[BlockItem],
    *,
    budget_tokens: int,
    shares: Mapping[str, int] | None = None,
    max_lines: int | None = None,
    sections: Sequence[str] = ("",),
    show_omitted_count: bool = True,
    share_leftovers: bool = True,
    already_left_out: int = 0,  # added to the count
    render: Renderer = _render_fenced,
) -> FilledBlock:
    """Take offers in their order: whole, else in short, else counted. An offer that does not fit blocks no later one.
    First each share of the budget is spent on its own offers; with `share_leftovers`, the rest is for any offer."""
    if max_lines is None:
        max_lines = len(offers)
    filling = _BlockFiller(
        offers, budget_tokens, max_lines, sections, already_left_out if show_omitted_count else None, render
    )
    if shares:
        filling.take_within_shares(shares, whole_only=share_leftovers)
    if share_leftovers:
        filling.take_into_leftover()
    return filling.finish()


@dataclass(slots=True)
class _BlockFiller:
    offers: Sequence[BlockItem]
    budget_tokens: int
    max_lines: int
    sections: Sequence[str]
    already_left_out: int | None  # None: the block has no count
    render: Renderer
    chosen: dict[int, _Line] = field(default_factory=dict)
    paid_headings: set[str] = field(default_factory=set)
    spent: int = 0

    def __post_init__(self) -> None:
        # The count is paid for from the start, so that adding it never breaks the budget.
        self.spent = estimate(self.render([BlockLine("", "")], self._count_left_out(len(self.offers))))

    def _count_left_out(self, of_these: int) -> int:
        return 0 if self.already_left_out is None else of_these + self.already_left_out

    def take_within_shares(self, shares: Mapping[str, int], *, whole_only: bool) -> None:
        left = dict(shares)
        for place, offer in enumerate(self.offers):
            for way in range(1 if whole_only else len(offer.forms)):
                cost = _cost(offer.forms[way])
                limited = [share for share in offer.shares if share in left]
                if all(cost <= left[share] for share in limited) and self._take(_Line(place, offer, way)):
                    for share in set(limited):
                        left[share] -= cost
                    break

    def take_into_leftover(self) -> None:
        for place, offer in enumerate(self.offers):
            if place in self.chosen:
                continue
            for way in range(len(offer.forms)):
                if self._take(_Line(place, offer, way)):
                    break

    def _take(self, line: _Line) -> bool:
        if len(self.chosen) >= self.max_lines:
            return False
        cost = _cost(line.text)
        if line.offer.section not in self.paid_headings:
            cost += _cost(f"{line.offer.section}:")
        if self.spent + cost > self.budget_tokens:
            return False
        self.chosen[line.index] = line
        self.paid_headings.add(line.offer.section)
        self.spent += cost
        return True

    def finish(self) -> FilledBlock:
        """Drop the last lines until the rendered block fits: it may cost more than the sum of its lines."""
        block, tokens = self._render_chosen()
        while tokens > self.budget_tokens and self.chosen:
            del self.chosen[max(self.chosen)]
            block, tokens = self._render_chosen()
        left_out = Verdict.LINES if len(self.chosen) >= self.max_lines else Verdict.BUDGET
        verdicts: dict[MemoryId, Verdict] = {}
        for place, offer in enumerate(self.offers):
            if offer.memory_id is not None:
                verdicts[offer.memory_id] = self.chosen[place].verdict if place in self.chosen else left_out
        said = tuple(line.chosen_form_only for _, line in sorted(self.chosen.items()))
        return FilledBlock(block=block, tokens=tokens, verdicts=verdicts, included=said)

    def _render_chosen(self) -> tuple[str, int]:
        def position(line: _Line) -> tuple[int, int, int]:
            return self.sections.index(line.offer.section), line.offer.order, line.index

        lines = sorted(self.chosen.values(), key=position)
        left_out = self._count_left_out(len(self.offers) - len(lines))
        block = self.render([BlockLine(line.offer.section, line.text) for line in lines], left_out)
        return block, estimate(block)


def block_budget(tokens: int, budgets: Budgets, *, prompt_tokens: int = 0, window_tokens: int | None = None) -> int:
    """Return the budget of a block beside this prompt, for a model with this context window."""
    allowed = float(tokens)
    if prompt_tokens > budgets.large_prompt_tokens:
        allowed *= max(budgets.large_prompt_share, budgets.large_prompt_tokens / prompt_tokens)
    if window_tokens is not None:
        allowed = min(allowed, window_tokens * budgets.window_share)
    return int(min(max(allowed, min(tokens, budgets.least_tokens)), budgets.most_tokens))


def put_first_of_each_kind_first(hits: Iterable[Hit]) -> list[Hit]:
    """Put the best hit of each kind first, otherwise keep the order: one loud kind does not silence the rest."""
    first: dict[Kind, Hit] = {}
    others: list[Hit] = []
    for hit in hits:
        if hit.memory.kind in first:
            others.append(hit)
        else:
            first[hit.memory.kind] = hit
    return [*first.values(), *others]


def put_kinds_first(hits: Sequence[Hit], kinds: frozenset[Kind], most: int) -> list[Hit]:
    """Put at most `most` hits of these kinds first, and keep the order of the rest."""
    favoured = [hit for hit in hits if hit.memory.kind in kinds][:most]
    return [*favoured, *(hit for hit in hits if hit not in favoured)]
