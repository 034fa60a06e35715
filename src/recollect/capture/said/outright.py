"""Recognise what a user states outright: how to work here, or what the project uses. Pure; strict, because confirmed
memories are shown unasked.

A statement is outright if all three are true:

- Form: its words say that it lasts ("always", "from now on"), what is done here ("we don't", "our", "uv, not pip"),
  what to stop, what is preferred, or what a part of the project is made of.
- Subject: development, not the product. Tests, commits, imports, tools; no page, price or player.
- Nothing retracts it: a doubt, a limit ("for this PR"), a thing of this moment ("that button"), a mood.

A sentence about what the software should do ("users must always see a price") is a specification, never a rule.
"""

import re

from recollect.capture.said.clauses import Sentence
from recollect.capture.said.cues import Cue, cues_of, fix_spelling
from recollect.capture.said.cues.english import CALLED
from recollect.capture.said.development import is_about_work, names_tool
from recollect.capture.said.masking import LineForm
from recollect.capture.said.reference import needs_this_moment, points_back
from recollect.text import linear_model
from recollect.text.lazy_pattern import AnyCasePattern, LazyPattern

MIN_WORDS, MAX_WORDS, MAX_CHARS = 2, 45, 240
MIN_LASTING = 0.7  # probability, for a sentence whose form no rule knows
MANY_SENTENCES = 4
UNSPACED_CHARS = 6  # of a language without spaces between words

