"""What the product must do, by id, and what is not there yet. `@covers("INJ-3")` binds a test to an id.

An id that no test covers stands in DEFERRED with what is missing; `test_requirements.py` checks both directions.
"""

import pytest

_REQUIREMENTS = {
    "MEM": 8,
    "RET": 7,
    "SCO": 10,
    "BUD": 7,
    "FMT": 7,
    "INJ": 12,
    "CAP": 14,
    "PRI": 7,
    "CTX": 1,
    "ACT": 4,
    "WOR": 3,
    "OC": 2,
    "CC": 1,
    "CX": 1,
    "MCP": 1,
    "CLI": 1,
    "API": 1,
    "UI": 1,
    "IMP": 1,
    "CFG": 1,
    "TEAM": 1,
    "NAT": 1,
    "PERF": 3,
    "REL": 2,
    "EVAL": 1,
}
_SCENARIOS = {"A": 12, "B": 15, "C": 5, "D": 6, "E": 5, "X": 1}

IDS = frozenset(
    [f"{group}-{number}" for group, count in _REQUIREMENTS.items() for number in range(1, count + 1)]
    + [f"SCN-{group}{number}" for group, count in _SCENARIOS.items() for number in range(1, count + 1)]
)

_FIGURE = "a figure: `make bench` prints it beside its target"
_LATER = "comes after the first host is complete"
_ACTION = "comes with the moment of action"

DEFERRED: dict[str, str] = {
    "SCO-8": f"`why` and JSON are there (test_why), the viewer is not; {_LATER}",
    "BUD-7": f"`status` and `why --all` show it (test_why), the viewer does not; {_LATER}",
    "ACT-1": _ACTION,
    "ACT-2": _ACTION,
    "ACT-3": _ACTION,
    "ACT-4": _ACTION,
    "OC-2": "`setup` is feature-tested in the plugin's own tests; OpenCode Desktop and OpenCode 2 were not tried",
    "NAT-1": _LATER,
    "CC-1": _LATER,
    "CX-1": _LATER,
    "CLI-1": f"ui is missing; {_LATER}",
    "UI-1": _LATER,
    "TEAM-1": _LATER,
    "PERF-1": _FIGURE,
    "PERF-2": _FIGURE,
    "PERF-3": _FIGURE,
    "EVAL-1": "figures, measured on data that is not ours to keep here; secrets are short of their target",
}


def covers(*ids: str) -> pytest.MarkDecorator:
    """Marks a test that holds the product to these ids."""
    return pytest.mark.covers(*ids)
