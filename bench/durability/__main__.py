"""`python -m bench.durability`: fits the model of `capture/durability.py`, writes its weights, says how good it is.

Needs the embedding model (`recollect model build`). Every figure is about groups of turns that its fit has not seen.
`--check` writes nothing. The same corpus and the same model file give the same weights, up to the last digits.
"""

import re
import sys
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.durability.corpus import Turn, turns, unseen
from recollect.capture.clauses import sentences
from recollect.capture.conversation import said
from recollect.capture.durability import Embed
from recollect.capture.masking import read
from recollect.capture.traits import SIGNS, traits
from recollect.capture.traits import Turn as Shape
from recollect.config import places
from recollect.domain.event import Prompt, Reply
from recollect.domain.learning import Proposal
from recollect.domain.memory import MessageId, Role, SessionId, Tier
from recollect.embed.minilm import load

Floats = npt.NDArray[np.float64]
WEIGHTS = Path(__file__).parents[2] / "src/recollect/capture/durability_weights.py"
FOLDS = 5
RIDGE, RIDGE_MEANING = 6.0, 60.0  # what the words mean must not outweigh what is seen of them: the corpus is small
STEPS = 30
STEP = 0.05  # of the weights of a meaning, kept as one byte each
HAND_WRITTEN = 4.0  # a turn that somebody wrote counts as much as so many that a template made


class Rows:
    """The sentences of the corpus, as the product takes them apart."""

    def __init__(self, corpus: list[Turn]) -> None:
        seen, lasts, groups, texts, weights = [], [], [], [], []
        for turn in corpus:
            page = read(turn.text, own=turn.role is Role.ASSISTANT)
            found = sentences(page)
            shape = Shape(chars=sum(len(sentence.text) for sentence in found), shown_chars=page.shown_chars)
            for at, sentence in enumerate(found):
                seen.append(traits(found, at, shape))
                lasts.append(float(_is_marked(sentence.text, turn)))
                groups.append(turn.group)
                texts.append(sentence.text)
                weights.append(HAND_WRITTEN if "-" in turn.group else 1.0)
        self.seen = np.array(seen)
        self.lasts = np.array(lasts)
        self.groups = np.array(groups)
        self.texts = texts
        self.weights = np.array(weights)


def _is_marked(text: str, turn: Turn) -> bool:
    said = set(text.lower().split())
    return any(len(said & set(_plain(part).split())) >= 0.6 * len(said) for part in turn.lasting)


def _plain(text: str) -> str:
    return text.lower().replace("*", "").replace("`", "").rstrip(".") + " " + text.lower()


def main() -> None:
    corpus = turns()
    model = load(places().model)
    by_hand = sum("-" in turn.group for turn in corpus)
    print(f"{len(corpus)} turns, {by_hand} of them written one by one; {model.model}")
    print("Held out: AUC and average precision of all sentences, and the AUC of those written one by one\n")
    print(f"{'':10} {'sentences':>9} {'lasting':>8} | {'what is seen':^19} | {'and what is meant':^19}")
    made = {}
    for role in (Role.USER, Role.ASSISTANT):
        rows = Rows([turn for turn in corpus if turn.role is role])
        known: dict[str, Floats] = {}
        meant = np.array([_meaning(text, model.embed, known) for text in rows.texts])
        both = np.column_stack([rows.seen, meant])
        ridge = np.full(rows.seen.shape[1], RIDGE)
        ridge_both = np.concatenate([ridge, np.full(meant.shape[1], RIDGE_MEANING)])
        alone, together = held_out(rows.seen, rows, ridge), held_out(both, rows, ridge_both)
        print(f"{role:10} {len(rows.lasts):9} {int(rows.lasts.sum()):8} | {_row(alone, rows)} | {_row(together, rows)}")
        made[role] = (fit(rows.seen, rows.lasts, rows.weights, ridge), fit(both, rows.lasts, rows.weights, ridge_both))
    _say_what_is_proposed(unseen(), model.embed)
    if "--check" not in sys.argv:
        WEIGHTS.write_text(_module(made))
        print(f"\nwritten: {WEIGHTS.name}")


