"""Weights of the signs of relevance, for one embedding model: another model's cosines mean something else."""

import math
from dataclasses import dataclass, fields

from recollect.domain.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Weights on the scale of the thresholds, fitted by `python -m bench.relevance`."""

    bias: float  # the score of a memory that shows no sign at all: far below zero
    cosine: float  # for a cosine of 1
    overlap: float  # for an overlap of 1
    named: float  # for being called by its name

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not math.isfinite(value) or (value < 0 and field.name != "bias"):
                raise InvalidValue(f"The calibration's {field.name} is {value}; a sign never counts against a memory.")
