"""The safetensors reader, on files made by hand."""

import json
import struct

import pytest

from recollect.domain.errors import ModelError
from recollect.embed import weights


def safetensors(header: object, numbers: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def test_floats_are_read_by_name_and_shape() -> None:
    header = {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "b": {"dtype": "F32", "shape": [1], "data_offsets": [16, 20]},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [20, 28]},
    }
    read = weights.read(safetensors(header, struct.pack("<5fq", 1, 2, 3, 4, 5, 6)))
    assert {name: array.tolist() for name, array in read.items()} == {"a": [[1, 2], [3, 4]], "b": [5]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 8,
        struct.pack("<Q", 50) + b"{}",
        struct.pack("<Q", 2) + b"}{",
        safetensors([1, 2]),
        safetensors({"a": 1}),
        safetensors({"a": {"dtype": "F32", "shape": [2]}}, b"\0" * 8),
        safetensors({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"\0" * 4),
        safetensors({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}, b"\0" * 8),
        safetensors({"a": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}}, b"\0" * 8),
        safetensors({"a": {"dtype": "F32", "shape": "x", "data_offsets": [0, 8]}}, b"\0" * 8),
    ],
)
def test_what_does_not_add_up_is_refused(content: bytes) -> None:
    with pytest.raises(ModelError, match="Cannot read the weights"):
        weights.read(content)
