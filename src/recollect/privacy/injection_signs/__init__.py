"""Recognises prompt injection: one row per wording of an order that the user never gave. Pure.

The phrases are those of attackers, not of developers: "always run the tests" is a rule, "ignore all earlier
instructions" is not. Every pattern expects lower-case letters without accents on one line (`trust` prepares them), and
every repetition is bounded, so that the time is in proportion to the text.
"""

from recollect.privacy.injection_signs.abroad import OTHER_LANGUAGES, SQUEEZED
from recollect.privacy.injection_signs.hiding import DETOURS, HIDING
from recollect.privacy.injection_signs.ignoring import IGNORING, POSING
from recollect.privacy.injection_signs.leaking import LEAKING, OTHERS
from recollect.privacy.injection_signs.planting import PLANTING
from recollect.privacy.injection_signs.roles import ADDRESSING, ROLES
from recollect.privacy.injection_signs.sign import Sign, SignTable
from recollect.privacy.injection_signs.templates import COMMENTS, TEMPLATES

__all__ = ["SIGNS", "find_disguised_order", "find_order"]

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
find_order = SignTable(SIGNS).find_reason
find_disguised_order = SignTable(SQUEEZED).find_reason  # in a text of letters only
