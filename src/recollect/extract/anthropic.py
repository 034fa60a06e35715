"""The wire of Anthropic and of what speaks like it. Without a library: one POST, one answer."""

from recollect.domain.settings import ExtractorSettings
from recollect.extract import endpoint
from recollect.extract.address import read_address
from recollect.extract.answer import ModelAnswer, NoAnswer
from recollect.extract.key import Key
from recollect.extract.prompting import ModelQuestion
from recollect.extract.shape import listed, part, whole_number

_VERSION = "2023-06-01"  # of the wire, not of a model
_PATH = "/messages"


class Anthropic:
    def __init__(self, settings: ExtractorSettings, key: Key) -> None:
        self._settings = settings
        self._address = read_address(settings)
        self._key = key

    def ask(self, request: ModelQuestion) -> ModelAnswer:
        key = self._key()
        document = endpoint.ask(
            self._address,
            _path_after(self._address.path),
            {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})},
            {
                "model": self._settings.model,
                "max_tokens": self._settings.answer_tokens,
                "system": request.system,
                "messages": [{"role": "user", "content": request.text}],
            },
            timeout_s=self._settings.timeout_seconds,
        )
        return answer_of(document)


def _path_after(path: str) -> str:
    """People write the address with the version, as for OpenAI, or without it, as Anthropic's own libraries do."""
    if path.endswith(f"/v1{_PATH}"):
        return ""
    return _PATH if path.endswith("/v1") else f"/v1{_PATH}"


def answer_of(document: object) -> ModelAnswer:
    blocks = [block for block in listed(part(document, "content")) if part(block, "type") == "text"]
    texts = [text for text in (part(block, "text") for block in blocks) if isinstance(text, str)]
    if not texts:
        raise NoAnswer("its answer is not in the form of Anthropic", may_cost=True)
    usage = part(document, "usage")
    asked, said = whole_number(part(usage, "input_tokens")), whole_number(part(usage, "output_tokens"))
    return ModelAnswer(text="".join(texts), tokens=None if asked is None or said is None else asked + said)