_RETRACTING = frozenset(
    {Cue.ONCE, Cue.POINTER, Cue.HEDGE, Cue.HYPOTHESIS, Cue.ELSEWHERE, Cue.MOOD, Cue.NARRATION, Cue.REPORTED,
     Cue.PASSED, Cue.EVENT, Cue.OFFER}
)  # fmt: skip
_RETRACTING_ANYWHERE = _RETRACTING - {Cue.ONCE, Cue.EVENT, Cue.NARRATION, Cue.PASSED}  # in any part of the sentence
_PROJECT_WORD = (
    r"(?:repo|repository|project|codebase|monorepo|app|application|service|package|workspace|team|site|product|game)"
)
_MOMENT_WORD = AnyCasePattern(
    rf"\b(?:this|these|those|such)\b(?! (?:\w+ )?{_PROJECT_WORD}\b)|^that\b|(?<!so )\bthat\b(?! (?:ha[sv]e?|is|are|was|were|"
    rf"can|do|\w+s)\b)|\b(?:it|them|there|both|the ones?|him|her|same)\b(?!['’])|"
    r"\bthe (?:new|current|existing|latest|remaining|correct|right|actual) "
)
# Subjects of a sentence about the product: its users and its parts. A rule for the work has neither.
_PRODUCT = AnyCasePattern(
    r"\b(?:users?|customers?|clients?|players?|admins?|visitors?|guests?|people|buttons?|pages?|modals?|dialogs?|"
    r"screens?|menus?|sidebars?|cards?|charts?|icons?|colou?rs?|fonts?|widgets?|popups?|tooltips?|dropdowns?|emails?|"
    r"invoices?|orders?|prices?|amounts?|usuarios?|utilisateurs?|benutzer|kunden?|用户|账号|密码|ユーザー)\b|用户|账号|密码"
)
_SPECIFIES = AnyCasePattern(
    r"\bthe (?:[\w'-]+ ){1,3}?(?:should|must|shall|needs? to|has to|have to|will|would|can|cannot|can't|never|always|"
    r"does|doesn't|is always|is never)\b|\b(?:it|which|that) (?:should|must|never|always|needs)\b|"
    r"\b(?:always|never) (?!(?:pass|process|address|access|discuss|bypass|cross|miss|press|less)\b)\w+[^s\W]s\b|"
    r"\b(?:always|never) (?:been|was|were|worked|did|seen|saw|had|got|gets?|mind|ends?|the case)\b"
)
_SCOLDS = LazyPattern(
    r"\b(?:you|u)(?:'ve|'re|'s)? (?:\w+ )?(?:always|never|keep|kept|forgot|ignored?)\b|^(?:you|u)\b", re.I
)
_ADDRESSES_AGENT = LazyPattern(
    r"^you (?:should|must|need|have|may|can|are) ?(?:to |not )?(?:always|never|only|not)\b", re.I
)
_LOWER_NAME = r"(?!(?:the|a|an|my|your|one|more|less|another|to|it|all|some|their|his)\b)[`\w@.#+/-]+"
# Whatever it names.
_ALWAYS_USE = LazyPattern(r"^(?:please )?(?:from now on,? )?(?:always|never) use \w", re.IGNORECASE)
_INSTEAD = LazyPattern(r",? (?:instead of|rather than|and not|not) ", re.IGNORECASE)
_USES = LazyPattern(
    rf"^{CALLED}(?:use|run|write|install|stick (?:to|with)|switch to|go with) {_LOWER_NAME}", re.IGNORECASE
)
_SETS_RIGHT = LazyPattern(r"^\W*(?:no|nope|wrong|nein|non|não)\b", re.IGNORECASE)
_NO = LazyPattern(r"^no ", re.IGNORECASE)
_USES_HERE = LazyPattern(
    rf"^{CALLED}(?:use|run|stick to|stick with) {_LOWER_NAME}(?: \w+){{0,2}} (?:here|everywhere|only)\b", re.I
)
_EVERY = LazyPattern(
    r"^(?!.*\bshould\b)(?:(?:all|every|each|new) (?:[\w./-]+ ){1,4}?(?:must|needs?|has to|have to|go(?:es)?|lives?|"
    r"gets?|belongs?|uses?|requires?)|(?:[\w./-]+ ){0,2}[\w-]+s (?:must|need))\b",
    re.IGNORECASE,
)
_PLACES = LazyPattern(
    r"^(?:[\w./-]+ ){1,3}?(?:lives?|goes?|go|belongs?|are kept|is kept|sits?) (?:in|under|at|next to|into|"
    r"inside) [`\w@.]",
    re.I,
)
_PART = (
    r"(?:auth|authentication|backend|back-end|frontend|front-end|db|database|dbs|api|apis|server|servers|ci|cd|"
    r"pipeline|deployment|deploys?|deployments|hosting|infra|infrastructure|prod|production|staging|app|apps|"
    r"application|project|repo|repository|monorepo|codebase|stack|cache|caching|queue|queues|storage|tests?|"
    r"test suite|builds?|linter|formatter|package manager|bundler|orm|migrations?|logging|monitoring|ids|dates|"
    r"timestamps|styling|styles|state management|routing|search|scripts?|cli|service|services|worker|workers|website|"
    r"site|docs|target|runtime|local dev|dev setup|environment|firmware|mobile app|web app|client|sessions?|secrets|"
    r"payments|emails?|runners?)"
)
_COMPOSITION = LazyPattern(
    rf"^(?:(?:our|the|this|all|my) )?(?:[\w-]+ ){{0,2}}?{_PART} (?:(?:is|are|runs?|was|goes|go|lives?|sits?)"
    r"(?: (?:all|only|currently|now|built|hosted|deployed|written|stored|managed|done|running|based))*"
    r"(?: (?:on|in|with|by|through|thru|via|at|using|a|an|our|under))*|uses?|targets?|deploys? to|relies on) ",
    re.IGNORECASE,
)
_DECISION = LazyPattern(
    r"^(?:(?:we|i)(?:'ve| have)? (?:decided|chose|chosen|opted|settled|agreed)|we(?:'re| are) going with|"
    r"(?:our )?decision:).{3,160}\b(?:because|since|so that|due to)\b",
    re.IGNORECASE,
)
_SWITCH = LazyPattern(r"^(?:we|i)(?:'ve| have)? (?:decided|chose|settled on|moved|switched|migrated)\b", re.IGNORECASE)
_IDENTITY = LazyPattern(
    r"^(?:(?:this|it)(?: \w+)?(?:'s| is) (?:an?|our|built|all)|we(?:'re| are) (?:on|using|running|all)) ", re.I
)
_TOOL_IS = LazyPattern(r"^[\w.+#-]+ (?:is|are) (?:only |just )?(?:an?|our|the|for|used)\b", re.IGNORECASE)
_ASKS = LazyPattern(
    r"^(?:(?:does|did|is|are|was|can|could|should|would|will|has|what|how|why|which|who|where)\b|do (?:we|you|"
    r"i|they|the)\b)",
    re.IGNORECASE,
)
_CUT_OFF = LazyPattern(r"\b(?:with|and|the|an?|to|of|for|that|or|but|from|is|are)\W*$", re.IGNORECASE)
_ORDERS_NOW = LazyPattern(r"^(?:please|pls|thanks|can (?:you|u)|could you|(?:you|u) can)\b", re.IGNORECASE)
_LABEL = LazyPattern(r"^[^:.,]{2,40}:\s")
_HABIT = LazyPattern(
    r"^(?:i|we) (?:always|never) (?!(?:see|get|find|think|look|figure|tell|have|need|know|knew|saw|got|had|said|"
    r"seem)\b)\w+|^(?:ask|show|tell) me\b.*\b(?:before|first)\b|^(?:answer|respond|reply|"
    r"write commit messages) (?:only )?in [A-Z]?\w+|^(?:one|small|short|conventional|"
    r"atomic) [\w-]+s?\b.{0,24}\b(?:please|per|thx|thanks)\b",
    re.IGNORECASE,
)
_RULE_WORD = LazyPattern(
    r"\b(?:rules?|conventions?|preferences?|remember|from now on|important|guidelines?|polic(?:y|ies)|"
    r"standards?|decision|note|for us|gilt|regeln?|reglas?)\b",
    re.I,
)
_FORMS = {
    "uses here": _USES_HERE,
    "every": _EVERY,
    "placed": _PLACES,
    "habit": _HABIT,
    "decided": _DECISION,
    "made of": _COMPOSITION,
    "switched": _SWITCH,
    "identity": _IDENTITY,
}
_SIGNS = {"moment": _MOMENT_WORD, "product": _PRODUCT, "specifies": _SPECIFIES, "scolds": _SCOLDS}
_CLAUSE = LazyPattern(
    r"(?:,|;|…| -| –| —) | (?:so|but|and|then|or) (?=(?:you|u|put|can|could|please|fix|run|we|i|the|no|it|review)\b)|"
    r" (?:bc|because|cuz|btw) ",
    re.IGNORECASE,
)
_TAIL = LazyPattern(r"[\s,;:–—-]+(?:so|but|and|then|or|please|thx|thanks|btw)?$", re.IGNORECASE)
_PRINTED_BREAK = LazyPattern(r"[:;.!?>|\])–—]\s+|\s-+\s")


