"""Whether a sentence is in the speaker's own voice: unquoted, said by themselves, no text that a task works on. Pure.

People show agents what others wrote: a page, a mail, a program's output, a line to translate. Whatever it says, the
person who shows it does not say it. Two questions decide. Where does the sentence stand: inside quotation marks, below
words that announce another text or a task on a text, before a remark on where it came from? And what is left of it
without its quotes and without what it reports of others? Only what is left can state something outright. In doubt it is
not theirs; it may still become a candidate.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.capture.clauses import Sentence, sentences
from recollect.capture.masking import MAX_CHARS, Page, read
from recollect.capture.pastes import bare
from recollect.capture.patterns import Pattern

NAMED_WORDS = 2  # so few between quotation marks are a name
LEAD_WORDS = 2  # so few before a colon are a topic
SAID_WORDS = 3  # so few behind a colon are no statement

_QUOTED = Pattern(
    r"\"[^\"\n]{2,1500}\"|“[^”\n]{2,1500}”|„[^“”\n]{2,1500}[“”]|«[^»\n]{2,1500}»|»[^«\n]{2,1500}«|"
    r"‘[^’\n]{2,600}’(?!\w)|"
    r"(?<!\w)'(?=\w)[^'\n]{2,600}(?:(?<=\w)'(?=\w)[^'\n]{1,600}){0,9}(?<=[\w.!?])'(?!\w)|`[^`\n]{2,600}`"
)
# The other half of a quote stands in another sentence.
_OPENED = Pattern(r"(?:(?:^|(?<=[\s(:]))\"(?=\w)|[“„«]).*$", re.DOTALL)
_CLOSED = Pattern(r"^.*?(?:(?<=[\w.!?])\"(?=\s|$|[.,;)])|[”»])", re.DOTALL)
_CUT = "…"

# Who or what can say something without being the one who types.
_SOURCES = (
    "readme|docs?|documentation|manuals?|datasheet|specs?|specification|rfc|pdf|page|wiki|site|website|articles?|"
    "blog|posts?|"
    "gist|thread|forum|reddit|stack ?overflow|tweet|talk|speaker|video|books?|paper|chapter|section|tutorial|"
    "e-?mails?|mail|messages?|chat|slack|tickets?|issues?|jira[\\w-]*|pr|reviews?|reviewer|comments?|changelog|"
    "release notes|"
    "logs?|output|stdout|stderr|traceback|stack ?trace|errors?|warnings?|linter|compiler|reports?|audit|transcript|"
    "prompts?|"
    "snippet|excerpt|quot(?:e|ation)|verbatim|paragraph|sentences?|strings?|tooltip|whiteboard|adr|proposal|rationale|"
    "template|license|licence|content|contents|text|feedback|colleague|coworker|teammate|boss|manager|intern|customer|"
    "vendor|consultant|someone|somebody|people|they|he|she|"
    "doku|dokumentation|anleitung|handbuch|kollegen?|kollegin|chefin?|kommentar|fehlermeldung|meldung|ausgabe|seite|"
    "artikel|"
    "documentaci[oó]n|art[ií]culo|p[aá]gina|correo|mensaje|comentario|becario|jefe|compañer[oa]|salida"
)
_SOURCE = Pattern(rf"\b(?:{_SOURCES})\b", re.IGNORECASE)
# Verbs that bring the words of their subject.
_SAYS = (
    "says?|said|stat(?:es|ed)|claim(?:s|ed)?|argu(?:e|es|ed)|recommend(?:s|ed)?|suggest(?:s|ed)?|insist(?:s|ed)?|"
    "t(?:ells|old)|"
    "complain(?:s|ed)?|warn(?:s|ed)?|mention(?:s|ed)?|writes|wrote|brag(?:s|ged)?|announce[sd]?|scribbled|"
    "preach(?:es|ed)?|"
    "advis(?:es|ed)|thinks|believes|demand(?:s|ed)?|proposes?|proposed|replied|posted|noted|quotes?|quoted|answered|"
    "declare[sd]|"
    "sagt|sagte|meint|meinte|schreibt|schrieb|steht|behauptet|empfiehlt|dice|dicen|dijo|escribi[oó]|pone|afirma|"
    "recomienda"
)
# Those that do so only before what they bring.
_BRINGS = (
    "(?:reads?|wants?|prints?|printed|shows?|contains?|lists?|reports?|reported|goes|puts?|has|spits? out|spat out|"
    "outputs?|"
    "returns?|gives?|gave|explains?|asks?|asked|found|left|sees|displays?|threw|throws|logs|logged|emits?)"
    "(?=\\s*(?::|…|that\\b|this:|like\\b|smth\\b|something like\\b))"
)
_OWN_SAYING = "i|we|i've|we've|i'm|you|let me|let's|just|please|always|never|which|who"
_OUR_RULES = (
    r"(?:our|my|the team|team)(?: \w+){0,2} (?:conventions?|polic(?:y|ies)|rules?|standards?|guidelines?|style)"
)
_REPORTS = Pattern(
    rf"(?P<subject>(?:^|(?<=[,;:(—–-]\s)|(?<=\bthat\s)|(?<=\bif\s)|(?<=\bwhen\s)|(?<=\bimagine\s)|(?<=\bsuppose\s)|"
    rf"(?<=\bbecause\s)|(?<=\bwho\s))(?!(?:{_OWN_SAYING})\s)(?!{_OUR_RULES}\b)(?:[^\s,;:(—–]+\s+){{0,9}}?)"
    rf"(?P<verb>(?:{_SAYS})(?![\w-])|{_BRINGS})",
    re.IGNORECASE,
)
_ACCORDING = Pattern(
    rf"(?:^|[,;(—–]\s*)(?:according to|as per|per|quoting|to quote|laut|gem[aä](?:ß|ss)|según)\s+"
    rf"(?!(?:our|my|unser\w*|nuestr\w*)\b)(?:\S+\s+){{0,3}}?(?=\S*(?:{_SOURCES}|\w))",
    re.IGNORECASE,
)
_SAID_BEFORE = Pattern(
    r",\s*(?:(?:so )?(?:says?|said|writes|wrote|claims|argues|reads|sagt|meint|schreibt|dice|afirma)\s+(?!i\b|we\b)\w|"
    r"(?:that's|this is|it's|that is) (?:theirs|his|hers|from|what (?!i\b|we\b)(?:\w+ ){1,3}(?:say|said|says|"
    r"wrote|claim)))",
    re.IGNORECASE,
)
_LEARNT = Pattern(
    r"^(?:i|we)(?: just| have|'ve)? (?:read|heard|googled|quote|dream(?:ed|t)|had a dream|watched)\b", re.IGNORECASE
)
# From here on the speaker goes on in their own voice.
_OWN_AGAIN = Pattern(
    r"\b(?:but|however|pero|aber|sondern|yet|i agree|we agree|(?:it's|that's|it is|that is|is) (?:decided|final|"
    r"settled))\b[,:]?|"
    r"\b(?:hence|therefore)\b[,:]?",
    re.IGNORECASE,
)
_TALES = Pattern(
    r"\b(?:(?:suppose|imagine|pretend|hypothetically|assume)\b|(?:novel|joke|story|dream|movie|poem|haiku|song)\b)",
    re.IGNORECASE,
)
_TEXTS = (
    "text|sentences?|strings?|paragraph|wording|copy|label|message|mail|e-?mail|post|tweet|phrase|line|comment|title|"
    "headline|"
    "description|announcement|slogan|quote|grammar|spelling|typos?|tooltip|summary|letter|abstract|blurb|readme|prompt|"
    "satz|grammatik|rechtschreibung|frase|texto|gram[aá]tica"
)
_DEICTIC = "this|that|these|those|it|the following|following|below|above|the next"
# What is done to a text rather than to a program.
_WORKS_ON_TEXT = Pattern(
    rf"\b(?:translat\w+|proof-?read\w*|rephras\w+|reword\w*|paraphras\w+|summari[sz]\w+|transcrib\w+|spell-?check\w*|"
    rf"übersetz\w*|umformulier\w*|formulier\w*|korrekturles\w*|zusammenfass\w*|traduc\w+|traduzc\w*|resum(?:e|ir|en)\b|"
    rf"reformula\w*|"
    rf"(?:re-?write|shorten|polish|improve|fix|correct|check|edit|clean up|classify|label|tag|rate|judge|grade|parse|"
    rf"convert|"
    rf"tokeni[sz]e|count|format|explain|interpret|analy[sz]e|review|assess|critique|comment on|evaluate|explica|"
    rf"erkläre?|"
    rf"kürz\w*|corrig\w+)\s+(?:(?:the|my|this|that|these|those|a|an|our|all|each|in|for|of|following)\s+){{0,3}}"
    rf"(?:(?:{_TEXTS})\b|(?:active|passive|formal|plain|simple)\b|(?:{_DEICTIC})(?=\s*:|\s*$|\s+(?:as|in|for|to|"
    rf"into)\b))|"
    rf"(?:re-?write|shorten|polish|classify|label|explain|interpret)\s*:|"
    rf"(?:make|turn|write|build|create|generate|put|convert)\s+(?:\S+\s+){{0,4}}?(?:out of|from|into|of|in|to)\s+"
    rf"(?:(?:{_DEICTIC})\b|(?:english|german|french|spanish|italian|chinese|japanese)\b)|"
    rf"(?:say|put|express|phrase|write|word)\s+(?:this|that|it)\s+(?:in|as|more|better|nicer)|"
    rf"(?:english|german|french|spanish|italian|portuguese|dutch|polish|chinese|japanese) (?:version|translation|text)|"
    rf"(?:add|put|insert|use|set|paste|save|store|append|print|show|display|echo|render|return|send|log|commit)\s+"
    rf"(?:(?:the|a|this|that|following|new|as|exact|literal)\s+){{1,3}}(?:{_TEXTS})\b|"
    rf"(?:draft|write|compose)\s+(?:\S+\s+){{0,4}}?(?:reply|answer|response)\b|(?:reply|respond|"
    rf"answer) to (?:{_DEICTIC}|the)\b|"
    rf"(?:tell me|say|see|find out) (?:which|what|whether|if)\b[^.?!]*\b(?:{_DEICTIC})\b|"
    rf"(?:what|which)(?:'s| is| are) (?:wrong|right|missing|good|bad) (?:with|in|about) (?:{_DEICTIC})\b|"
    rf"(?:unit )?tests? (?:that|which|for)\b[^.?!]*\b(?:line|string|text|input|sentence|message)\b)",
    re.IGNORECASE,
)
_OWN_LEAD = Pattern(
    r"(?:(?:^|[,;(]\s*|\b(?:so|and|but|what|as|how|that)\s)(?:i|we)\b)|"
    r"\b(?:let me|for us|for you|our|ours|from now on|going forward|rules?|decisions?|decided|settled|final|"
    r"agreed|"
    r"conventions?|polic(?:y|ies)|note|reminder|remember|preferences?|mind|always|never|(?:every|next|each) time|"
    r"in general|"
    r"generally|this (?:repo|repository|project|codebase|app|service|package|monorepo)|here|hence|therefore|because|"
    r"fyi|btw|"
    r"important|please|pls|context|background|things|explanation|reason|gilt|wichtig|merk\w*|entschieden|"
    r"entscheidung|wir|"
    r"uns\w*|mein\w*|ich|regeln?|hinweis|decidido|decisi[oó]n|recuerda|nota|reglas?|importante|nosotros|nuestr[oa]s?|"
    r"mi)\b",
    re.IGNORECASE,
)
_NO_TOPIC = Pattern(
    rf"^(?:it|he|she|they|this|that|and|someone)\b|\b(?:{_SAYS}|goes|reads?|like|prints?|printed)\b", re.IGNORECASE
)
_NOTE_OF = Pattern(
    r"\b(?:note|rules?|polic(?:y|ies)|conventions?|things|text) (?:from|in|by|of|on|at)\b", re.IGNORECASE
)
_FROM_ELSEWHERE = Pattern(
    r"^\W*(?:(?:this|that|these|those|all that|it|the above|eso|esto|das|dies)(?:'s|'re| is| are| was| were| comes?|"
    r" came| lo|"
    r" steht| stand)?\b[^.?!]{0,30}\b(?:from|wrote|written|said|says?|claim(?:s|ed)?|theirs|quote[sd]?|excerpt|dijo|"
    r"escribi[oó]|"
    r"copied|pasted|found|steht|schreib\w*|not (?:ours|mine|us|me))\b|"
    rf"(?:says|said|wrote|writes|claims|according to|source:|via|quelle:|fuente:)\s+(?!(?:i|we|me|us)\b)|"
    rf"from (?:\S+ ){{0,4}}?(?:{_SOURCES})\b)",
    re.IGNORECASE,
)
_ABOUT_IT = Pattern(
    r"\b(?:that|this|it|they|them|those|these|he|she|his|her|their|right|true|er|sie|das|dem|dann|damit|recht|eso|"
    r"esto|cierto)\b|"
    r"^\W*(?:why|wieso|warum|por qué|¿por qué|how come|really|is (?:that|it)|what for)\b",
    re.IGNORECASE,
)
_REQUEST = Pattern(r"^\W*(?:can|could|would|will) you\b|^\W*(?:please|pls|bitte|por favor)\b", re.IGNORECASE)
_SPEAKER = Pattern(
    r"\b(?:i|i'm|i'd|i've|we|we're|we've|we'll|us|our|ours|my|mine|me|you|your|this (?:repo|repository|project|"
    r"codebase|app|"
    r"service|package|monorepo)|ich|wir|uns\w*|mein\w*|du|diesem (?:projekt|repo)|nosotros|nuestr[oa]s?|mi|"
    r"este (?:proyecto|repo))\b",
    re.IGNORECASE,
)
_POINTS_BELOW = Pattern(
    r"\b(?:this|these|the following|below|here(?:'s| is| are)|got an?|goes like|like so|there's an?|contents?|"
    r"excerpt|verbatim)\b",
    re.IGNORECASE,
)
_COLON = Pattern(r"[:：](?=\s|$)")


@dataclass(frozen=True, slots=True)
class Voice:
    """Of one sentence."""

    own: str  # what of it the speaker says themselves; empty: nothing

    @property
    def is_foreign(self) -> bool:
        return not self.own


def voices(text: str, page: Page, found: Sequence[Sentence]) -> list[Voice]:
    """Of each sentence of a message, in their order."""
    text = text[:MAX_CHARS]
    quoted = [bare(span) for span in _long_quotes(text)]
    shown_after = _blocks_before_shown(text, page)
    judged: list[Voice] = []
    below = False  # what an earlier sentence announced
    within = -1  # the block of which the rest stands behind such a colon
    for at, sentence in enumerate(found):
        is_new = at == 0 or sentence.block != found[at - 1].block
        before = found[at - 1] if at else None
        if is_new and before is not None and before.block in shown_after:
            below = False  # what was announced was code, or is marked as a quote: it is left out already
        elif before is not None and not below:
            ends = before.raw.rstrip().endswith((":", "："))
            shows = ends or is_new or _ends_line(before, text) or _works_on_this(before)
            below = shows and _announces(before, ends=ends)
        is_inside = any(bare(sentence.text) in span for span in quoted)
        if below or sentence.block == within or is_inside or not _is_own_lead(sentence.lead) or _is_disowned(found, at):
            judged.append(Voice(""))
            continue
        own = own_part(sentence.text)
        within = sentence.block if _CUT_AT_COLON in own else within
        judged.append(Voice(own.replace(_CUT_AT_COLON, "").strip()))
    return judged


def own_words(text: str) -> str:
    """What of a message its speaker says themselves, sentence by sentence."""
    page = read(text)
    return " ".join(voice.own for voice in voices(text, page, sentences(page)) if voice.own)


_CUT_AT_COLON = "\x00"


# A rule inside a clause of somebody else: `it is written that we always ...`, `it boils down to never ...`.
_LASTS = "always|never|from now on|must|should(?:n't)?|only|immer|nie|niemals|siempre|nunca"
_EMBEDS = Pattern(
    r"\b(?:that|dass|daß|que|like|namely|repeating|saying|promis\w+|text|sentences?|phrase|rule|mantra|motto|opinion|"
    r"answer|hint|advice|principle|(?<!has )(?<!have )(?<!needs )(?<!need )(?<!want )(?<!is )(?<!are )(?<!ought )to)\s+"
    rf"(?:[^\s,;:.]+\s+){{0,5}}?(?:{_LASTS})\b",
    re.IGNORECASE,
)
# The speaker's own main clause: `remember that`, `we agreed that`, `make sure to`, `I want you to`.
_OWN_CLAUSE = Pattern(
    r"^(?:(?:and|so|but|also|ok|please|pls|then|just|btw|fyi|in general|here|going forward|from now on)[\s,:]+)*"
    r"(?:(?:i|we|you|i'd|we'd|i'm|we're|we've|i've|let's|our|this|it's(?! (?:written|said|stated|claimed|"
    r"documented|noted))|"
    r"everyone|everybody|ich|wir|du|yo|nosotros)\b|"
    r"(?:remember|note|make sure|be sure|ensure|keep|try|take care|don't|do not|always|never|bear|mind|merk|denk|achte|"
    r"recuerda|asegúrate|know|consider|prefer|use|write|add|put|run)\b)",
    re.IGNORECASE,
)
_ASKS = Pattern(
    r"^(?:what(?:'s| is| are| does| do| would| if)|why|how (?:do|does|would|come|hard|is|are|can)|who(?:'s| is)|where|"
    r"which|is|are|does|did|could|would)\s",
    re.IGNORECASE,
)


def own_part(sentence: str) -> str:
    """Without its quotes, without what it reports of others, and without the text that a task in it works on."""
    said = _QUOTED.sub(lambda quote: quote[0][1:-1] if len(quote[0].split()) <= NAMED_WORDS else _CUT, sentence)
    said = _CLOSED.sub(_CUT, _OPENED.sub(_CUT, said))
    if _TALES.search(said) or _LEARNT.match(said) or _ASKS.match(said):
        return _again(said, 0)
    colon = _COLON.search(said)
    if colon is not None and len(said[colon.end() :].split()) > SAID_WORDS and not _is_own_lead(said[: colon.start()]):
        rest = _again(said, 0)
        return rest or said[: colon.start()] + _CUT_AT_COLON
    told = next(filter(None, (_ACCORDING.search(said), _SAID_BEFORE.search(said))), None)
    if told is not None:
        return _again(said, told.start())
    report = _REPORTS.search(said)
    if report is None and not _OWN_CLAUSE.match(said):
        report = _EMBEDS.search(said)
    if report is None:
        return (sentence if _CUT not in said else said) if any(map(str.isalnum, said)) else ""
    if report.re is _EMBEDS.compiled:
        return _again(said, report.end())
    before = said[: report.start()].rstrip(" ,;:(—–-")
    return f"{before} {_again(said, report.end())}".strip()


def _again(said: str, begin: int) -> str:
    """Where the speaker goes on themselves."""
    found = _OWN_AGAIN.compiled.search(said, begin)
    return "" if found is None else said[found.end() :].strip()


def own_sentence(sentence: Sentence, voice: Voice) -> Sentence:
    return sentence if voice.own == sentence.text else replace(sentence, text=voice.own)


def _long_quotes(text: str) -> list[str]:
    return [quote for quote in _QUOTED.findall(text) if len(quote.split()) > NAMED_WORDS]


def _blocks_before_shown(text: str, page: Page) -> frozenset[int]:
    """The blocks right behind which something was left out: code, a log, a marked quote."""
    raw = text.splitlines()
    numbers = [number for number, _ in page.said]
    behind = set()
    for line, number, following in zip(page.lines, numbers, [*numbers[1:], len(raw)], strict=False):
        if any(one.strip() for one in raw[number + 1 : following]):
            behind.add(line.block)
    return frozenset(behind)


def _ends_line(sentence: Sentence, text: str) -> bool:
    at = text.find(sentence.raw)
    return at >= 0 and text[at + len(sentence.raw) :].lstrip(" \t").startswith("\n")


def _works_on_this(sentence: Sentence) -> bool:
    """`Can you translate this?`: the text comes next, in the same line too."""
    is_shown = re.search(r"\b(?:this|that|these|das|dies|esto|eso|(?:the )?following)\b", sentence.text, re.IGNORECASE)
    return bool(is_shown and _WORKS_ON_TEXT.search(sentence.text))


def _announces(sentence: Sentence, *, ends: bool) -> bool:
    """Whether what follows it is somebody else's text, or one that is to be worked on."""
    if _WORKS_ON_TEXT.search(sentence.text):
        return True
    if ends:
        return not _is_own_lead(sentence.text.rstrip(" :："))
    report = _REPORTS.search(sentence.text)
    if report is not None and len(sentence.text[report.end() :].split()) <= LEAD_WORDS:
        return True
    return bool(_POINTS_BELOW.search(sentence.text) and (report is not None or _SOURCE.search(sentence.text)))


