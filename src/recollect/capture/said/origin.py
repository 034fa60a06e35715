"""Recognise by its form who wrote a message, where the host did not say. Pure.

Hosts send much as the user's message that no user typed: templates of commands, notices, summaries, orders to other
agents, whole transcripts. The host is believed, except when it calls a message the user's.
Every prompt waits for this: a pattern that may begin at any line stays on that line and bounds its repetitions.
"""

import re

from recollect.domain.learning import Origin
from recollect.text.lazy_pattern import LazyPattern

MAX_BEGINNING_CHARS = 2000  # a template is recognised by its beginning

_NOTIFICATION = LazyPattern(
    r"""^\s*(?:
      <(?:task-notification|system-reminder|local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr|input)|
         user-prompt-submit-hook|hook-output|ide_\w+|background-task|tool_use_error|new-diagnostics)\b
    | \[Request\sinterrupted\b
    | \[Image:?\s[^\]]*\]\s*$
    | \(no\scontent\)\s*$
    | Caveat:\sThe\smessages\sbelow\swere\sgenerated
    | API\sError\b
    | Stop\shook\sfeedback:
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_COMMAND = LazyPattern(
    r"""^\s*(?:
      <command-(?:name|message|args|contents)\b
    | Implement\sthe\sfollowing\splan:
    | (?:The\suser|User)\s(?:just\s)?(?:ran|invoked|executed|opened|has\srun)\s(?:the\s)?/?\w
    | \#\#?\s(?:Context|Your\stask|Instructions|Task|Role)[^\S\n]*\n\s*
      [-*]\s+(?:Current|Recent|Git|Diff|Branch|PR|Pull)\b
    | Base\sdirectory\sfor\sthis\sskill:
    | You\sare\s(?:an?|the)\s[^\n]{0,80}\b(?:agent|assistant|reviewer|engineer|expert|specialist|developer|architect)\b
    | Please\sanalyze\sthis\scodebase\sand\screate\sa\b
    | Arguments:\s*$
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_SUMMARY = LazyPattern(
    r"^\s*(?:This session is being continued from a previous conversation|"
    r"(?:Here is|Below is|The following is) (?:a|the) summary of (?:the|our|this) (?:\w+ )?(?:conversation|session)|"
    r"<(?:conversation-)?summary>|# (?:Conversation|Session) summary\b)",
    re.IGNORECASE,
)
_TRANSCRIPT = LazyPattern(
    r"^[ \t]{0,40}(?:\*\*|_\*\*|#{1,4} |\[|>)?[ \t]{0,8}(?:user|human|assistant|agent|ai|claude|system|tool|me|"
    r"you)\b[^\n:]{0,40}(?::|\]|\*\*)",
    re.IGNORECASE | re.MULTILINE,
)
_USER_NAME = LazyPattern(r"\b(?:user|human|me|you)\b", re.IGNORECASE)
_PLAN = LazyPattern(r"^\s*Implement the following plan:", re.IGNORECASE)
_ORDER = LazyPattern(
    r"""\b(?:report\sback|return\s(?:only|the\sfull|a\s(?:concise|detailed|summary))|in\syour\s(?:final\s)?(?:report|response)|
      I\sneed\s(?:you\s)?to\s(?:understand|know|find|explore)|be\s(?:very\s)?thorough|show\sme\sthe\skey|
      do\snot\s(?:write|edit|modify|make)\s(?:any\s)?(?:code|files?|changes)|read-only\stask|search\sthe\scodebase)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_LIST_ITEM = LazyPattern(r"^[ \t]{0,40}(?:\d+[.)]|[-*])\s", re.MULTILINE)
_MIN_ORDER_ITEMS = 3  # a person who types does not number such orders


def origin_of(text: str, reported: Origin = Origin.USER) -> Origin:
    """`reported`: the origin that the host reports. It is believed, unless it is the user."""
    if reported is not Origin.USER:
        return reported
    beginning = text[:MAX_BEGINNING_CHARS]
    if _SUMMARY.match(beginning):
        return Origin.SUMMARY
    if _NOTIFICATION.match(beginning):
        return Origin.NOTIFICATION
    if _COMMAND.match(beginning):
        return Origin.COMMAND
    has_items = len(beginning) > 250 and len(_LIST_ITEM.findall(beginning)) >= _MIN_ORDER_ITEMS
    if has_items and len(_ORDER.findall(beginning)) >= 2:
        return Origin.SUBAGENT
    return Origin.COMMAND if is_transcript(text) else Origin.USER


def is_plan(text: str) -> bool:
    """Return True for a plan that the user approved and the host sent: an agent's words, and more than a template."""
    return bool(_PLAN.match(text[:MAX_BEGINNING_CHARS]))


def is_transcript(text: str) -> bool:
    """Return True for a pasted conversation: at least two speakers and three turns."""
    marks = [mark.group() for mark in _TRANSCRIPT.finditer(text[: 10 * MAX_BEGINNING_CHARS])]
    own = sum(bool(_USER_NAME.search(mark)) for mark in marks)
    return len(marks) >= 3 and 0 < own < len(marks)