def find_statement(sentence: Sentence, *, is_typed: bool) -> str:
    """Return the part that is stated outright, as it will be kept; empty: none. `is_typed`: nothing was pasted."""
    text = sentence.text
    if sentence.is_question or sentence.is_unsure or text.endswith((":", "：")) or "</" in text:
        return ""
    if text.startswith("/") or _ASKS.match(text):  # `/review ...` is an order
        return ""
    return _longest_statement(sentence) or (text if is_typed and _is_lasting(sentence) else "")


def _longest_statement(sentence: Sentence) -> str:
    """The longest part that has the form of a rule or a fact."""
    text, sets_right = sentence.text, _SETS_RIGHT.match(sentence.raw) is not None
    if cues_of(text) & _RETRACTING_ANYWHERE or not _may_be_rule(sentence):
        return ""
    runs = _clause_runs(text)
    label = _LABEL.match(text)
    if label:
        if not _RULE_WORD.search(label[0]):
            return ""
        runs = [*_clause_runs(text[label.end() :]), *runs]
    for part, before in runs:
        is_cut = _CUT_OFF.search(part) or Cue.ONCE in cues_of(before)
        if not is_cut and not _has_order_for_now(part) and states(part, sets_right=sets_right):
            return part
    return ""


def _has_order_for_now(part: str) -> bool:
    """Return True if one of several clauses only asks for something now."""
    clauses = _CLAUSE.split(part)
    if len(clauses) == 1:
        return False
    for clause in clauses:
        is_now = _ORDERS_NOW.match(clause) or _MOMENT_WORD.search(fix_spelling(clause))
        if is_now and not states(clause):
            return True
    return False


def _is_lasting(sentence: Sentence) -> bool:
    """Return True if its words seem to last, though no rule knows its form, and it is understood alone."""
    text = sentence.text
    if len(text) > MAX_CHARS or cues_of(text) & _RETRACTING_ANYWHERE or not _may_be_rule(sentence):
        return False
    if points_back(sentence) or needs_this_moment(text):
        return False
    return lasting_probability(text, signs_of(sentence)) >= MIN_LASTING


def lasting_probability(text: str, signs: frozenset[str]) -> float:
    """Estimate whether a sentence stays valid later, 0..1. Rules alone recognise only the forms that their author thought
    of; the weights were fitted on labelled messages (`python -m bench.lasting`). `signs`: as `signs_of` returns them."""
    return linear_model.probability(lasting_features(text, signs), "recollect.capture", "lasting.json")


def lasting_features(text: str, signs: frozenset[str]) -> set[str]:
    said = fix_spelling(text)
    known = {f"={sign}" for sign in (*cues_of(said), *signs)}
    return linear_model.features(said, names_tool) | known | ({"=work"} if is_about_work(said) else set())


