"""The words of a line of Markdown: links and emphasis as text, pictures and tags gone. Pure."""

import re

_IMAGE = re.compile(r"\[?!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])(?:\]\([^()]*\))?")
_LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\(\s*<?(?P<target>[^()\s<>]*)>?[^()]*\)")
_NAMED_LINK = re.compile(r"\[(?P<text>[^\[\]]+)\]\[[^\[\]]*\]")
_LINK_TARGET = re.compile(r"^\[[^\[\]]+\]:\s*\S+")
_CODE = re.compile(r"(`+[^`]*`+)")
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]+)\*\*")
_SLANTED = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*])")
_TAG = re.compile(
    r"</?(?:br|p|div|img|a|b|i|em|strong|sub|sup|details|summary|center|h[1-6]|kbd|picture|source|span|ul|ol|li|table|tr|td|th|"
    r"tbody|thead|hr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
# `@docs/style.md`, `@~/.claude/own.md`: not a person, not a package.
_INCLUDE = re.compile(
    r"(?<![\w`@./])@(?P<path>(?:~/|\.{1,2}/|/)[\w./-]+|[\w./-]+\.(?:md|mdc|txt|json|toml|ya?ml))(?![\w/])"
)
_ONLY_CONTENTS = re.compile(r"^\[[^\[\]]*\]\(#[^()]*\)\W*$")
_GUIDANCE = re.compile(r"^this file (?:provides|contains|gives) (?:guidance|instructions|context)\b", re.IGNORECASE)


def plain_words(text: str) -> str:
    """One line; code stays in its marks, a link's target stays behind its words."""
    text = _IMAGE.sub("", text)
    text = _LINK.sub(_link, text)
    text = _NAMED_LINK.sub(r"\g<text>", text)
    parts = _CODE.split(text)
    parts[::2] = [_TAG.sub(" ", _SLANTED.sub(r"\1", _BOLD.sub(r"\1", part))) for part in parts[::2]]
    return " ".join("".join(parts).split())


def _link(link: re.Match[str]) -> str:
    text, target = link["text"].strip(), link["target"]
    if not target or target.startswith("#") or text.strip("`") == target:
        return text or target
    return f"{text} ({target})" if text else target


def includes_in(text: str) -> list[str]:
    """What a line of CLAUDE.md would have Claude Code read too; not in code."""
    return [found["path"] for part in _CODE.split(text)[::2] for found in _INCLUDE.finditer(part)]


def is_boilerplate(words: str, text: str) -> bool:
    """`words`: the plain ones of `text`. Says nothing that is worth knowing later."""
    if not any(map(str.isalnum, words)) or _ONLY_CONTENTS.match(text) or _LINK_TARGET.match(text):
        return True
    return bool(_GUIDANCE.match(words)) or bool(_INCLUDE.fullmatch(words))
