"""Choose what fits. Pure: same offers and budget, same choice. The budget is for the rendered text, fence included."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.domain.freshness import NOT_LOOKED_AT, Freshness
from recollect.domain.injection import Verdict
from recollect.domain.memory import Hit, Kind, Memory, MemoryId
from recollect.domain.settings import Budgets
from recollect.text.block import BlockLine, line_of, render, short_line_of
from recollect.text.tokens import estimate

COSTED_BEFORE_CHARS = 2000  # longer lines are not remembered: hardly any fits


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that may be said, under a heading: a memory, or a line about a session."""

    ways: tuple[str, ...]  # the best first; the first says all of it
    section: str = ""
    memory: MemoryId | None = None
    shares: tuple[str, ...] = ()  # the parts of the budget that it takes from
    order: int = 0  # within its section, before the order of the offers
    means: Verdict = Verdict.SHOWN  # what becomes of the memory if it is said in the first way


def offer(
    memory: Memory,
    section: str = "",
    freshness: Freshness = NOT_LOOKED_AT,
    shares: tuple[str, ...] = (),
    order: int = 0,
) -> Offer:
    """A memory: whole, else in short."""
    short = short_line_of(memory, freshness)
    ways = (line_of(memory, freshness), *([] if short is None else [short]))
    return Offer(ways, section, memory.id, shares, order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A block, and what became of each offer of a memory."""

    block: str
    tokens: int
    verdicts: Mapping[MemoryId, Verdict]
    said: tuple[Offer, ...] = ()  # what it says, each in the way that was chosen, in the order of the offers

    @property
    def shown(self) -> tuple[MemoryId, ...]:
        """Whole: a title line does not count as shown."""
        return tuple(memory for memory, verdict in self.verdicts.items() if verdict is Verdict.SHOWN)


@dataclass(frozen=True, slots=True)
class _Line:
    place: int  # of its offer
    offer: Offer
    way: int

    @property
    def text(self) -> str:
        return self.offer.ways[self.way]

    @property
    def means(self) -> Verdict:
        return self.offer.means if self.way == 0 else Verdict.SHORT

    @property
    def said(self) -> Offer:
        return replace(self.offer, ways=(self.text,), means=self.means)


Render = Callable[[Sequence[BlockLine], int], str]


def _cost(line: str) -> int:
    """In a block."""
    return _cost_before(line) if len(line) <= COSTED_BEFORE_CHARS else estimate(line + "\n")


@lru_cache(maxsize=1024)
def _cost_before(line: str) -> int:
    """The same few lines are offered several times for one block, and again for the next."""
    return estimate(line + "\n")


def _fenced(entries: Sequence[BlockLine], more: int) -> str:
    return render(entries, more=more)


def fill(
    offers: Sequence[Offer],
    *,
    budget_tokens: int,
    shares: Mapping[str, int] | None = None,
    max_lines: int | None = None,
    sections: Sequence[str] = ("",),
    counts_rest: bool = True,
    flows: bool = True,
    besides: int = 0,
    render: Render = _fenced,
) -> Filled:
    """Take offers in their order: whole, else in short, else counted. What does not fit blocks nothing after it.

    First within their shares; then, where these flow, with what is left of all of them. `besides`: so many found no
    room before these were offered, and are counted with those that find none here.
    """
    filling = _Filling(offers, budget_tokens, max_lines, sections, besides if counts_rest else None, render)
    if shares:
        filling.take_within(shares, whole_only=flows)
    if flows:
        filling.take_whatever_fits()
    return filling.done()


class _Filling:
    def __init__(
        self,
        offers: Sequence[Offer],
        budget_tokens: int,
        max_lines: int | None,
        sections: Sequence[str],
        besides: int | None,
        render: Render,
    ) -> None:
        self._offers = offers
        self._budget_tokens = budget_tokens
        self._max_lines = len(offers) if max_lines is None else max_lines
        self._sections = sections
        self._besides = besides  # None: nothing is counted
        self._render = render
        self._chosen: dict[int, _Line] = {}
        self._headed: set[str] = set()  # sections whose headings are paid for
        # The note on what was left out is paid for from the start, so that adding it never breaks the budget.
        self._spent = estimate(render([BlockLine("", "")], self._left_out(len(offers))))

    def _left_out(self, of_these: int) -> int:
        """How many the block says it leaves out."""
        return 0 if self._besides is None else of_these + self._besides

    def take_within(self, shares: Mapping[str, int], *, whole_only: bool) -> None:
        left = dict(shares)
        for place, one in enumerate(self._offers):
            for way in range(1 if whole_only else len(one.ways)):
                cost = _cost(one.ways[way])
                if all(cost <= left.get(share, cost) for share in one.shares) and self._take(_Line(place, one, way)):
                    left |= {share: left[share] - cost for share in one.shares if share in left}
                    break

    def take_whatever_fits(self) -> None:
        for place, one in enumerate(self._offers):
            if place not in self._chosen:
                any(self._take(_Line(place, one, way)) for way in range(len(one.ways)))

    def _take(self, line: _Line) -> bool:
        if len(self._chosen) >= self._max_lines:
            return False
        cost = _cost(line.text)
        if line.offer.section not in self._headed:
            cost += _cost(f"{line.offer.section}:")
        if self._spent + cost > self._budget_tokens:
            return False
        self._chosen[line.place] = line
        self._headed.add(line.offer.section)
        self._spent += cost
        return True

    def done(self) -> Filled:
        """Lines were counted one by one; what counts is the rendered whole, so it has the last word."""
        while True:
            lines = sorted(
                self._chosen.values(),
                key=lambda line: (self._sections.index(line.offer.section), line.offer.order, line.place),
            )
            more = self._left_out(len(self._offers) - len(lines))
            block = self._render([BlockLine(line.offer.section, line.text) for line in lines], more)
            tokens = estimate(block)
            if tokens <= self._budget_tokens or not lines:
                break
            del self._chosen[max(self._chosen)]
        full = len(self._chosen) >= self._max_lines
        verdicts = {
            one.memory: self._verdict(place, Verdict.LINES if full else Verdict.BUDGET)
            for place, one in enumerate(self._offers)
            if one.memory is not None
        }
        said = tuple(line.said for _, line in sorted(self._chosen.items()))
        return Filled(block=block, tokens=tokens, verdicts=verdicts, said=said)

    def _verdict(self, place: int, left_out: Verdict) -> Verdict:
        line = self._chosen.get(place)
        return left_out if line is None else line.means


def allowance(tokens: int, budgets: Budgets, *, prompt_tokens: int = 0, window_tokens: int | None = None) -> int:
    """What a block may cost beside this prompt, for a model that reads so much at once."""
    allowed = float(tokens)
    if prompt_tokens > budgets.large_prompt_tokens:
        allowed *= max(budgets.large_prompt_share, budgets.large_prompt_tokens / prompt_tokens)
    if window_tokens is not None:
        allowed = min(allowed, window_tokens * budgets.window_share)
    return int(min(max(allowed, min(tokens, budgets.least_tokens)), budgets.most_tokens))


def first_of_each_kind(hits: Iterable[Hit]) -> list[Hit]:
    """The best of each kind before the others, each part in its order: one loud kind does not silence the rest."""
    first: list[Hit] = []
    others: list[Hit] = []
    kinds: set[Kind] = set()
    for hit in hits:
        (others if hit.memory.kind in kinds else first).append(hit)
        kinds.add(hit.memory.kind)
    return [*first, *others]


def favouring(hits: Sequence[Hit], kinds: frozenset[Kind], most: int) -> list[Hit]:
    """So many of the favoured kinds first, the rest in its order."""
    favoured = [hit for hit in hits if hit.memory.kind in kinds][:most]
    return [*favoured, *(hit for hit in hits if hit not in favoured)]
