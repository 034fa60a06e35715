"""Rate how much a memory matters, by its kind and by how it was said. Pure."""

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
    """Rate a first mention; each repetition by the user adds to it (`engine.remember`)."""
    total = BASE[proposal.kind]
    if proposal.explicit:
        total += EXPLICIT_BONUS
    if proposal.emphatic:
        total += EMPHATIC_BONUS
    if len(set(proposal.paths)) > 1:
        total += SEVERAL_FILES_BONUS
    return min(MAX_IMPORTANCE, round(total, 3))
