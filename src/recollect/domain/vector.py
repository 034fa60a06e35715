"""What a text means, as numbers. They can only be compared with numbers of the same model."""

import math
from array import array
from typing import NewType

ModelId = NewType("ModelId", str)  # which model, and in which form: another id means that nothing can be compared
Vector = NewType("Vector", bytes)  # DIMENSIONS little-endian float32, of length 1

DIMENSIONS = 384


def between(one: Vector, other: Vector) -> Vector:
    """The direction halfway between two: near to what is near to both."""
    halfway = [a + b for a, b in zip(array("f", one), array("f", other), strict=True)]
    length = math.hypot(*halfway) or 1.0
    return Vector(array("f", [value / length for value in halfway]).tobytes())
