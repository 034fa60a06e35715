"""`python -m bench.novelty`: precision and recall per outcome, for each set of pairs and for all of them."""

from collections.abc import Sequence

from bench.novelty.judge import Confusion, judge_alone, judge_in_crowd
from bench.novelty.pairs import LABELS, SETS, Pair, pairs
from recollect.novelty.compare import Relation

HEAD = f"{'set':<8}{'pairs':>6}" + "".join(f"{label:>22}" for label in LABELS) + f"{'wrong':>10}{'unrelated':>12}"
UNDER = f"{'':<14}" + f"{'precision  recall':>22}" * len(LABELS) + f"{'merges':>10}{'as update':>12}"


def main() -> None:
    print("Each pair alone")
    print(HEAD)
    print(UNDER)
    for name in SETS:
        print(_row(name, pairs(name)))
    print(_row("all", [pair for name in SETS for pair in pairs(name)]))
    print("\nEach statement among all that its project knows")
    print(f"{'set':<8}{'known':>6}{'right':>16}{'others touched':>18}")
    for name in SETS:
        found = judge_in_crowd(pairs(name))
        print(f"{name:<8}{found.statements:>6}{f'{found.right} of {found.expected}':>16}{found.wrong:>18}")


def _row(name: str, given: Sequence[Pair]) -> str:
    found = judge_alone(given)
    figures = "".join(f"{_both(found, verdict):>22}" for verdict in LABELS.values())
    as_update = found.share_called(Relation.UNRELATED, Relation.UPDATES)
    return f"{name:<8}{len(given):>6}{figures}{found.wrong_merges:>10.3f}{as_update:>12.3f}"


def _both(found: Confusion, verdict: Relation) -> str:
    return f"{found.precision(verdict):.3f}   {found.recall(verdict):.3f}"


if __name__ == "__main__":
    main()
