"""Whether a sentence is in the speaker's own voice: unquoted, said by themselves, no text that a task works on. Pure.

People show agents what others wrote: a page, a mail, a program's output, a line to translate. Whatever it says, the
person who shows it does not say it. Three questions decide, and each looks for the speaker rather than for the others:

- Place: between quotation marks, behind a colon whose lead is not the speaker's, below a line that announces a text?
- Clause: does it hang on a verb of saying with another subject, or on a clause that the speaker does not lead?
- Doubt: does the message report, point at or work on a text? Then only a sentence that names its speaker counts.

What fails the first two is foreign, what fails the third is doubtful. Either may still become a candidate.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.capture.patterns import LazyPattern
from recollect.capture.said.clauses import Sentence, sentences
from recollect.capture.said.cues import Cue, cues_of
from recollect.capture.said.masking import MAX_CHARS, LineForm, MaskedMessage, mask_message
from recollect.capture.said.pastes import bare_words

MAX_NAME_WORDS = 2  # so few between quotation marks are a name
MAX_QUOTE_WORDS = 4  # more between quotation marks: another has the word
MAX_TOPIC_WORDS = 2  # so few before a colon are a topic
MAX_VALUE_WORDS = 3  # so few behind a colon are no statement
_CUT = "…"

_QUOTE = LazyPattern(
    r"\"[^\"\n]{2,1500}\"|“[^”\n]{2,1500}”|„[^“”\n]{2,1500}[“”]|«[^»\n]{2,1500}»|»[^«\n]{2,1500}«|"
    r"‘[^’\n]{2,600}’(?!\w)|"
    r"(?<!\w)'(?=\w)[^'\n]{2,600}(?:(?<=\w)'(?=\w)[^'\n]{1,600}){0,9}(?<=[\w.!?])'(?!\w)|`[^`\n]{2,600}`"
)
# The other half of a quote stands in another sentence.
_OPEN_QUOTE = LazyPattern(r"(?:(?:^|(?<=[\s(:]))\"(?=\w)|[“„«]).*$", re.DOTALL)
_CLOSED_QUOTE = LazyPattern(r"^.*?(?:(?<=[\w.!?])\"(?=\s|$|[.,;)])|[”»])", re.DOTALL)
_COLON = LazyPattern(r"\s?[:：](?=\s|$)")

# The speaker, in the languages that people mix: pronouns, verbs that carry one, the place and the time they speak of.
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
_SPEAKER = LazyPattern(rf"\b(?:{_I}|{_WE}|{_HERE})\b", re.IGNORECASE)
_BEGINS = r"^(?:(?:and|so|but|also|ok|okay|please|pls|then|just|btw|fyi|by the way|in general|und|bitte|y)[\s,:]+)*"
_SPEAKER_LEADS = LazyPattern(
    rf"{_BEGINS}(?:{_I}|{_WE}|{_HERE}|you|du|tú|it's|this|remember|note|keep|bear|mind|make|take|be|don't|do not|for|"
    r"merk\w*|denk\w*|recuerda)\b",
    re.IGNORECASE,
)
# Under such words people put their own.
_INTRODUCES_OWN = LazyPattern(
    rf"\b(?:{_HERE}|(?:for|by|bei|para) (?:us|uns|nosotros)|rules?|decisions?|decided|agreed|settled|final|"
    r"conventions?|polic(?:y|ies)|preferences?|remember|remind\w*|forget|save (?:this|that|it)|note|mind|"
    r"important|clear|always|never|context|"
    r"please|told you|gilt|wichtig|merk\w*|entschieden|regeln?|hinweis|decidido|decisi[oó]n|recuerda|"
    r"reglas?|importante)\b",
    re.IGNORECASE,
)
# Verbs that bring the words of their subject, which is not the one who types.
_REPORTING_VERB = LazyPattern(
    r"(?<!\bi )(?<!\bwe )(?<!\bi've )(?<!\bwe've )(?<!\bto )(?<!\byou )(?<!\bplease )(?<!\bjust )\b(?:"
    r"sa(?:ys|id)|say(?= (?:that|you|it|we|to)\b)|tell(?:s|ing)|told|claim(?:s|ed)?|argue[sd]?|recommend(?:s|ed)?|"
    r"suggest(?:s|ed)?|insist(?:s|ed)?|warn(?:s|ed)|mention(?:s|ed)|writes|wrote|written|advise[sd]|thinks|believes|"
    r"demand(?:s|ed)|propose[sd]|replie[sd]|announce[sd]|quote[sd]|answered|state[sd]|complain(?:s|ed)|"
    r"ask(?:s|ed)(?! for\b)|repeat(?:s|ed|ing)|printed|according to|sagte?|meinte?|schreibt|schrieb|steht|behauptet|"
    r"empfiehlt|laut|gemäß|dicen?|dijo|escribió|pone|afirma|recomienda|según|dit|écrit|selon|diz|disse|scrive|secondo"
    r")\b(?!-)",
    re.IGNORECASE,
)
_OUR_RULES = LazyPattern(
    r"\b(?:our|the team)(?:'s)? (?:\w+ ){0,2}(?:conventions?|polic\w+|rules?|standards?|guidelines?) ", re.I
)
_ASKS = LazyPattern(r"^(?:what|why|how|who|where|which|was|wie|wer|warum|wieso|qué|por qué|cómo)(?:'s|'re)?\b", re.I)
_READ_SOMEWHERE = LazyPattern(
    r"^(?:i|we)(?: just| have|'ve)? (?:read|heard|saw|found|googled|watched|quote|dream\w*|had a)\b", re.I
)
# What is done to a text and what a text is called: stems, for all their forms.
_TEXT_WORK = LazyPattern(
    r"\b(?:translat|proof-?read|re-?phras|re-?word|re-?writ|paraphras|summari[sz]|transcrib|spell|grammar|typos?\b|"
    r"wording|shorten|classif|categori[sz]|locali[sz]|sentences?\b|paragraphs?\b|phras|tagline|slogan|excerpt|"
    r"verbatim|"
    r"haiku|poem|joke|(?:in|to|into|a) (?:english|german|french|spanish)\b|übersetz|formulier|kürze|rechtschreib|"
    r"zusammenfass|satz\b|tradu[czi]|corrig|ortograf|reformul|frase|riassum|résum)",
    re.IGNORECASE,
)
_HYPOTHETICAL = LazyPattern(
    r"\b(?:suppose|imagine|pretend|hypothetical\w*|let's say|what if|angenommen|stell dir vor|imagina|supongamos|"
    r"would (?:always|never))\b",
    re.IGNORECASE,
)
# From here on the speaker has the word again.
_OWN_WORDS_RESUME = LazyPattern(
    r"\b(?:but|however|yet|pero|aber|sondern|mais|però|hence|therefore|(?:i|we) agree|"
    r"(?:it's|that's|it is|that is|is) (?:decided|final|settled))\b[,:]?",
    re.IGNORECASE,
)
# A lasting word in a clause that another one leads.
_SUBORDINATE = LazyPattern(
    r"\b(?:that|why|whether|who|which|like|of|text|input|string|line|dass|que|che|to)\s+(?:[^\s,;:.]+\s+){0,5}?"
    r"(?:always|never|must|should(?:n't)?|remember|from now on|immer|nie(?:mals)?|siempre|nunca|toujours|"
    r"jamais|sempre)"
    r"\b",
    re.IGNORECASE,
)
_POINTS_AT_TEXT = LazyPattern(
    r"\b(?:this|these|following|below|here's|here (?:is|are)|dies\w*|folgend\w*|est[aoe]s?|ceci)\b", re.I
)
_REFERS_TO_TEXT = LazyPattern(
    r"\b(?:that|this|it|following|below|they|them|those|these|he|she|his|her|their|right|true|er|sie|das|dem|"
    r"recht|eso|esto|cierto)\b|"
    r"^\W*(?:why|wieso|warum|¿?por qué|how come|really)\b",
    re.IGNORECASE,
)
_REQUEST = LazyPattern(r"^\W*(?:can|could|would|will) (?:you|u)\b|^\W*(?:please|pls|bitte|por favor)\b", re.IGNORECASE)
_FROM_ELSEWHERE = LazyPattern(
    r"^\W*(?:this|that|these|those|all that|it|the above|das|dies|eso|esto)(?:'s|'re)?\b[^.?!:]{0,30}\b"
    r"(?:from|theirs|copied|pasted|not (?:ours|mine|us|me))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Voice:
    """Of one sentence."""

    own: str  # what of it the speaker says themselves; empty: nothing
    is_doubtful: bool = False  # theirs as far as one can see, but nothing in it says so

    @property
    def is_foreign(self) -> bool:
        return not self.own


def voices(text: str, page: MaskedMessage, found: Sequence[Sentence]) -> list[Voice]:
    """Of each sentence of a message, in their order."""
    text = text[:MAX_CHARS]
    quotes = [quote for quote in _QUOTE.findall(text) if len(quote.split()) > MAX_NAME_WORDS]
    quoted = [bare_words(quote) for quote in quotes]
    doubt = any(len(quote.split()) > MAX_QUOTE_WORDS for quote in quotes) or any(map(_brings_text, found))
    shown_after = _blocks_before_shown(text, page)
    judged: list[Voice] = []
    below = pointed = False  # what earlier sentences announced, or pointed at
    within = -1  # the block of which the rest stands behind a colon that is not the speaker's
    for at, sentence in enumerate(found):
        before = found[at - 1] if at else sentence
        is_new = sentence.block != before.block
        is_over = before.block in shown_after or (before.form is LineForm.ITEM and sentence.form is LineForm.PROSE)
        if is_new and (is_over or Cue.ASKED in cues_of(sentence.text)):
            below = pointed = False  # what was announced is left out already, or was a list that is over
        elif at and not below:
            below = _announces(before, ends_line=is_new or _ends_line(before, text))
            pointed = pointed or (is_new and not before.raw.rstrip().endswith((":", "：")))
        own, is_cut = _cut_foreign_parts(sentence.text)
        is_inside = any(bare_words(sentence.text) in span for span in quoted)
        is_led = _is_own_lead(sentence.lead) or (is_new and before.block in shown_after)
        if below or is_inside or sentence.block == within or not is_led:
            own = ""
        within = sentence.block if is_cut else within
        is_named = bool(_SPEAKER.search(own)) or Cue.ASKED in cues_of(own)
        judged.append(Voice(own, not is_named and (doubt or pointed or _is_questioned(found, at))))
    return judged


def own_words(text: str) -> str:
    """What of a message its speaker says themselves, sentence by sentence."""
    page = mask_message(text)
    return " ".join(voice.own for voice in voices(text, page, sentences(page)) if voice.own)


def own_sentence(sentence: Sentence, voice: Voice) -> Sentence:
    return sentence if voice.own == sentence.text else replace(sentence, text=voice.own)


def _cut_foreign_parts(sentence: str) -> tuple[str, bool]:
    """Without its quotes and what it brings of others; and whether another speaker follows its colon."""
    said = _QUOTE.sub(lambda quote: quote[0][1:-1] if len(quote[0].split()) <= MAX_NAME_WORDS else _CUT, sentence)
    said = _CLOSED_QUOTE.sub(_CUT, _OPEN_QUOTE.sub(_CUT, said))
    again = _OWN_WORDS_RESUME.search(said)
    head, rest = (said[: again.start()], said[again.end() :].strip()) if again else (said, "")
    colon = _COLON.search(head)
    if colon and len(said[colon.end() :].split()) > MAX_VALUE_WORDS and not _is_own_lead(head[: colon.start()]):
        return rest or _cut_foreign_parts(head[: colon.start()])[0], not rest
    if (
        _ASKS.match(head)
        or _HYPOTHETICAL.search(head)
        or _READ_SOMEWHERE.match(head)
        or (_SUBORDINATE.search(head) and not _SPEAKER_LEADS.match(head))
    ):
        return rest, False
    verb = _reporting_verb(head)
    if verb is not None:
        clause, _, subject = head[: verb.start()].rpartition(",")
        is_before = subject.strip() and head[verb.end() :].strip(" .!")  # "never tag by hand, says the guide"
        return f"{clause if is_before else ''} {rest}".strip(), False
    return (sentence if _CUT not in said else said) if any(map(str.isalnum, said)) else "", False


def _reporting_verb(text: str) -> re.Match[str] | None:
    return next((verb for verb in _REPORTING_VERB.finditer(text) if not _OUR_RULES.search(text[: verb.start()])), None)


def _brings_text(sentence: Sentence) -> bool:
    plain = _QUOTE.sub(_CUT, sentence.raw)
    signs = (
        _TEXT_WORK.search(plain),
        _HYPOTHETICAL.search(plain),
        _READ_SOMEWHERE.match(plain),
        _FROM_ELSEWHERE.match(plain),
        _reporting_verb(plain),
    )
    return any(sign is not None for sign in signs)


def _announces(sentence: Sentence, *, ends_line: bool) -> bool:
    """Whether a text that is not the speaker's comes next."""
    said = sentence.raw.rstrip()
    if said.endswith((":", "：")):
        return not _is_own_lead(said.rstrip(" :："))
    return _brings_text(sentence) and bool((ends_line and _lacks_full_stop(sentence)) or _POINTS_AT_TEXT.search(said))


