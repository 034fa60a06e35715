"""How orders to an agent read that do not come from its user: one row per way of putting it.

The phrases are those of people who attack, not of people who develop: "always run the tests" is a rule, "ignore all
earlier instructions" is none. Every pattern meets small letters without accents, on one line (`trust` prepares them),
and repeats nothing without a bound, so that its time is in proportion to the text.
"""

from recollect.privacy.signs.abroad import OTHER_LANGUAGES, SQUEEZED
from recollect.privacy.signs.hiding import DETOURS, HIDING
from recollect.privacy.signs.ignoring import IGNORING, POSING
from recollect.privacy.signs.leaking import LEAKING, OTHERS
from recollect.privacy.signs.planting import PLANTING
from recollect.privacy.signs.roles import ADDRESSING, ROLES
from recollect.privacy.signs.sign import Sign
from recollect.privacy.signs.templates import COMMENTS, TEMPLATES

__all__ = ["SIGNS", "SQUEEZED"]

SIGNS: tuple[Sign, ...] = (
    *COMMENTS,
    *IGNORING,
    *POSING,
    *TEMPLATES,
    *HIDING,
    *DETOURS,
    *PLANTING,
    *ADDRESSING,
    *LEAKING,
    *ROLES,
    *OTHERS,
    *OTHER_LANGUAGES,
)
