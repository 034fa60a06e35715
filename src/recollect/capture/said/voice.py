"""Decide whether a sentence is in the speaker's own voice: unquoted, and no text that a task works on. Pure.

People show agents what others wrote: a page, a mail, a program's output, a line to translate. The person who shows it
does not say it. Three questions decide, and each looks for the speaker rather than for the others:

- Place: is it in quotation marks, after a colon whose lead is not the speaker's, or below a line that announces a text?
- Clause: does it depend on a verb of saying with another subject, or on a clause that the speaker does not lead?
- Doubt: does the message report, point at or work on a text? Then only a sentence that names its speaker counts.

A sentence that fails the first two is foreign, one that fails the third is doubtful. Either may become a candidate.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.capture.said.clauses import Sentence, sentences
from recollect.capture.said.cues import Cue, cues_of
from recollect.capture.said.masking import MAX_CHARS, LineForm, MaskedMessage, mask_message
from recollect.capture.said.pastes import bare_words
from recollect.text.lazy_pattern import AnyCasePattern, LazyPattern

MAX_NAME_WORDS = 2  # in quotation marks: a name
MAX_QUOTE_WORDS = 4  # in quotation marks: more are the words of another
MAX_TOPIC_WORDS = 2  # before a colon: a topic
MAX_VALUE_WORDS = 3  # behind a colon: a value, no statement
_CUT = "…"

_QUOTE = LazyPattern(
    r"\"[^\"\n]{2,1500}\"|“[^”\n]{2,1500}”|„[^“”\n]{2,1500}[“”]|«[^»\n]{2,1500}»|»[^«\n]{2,1500}«|"
    r"‘[^’\n]{2,600}’(?!\w)|"
    r"(?<!\w)'(?=\w)[^'\n]{2,600}(?:(?<=\w)'(?=\w)[^'\n]{1,600}){0,9}(?<=[\w.!?])'(?!\w)|`[^`\n]{2,600}`"
)
# The other half of the quote is in another sentence.
_OPEN_QUOTE = LazyPattern(r"(?:(?:^|(?<=[\s(:]))\"(?=\w)|[“„«]).*$", re.DOTALL)
_CLOSED_QUOTE = LazyPattern(r"^.*?(?:(?<=[\w.!?])\"(?=\s|$|[.,;)])|[”»])", re.DOTALL)
_COLON = LazyPattern(r"\s?[:：](?=\s|$)")

# The speaker, in the languages that people mix: pronouns, verb forms that imply one, and words for here and now.
_PLACE = r"(?:repo\w*|proje[ck]t\w*|codebase|app|service|package|monorepo|team|firmware|proyecto|progetto)"
_FROM_NOW = (
    r"from (?:now|here|today) on|going forward|in (?:the )?future|as a rule|ab (?:jetzt|sofort)|von nun an|künftig|"
    r"a partir de (?:ahora|agora)|de ahora en adelante|désormais|dorénavant|d'ora in poi|da ora in poi"
)
_HERE = rf"here(?!'s)|(?:this|diese[mrs]?|est[ea]|ce|quest[oa]|deste) {_PLACE}|aquí|{_FROM_NOW}"
_I = r"i(?:'m|'ve|'ll|'d)?|ich|mir|yo|je"
_WE = (
    r"we(?:'re|'ve|'ll|'d)?|us|ours?|let's|wir|uns|unser\w*|nosotros|nuestr\w+|nous|notre|on n[e']|noi|nostr\w|nós|"
    r"noss\w+|\w{3,}(?:amos|emos|imos|iamo)"
)
_SPEAKER = AnyCasePattern(rf"\b(?:{_I}|{_WE}|{_HERE})\b")
_BEGINS = r"^(?:(?:and|so|but|also|ok|okay|please|pls|then|just|btw|fyi|by the way|in general|und|bitte|y)[\s,:]+)*"
_SPEAKER_LEADS = LazyPattern(
    rf"{_BEGINS}(?:{_I}|{_WE}|{_HERE}|you|du|tú|it's|this|remember|note|keep|bear|mind|make|take|be|don't|do not|for|"
    r"merk\w*|denk\w*|recuerda)\b",
    re.IGNORECASE,
)
# Below such words people write their own.
_INTRODUCES_OWN = AnyCasePattern(
    rf"\b(?:{_HERE}|(?:for|by|bei|para) (?:us|uns|nosotros)|rules?|decisions?|decided|agreed|settled|final|"
    r"conventions?|polic(?:y|ies)|preferences?|remember|remind\w*|forget|save (?:this|that|it)|note|mind|important|"
    r"clear|always|never|context|please|told you|gilt|wichtig|merk\w*|entschieden|regeln?|hinweis|decidido|"
    r"decisi[oó]n|recuerda|reglas?|importante)\b"
)
# Verbs that report the words of another subject.
_REPORTING_VERB = AnyCasePattern(
    r"\b(?<!\bi )(?<!\bwe )(?<!\bi've )(?<!\bwe've )(?<!\bto )(?<!\byou )(?<!\bplease )(?<!\bjust )(?:sa(?:ys|id)|"
    r"say(?= (?:that|you|it|we|to)\b)|tell(?:s|ing)|told|claim(?:s|ed)?|argue[sd]?|recommend(?:s|ed)?|suggest(?:s|"
    r"ed)?|insist(?:s|ed)?|warn(?:s|ed)|mention(?:s|ed)|writes|wrote|written|advise[sd]|thinks|believes|demand(?:s|"
    r"ed)|propose[sd]|replie[sd]|announce[sd]|quote[sd]|answered|state[sd]|complain(?:s|ed)|ask(?:s|ed)(?! for\b)|"
    r"repeat(?:s|ed|ing)|printed|according to|sagte?|meinte?|schreibt|schrieb|steht|behauptet|empfiehlt|laut|gemäß|"
    r"dicen?|dijo|escribió|pone|afirma|recomienda|según|dit|écrit|selon|diz|disse|scrive|secondo)\b(?!-)"
)
_OUR_RULES = LazyPattern(
    r"\b(?:our|the team)(?:'s)? (?:\w+ ){0,2}(?:conventions?|polic\w+|rules?|standards?|guidelines?) ", re.I
)
_ASKS = LazyPattern(r"^(?:what|why|how|who|where|which|was|wie|wer|warum|wieso|qué|por qué|cómo)(?:'s|'re)?\b", re.I)
_READ_SOMEWHERE = LazyPattern(
    r"^(?:i|we)(?: just| have|'ve)? (?:read|heard|saw|found|googled|watched|quote|dream\w*|had a)\b", re.I
)
# Work on a text, and names for a text: stems, to match all forms.
_TEXT_WORK = AnyCasePattern(
    r"\b(?:translat|proof-?read|re-?phras|re-?word|re-?writ|paraphras|summari[sz]|transcrib|spell|grammar|typos?\b|"
    r"wording|shorten|classif|categori[sz]|locali[sz]|sentences?\b|paragraphs?\b|phras|tagline|slogan|excerpt|"
    r"verbatim|haiku|poem|joke|(?:in|to|into|a) (?:english|german|french|spanish)\b|übersetz|formulier|kürze|"
    r"rechtschreib|zusammenfass|satz\b|tradu[czi]|corrig|ortograf|reformul|frase|riassum|résum)"
)
_HYPOTHETICAL = AnyCasePattern(
    r"\b(?:suppose|imagine|pretend|hypothetical\w*|let's say|what if|angenommen|stell dir vor|imagina|supongamos|"
    r"would (?:always|never))\b"
)
# From here on the speaker speaks again.
_OWN_WORDS_RESUME = AnyCasePattern(
    r"\b(?:but|however|yet|pero|aber|sondern|mais|però|hence|therefore|(?:i|we) agree|"
    r"(?:it's|that's|it is|that is|is) (?:decided|final|settled))\b[,:]?"
)
# A lasting word in a subordinate clause.
_SUBORDINATE = AnyCasePattern(
    r"\b(?:that|why|whether|who|which|like|of|text|input|string|line|dass|que|che|"
    r"to)\s+(?:[^\s,;:.]+\s+){0,5}?(?:always|never|must|should(?:n't)?|remember|from now on|immer|nie(?:mals)?|"
    r"siempre|nunca|toujours|jamais|sempre)\b"
)
_POINTS_AT_TEXT = AnyCasePattern(
    r"\b(?:this|these|following|below|here's|here (?:is|are)|dies\w*|folgend\w*|est[aoe]s?|ceci)\b"
)
_REFERS_TO_TEXT = AnyCasePattern(
    r"\b(?:that|this|it|following|below|they|them|those|these|he|she|his|her|their|right|true|er|sie|das|dem|recht|"
    r"eso|esto|cierto)\b|^\W*(?:why|wieso|warum|¿?por qué|how come|really)\b"
)
_REQUEST = LazyPattern(r"^\W*(?:can|could|would|will) (?:you|u)\b|^\W*(?:please|pls|bitte|por favor)\b", re.IGNORECASE)
_FROM_ELSEWHERE = LazyPattern(
    r"^\W*(?:this|that|these|those|all that|it|the above|das|dies|eso|esto)(?:'s|'re)?\b[^.?!:]{0,30}\b"
    r"(?:from|theirs|copied|pasted|not (?:ours|mine|us|me))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Voice:
    own: str  # the speaker's own part; empty: none
    is_doubtful: bool = False  # the speaker's as far as one can see, but nothing in it says so

    @property
    def is_foreign(self) -> bool:
        return not self.own


def voices(text: str, page: MaskedMessage, found: Sequence[Sentence]) -> list[Voice]:
    text = text[:MAX_CHARS]
    quotes = [quote for quote in _QUOTE.findall(text) if len(quote.split()) > MAX_NAME_WORDS]
    has_foreign_text = any(len(quote.split()) > MAX_QUOTE_WORDS for quote in quotes) or any(
        _brings_text(sentence.raw) for sentence in found
    )
    quotes = list(map(bare_words, quotes))
    before_shown = _blocks_before_shown(text, page)
    judged: list[Voice] = []
    is_announced = is_pointed_at = False  # by an earlier sentence
    foreign_block = -1  # its rest is behind a colon that is not the speaker's
    for at, sentence in enumerate(found):
        before = found[at - 1] if at else sentence
        is_new = sentence.block != before.block
        is_over = before.block in before_shown or (before.form is LineForm.ITEM and sentence.form is LineForm.PROSE)
        if is_new and (is_over or Cue.ASKED in cues_of(sentence.text)):
            is_announced = is_pointed_at = False  # the announced text is masked already, or was a list that ended
        elif at and not is_announced:
            is_announced = _announces(before, ends_line=is_new or _ends_line(before, text))
            is_pointed_at = is_pointed_at or (is_new and not before.raw.rstrip().endswith((":", "：")))
        own, is_cut = _cut_foreign_parts(sentence.text)
        is_quoted = any(bare_words(sentence.text) in quote for quote in quotes)
        has_own_lead = _is_own_lead(sentence.lead) or (is_new and before.block in before_shown)
        if is_announced or is_quoted or sentence.block == foreign_block or not has_own_lead:
            own = ""
        if is_cut:
            foreign_block = sentence.block
        names_speaker = bool(_SPEAKER.search(own)) or Cue.ASKED in cues_of(own)
        has_doubt = has_foreign_text or is_pointed_at or _is_questioned(found, at)
        judged.append(Voice(own, has_doubt and not names_speaker))
    return judged


def own_words(text: str) -> str:
    """Return the sentences of a message that its speaker says themselves."""
    page = mask_message(text)
    return " ".join(voice.own for voice in voices(text, page, sentences(page)) if voice.own)


def own_sentence(sentence: Sentence, voice: Voice) -> Sentence:
    return sentence if voice.own == sentence.text else replace(sentence, text=voice.own)


def _cut_foreign_parts(sentence: str) -> tuple[str, bool]:
    """Return the speaker's own part, and True if another speaker follows the colon."""
    said = _QUOTE.sub(_unquote_name, sentence)
    said = _CLOSED_QUOTE.sub(_CUT, _OPEN_QUOTE.sub(_CUT, said))
    head, rest = said, ""
    if resumes := _OWN_WORDS_RESUME.search(said):
        head, rest = said[: resumes.start()], said[resumes.end() :].strip()
    colon = _COLON.search(head)
    if colon and len(said[colon.end() :].split()) > MAX_VALUE_WORDS and not _is_own_lead(head[: colon.start()]):
        return rest or _cut_foreign_parts(head[: colon.start()])[0], not rest
    is_subordinate = _SUBORDINATE.search(head) and not _SPEAKER_LEADS.match(head)
    if _ASKS.match(head) or _HYPOTHETICAL.search(head) or _READ_SOMEWHERE.match(head) or is_subordinate:
        return rest, False
    if verb := _reporting_verb(head):
        clause, _, subject = head[: verb.start()].rpartition(",")
        is_before = subject.strip() and head[verb.end() :].strip(" .!")  # "never tag by hand, says the guide"
        return f"{clause} {rest}".strip() if is_before else rest, False
    if not any(map(str.isalnum, said)):
        return "", False
    return said if _CUT in said else sentence, False