def signs_of(sentence: Sentence) -> frozenset[str]:
    """Signs of a whole sentence that `lasting_probability` weighs together with its words."""
    text = fix_spelling(sentence.text)
    sets_right = _SETS_RIGHT.match(sentence.raw) is not None
    found = {f"of {min(sentence.total, MANY_SENTENCES)}"}
    found.update(name for name, form in _FORMS.items() if form.match(text))
    found.update(name for name, sign in _SIGNS.items() if sign.search(text))
    if _contrasts(text):
        found.add("contrasts")
    if states(sentence.text, sets_right=sets_right):
        found.add("states")
    if sets_right:
        found.add("sets right")
    if not _may_be_rule(sentence):
        found.add("item")
    return frozenset(found)


def states(text: str, *, sets_right: bool = False) -> bool:
    """Return True if a clause is a rule or a fact. `sets_right`: it begins with a "no"."""
    said = fix_spelling(text)
    cues = cues_of(said)
    words = len(said.split())
    is_short = words < MIN_WORDS and (len(said) < UNSPACED_CHARS or said.isascii())
    if is_short or words > MAX_WORDS or len(said) > MAX_CHARS or cues & _RETRACTING:
        return False
    no = _NO.match(said)
    if no and Cue.TASK in cues_of(said[no.end() :]):  # "no explain how it works": an order, no ban
        return False
    if _SCOLDS.search(said) and not _ADDRESSES_AGENT.match(said):
        return False
    if not is_about_work(said) and not _ALWAYS_USE.match(said):
        return False
    if _is_fact(said, cues) or _contrasts(said):
        return True
    if _PRODUCT.search(said) or _SPECIFIES.search(said) or _MOMENT_WORD.search(said):
        return False
    return _is_rule(said, cues, sets_right=sets_right)


def _is_rule(said: str, cues: frozenset[Cue], *, sets_right: bool) -> bool:
    if cues & {Cue.LASTING, Cue.OURS, Cue.PREFERENCE, Cue.REFUSAL, Cue.UNIVERSAL}:
        return True
    if _USES_HERE.match(said) or (sets_right and _USES.match(said) and names_tool(said)):
        return True
    return any(form.match(said) for form in (_EVERY, _PLACES, _HABIT, _DECISION))


def _contrasts(said: str) -> bool:
    """`uv, not pip`, `vitest instead of jest`: a tool on both sides."""
    instead = _INSTEAD.search(said)
    if instead is None:
        return False
    taken, left = said[: instead.start()].split()[-4:], said[instead.end() :].split()[:2]
    return names_tool(" ".join(taken)) and names_tool(" ".join(left))


def _is_fact(said: str, cues: frozenset[Cue]) -> bool:
    """Return True if it says what a part of the project is made of."""
    if Cue.TASK in cues:
        return False
    if _SWITCH.match(said) and names_tool(said) and not _MOMENT_WORD.search(said):
        return True
    made = _COMPOSITION.match(said) or _IDENTITY.match(said)
    if made is not None and names_tool(" ".join(said[made.end() - 1 :].split()[:4])):
        return True
    return _TOOL_IS.match(said) is not None and names_tool(said.split()[0]) and "here" in said.split()


def _may_be_rule(sentence: Sentence) -> bool:
    """Prose may be; a list item only below words that say so: most lists are tasks and specifications."""
    return sentence.form is LineForm.PROSE or bool(_RULE_WORD.search(sentence.lead))


def _clause_runs(text: str) -> list[tuple[str, str]]:
    """The whole sentence, then its runs of clauses, the longest first; each with all text up to its end."""
    begins, ends = [0], list[int]()
    for gap in _CLAUSE.finditer(text):
        ends.append(gap.start())
        begins.append(gap.end())
    ends.append(len(text))
    spans = [(begin, end) for at, begin in enumerate(begins) for end in ends[at:]]
    spans.sort(key=lambda span: span[0] - span[1])
    return [(_tidy(text, begin, end), text[:end]) for begin, end in spans[:MAX_WORDS]]


def _tidy(text: str, begin: int, end: int) -> str:
    part = text[begin:end]
    if part != text:
        part = _TAIL.sub("", part).strip()
        first = part.split(maxsplit=1)[0] if part else ""
        if not (first.isalpha() and first.islower()):
            return part
    return part[:1].upper() + part[1:]


def gives_rules(printed: str) -> bool:
    """Return True if a printed line says how to work, always. Errors do not; text planted in an error does."""
    lasting = {Cue.ASKED, Cue.UNIVERSAL, Cue.LASTING, Cue.OURS}
    parts = map(str.strip, (printed, *_PRINTED_BREAK.split(printed)))
    return any(part and cues_of(part) & lasting for part in parts)
