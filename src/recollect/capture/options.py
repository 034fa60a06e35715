"""Options that somebody offers, and which of them an answer takes. Pure.

An offer is a list with a question, or a question with an `or` in it; steps of a plan are none. An answer that names
none of them, or more than one without a preference, takes nothing.
"""

import re
from dataclasses import dataclass

from recollect.capture.patterns import Pattern
from recollect.text.query import content_words
from recollect.text.words import index_words

MAX_CHARS = 8000  # of a reply that are read: its end, where questions stand
MAX_OPTIONS, MAX_OPTION_CHARS, MAX_NAME_CHARS = 8, 200, 90
MAX_ANSWER_CHARS, MAX_ANSWER_WORDS = 600, 60

_ITEM = Pattern(
    r"^[ \t]{0,6}(?:[-*•] )?(?:#{1,4} )?(?:\*\*)?(?:(?:Option|Approach|Alternative|Choice|Variant|Plan) "
    r"(?P<named>\d{1,2}|[A-Ha-h])(?:\*\*)?\s?(?:[.):]|\s?[-—–])|(?P<bare>\d{1,2}|[A-Ha-h])(?:\*\*)?\s?[.):])"
    r"(?:\*\*)?\s+(?P<said>\S.*)$",
    re.MULTILINE,
)
_IN_A_ROW = Pattern(  # "Option 1: one table. Option 2: one for each month. Which do you prefer?"
    r"(?<=[.;:!?,])[ \t]+(?=(?:\*\*)?(?:Option|Approach|Alternative|Choice|Variant) (?:\d{1,2}|[A-Ha-h])(?:\*\*)?\s?"
    r"[.):])"
    r"|(?<=[.;!])[ \t]+(?=(?:Which|What|Do|Should|Shall|Would)\b[^.!?\n]{0,80}\?)"
)
_BOLD = Pattern(r"^[ \t]{0,6}[-*•] \*\*(?P<bold>[^*\n]{2,80})\*\*(?P<said>.*)$", re.MULTILINE)
_PLAIN = Pattern(r"^[ \t]{0,3}[-*•] (?P<said>\S.*)$", re.MULTILINE)
# What makes a list an offer though nothing is asked: what stands above it, or an `or` between its items.
_LEADS = Pattern(
    r"\b(?:options|ways|approaches|alternatives|choices|candidates|possibilities|(?:we|you|"
    r"i) could(?: \w+){0,3}|either)\b"
    r"[^.!?\n]{0,60}:?\s*$",
    re.IGNORECASE,
)
_OR = Pattern(r"(?:^or\b|[,;]?\s+or\W*$)", re.IGNORECASE)
_NO = Pattern(r"^\W*(?:no|nope|nah)\s*[,.!;:—–-]+\s*", re.IGNORECASE)
_SIDE = Pattern(
    r"^\W*(?:pros?|cons?|advantages?|drawbacks?|downsides?|upsides?|risks?|effort|note|trade-?offs?)\b", re.I
)
_INLINE = Pattern(  # "Do you want (a) a cron job, (b) a queue or (c) nothing of it?"
    r"\((?P<label>[1-6a-f])\)\s*(?P<said>[^()?\n]{2,90}?)(?=[,;]?\s*(?:or\s*)?(?:\([1-6a-f]\)|\?))", re.IGNORECASE
)
_RECOMMENDS = Pattern(
    r"\b(?:i(?:'d| would)? (?:recommend|suggest|go with|lean towards?|prefer|pick)|my (?:recommendation|pick|"
    r"preference|suggestion)(?: is| would be|:))\s*(?P<what>[^.\n]{1,120})",
    re.IGNORECASE,
)
# Whether to go on is another question than which of them it shall be.
_ASKS = Pattern(
    r"\b(?:which|what would you|what do you (?:think|prefer|want)|prefer\w*|rather|your (?:call|choice|pick)|"
    r"let me know (?:what|your)|choose|pick|either|how would you like|(?:1|a|one) or (?:2|b|two))\b",
    re.IGNORECASE,
)
_QUESTION = Pattern(r"[^.!?\n]{3,240}\?")
_EITHER = Pattern(
    r"\b(?:should|shall|do|would|could|can) (?:we|i|you)(?: (?:want|prefer|like|rather))?(?: (?:me|us))?(?: to)? "
    r"(?P<verb>use|go with|go for|pick|choose|take|have|keep|store|put|build|write|stick with|prefer|make|do|run|"
    r"deploy|adopt|switch to|rely on|implement|do it with)?\s*"
    r"(?P<one>[^?.,;:\n]{2,60}?),? or (?:(?:rather|better|instead|just|should we|use|go with|with) )*"
    r"(?P<other>[^?.;:\n]{2,60}?)(?P<subject> (?:for|in|as|to) [^?\n]{3,80})?\?",
    re.IGNORECASE,
)
_THIS_OR_THAT = Pattern(  # "Where do the rows live - the same database or a separate one?"
    r"(?P<topic>\b(?:what|which|where|how|who|when)\b[^?\n]{3,90}?)\s*(?:[—–:,]|\s-)\s+"
    r"(?P<one>[^?,;:\n]{2,60}),? or (?P<other>[^?;:\n]{2,60})\?",
    re.IGNORECASE,
)
_NAMED = Pattern(r"\*\*(?P<bold>[^*\n]{2,90})\*\*|`(?P<code>[^`\n]{2,60})`")
_NAME_END = Pattern(r"\s[-—–]{1,2}\s|:\s|\.\s|\.$|;\s|\s\(|,\s(?:which|because|so|since|but|with)\b")
_MARKS = Pattern(r"\*\*|__|[`*]")
_FOR = Pattern(
    r"\b(?P<subject>(?:for|to handle|to store) (?:the |our |this |these )?[^,.:;?\n]{3,60}?)"
    r"(?=[,.:;?\n]|$| (?:there|we|i|you|here|is|are|it|the following|two|three)\b)",
    re.IGNORECASE,
)
_EMPTY_QUESTION = Pattern(
    r"^\W*(?:so,? |and |or )?(?:which|what)(?: one| option| approach| of (?:these|them|the \w+))?"
    r"(?: (?:would|do|should|shall) (?:you|we|i))?(?: (?:prefer|like|want|think|choose|pick|go with|use|do))?"
    r"(?: (?:me|us)(?: to (?:do|use|take|implement|go with))?)?(?: to (?:use|do|take|go with|implement))?\W*$",
    re.IGNORECASE,
)
# What to do next is no decision about the project.
_ERRAND = Pattern(
    r"^\W*(?:yes|no|nope|ok|continue|proceed|commit|push|stop|skip|wait|show|explain|run|re-?run|test|start|review|"
    r"abort|"
    r"cancel|retry|try|check|look|leave it|do nothing|something else|other|open a pr|create a pr|merge|finish|pause|"
    r"none|both|fix|investigate|move on|go ahead)\b",
    re.IGNORECASE,
)

