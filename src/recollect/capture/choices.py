"""Options and the pick: what was offered, and what the user took, becomes a decision.

Words alone decide nothing: an agent that decides by itself proposes a candidate, and only the user's yes confirms it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from recollect.capture.calls import named
from recollect.capture.cues.english_words import ENGLISH_WORDS
from recollect.capture.fixes import sentences_of
from recollect.capture.options import Offer, Option, Pick, either_or, is_errand, offer_in, pick_in
from recollect.capture.patterns import Pattern
from recollect.domain.event import Event, Prompt, Reply, SessionEnded, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, MessageId, Role, Tier
from recollect.text.query import content_words
from recollect.text.sentences import shortened

MAX_TEXT_CHARS, MAX_ABOUT_CHARS, MAX_HEART_CHARS, MAX_MORE_CHARS = 400, 110, 260, 120
PICKED, AGREED, DECIDED = 0.9, 0.8, 0.7  # durability
MIN_WORDS = 3  # that say something
ALONE = 4  # of so many it is understood without its question

_ASKING_TOOLS = frozenset({"askuserquestion", "question", "askquestion", "requestuserinput"})
_ANSWER = Pattern(r'"(?P<question>[^"\n]{2,400})"\s*=\s*"(?P<answer>[^"\n]{1,400})"')
_AGREES = Pattern(
    r"^\W*(?:yes|yep|yeah|yup|sure|ok|okay|sounds? (?:good|great|right)|looks? good|lgtm|perfect|great|agreed?|"
    r"go ahead|"
    r"do it|do that|go for it|please do|makes sense|i agree|fine|approved?|ship it|let'?s do (?:it|that|this)|correct|"
    r"exactly|absolutely|definitely|implement (?:it|that|this))\b",
    re.IGNORECASE,
)
_BUT = Pattern(r"\b(?:but|however|not|instead|wait|except|rather|don't|no|unless|actually|first)\b", re.IGNORECASE)
_DECIDES = Pattern(
    r"^(?:\W|so |then |ok,? |based on that,? |given that,? )*"
    r"(?:i(?:'ve| have)? (?:decided|chosen|opted|settled|picked|went|chose)|"
    r"we(?:'ll| will| should)? (?:go with|use|stick with|decided)|let's (?:go with|use|stick with)|"
    r"i(?:'ll| will) (?:go with|use)|"
    r"i(?:'d| would)? (?:recommend|suggest|go with|pick|choose)|my (?:recommendation|choice|pick) (?:is|would be)|"
    r"(?:the )?(?:decision|recommendation):|use |go with )",
    re.IGNORECASE,
)
_PROPOSES = Pattern(
    r"\b(?:i (?:propose|suggest|recommend|would|'d)|i'd (?:propose|suggest|recommend|go)|my (?:proposal|plan|"
    r"suggestion|"
    r"recommendation|approach|idea) (?:is|would be)|the (?:plan|proposal|idea|design) is|(?:proposal|plan|design|"
    r"recommendation):|we (?:should|could) (?:use|store|split|move|add|keep|make|introduce|replace|switch|build|"
    r"put))\b",
    re.IGNORECASE,
)
_WANTS_LEAVE = Pattern(
    r"\b(?:shall|should|want|would|may|can) (?:i|we|you|me)\b[^?\n]{0,120}\?|\b(?:sound|look)s? (?:good|right|ok\w*)\?|"
    r"\b(?:ok\w*|agreed|proceed|go ahead|thoughts)\?",
    re.IGNORECASE,
)
_LEAD = Pattern(r"^(?:yes|so|then|ok(?:ay)?|well)[,.:]\s+|^(?:based on|given) [^,]{3,60},\s+", re.IGNORECASE)
_LEADING = Pattern(
    r"^(?:i(?:'d| would)? (?:propose|suggest|recommend)|(?:my|the) (?:proposal|plan|suggestion|recommendation|approach|"
    r"idea|design) (?:is|would be))(?: (?:that we|that|to|we))?[: ]\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a reply offered or proposed, until the user answers."""

    message: MessageId
    offer: Offer | None
    heart: str  # the one sentence of a proposal; empty: there is none, or more than one
    decided: str  # on a question of the user


