"""Reading blocks as a model does: lines, and their price by a real tokenizer."""

from typing import Any

from splintr import Tokenizer

JUDGE: Any = Tokenizer.from_pretrained("o200k_base")


def priced(block: str) -> int:
    """In real tokens. `encode` would turn a spelled-out control token into one; a memory is ordinary text."""
    return len(JUDGE.encode_ordinary(block))


def said(block: str) -> list[str]:
    """What the entries say, in their order, without prefix, date and id."""
    return [line.partition("] ")[2].rpartition(" (")[0] for line in block.splitlines() if line.startswith("[")]


def ids_in(block: str) -> list[str]:
    return [line.rpartition(", ")[2].removesuffix(")") for line in block.splitlines() if line.startswith("[")]


def items(block: str) -> list[str]:
    """The lines about sessions, and evidence."""
    return [line.removeprefix("- ") for line in block.splitlines() if line.startswith("- ")]


def section(block: str, heading: str) -> list[str]:
    """The lines under a heading; that of the last session says when it was."""
    lines = block.splitlines()
    at = [n for n, line in enumerate(lines) if line == f"{heading}:" or line.startswith(f"{heading} (")]
    if not at:
        return []
    found = []
    for line in lines[at[0] + 1 :]:
        if not line.startswith(("[", "- ")):
            break
        found.append(line)
    return found