def _lacks_full_stop(sentence: Sentence) -> bool:
    """Ends without a full stop, as people do who go on to show something."""
    return not sentence.raw.rstrip().endswith((".", "!", ":", "："))


def _is_own_lead(lead: str) -> bool:
    """Whether the speaker announces their own words: says so, or names the topic alone."""
    plain = _QUOTE.sub(_CUT, lead)
    again = _OWN_WORDS_RESUME.search(plain)
    plain = plain[again.end() :] if again else plain
    if (
        _TEXT_WORK.search(plain)
        or _HYPOTHETICAL.search(plain)
        or _READ_SOMEWHERE.match(plain)
        or _reporting_verb(plain)
        or "?" in plain
    ):
        return False
    is_topic = (
        len(plain.split()) <= MAX_TOPIC_WORDS
        and not _REFERS_TO_TEXT.search(plain)
        and not _POINTS_AT_TEXT.search(plain)
    )
    return is_topic or bool(_INTRODUCES_OWN.search(plain))


def _is_questioned(found: Sequence[Sentence], at: int) -> bool:
    """The next sentence asks what to make of it."""
    after = found[at + 1] if at + 1 < len(found) else None
    return (
        after is not None
        and after.is_question
        and bool(_REFERS_TO_TEXT.search(after.raw))
        and not _REQUEST.match(after.raw)
    )


def _blocks_before_shown(text: str, page: MaskedMessage) -> frozenset[int]:
    """The blocks right behind which code, a log or a marked quote was left out: the speaker goes on where it ends."""
    raw = text.splitlines()
    numbers = [number for number, _ in page.said_lines]
    behind = set()
    for line, number, following in zip(page.lines, numbers, [*numbers[1:], len(raw)], strict=False):
        left_out = "\n".join(raw[number + 1 : following])
        if left_out.strip() and not mask_message(left_out).lines:
            behind.add(line.block)
    return frozenset(behind)


def _ends_line(sentence: Sentence, text: str) -> bool:
    at = text.find(sentence.raw)
    return at >= 0 and text[at + len(sentence.raw) :].lstrip(" \t").startswith("\n")
