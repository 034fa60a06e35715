"""What a check found: one line each, with what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    FINE = "fine"
    NOTE = "note"  # worth knowing, nothing is wrong
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of a check."""

    health: Health
    about: str  # "database", "settings" ...
    says: str
    advice: str = ""  # what to do; empty where nothing is to be done


def fine(about: str, says: str) -> Finding:
    return Finding(health=Health.FINE, about=about, says=says)


def note(about: str, says: str, advice: str = "") -> Finding:
    return Finding(health=Health.NOTE, about=about, says=says, advice=advice)


def problem(about: str, says: str, advice: str) -> Finding:
    return Finding(health=Health.PROBLEM, about=about, says=says, advice=advice)
