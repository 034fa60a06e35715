"""The wire of OpenAI and of what speaks like it, local servers too. Without a library: one POST, one answer."""

from recollect.domain.settings import ExtractorSettings
from recollect.extract import endpoint
from recollect.extract.address import read_address
from recollect.extract.answer import ModelAnswer, NoAnswer
from recollect.extract.key import Key
from recollect.extract.prompting import ModelQuestion
from recollect.extract.shape import listed, part, whole_number

_PATH = "/chat/completions"


class OpenAi:
    def __init__(self, settings: ExtractorSettings, key: Key) -> None:
        self._settings = settings
        self._address = read_address(settings)
        self._key = key

    def ask(self, request: ModelQuestion) -> ModelAnswer:
        key = self._key()
        document = endpoint.ask(
            self._address,
            "" if self._address.path.endswith(_PATH) else _PATH,
            {"Authorization": f"Bearer {key}"} if key else {},
            {
                "model": self._settings.model,
                self._limit: self._settings.answer_tokens,
                "messages": [
                    {"role": "system", "content": request.system},
                    {"role": "user", "content": request.text},
                ],
            },
            timeout_s=self._settings.timeout_seconds,
        )
        return answer_of(document)

    @property
    def _limit(self) -> str:
        # OpenAI itself refuses the old name for its newer models; most of the others only know that one.
        return "max_completion_tokens" if self._address.host == "api.openai.com" else "max_tokens"


def answer_of(document: object) -> ModelAnswer:
    choices = listed(part(document, "choices"))
    text = part(part(choices[0], "message"), "content") if choices else None
    if not isinstance(text, str):
        raise NoAnswer("its answer is not in the form of OpenAI", may_cost=True)
    usage = part(document, "usage")
    total = whole_number(part(usage, "total_tokens"))
    if total is None:
        asked, said = whole_number(part(usage, "prompt_tokens")), whole_number(part(usage, "completion_tokens"))
        total = None if asked is None or said is None else asked + said
    return ModelAnswer(text=text, tokens=total)
