"""One recorded request to a model, read the same way in both wire formats. Never changes what was sent."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

Wire = Literal["openai", "anthropic"]
Json = Mapping[str, Any]

FENCE = re.compile(r"<recollect\b[^>]*>.*?</recollect>", re.DOTALL)

_TITLE = "You are a title generator"
_COMPACTION = "You are a context summarization agent"
_READING = "You read what a developer (user) and a coding agent"
# Text that the client adds to the user's own message: plan mode, attached files.
_ADDED_BY_CLIENT = ("<system-reminder>", "Called the Read tool with", "<path>")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    name: str
    args: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message without its wire format: Anthropic's tool results become role "tool", as OpenAI has them."""

    role: str  # user, assistant, tool; system only when it comes after the conversation began
    parts: tuple[str, ...]
    calls: tuple[ToolCall, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(self.parts)


@dataclass(frozen=True, kw_only=True)
class Request:
    wire: Wire
    body: Json
    arrived_s: float  # monotonic clock
    session: str | None = None  # the client's session id, from its headers; a subagent has its own

    @property
    def is_title(self) -> bool:
        return any(text.startswith(_TITLE) for text in self.system[:1])

    @property
    def is_compaction(self) -> bool:
        return any(text.startswith(_COMPACTION) for text in self.system[:1])

    @property
    def is_reading(self) -> bool:
        """Recollect's question about a session."""
        return any(text.startswith(_READING) for text in self.system[:1])

    @property
    def is_chat(self) -> bool:
        """A turn of the conversation, not one of the client's internal calls."""
        return not (self.is_title or self.is_compaction or self.is_reading)

    @cached_property
    def system(self) -> list[str]:
        return [text for raw in self._raw_system for text in _texts(raw.get("content", raw.get("text")))]

    @cached_property
    def messages(self) -> list[Message]:
        return [message for raw in self._raw_messages for message in _neutral(raw)]

    @property
    def user_texts(self) -> list[str]:
        """Every user message, oldest first, exactly as sent: with whatever a plugin attached to it."""
        return [message.text for message in self.messages if message.role == "user"]

    @property
    def last_user_text(self) -> str:
        return (self.user_texts or [""])[-1]

    @property
    def last_user_words(self) -> str:
        """What the user typed last: without fences, and without what the client itself puts beside it.

        The last part of the message, because Anthropic's format merges a failed turn's prompt with the next one.
        """
        parts = next((message.parts for message in reversed(self.messages) if message.role == "user"), ())
        bare = [FENCE.sub("", part).strip() for part in parts]
        return next((part for part in reversed(bare) if part and not part.startswith(_ADDED_BY_CLIENT)), "")

    @property
    def tool_results(self) -> list[str]:
        """Every tool result in the conversation, oldest first."""
        return [message.text for message in self.messages if message.role == "tool"]

    @property
    def results_of_turn(self) -> int:
        """How many tool results came after the user's last words."""
        count = 0
        for message in reversed(self.messages):
            if message.role == "user":
                break
            count += message.role == "tool"
        return count

    @property
    def tool_names(self) -> list[str]:
        return [tool.get("name") or tool["function"]["name"] for tool in self.body.get("tools") or ()]

    @property
    def system_fences(self) -> list[str]:
        """Recollect's blocks in the system prompt."""
        return [fence for text in self.system for fence in FENCE.findall(text)]

    @property
    def message_fences(self) -> list[list[str]]:
        """Recollect's blocks in each message of the conversation, in order; [] for a bare message."""
        return [FENCE.findall(message.text) for message in self.messages]

    @property
    def fences(self) -> list[str]:
        """All of Recollect's blocks, in their order."""
        return [*self.system_fences, *(fence for fences in self.message_fences for fence in fences)]

    @property
    def last_user_fences(self) -> list[str]:
        return FENCE.findall(self.last_user_text)

    @cached_property
    def elements(self) -> tuple[bytes, ...]:
        """What a provider caches, in order: each system text, then each message, without its moving cache marks."""
        return tuple(_canonical(raw) for raw in (*self._raw_system, *self._raw_messages))

    def prefix_text(self) -> str:
        return b"\n".join(self.elements).decode()

    @cached_property
    def _raw_system(self) -> list[Json]:
        if self.wire == "openai":
            return self.body["messages"][: self._conversation_start]  # type: ignore[no-any-return]
        system = self.body.get("system") or []
        return [{"type": "text", "text": system}] if isinstance(system, str) else system

    @cached_property
    def _raw_messages(self) -> list[Json]:
        return self.body["messages"][self._conversation_start :]  # type: ignore[no-any-return]

    @property
    def _conversation_start(self) -> int:
        roles = [raw["role"] for raw in self.body["messages"]]
        return next((at for at, role in enumerate(roles) if role != "system"), len(roles))


def kept_share(previous: Request, current: Request) -> float:
    """The share of the previous request's bytes that begin the current one; 1.0 = all of them.

    An element that changed in any byte ends the prefix and counts for nothing.
    """
    total = sum(map(len, previous.elements))
    kept = sum(map(len, previous.elements[: _equal_elements(previous, current)]))
    return kept / total if total else 1.0


def kept_shares(requests: Sequence[Request]) -> list[float]:
    """`kept_share` of every request against the one before it."""
    return [kept_share(previous, current) for previous, current in pairwise(requests)]


def assert_prefix_kept(requests: Sequence[Request]) -> list[float]:
    """Every request begins with the whole of the one before it; the shares, for a test to print."""
    for previous, current in pairwise(requests):
        assert kept_share(previous, current) == 1.0, first_change(previous, current)
    return kept_shares(requests)


def first_change(previous: Request, current: Request) -> str:
    """Where the prefix breaks, for a failing test to say; "" when nothing broke."""
    at = _equal_elements(previous, current)
    if at == len(previous.elements):
        return ""
    now = current.elements[at].decode() if at < len(current.elements) else "(nothing)"
    return f"element {at} was\n  {previous.elements[at].decode()[:2000]}\nand is\n  {now[:2000]}"


def _equal_elements(previous: Request, current: Request) -> int:
    count = 0
    for before, after in zip(previous.elements, current.elements, strict=False):
        if before != after:
            break
        count += 1
    return count


def _canonical(raw: Json) -> bytes:
    # Key order stays as sent: a reordered object is other bytes to a provider too.
    return json.dumps(_unmarked(raw), ensure_ascii=False, separators=(",", ":")).encode()


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unmarked(inner) for key, inner in value.items() if key != "cache_control"}
    if isinstance(value, list):
        return [_unmarked(inner) for inner in value]
    return value


def _neutral(raw: Json) -> Iterator[Message]:
    content = raw.get("content")
    blocks = content if isinstance(content, list) else []
    results = [block for block in blocks if block.get("type") == "tool_result"]
    for block in results:
        yield Message(role="tool", parts=_texts(block.get("content")))
    parts = _texts(content)
    if parts or not results:
        yield Message(role=raw["role"], parts=parts, calls=tuple(_calls(raw, blocks)))


def _calls(raw: Json, blocks: Sequence[Json]) -> Iterator[ToolCall]:
    for call in raw.get("tool_calls") or ():
        yield ToolCall(name=call["function"]["name"], args=json.loads(call["function"]["arguments"]))
    for block in blocks:
        if block.get("type") == "tool_use":
            yield ToolCall(name=block["name"], args=block["input"])


def _texts(content: Any) -> tuple[str, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (content,)
    return tuple(block["text"] for block in content if block.get("type") == "text")
