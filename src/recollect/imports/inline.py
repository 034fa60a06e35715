"""The words of a line of Markdown: links and emphasis as text, pictures and tags gone. Pure."""

import re
from itertools import zip_longest

_IMAGE = re.compile(r"\[?!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])(?:\]\([^()]*\))?")
_LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\(\s*<?(?P<target>[^()\s<>]*)>?[^()]*\)")
_NAMED_LINK = re.compile(r"\[(?P<text>[^\[\]]+)\]\[[^\[\]]*\]")
_LINK_TARGET = re.compile(r"^\[[^\[\]]+\]:\s*\S+")
_CODE = re.compile(r"(`+[^`]*`+)")
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]+)\*\*")
_SLANTED = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*])")
_UNDERLINED = re.compile(r"(?<!\w)_(?=\S)([^_\n]+)(?<=\S)_(?!\w)")
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
    codes = _CODE.findall(text)
    words = _CODE.sub("\x00", text.replace("\x00", " "))  # code is put back as it was: emphasis may stand around it
    words = _UNDERLINED.sub(r"\1", _SLANTED.sub(r"\1", _BOLD.sub(r"\1", words)))
    words = _TAG.sub(" ", words)
    filled = "".join(part + code for part, code in zip_longest(words.split("\x00"), codes, fillvalue=""))
    return " ".join(filled.split())


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
