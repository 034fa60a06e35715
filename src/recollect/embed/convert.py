"""Float weights in, an int8 model out, judged against the weights themselves before anybody may use it."""

import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.domain.errors import ModelError
from recollect.embed import graph, reference, telemetry_off, weights
from recollect.embed.minilm import session_of, tokenizer_of

if TYPE_CHECKING:
    from onnx import ModelProto

MAX_FLOAT_DIFFERENCE = 2e-6  # of any number of a vector: the graph is the network, up to rounding
MIN_COSINE = 0.97  # of int8 to float, of every sentence

# In the first layers some activations are far larger than the rest; one int8 scale for all of them is too coarse. Three
# of 36 products stay in float: 5 MB more, and the worst cosine is .984 instead of .970.
_KEPT_FLOAT = tuple(f"encoder.layer.{layer}.output.dense.weight" for layer in range(3))


class Converted(NamedTuple):
    model: bytes
    worst_cosine: float


def convert(safetensors: bytes, tokenizer: bytes, scratch: Path, step: Callable[[str], None]) -> Converted:
    """`scratch` is a folder for files in between; `step` hears what is done."""
    # Before numpy comes: its threads wait for each other by spinning, which on a busy machine takes four times as long.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy

    step("reading the weights")
    floats = weights.read(safetensors)
    encode = tokenizer_of(tokenizer).encode
    inputs = [encode(sentence).ids for sentence in reference.SENTENCES]
    expected = numpy.stack(reference.vectors(floats, inputs))
    step("writing the network down")
    model = graph.model(floats)
    difference = float(abs(_vectors(model.SerializeToString(), inputs) - expected).max())
    if not difference <= MAX_FLOAT_DIFFERENCE:  # nan is not
        raise ModelError(f"The network is not what the weights say: it differs by {difference:.1e}. Please report it.")
    step("making it small")
    small = _quantised(model, scratch)
    step("judging it")
    worst = float((_vectors(small, inputs) * expected).sum(axis=1).min())
    if not worst >= MIN_COSINE:
        raise ModelError(
            f"The int8 model is too far from the float one: cosine {worst:.3f}, at least {MIN_COSINE} is needed. "
            "Another version of onnxruntime or onnx may do better."
        )
    return Converted(small, round(worst, 4))


def _vectors(model: bytes, inputs: list[list[int]]) -> "reference.Array":
    import numpy

    session = session_of(model)
    return numpy.concatenate(
        [session.run(None, {graph.INPUT: numpy.array([ids], dtype=numpy.int64)})[0] for ids in inputs]
    )


def _quantised(model: "ModelProto", scratch: Path) -> bytes:
    telemetry_off.onnxruntime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    kept = [node.name for node in model.graph.node if set(node.input) & set(_KEPT_FLOAT)]
    output = scratch / "small.onnx"
    before, temporary = logging.root.manager.disable, tempfile.tempdir
    logging.disable(logging.WARNING)  # it recommends a preparation that changes nothing here
    tempfile.tempdir = str(scratch)  # its own copy of the model must not outlive us elsewhere
    try:
        quantize_dynamic(
            model,
            output,
            per_channel=True,  # one scale for a whole matrix is visibly worse: .861
            reduce_range=True,  # products of 7 bits cannot overflow on processors without VNNI: all answer the same
            weight_type=QuantType.QInt8,
            nodes_to_exclude=kept,
        )
    finally:
        logging.disable(before)
        tempfile.tempdir = temporary
    return output.read_bytes()
