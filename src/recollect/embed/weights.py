"""Reads a safetensors file: a length, a header in JSON, then the numbers. Refuses an inconsistent file."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.domain.errors import ModelError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Weights = Mapping[str, NDArray[numpy.float32]]

MAX_HEADER_BYTES = 10_000_000
_LENGTH_BYTES = 8


def read(content: bytes) -> "Weights":
    """Return every float tensor by its name; tensors of other types are left out."""
    import numpy

    header, start = _read_header(content)
    weights = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry.get("dtype") != "F32":
            continue
        try:
            begin, end = entry["data_offsets"]
            shape = entry["shape"]
            if not 0 <= begin <= end <= len(content) - start:
                raise _weights_error(f"{name} is outside the file")
            numbers = numpy.frombuffer(content, dtype="<f4", count=(end - begin) // 4, offset=start + begin)
            weights[name] = numbers.reshape(shape)
        except (KeyError, TypeError, ValueError) as error:
            raise _weights_error(f"{name}: {error}") from error
    return weights


def _read_header(content: bytes) -> tuple[Mapping[str, Any], int]:
    length = int.from_bytes(content[:_LENGTH_BYTES], "little")
    start = _LENGTH_BYTES + length
    if length > MAX_HEADER_BYTES or start > len(content):
        raise _weights_error("the header is cut off")
    try:
        header = json.loads(content[_LENGTH_BYTES:start])
    except (ValueError, RecursionError) as error:
        raise _weights_error(f"the header is not JSON ({error})") from error
    if not isinstance(header, dict) or not all(isinstance(entry, dict) for entry in header.values()):
        raise _weights_error("the header is not a table of tensors")
    return header, start


def _weights_error(why: str) -> ModelError:
    return ModelError(f"Cannot read the weights: {why}.")