_ORDER = {
    **dict.fromkeys(("first", "1st", "former"), 0),
    **dict.fromkeys(("second", "2nd"), 1),
    **dict.fromkeys(("third", "3rd"), 2),
    **dict.fromkeys(("fourth", "4th"), 3),
    **dict.fromkeys(("last", "latter"), -1),
}
_TAKES = (
    r"(?:(?:yes|yeah|ok|okay|sure|hm+|i think|i guess|well|then|alright|right|good|great|thanks|please)[,.!]?\s+)*"
    r"(?:(?:let's|lets|let us|we|we'll|i|i'd|i'll|you|we'd)\s+)?(?:(?:should|can|could|will|would|just|rather)\s+)*"
    r"(?:(?:go (?:with|for)|going with|do|use|take|pick|choose|prefer|want|like|implement|try|make it|vote for|"
    r"stick with|keep|have)\s+)?(?:the\s+)?"
)
_BEHIND = (
    r"(?P<rest>\s*$|\s*[.,;:!—–-].*|\s+(?:please|pls|because|since|as|but|and|with|is|it|looks|sounds|seems|for|"
    r"so|then|"
)
_BY_LABEL = Pattern(
    rf"^\W*{_TAKES}(?:(?P<word>option|approach|number|no\.?|plan|choice|alternative|variant)\s+)?"
    rf"(?P<label>#?\d{{1,2}}|[a-h])(?:[.)]|\s+(?:one|option))?{_BEHIND}plz|thanks|thx|one)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_BY_ORDER = Pattern(
    rf"^\W*{_TAKES}(?P<order>{'|'.join(_ORDER)})(?:\s+(?:one|option|approach|choice|alternative|variant|way))?"
    rf"{_BEHIND}plz|thanks|thx)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_INSTEAD = Pattern(r"\b(?:not|over|instead of|rather than|no|don't|without|than)\b", re.IGNORECASE)
_REASON = Pattern(r"\b(?:because|since|as|so that|so)\s+(?P<why>\S.{3,200})", re.IGNORECASE | re.DOTALL)
_AS_ADVISED = Pattern(
    r"^\W*(?:(?:yes|yep|ok(?:ay)?|sure|sounds good|agreed?|let's|go|do|with|take|use|i agree|fine)\W+)*"
    r"(?:(?:your|the) (?:recommendation|recommended (?:one|option|approach|way)|suggestion|pick|preference)|"
    r"(?:as|what|whatever) you (?:recommend|suggest|prefer)\w*|yes|sounds good|i agree|agreed|do it|go ahead|"
    r"go with (?:that|it)|let's do (?:that|it))(?: (?:sounds?|looks?|is|works?|makes)(?: (?:good|great|fine|"
    r"right|ok|okay|sense|"
    r"for me))*)?\W*$",
    re.IGNORECASE,
)
_BOTH = Pattern(r"\W*(?:and|or|&|\+)\W*(?:#?\d|[a-h]\b|both|maybe)", re.IGNORECASE)
_CLAUSE = Pattern(r"(?<=[,.;\n—])|(?<=\?)(?=\s)")
_LONE_LETTER = Pattern(r"^\W*[a-h](?:[.):,;!—-]|\s+(?:please|because)|\s*$)", re.IGNORECASE)
_TAKING = Pattern(rf"^\W*{_TAKES}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    label: str  # "2", "b"; empty: it has none
    name: str
    said: str  # all that was said of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    question: str  # empty: only that one of them is to be taken
    subject: str  # "for the session store"; empty: not said
    options: tuple[Option, ...]
    recommended: Option | None = None  # by whoever offers them


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    option: Option
    reason: str


def offer_in(text: str) -> Offer | None:
    """The options that a reply ends with; None: it offers none."""
    end = _IN_A_ROW.sub("\n", text[-MAX_CHARS:])
    return _listed(end) or _inline(end) or either_or(end)


def either_or(text: str) -> Offer | None:
    """`Should we use JWT or sessions for the API?`"""
    asked = list(_EITHER.finditer(text)) or list(_THIS_OR_THAT.finditer(text))
    if not asked:
        return None
    found = asked[-1]
    subject = found.groupdict().get("subject") or ""
    names = [_clean(found["one"]), _clean(found["other"])]
    commas = [_clean(part) for part in re.split(r",\s*", names[0])]
    options = tuple(Option(label="", name=name, said=name) for name in (*commas, names[1]) if name)
    if len(options) < 2 or all(map(is_errand, options)):
        return None
    return Offer(question=_clean(found[0]), subject=subject.strip(), options=options)


def is_errand(option: Option) -> bool:
    return bool(_ERRAND.match(option.name))


def pick_in(answer: str, offer: Offer) -> Pick | None:
    """What an answer takes; None: nothing that is certain."""
    said = _NO.sub("", answer.strip())  # to what was recommended
    if not said or len(said) > MAX_ANSWER_CHARS or len(said.split()) > MAX_ANSWER_WORDS:
        return None
    if _CLAUSE.split(said, maxsplit=1)[0].endswith("?"):
        return None
    if offer.recommended is not None and _AS_ADVISED.match(said):
        return Pick(option=offer.recommended, reason="")
    found = _by_label(said, offer) or _by_order(said, offer)
    return found or (None if said.endswith("?") else _by_name(said, offer))


def _listed(text: str) -> Offer | None:
    items = _run(list(_ITEM.finditer(text))) or [item for item in _BOLD.finditer(text) if not _SIDE.match(item["bold"])]
    items = items or _bullets(text)
    if not 2 <= len(items) <= MAX_OPTIONS:
        return None
    before, behind = text[: items[0].start()][-400:], text[items[-1].end() :]
    asked = _QUESTION.findall(behind) or _QUESTION.findall(before)
    asks = _ASKS.search(behind[:600]) or any(_ASKS.search(one) for one in asked)
    if not (asks or _leads(before) or _RECOMMENDS.search(behind[:600]) or _has_or(items)):
        return None
    question = next((_clean(one) for one in reversed(asked) if not _EMPTY_QUESTION.match(one)), "")
    head = before.strip().splitlines()[-1] if before.strip() else ""
    said_for = _FOR.search(question) or _FOR.search(head)
    subject = _clean(said_for["subject"]) if said_for else ""
    return _offer(question, subject[:1].lower() + subject[1:], tuple(map(_option, items)), text)


def _bullets(text: str) -> list[re.Match[str]]:
    """The last list without numbers, if what stands above it or an `or` in it makes it an offer."""
    run: list[re.Match[str]] = []
    for item in _PLAIN.finditer(text):
        if run and text[run[-1].end() : item.start()].strip():
            run = []
        run.append(item)
    return run if len(run) > 1 and (_leads(text[: run[0].start()]) or _has_or(run)) else []


def _leads(before: str) -> bool:
    lines = before.strip().splitlines()
    return bool(lines) and bool(_LEADS.search(lines[-1]))


def _has_or(items: list[re.Match[str]]) -> bool:
    return any(_OR.search(item["said"]) for item in items)


def _inline(text: str) -> Offer | None:
    items = _run(list(_INLINE.finditer(text)))
    if not 2 <= len(items) <= MAX_OPTIONS:
        return None
    begin = max(text.rfind(mark, 0, items[0].start()) for mark in (". ", "\n", "? ")) + 1
    question = _clean(text[begin : items[0].start()])
    return _offer(question, "", tuple(map(_option, items)), text)


def _offer(question: str, subject: str, options: tuple[Option, ...], text: str) -> Offer | None:
    if all(map(is_errand, options)):
        return None
    return Offer(question=question, subject=subject, options=options, recommended=_recommended(text, options))


def _recommended(text: str, options: tuple[Option, ...]) -> Option | None:
    """Which of them the one who offers would take; None: not said, or not clear."""
    marked = [option for option in options if "recommended" in option.said.lower()]
    if len(marked) == 1:
        return marked[0]
    said = _RECOMMENDS.search(text)
    if said is None:
        return None
    pick = pick_in(said["what"], Offer(question="", subject="", options=options))
    return pick.option if pick else None


def _run(items: list[re.Match[str]]) -> list[re.Match[str]]:
    """The last ones that count up without a gap; what stands below an item is none."""
    run: list[re.Match[str]] = []
    for item in items:
        if run and _follows(_label(run[-1]), _label(item)):
            run.append(item)
        elif len(run) < 2 or _label(item) in ("1", "a"):
            run = [item]
    return run if len(run) > 1 else []


def _label(item: re.Match[str]) -> str:
    found = item.groupdict()
    return (found.get("label") or found.get("named") or found.get("bare") or "").lower()


def _follows(one: str, other: str) -> bool:
    if one.isdigit() and other.isdigit():
        return int(other) == int(one) + 1
    return not one.isdigit() and not other.isdigit() and ord(other) == ord(one) + 1


def _option(item: re.Match[str]) -> Option:
    found = item.groupdict()
    if bold := found.get("bold"):
        return Option(label="", name=_clean(bold), said=_clean(f"{bold}{item['said']}"))
    said = _OR.sub("", item["said"])
    named = _NAMED.match(said)
    name = (named["bold"] or named["code"]) if named else _NAME_END.split(said, maxsplit=1)[0]
    return Option(label=_label(item), name=_clean(name)[:MAX_NAME_CHARS], said=_clean(said)[:MAX_OPTION_CHARS])


def _clean(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split()).strip(" .:;,?—–-")


def _by_label(said: str, offer: Offer) -> Pick | None:
    found = _BY_LABEL.match(said)
    if not found:
        return None
    if _BOTH.match(found["rest"] or ""):
        return None
    label = found["label"].lstrip("#").lower()
    is_letter = not label.isdigit()
    takes = found["word"] or _TAKING.sub("", said, count=1) != said
    if is_letter and not takes and not _LONE_LETTER.match(said):  # "a table would do"
        return None
    for number, option in enumerate(offer.options, start=1):
        by_place = not option.label and label in (str(number), chr(96 + number))
        if option.label == label or by_place or (found["word"] and label == str(number) and not option.label.isdigit()):
            return Pick(option=option, reason=_reason(found["rest"] or ""))
    return None


def _by_order(said: str, offer: Offer) -> Pick | None:
    found = _BY_ORDER.match(said)
    if not found:
        return None
    order = found["order"].lower()
    place = _ORDER[order]
    if place >= len(offer.options) or (order in ("former", "latter") and len(offer.options) != 2):
        return None
    return Pick(option=offer.options[place], reason=_reason(found["rest"] or ""))


def _by_name(said: str, offer: Offer) -> Pick | None:
    """By words that only one of them has."""
    names = [frozenset(content_words(option.name)) for option in offer.options]
    own = [name - frozenset().union(*(other for other in names if other is not name)) for name in names]
    refused = _INSTEAD.search(said)
    wanted = said[: refused.start()] if refused else said
    words = frozenset(index_words(wanted))
    named = [number for number, name in enumerate(own) if name and _share(name, words) >= 0.5]
    if len(named) > 1:
        best = max(_share(own[number], words) for number in named)
        named = [number for number in named if _share(own[number], words) == best]
    if len(named) != 1:
        return None
    first = re.split(r"[.,;:!\n—–]|\bbecause\b|\bsince\b", said, maxsplit=1)[0]
    if _share(own[named[0]], frozenset(index_words(first))) < 0.5 or len(first.split()) > 14:
        return None
    return Pick(option=offer.options[named[0]], reason=_reason(said[len(first) :]))


def _share(name: frozenset[str], words: frozenset[str]) -> float:
    return len(name & words) / len(name)


def _reason(rest: str) -> str:
    """Why, in the answer's own words; or what else it asks of it."""
    if why := _REASON.search(rest):
        return " ".join(why["why"].split()).rstrip(" .!")
    added = re.sub(r"^\W*(?:one|option|please|pls|plz|thanks|thx|it is|then)?\W*", "", rest, flags=re.IGNORECASE)
    added = " ".join(added.split()).rstrip(" .!")
    return added if len(added.split()) >= 3 and len(added) <= 200 else ""