def _is_own_lead(lead: str) -> bool:
    """Whether the speaker announces their own words: with a word of theirs, or by naming the topic alone."""
    if not lead:
        return True
    plain = _QUOTED.sub(_CUT, lead)
    if _WORKS_ON_TEXT.search(f"{plain}:") or plain.rstrip().endswith("?"):
        return False
    again = _again(plain, 0)
    if again:
        return True
    if _REPORTS.search(plain) or _NOTE_OF.search(plain) or _ACCORDING.search(plain):
        return bool(re.search(r"\b(?:decision|decided|settled)\b", plain, re.IGNORECASE))
    if len(plain.split()) <= LEAD_WORDS:
        return not _NO_TOPIC.search(plain) and not _SOURCE.fullmatch(plain.strip())
    if _SOURCE.search(plain) and not re.search(
        r"\b(?:decision|decided|settled|rules?|aside|regarding|my own)\b", plain, re.IGNORECASE
    ):
        return False
    return bool(_OWN_LEAD.search(plain))


def _is_disowned(found: Sequence[Sentence], at: int) -> bool:
    """The next sentence says whose words it was, or asks what to make of it."""
    if at + 1 >= len(found):
        return False
    following = found[at + 1]
    if _FROM_ELSEWHERE.match(following.raw) and not _COLON.search(following.raw):
        return True
    is_asked = following.is_question and _ABOUT_IT.search(following.raw) and not _REQUEST.match(following.raw)
    return bool(is_asked) and not _SPEAKER.search(found[at].text)
