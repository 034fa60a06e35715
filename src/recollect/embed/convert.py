"""Converts float weights into an int8 model, and refuses a result that differs too much from the weights."""

import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.domain.errors import ModelError
from recollect.embed import graph, reference, weights
from recollect.embed.minilm import import_onnxruntime, load_tokenizer, open_session

if TYPE_CHECKING:
    from onnx import ModelProto

MAX_FLOAT_DIFFERENCE = 2e-6  # of any number of a vector: graph and weights may differ by rounding only
MIN_COSINE = 0.97  # between int8 and float, for every sentence

# In the first layers some activations are far larger than the rest, and one int8 scale for all of them is too coarse.
# Three of 36 products stay in float: 5 MB more, and the worst cosine is .984 instead of .970.
_FLOAT_WEIGHTS = tuple(f"encoder.layer.{layer}.output.dense.weight" for layer in range(3))


class ConvertedModel(NamedTuple):
    model: bytes
    worst_cosine: float


def convert(safetensors: bytes, tokenizer: bytes, scratch: Path, step: Callable[[str], None]) -> ConvertedModel:
    """Convert and check. `scratch` is a folder for temporary files; `step` is called with the name of each step."""
    # Before numpy is imported: its threads spin while they wait, which takes four times as long on a busy machine.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy

    step("reading the weights")
    floats = weights.read(safetensors)
    encode = load_tokenizer(tokenizer).encode
    inputs = [encode(sentence).ids for sentence in reference.SENTENCES]
    expected = numpy.stack(reference.compute_vectors(floats, inputs))
    step("writing the network")
    model = graph.build_model(floats)
    difference = float(abs(_compute_vectors(model.SerializeToString(), inputs) - expected).max())
    if not difference <= MAX_FLOAT_DIFFERENCE:  # also true for nan
        raise ModelError(f"The network differs from its weights by {difference:.1e}. Please report it.")
    step("quantising the model")
    small = _quantise(model, scratch)
    step("checking the model")
    worst = float((_compute_vectors(small, inputs) * expected).sum(axis=1).min())
    if not worst >= MIN_COSINE:
        raise ModelError(
            f"The int8 model differs too much from the float model: cosine {worst:.3f}, needed {MIN_COSINE}. "
            "Try another version of onnxruntime or onnx."
        )
    return ConvertedModel(small, round(worst, 4))


def _compute_vectors(model: bytes, inputs: list[list[int]]) -> "reference.Array":
    import numpy

    session = open_session(model)
    vectors = []
    for ids in inputs:
        vectors += session.run(None, {graph.INPUT: numpy.array([ids], dtype=numpy.int64)})
    return numpy.concatenate(vectors)


def _quantise(model: "ModelProto", scratch: Path) -> bytes:
    import_onnxruntime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    float_nodes = [node.name for node in model.graph.node if set(node.input) & set(_FLOAT_WEIGHTS)]
    output = scratch / "small.onnx"
    log_level_before = logging.root.manager.disable
    tempdir_before = tempfile.tempdir
    logging.disable(logging.WARNING)  # it recommends a preparation that changes nothing here
    tempfile.tempdir = str(scratch)  # its temporary copy of the model is deleted with our folder
    try:
        quantize_dynamic(
            model,
            output,
            per_channel=True,  # one scale for a whole matrix is clearly worse: .861
            reduce_range=True,  # 7-bit products cannot overflow on processors without VNNI: all give the same vectors
            weight_type=QuantType.QInt8,
            nodes_to_exclude=float_nodes,
        )
    finally:
        logging.disable(log_level_before)
        tempfile.tempdir = tempdir_before
    return output.read_bytes()
