"""How somebody asks that something be remembered, told apart from what is to be remembered. Pure.

`Remember that we deploy with Helm.` -> `We deploy with Helm.` What is to be done (`remember to run the linter`) keeps
its words: without them it would be an order for now. So does what would say nothing alone (`remember that for later`).
"""

import re

from recollect.capture.patterns import Pattern

LEAST_WORDS = 2  # of what is left

_CALLED = r"(?:(?:hey|hi|ok|okay)\s+\w+,\s+|(?:please|pls|also|and|but|so|just|always)[\s,]+)*"
_ASKED = (
    r"(?:remember|(?:don't|do not|dont|never|not to) forget|keep in mind|bear in mind|"
    r"(?:make|take) (?:a )?(?:mental )?note|"
    r"note (?:to self|for (?:later|next time|the future))|for the record|for (?:future|later) reference|"
    r"for (?:the )?next time|(?:save|store) (?:this|that|it)|merke? dir|denke? dran|recuerda|souviens-toi|"
    r"lembr[ae]|запомни)"
)
_LEAVES = r"(?!(?:for|when|from|in|as|please|and|next|until|if|too|one|to)\b)"  # "remember that for next time"
_VERB = r"(?:is|are|was|has|have|uses?|runs?|lives?|needs?|goes|go|must|should|can|cannot|can't|isn't|aren't|allows?)"
_LEAD_IN = Pattern(
    rf"^{_CALLED}(?:"
    rf"{_ASKED},? that\s+{_LEAVES}|"
    rf"{_ASKED}(?: (?:this|that))?(?: (?:for (?:later|next time|the future)|please))?\s*[:—–-]+\s+|"
    rf"{_ASKED},\s+{_LEAVES}|"
    rf"note(?: that\s+{_LEAVES}|:\s+)|"
    rf"{_ASKED}\s+(?=(?:we|i|i'm|im|dass|que)\b|(?:the|our|my|all|every)\s[^.!?,;]{{2,60}}?\s{_VERB}\b))",
    re.IGNORECASE,
)


def without_lead_in(sentence: str) -> str:
    found = _LEAD_IN.match(sentence)
    left = sentence[found.end() :].lstrip() if found else sentence
    if len(left.split()) < LEAST_WORDS:
        return sentence
    first = left.split(maxsplit=1)[0]
    # A word begins with a capital; a name such as `npm` or eslintrc.json keeps its own letters.
    return left[:1].upper() + left[1:] if first.rstrip(",;:").replace("'", "").isalpha() and first.islower() else left
