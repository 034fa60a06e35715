"""Every operation, by its name. Loaded when the first one is asked for: hooks never are."""

from recollect.api.feedback import FEEDBACK
from recollect.api.inject import INJECT
from recollect.api.list import LIST
from recollect.api.operation import AnyOperation
from recollect.api.recall import RECALL
from recollect.api.remember import REMEMBER
from recollect.api.review import DECIDE, REVIEW
from recollect.api.why import WHY

_ALL: tuple[AnyOperation, ...] = (
    RECALL,
    REMEMBER,
    LIST,
    REVIEW,
    DECIDE,
    FEEDBACK,
    WHY,
    INJECT,
)
OPERATIONS = {operation.name: operation for operation in _ALL}
