"""Reads a safetensors file: a length, a header in JSON, then the numbers. Refuses whatever does not add up."""

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
    """Every float tensor by its name; tensors of other types are left out."""
    import numpy

    header, start = _header(content)
    weights = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry.get("dtype") != "F32":
            continue
        try:
            begin, end = entry["data_offsets"]
            shape = entry["shape"]
            if not 0 <= begin <= end <= len(content) - start:
                raise _unreadable(f"{name} lies outside of the file")
            numbers = numpy.frombuffer(content, dtype="<f4", count=(end - begin) // 4, offset=start + begin)
            weights[name] = numbers.reshape(shape)
        except (KeyError, TypeError, ValueError) as error:
            raise _unreadable(f"{name}: {error}") from error
    return weights


def _header(content: bytes) -> tuple[Mapping[str, Any], int]:
    length = int.from_bytes(content[:_LENGTH_BYTES], "little")
    start = _LENGTH_BYTES + length
    if length > MAX_HEADER_BYTES or start > len(content):
        raise _unreadable("its header is cut off")
    try:
        header = json.loads(content[_LENGTH_BYTES:start])
    except (ValueError, RecursionError) as error:
        raise _unreadable(f"its header is no JSON ({error})") from error
    if not isinstance(header, dict) or not all(isinstance(entry, dict) for entry in header.values()):
        raise _unreadable("its header is no table of tensors")
    return header, start


def _unreadable(why: str) -> ModelError:
    return ModelError(f"The weights cannot be read: {why}.")