def _unquote_name(quote: re.Match[str]) -> str:
    return quote[0][1:-1] if len(quote[0].split()) <= MAX_NAME_WORDS else _CUT


def _reporting_verb(text: str) -> re.Match[str] | None:
    verbs = _REPORTING_VERB.finditer(text)
    return next((verb for verb in verbs if not _OUR_RULES.search(text[: verb.start()])), None)


def _reports_text(plain: str) -> bool:
    if _TEXT_WORK.search(plain) or _HYPOTHETICAL.search(plain) or _READ_SOMEWHERE.match(plain):
        return True
    return _reporting_verb(plain) is not None


@lru_cache(maxsize=64)  # each sentence of a message is asked twice
def _brings_text(raw: str) -> bool:
    plain = _QUOTE.sub(_CUT, raw)
    return _reports_text(plain) or _FROM_ELSEWHERE.match(plain) is not None


def _announces(sentence: Sentence, *, ends_line: bool) -> bool:
    """Return True if a text that is not the speaker's comes next."""
    said = sentence.raw.rstrip()
    if said.endswith((":", "：")):
        return not _is_own_lead(said.rstrip(" :："))
    # People who go on to show something often leave out the full stop.
    has_open_end = ends_line and not said.endswith((".", "!"))
    return _brings_text(sentence.raw) and (has_open_end or _POINTS_AT_TEXT.search(said) is not None)


