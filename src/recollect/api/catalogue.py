"""All operations by name. Imported with the first request, so that hooks never load it."""

from recollect.api.data import DATA, FORGET_PROJECT
from recollect.api.edit import EDIT
from recollect.api.feedback import FEEDBACK
from recollect.api.forget import FORGET
from recollect.api.inject import INJECT
from recollect.api.list import LIST
from recollect.api.operation import AnyOperation
from recollect.api.pause import PAUSE, RESUME
from recollect.api.recall import RECALL
from recollect.api.remember import REMEMBER
from recollect.api.review import DECIDE, REVIEW
from recollect.api.show import HISTORY, SESSION, SHOW
from recollect.api.undo import DEEDS, UNDO
from recollect.api.why import WHY

OPERATIONS: dict[str, AnyOperation] = {
    operation.name: operation
    for operation in (
        RECALL,
        REMEMBER,
        LIST,
        SHOW,
        HISTORY,
        EDIT,
        SESSION,
        FORGET,
        UNDO,
        DEEDS,
        REVIEW,
        DECIDE,
        FEEDBACK,
        WHY,
        INJECT,
        DATA,
        FORGET_PROJECT,
        PAUSE,
        RESUME,
    )
}
