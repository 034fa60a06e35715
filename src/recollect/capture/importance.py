"""How much a memory matters, from what it is and how it was said. Pure."""

from recollect.domain.learning import Proposal
from recollect.domain.memory import Kind

BASE = {
    Kind.PREFERENCE: 1.5,
    Kind.RULE: 1.5,
    Kind.CORRECTION: 1.4,
    Kind.DECISION: 1.2,
    Kind.ERROR_PATTERN: 1.0,
    Kind.RESEARCH: 0.9,
    Kind.FILE_CONTEXT: 0.8,
    Kind.OUTCOME: 0.6,
}
EXPLICIT, EMPHATIC, SEVERAL_FILES = 0.3, 0.2, 0.2
MOST = 2.0


def importance(proposal: Proposal) -> float:
    """Of what is said for the first time; each time that its user says it again adds to it (`engine.remember`)."""
    gained = (
        EXPLICIT * proposal.explicit + EMPHATIC * proposal.emphatic + SEVERAL_FILES * (len(set(proposal.paths)) > 1)
    )
    return min(MOST, round(BASE[proposal.kind] + gained, 3))
