"""Cost of the embedding model: to check, to load, and per text by its number of tokens."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from bench.measure import measure, row
from recollect.embed import reference
from recollect.embed.folder import check
from recollect.embed.minilm import load
from recollect.embed.shape import HIDDEN, LAYERS, MAX_TOKENS
from recollect.paths import find_paths

if TYPE_CHECKING:
    from recollect.embed.weights import Weights

TOKENS = (10, 41, 256)  # a short question, a turn, the limit of the model


def run(_: Path) -> None:
    folder = find_paths().model
    weights = _random_weights()
    plain = {
        count: measure([[0] * count] * 10, lambda ids: reference.compute_vectors(weights, [ids])) for count in TOKENS
    }
    row("every byte checked", measure(range(10), lambda _: check(folder)), plain[41])
    row("loaded, with the check", measure(range(10), lambda _: load(folder)), plain[41])
    minilm = load(folder)
    for count in TOKENS:
        text = "word " * (count - 2)  # plus one token at each end
        row(f"a text of {count} tokens", measure([text] * 50, minilm.embed), plain[count])


def _random_weights() -> "Weights":
    """Return weights of the right shapes; the cost of a product does not depend on the numbers."""
    random = numpy.random.default_rng(0)

    def some(*shape: int) -> "reference.Array":
        return random.standard_normal(shape, dtype=numpy.float32)

    inner = 4 * HIDDEN
    linear = {"attention.output.dense": (HIDDEN, HIDDEN), "intermediate.dense": (inner, HIDDEN)}
    linear |= {"output.dense": (HIDDEN, inner)}
    linear |= {f"attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
    norms = ["embeddings.LayerNorm"]
    weights = {f"embeddings.{part}_embeddings.weight": some(MAX_TOKENS, HIDDEN) for part in ("word", "position")}
    weights["embeddings.token_type_embeddings.weight"] = some(2, HIDDEN)
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for name, (rows, columns) in linear.items():
            weights |= {f"{layer}.{name}.weight": some(rows, columns), f"{layer}.{name}.bias": some(rows)}
    return weights | {f"{norm}.{part}": some(HIDDEN) for norm in norms for part in ("weight", "bias")}
