"""Vectors: the meaning of a text as numbers. Only vectors of the same model can be compared."""

import math
from array import array
from typing import NewType

ModelId = NewType("ModelId", str)  # names the model and its form: vectors with another id cannot be compared
Vector = NewType("Vector", bytes)  # DIMENSIONS little-endian float32, of length 1

DIMENSIONS = 384


def midpoint(one: Vector, other: Vector) -> Vector:
    """Return the direction halfway between two vectors: near to everything that is near to both."""
    halfway = [a + b for a, b in zip(array("f", one), array("f", other), strict=True)]
    length = math.hypot(*halfway) or 1.0
    return Vector(array("f", [value / length for value in halfway]).tobytes())
