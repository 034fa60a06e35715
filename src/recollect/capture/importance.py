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
EXPLICIT_BONUS, EMPHATIC_BONUS, SEVERAL_FILES_BONUS = 0.3, 0.2, 0.2
MAX_IMPORTANCE = 2.0


def importance(proposal: Proposal) -> float:
    """Of what is said for the first time; each time that its user says it again adds to it (`engine.remember`)."""
    gained = (
        EXPLICIT_BONUS * proposal.explicit
        + EMPHATIC_BONUS * proposal.emphatic
        + SEVERAL_FILES_BONUS * (len(set(proposal.paths)) > 1)
    )
    return min(MAX_IMPORTANCE, round(BASE[proposal.kind] + gained, 3))
