"""Which format a file has, told from its name and its beginning. Pure. None: nothing that we read."""

import re
from enum import StrEnum

from recollect.domain.errors import InvalidValue
from recollect.imports import claude_memory
from recollect.imports.decoding import decoded, is_binary

HEAD_BYTES = 1 << 16  # as much of a file as is looked at


class Format(StrEnum):
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    CLAUDE_MEMORY = "claude-memory"
    CLAUDE_MEM = "claude-mem"
    MEM0 = "mem0"


SQLITE = b"SQLite format 3\x00"
# What is written for agents, in every host's own name.
AGENT_FILES = {
    *("claude.md", "claude.local.md", "agents.md", "agent.md", "gemini.md", "memory.md", "copilot-instructions.md"),
    *(".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", ".rules", "conventions.md"),
}
# What is written for people about a repository: read when it is named, not when its folder is.
FOR_PEOPLE = re.compile(
    r"^(?:readme|change-?log|changes|history|news|licen[cs]e|contributing|contributors|authors|code_of_conduct|security|"
    r"support|governance|notice|todo|pull_request_template|issue_template)\b.*\.(?:md|markdown)$",
    re.IGNORECASE,
)
_MARKDOWN = (".md", ".mdc", ".markdown")
_TRANSCRIPT = re.compile(
    r'"(?:sessionId|parentUuid)"\s*:|"type"\s*:\s*"(?:session_meta|response_item|file-history-snapshot)"'
)
_OF_CLAUDE_MEM = re.compile(r'"(?:observations|summaries|totalObservations|memory_session_id)"\s*:')
_OF_MEM0 = re.compile(r'"memory"\s*:\s*"|"(?:results|memories)"\s*:\s*\[')


class Transcript(InvalidValue):
    """A conversation: it is not read as memories."""

    def __init__(self) -> None:
        super().__init__("It is a transcript of a session; those are not imported.")


def is_for_agents(name: str) -> bool:
    return name.lower() in AGENT_FILES or name.lower().endswith(".mdc")


def format_of(name: str, head: bytes) -> Format | None:
    """`head`: its first bytes. Raises where it is known not to be read: a transcript."""
    if head.startswith(SQLITE):
        return Format.CLAUDE_MEM
    if is_binary(head):
        return None
    lower = name.lower()
    text = decoded(head[: len(head) // 4 * 4]) if head[:1] in b"\xff\xfe\x00" else head.decode("utf-8", "replace")
    if lower.endswith(_MARKDOWN) or lower in AGENT_FILES:
        of_claude = name == claude_memory.INDEX or claude_memory.is_topic(text)
        return Format.CLAUDE_MEMORY if of_claude else Format.MARKDOWN
    begins = text.lstrip("\ufeff \t\r\n")[:1]
    if begins not in ("{", "["):
        return Format.JSONL if lower.endswith((".jsonl", ".ndjson")) else None
    return _of_json(text, lower.endswith((".jsonl", ".ndjson")), begins)


def _of_json(text: str, in_lines: bool, begins: str) -> Format | None:
    if _TRANSCRIPT.search(text) and not _OF_CLAUDE_MEM.search(text):
        raise Transcript
    first = text.lstrip().split("\n", 1)[0]
    if in_lines:
        return Format.MEM0 if '"memory"' in first and '"text"' not in first else Format.JSONL
    if begins == "{" and _OF_CLAUDE_MEM.search(text):
        return Format.CLAUDE_MEM
    if _OF_MEM0.search(text):
        return Format.MEM0
    return Format.JSONL if begins == "{" and '"text"' in first else None