class Choices:
    """Hears a session; gives a decision when the user has taken an option, or agreed to what was decided."""

    def __init__(self) -> None:
        self._said: _Said | None = None
        self._asked = ""  # what the user wanted last, in a few words
        self._question: tuple[MessageId, Offer] | None = None

    def hear(self, event: Event) -> list[Proposal]:
        match event:
            case Prompt() if event.origin is Origin.USER:
                return self._prompted(event)
            case Reply() if event.text.strip():
                return self._replied(event)
            case ToolSucceeded() if named(event.tool) in _ASKING_TOOLS:
                return list(_answered(event))
            case SessionEnded():
                self._said = self._question = None
                return []
            case _:
                return []

    def _replied(self, reply: Reply) -> list[Proposal]:
        offer = offer_in(reply.text)
        decided = _decided(reply.text, self._question[1]) if self._question else ""
        kept = decided or (self._said.decided if self._said and self._question else "")
        self._said = _Said(reply.message, offer, "" if offer else _heart(reply.text), kept)
        if not decided or not self._question:
            return []
        return [self._decision(decided, reply.message, Tier.CANDIDATE, DECIDED, Role.ASSISTANT)]

    def _prompted(self, prompt: Prompt) -> list[Proposal]:
        found = self._answer(prompt)
        asked = either_or(prompt.text)
        self._question = (prompt.message, asked) if asked else None
        self._asked = shortened(" ".join(prompt.text.split()), chars=MAX_ABOUT_CHARS)
        self._said = None
        return [] if found is None else [found]

    def _answer(self, prompt: Prompt) -> Proposal | None:
        said = self._said
        if said is None:
            return None
        if said.offer is not None and (pick := pick_in(prompt.text, said.offer)):
            return _chosen(said.offer, pick, self._asked, (said.message, prompt.message), prompt.text)
        if not _agrees(prompt.text):
            return None
        if said.decided:
            return self._decision(said.decided, prompt.message, Tier.CONFIRMED, PICKED, Role.USER)
        if said.heart:
            return Proposal(
                text=shortened(f"Agreed: {_LEADING.sub('', said.heart)}", chars=MAX_TEXT_CHARS),
                kind=Kind.DECISION,
                tier=Tier.CONFIRMED,
                basis=Basis.PICK,
                role=Role.USER,
                messages=(said.message, prompt.message),
                evidence=(said.heart, prompt.text.strip()),
                durability=AGREED,
            )
        return None

    def _decision(self, decided: str, message: MessageId, tier: Tier, durability: float, role: Role) -> Proposal:
        asked = self._question
        assert asked is not None  # nothing is decided without a question
        return Proposal(
            text=decided if len(content_words(decided)) >= ALONE else f'{decided} (asked: "{asked[1].question}?")',
            kind=Kind.DECISION,
            tier=tier,
            basis=Basis.PICK,
            role=role,
            messages=(asked[0], message),
            evidence=(decided, f"{asked[1].question}?"),
            durability=durability,
        )


def _chosen(offer: Offer, pick: Pick, asked: str, messages: tuple[MessageId, ...], answer: str) -> Proposal | None:
    if is_errand(pick.option):
        return None
    others = ", ".join(option.name for option in offer.options if option is not pick.option)
    chosen = _described(pick.option)
    about = f" {offer.subject}" if offer.subject and offer.subject not in chosen else ""
    reason = f": {pick.reason}" if pick.reason else ""
    is_deed = chosen.split(" ", 1)[0].lower() in _deeds()
    taken = f"Chose: {chosen[:1].upper()}{chosen[1:]}, over {others}" if is_deed else f"Chose {chosen} over {others}"
    if not about:
        is_one = len(sentences_of(asked)) == 1  # whoever says several things may have asked about something else
        topic = f"{offer.question}?" if offer.question else asked if is_one else ""
        about = f' (asked: "{shortened(topic, chars=MAX_ABOUT_CHARS)}")' if topic else ""
        text = f"{taken}{reason}{about}"
    else:
        text = f"{taken}{about}{reason}"
    return Proposal(
        text=shortened(text, chars=MAX_TEXT_CHARS),
        kind=Kind.DECISION,
        tier=Tier.CONFIRMED,
        basis=Basis.PICK,
        role=Role.USER,
        messages=messages,
        evidence=(pick.option.said, answer.strip()[:400]),
        durability=PICKED,
        explicit=True,
    )


