"""Asks OpenAI or Anthropic, or a server that speaks like one of them. Uses no library: one POST, one answer.

Trusts nothing in an answer: a field that is missing or has the wrong type counts as absent. A key is read from its
variable at each call and never kept.
"""

from collections.abc import Mapping
from typing import Any

from recollect.domain.settings import ExtractorSettings
from recollect.extract import endpoint
from recollect.extract.address import Address, read_address
from recollect.extract.answer import ModelAnswer, NoAnswer
from recollect.extract.prompting import ModelQuestion

MAX_TOKENS = 10_000_000  # a larger reported number is wrong and is ignored
_ANTHROPIC_VERSION = "2023-06-01"  # of the protocol, not of a model
_ANTHROPIC_PATH = "/messages"
_OPENAI_PATH = "/chat/completions"


def ask_openai(settings: ExtractorSettings, question: ModelQuestion, env: Mapping[str, str]) -> ModelAnswer:
    """Raises NoAnswer."""
    address = read_address(settings)
    path = "" if address.path.endswith(_OPENAI_PATH) else _OPENAI_PATH
    key = read_key(settings, env)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    # OpenAI itself refuses the old name for its newer models; most other servers know only the old one.
    limit = "max_completion_tokens" if address.host == "api.openai.com" else "max_tokens"
    messages = [{"role": "system", "content": question.system}, {"role": "user", "content": question.text}]
    body = {limit: settings.answer_tokens, "messages": messages}
    return _read_openai(_post(settings, address, path, headers, body))


def ask_anthropic(settings: ExtractorSettings, question: ModelQuestion, env: Mapping[str, str]) -> ModelAnswer:
    """Raises NoAnswer."""
    address = read_address(settings)
    headers = {"anthropic-version": _ANTHROPIC_VERSION}
    if key := read_key(settings, env):
        headers["x-api-key"] = key
    messages = [{"role": "user", "content": question.text}]
    body = {"max_tokens": settings.answer_tokens, "system": question.system, "messages": messages}
    return _read_anthropic(_post(settings, address, _anthropic_path(address), headers, body))


def read_key(settings: ExtractorSettings, env: Mapping[str, str]) -> str | None:
    """Return None if no key is set up. Raises NoAnswer if the key cannot be used, without showing its value."""
    name = settings.key_env
    if not name:
        return None
    key = env.get(name, "").strip()
    if not key:
        why = (
            f"the variable {name} is not set for the daemon; from the shell or host that starts it, the daemon takes "
            "only variables that begin with RECOLLECT_, none of your other keys"
        )
        raise NoAnswer(why, may_cost=False)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise NoAnswer(f"the value of the variable {name} cannot be sent as a key", may_cost=False)
    return key


def _post(
    settings: ExtractorSettings, address: Address, path: str, headers: Mapping[str, str], body: Mapping[str, Any]
) -> object:
    body = {"model": settings.model, **body}
    return endpoint.ask(address, path, headers, body, timeout_s=settings.timeout_seconds)


def _anthropic_path(address: Address) -> str:
    """Users write the address with the version, as for OpenAI, or without it, as for Anthropic's own libraries."""
    if address.path.endswith(f"/v1{_ANTHROPIC_PATH}"):
        return ""
    return _ANTHROPIC_PATH if address.path.endswith("/v1") else f"/v1{_ANTHROPIC_PATH}"


def _read_openai(document: object) -> ModelAnswer:
    choices = _list_field(document, "choices")
    text = _field(_field(choices[0], "message"), "content") if choices else None
    if not isinstance(text, str):
        raise NoAnswer("its answer does not have OpenAI's format", may_cost=True)
    usage = _field(document, "usage")
    tokens = _token_count(usage, "total_tokens")
    if tokens is None:
        tokens = _token_sum(usage, "prompt_tokens", "completion_tokens")
    return ModelAnswer(text=text, tokens=tokens)


def _read_anthropic(document: object) -> ModelAnswer:
    texts = []
    for block in _list_field(document, "content"):
        text = _field(block, "text")
        if _field(block, "type") == "text" and isinstance(text, str):
            texts.append(text)
    if not texts:
        raise NoAnswer("its answer does not have Anthropic's format", may_cost=True)
    tokens = _token_sum(_field(document, "usage"), "input_tokens", "output_tokens")
    return ModelAnswer(text="".join(texts), tokens=tokens)


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


def _list_field(value: object, name: str) -> list[object]:
    items = _field(value, name)
    return items if isinstance(items, list) else []


def _token_sum(usage: object, question_field: str, answer_field: str) -> int | None:
    question, answer = _token_count(usage, question_field), _token_count(usage, answer_field)
    if question is None or answer is None:
        return None
    return question + answer


def _token_count(usage: object, name: str) -> int | None:
    count = _field(usage, name)
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_TOKENS:
        return None
    return count
