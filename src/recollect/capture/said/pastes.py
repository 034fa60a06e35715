"""Find the part of a prompt that the user only pasted: a page, a chat, a document, a command's template. Pure.

A paste may matter, but the user did not say it: it proves nothing about what they want.
"""

import re

from recollect.text.lazy_pattern import LazyPattern

_SOURCES = (
    "page|docs?|documentation|readme|wiki|article|site|website|blog|post|thread|ticket|issue|e-?mail|mail|message|chat|"
    "conversation|slack|log|output|policy|guide|guidelines?|spec|manual|changelog|transcript|snippet|text|confluence|notion"
)
_PASTE_STARTS = tuple(
    LazyPattern(source, re.IGNORECASE | re.MULTILINE)
    for source in (
        # "Look at this page: ...", "from the docs: ...", "here's what Bob said: ..."
        (
            rf"\b(?:look at|see|read|check(?: out)?|this is|from|here(?:'s| is| are)|got|found|per|according to|"
            rf"pasted?)\b[^\n:.!?]{{0,40}}"
            rf"\b(?:{_SOURCES})\b[^\n:.!?]{{0,40}}:(?=\s)"
        ),
        (
            r"\b(?:here(?:'s| is)|this is|look at|see) what [^\n:.!?]{1,40}\b(?:said|says|wrote|writes|posted|replied|"
            r"sent|told)\b[^\n:.!?]{0,30}:(?=\s)"
        ),
        (
            r"^\W{0,3}\w[\w .'-]{0,30}?[\s,(\[]+\d{1,2}:\d\d(?::\d\d)?\s?(?:[ap]\.?m\b\.?)?[\])]?(?=\s*(?:$|[:—-]))"
        ),  # Bob 10:32 AM
        r"^\W{0,3}\w[\w .'-]{0,30}?[\s,(\[]+\d{1,2}:\d\d\s?[ap]m\b",
        r"^[^\n>›»]{1,40}(?: [>›»] [^\n>›»]{1,60}){2,}$",  # the path to a page: Name > Docs > Policy
        r"^# \S[^\n]*\n",  # a document with its title
        r"^#{2,6} \S[^\n]*\n(?=(?:.*\n){0,80}?#{1,6} \S)",
        r"\A\s*/[a-z][\w:-]*[^\n]{0,80}\n\s*\n",  # a command and its template
        (
            r"\A(?=[^\n]{3,300}\n(?:.*\n){0,6}?\s*(?:#+ |\*\*)?(?:steps|instructions|process|workflow|procedure|"
            r"output format|checklist)\W*\n\s*(?:1[.)]|[-*])\s)"
        ),
        (
            r"^[ \t]{0,8}(?:[-*] )?\[(?:rule|preference|correction|decision|error[_ ]pattern|file[_ ]context|research|"
            r"outcome|note)\] "
        ),
        r"^.{10,400}\(\d{4}-\d\d-\d\d, [\w:-]{2,40}\)\s*$",  # as we print a memory
    )
)
_WORDS = LazyPattern(r"\w+")


def find_paste(text: str) -> str:
    """Return all words from the beginning of the paste; empty: there is none."""
    starts = filter(None, (form.search(text) for form in _PASTE_STARTS))
    begin = min((found.start() for found in starts), default=len(text))
    return bare_words(text[begin:])


def bare_words(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower()))