def _say_what_is_proposed(given: list[Turn], embed: Embed) -> None:
    """The whole way, with the weights that are there: turns in, proposals out."""
    print("\nTurns that nothing was fitted on, with the weights as they were before this run")
    for name, by in (("what is seen", None), ("and what is meant", embed)):
        proposed = [(turn, said(_event(turn), (), by)) for turn in given]
        confirmed = [(turn, one) for turn, found in proposed for one in found if one.tier is Tier.CONFIRMED]
        waiting = [(turn, one) for turn, found in proposed for one in found if one.tier is not Tier.CONFIRMED]
        found_again = sum(
            any(_holds(one.text, part) for one in found) for turn, found in proposed for part in turn.lasting
        )
        lasting = sum(len(turn.lasting) for turn in given)
        print(
            f"  {name:18} confirmed {_right(confirmed)}, candidates {_right(waiting)}, found {found_again} of {lasting}"
        )


def _right(proposed: list[tuple[Turn, Proposal]]) -> str:
    right = sum(any(_holds(one.text, part) for part in turn.lasting) for turn, one in proposed)
    return f"{right} of {len(proposed)} right"


def _holds(text: str, part: str) -> bool:
    words = set(re.findall(r"\w+", part.lower()))
    return len(words & set(re.findall(r"\w+", text.lower()))) >= 0.7 * len(words)


def _event(turn: Turn) -> Prompt | Reply:
    kind = Prompt if turn.role is Role.USER else Reply
    return kind(session=SessionId("s"), at=datetime(2026, 1, 1, tzinfo=UTC), message=MessageId("m"), text=turn.text)


def _row(said: Floats, rows: Rows) -> str:
    hand = rows.weights > 1
    written = auc(said[hand], rows.lasts[hand])
    return f"{auc(said, rows.lasts):.3f}  {ap(said, rows.lasts):.3f}  {written:.3f}"


def _meaning(text: str, embed: Embed, known: dict[str, Floats]) -> Floats:
    if text not in known:
        known[text] = np.frombuffer(embed(text), dtype=np.float32).astype(np.float64)
    return known[text]


def fit(signs: Floats, lasts: Floats, weights: Floats, ridge: Floats) -> Floats:
    """Newton's method; the first weight is the bias."""
    table = np.column_stack([np.ones(len(signs)), signs])
    penalty = np.diag(np.concatenate([[0.01], ridge]))
    found = np.zeros(table.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(table @ found, -30, 30)))
        slope = table.T @ (weights * (chance - lasts)) + penalty @ found
        curve = (table * (weights * chance * (1 - chance))[:, None]).T @ table + penalty
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < 1e-8:
            break
    return found


def held_out(signs: Floats, rows: Rows, ridge: Floats) -> Floats:
    names = sorted(set(rows.groups))
    fold = {name: number % FOLDS for number, name in enumerate(names)}
    of = np.array([fold[name] for name in rows.groups])
    said = np.zeros(len(rows.lasts))
    for number in range(FOLDS):
        here = of == number
        found = fit(signs[~here], rows.lasts[~here], rows.weights[~here], ridge)
        said[here] = found[0] + signs[here] @ found[1:]
    return said


def auc(said: Floats, lasts: Floats) -> float:
    _, place, count = np.unique(said, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    yes = float(lasts.sum())
    return float((rank[lasts > 0].sum() - yes * (yes + 1) / 2) / (yes * (len(lasts) - yes)))


def ap(said: Floats, lasts: Floats) -> float:
    order = np.argsort(-said, kind="stable")
    right = np.cumsum(lasts[order])
    return float((right / np.arange(1, len(order) + 1))[lasts[order] > 0].mean())


def _module(made: dict[Role, tuple[Floats, Floats]]) -> str:
    lines = [
        '"""Made by `python -m bench.durability`; do not edit. The bias comes first, then one weight for each sign."""',
        "",
        "# fmt: off",
        f"MEANING_STEP = {STEP}",
    ]
    count = len(SIGNS) + 1
    for role, (alone, together) in made.items():
        name = role.value.upper()
        lines += [f"{name} = (", *_numbers(alone), ")", f"{name}_WITH_MEANING = (", *_numbers(together[:count]), ")"]
        coded = b64encode(np.clip(np.round(together[count:] / STEP), -127, 127).astype(np.int8).tobytes()).decode()
        lines += [f"{name}_MEANING = (", *(f'    "{coded[at : at + 100]}"' for at in range(0, len(coded), 100)), ")"]
    return "\n".join(lines) + "\n"


def _numbers(weights: Floats) -> list[str]:
    shown = [f"{weight:.3f}" for weight in weights]
    return [f"    {', '.join(shown[at : at + 14])}," for at in range(0, len(shown), 14)]


if __name__ == "__main__":
    main()