@lru_cache(maxsize=256)  # most sentences have none
def _is_own_lead(lead: str) -> bool:
    """Return True if the speaker announces their own words: says so, or only names the topic."""
    plain = _QUOTE.sub(_CUT, lead)
    if resumes := _OWN_WORDS_RESUME.search(plain):
        plain = plain[resumes.end() :]
    if _reports_text(plain) or "?" in plain:
        return False
    is_short = len(plain.split()) <= MAX_TOPIC_WORDS
    is_topic = is_short and not _REFERS_TO_TEXT.search(plain) and not _POINTS_AT_TEXT.search(plain)
    return is_topic or bool(_INTRODUCES_OWN.search(plain))


def _is_questioned(found: Sequence[Sentence], at: int) -> bool:
    """Return True if the next sentence asks about this one."""
    if at + 1 >= len(found) or not found[at + 1].is_question:
        return False
    question = found[at + 1].raw
    return bool(_REFERS_TO_TEXT.search(question)) and not _REQUEST.match(question)


def _blocks_before_shown(text: str, page: MaskedMessage) -> frozenset[int]:
    """The blocks directly before masked code, logs or marked quotes: the speaker goes on after these."""
    raw = text.splitlines()
    numbers = [number for number, _ in page.said_lines]
    blocks = set()
    for line, number, following in zip(page.lines, numbers, [*numbers[1:], len(raw)], strict=False):
        left_out = "\n".join(raw[number + 1 : following])
        if left_out.strip() and not mask_message(left_out).lines:
            blocks.add(line.block)
    return frozenset(blocks)


def _ends_line(sentence: Sentence, text: str) -> bool:
    at = text.find(sentence.raw)
    return at >= 0 and text[at + len(sentence.raw) :].lstrip(" \t").startswith("\n")
