"""Results of a health check: one line each, with advice."""

from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    FINE = "fine"
    NOTE = "note"  # worth knowing, nothing is wrong
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    health: Health
    about: str  # "database", "settings" ...
    says: str
    advice: str = ""  # what to do; empty: nothing


def fine(about: str, says: str) -> Finding:
    return Finding(health=Health.FINE, about=about, says=says)


def note(about: str, says: str, advice: str = "") -> Finding:
    return Finding(health=Health.NOTE, about=about, says=says, advice=advice)


def problem(about: str, says: str, advice: str) -> Finding:
    return Finding(health=Health.PROBLEM, about=about, says=says, advice=advice)
