"""What a text means, as numbers. They can only be compared with numbers of the same model."""

from typing import NewType

ModelId = NewType("ModelId", str)  # which model, and in which form: another id means that nothing can be compared
Vector = NewType("Vector", bytes)  # DIMENSIONS little-endian float32, of length 1

DIMENSIONS = 384