@lru_cache(maxsize=1)
def _deeds() -> frozenset[str]:
    return frozenset(ENGLISH_WORDS["order"].split())


def _described(option: Option) -> str:
    """By its name, and by what was said of it where that is short."""
    more = option.said.removeprefix(option.name).strip(" .:;,—–-()")
    return f"{option.name} ({more})" if more and len(more) <= MAX_MORE_CHARS else option.name


def _answered(event: ToolSucceeded) -> list[Proposal]:
    """What the user chose in a question of the host: its answer is theirs, whoever prints it."""
    proposals = []
    answers = _answers(event)
    for asked in _questions(event.input):
        answer = answers.get(asked.question.rstrip("?"), answers.get(asked.question, ""))
        option = next((one for one in asked.options if one.name.lower() == answer.strip().lower()), None)
        if option is None:
            continue
        found = _chosen(asked, Pick(option=option, reason=""), "", (), answer)
        proposals += [found] if found is not None else []
    return proposals


def _answers(event: ToolSucceeded) -> dict[str, str]:
    given = event.input.get("answers")
    answers = {key: value for key, value in given.items() if isinstance(value, str)} if isinstance(given, dict) else {}
    printed = {found["question"]: found["answer"] for found in _ANSWER.finditer(event.output[:20_000])}
    return {question.strip().rstrip("?"): answer for question, answer in {**printed, **answers}.items()}


def _questions(given: dict[str, Any]) -> list[Offer]:
    asked = given.get("questions")
    found = []
    for one in asked if isinstance(asked, list) else [given]:
        if not isinstance(one, dict) or not isinstance(one.get("question"), str):
            continue
        options = one.get("options")
        parts = [part for part in options if isinstance(part, dict)] if isinstance(options, list) else []
        offered = tuple(
            _labelled(part) for part in parts if isinstance(part.get("label"), str) and part["label"].strip()
        )
        if len(offered) >= 2:
            found.append(Offer(question=one["question"].strip().rstrip("?"), subject="", options=offered))
    return found


def _labelled(part: dict[str, Any]) -> Option:
    label = " ".join(part["label"].split()).removesuffix(" (Recommended)")
    described = part.get("description")
    said = f"{label} ({' '.join(described.split())})" if isinstance(described, str) and described.strip() else label
    return Option(label="", name=label, said=said)


def _agrees(answer: str) -> bool:
    said = answer.strip()
    return len(said) <= 160 and bool(_AGREES.match(said)) and not _BUT.search(said) and not said.endswith("?")


def _decided(reply: str, asked: Offer) -> str:
    """The sentence that decides between what the user asked about; empty: it does not say."""
    options = [frozenset(content_words(option.name)) for option in asked.options]
    for sentence in sentences_of(reply):
        said = _LEAD.sub("", sentence)
        words = frozenset(content_words(said))
        is_about = any(option and len(option & words) >= 0.5 * len(option) for option in options)
        if is_about and _DECIDES.match(said) and not said.endswith("?"):
            return shortened(said[:1].upper() + said[1:], chars=MAX_HEART_CHARS)
    return ""


def _heart(reply: str) -> str:
    """The one sentence that proposes a design, in a reply that asks for leave; empty: there is none, or several."""
    if not _WANTS_LEAVE.search(reply[-400:]):
        return ""
    proposing = [one for one in sentences_of(reply) if _PROPOSES.search(one) and not one.endswith(("?", ":"))]
    if len(proposing) != 1:
        return ""
    heart = proposing[0]
    if len(heart) > MAX_HEART_CHARS or len(content_words(heart)) < MIN_WORDS:
        return ""
    return heart
