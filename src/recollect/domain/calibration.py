"""How much each sign of relevance weighs, for one embedding model: cosines of another mean something else."""

import math
from dataclasses import dataclass, fields

from recollect.domain.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Weights on the scale of the thresholds, fitted by `python -m bench.relevance`."""

    bias: float  # where a memory stands that shows no sign at all: far below zero
    cosine: float  # for a cosine of 1
    overlap: float  # for an overlap of 1
    named: float  # for being called by its name

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not math.isfinite(value) or (value < 0 and field.name != "bias"):
                raise InvalidValue(f"The calibration's {field.name} is {value}; a sign never counts against a memory.")
