"""Extract the words of a line of Markdown: links and emphasis become text, pictures and tags go. Pure."""

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
# `@docs/style.md`, `@~/.claude/own.md`; not the name of a user or a package.
_INCLUDE = re.compile(
    r"(?<![\w`@./])@(?P<path>(?:~/|\.{1,2}/|/)[\w./-]+|[\w./-]+\.(?:md|mdc|txt|json|toml|ya?ml))(?![\w/])"
)
_ONLY_CONTENTS = re.compile(r"^\[[^\[\]]*\]\(#[^()]*\)\W*$")
_GUIDANCE = re.compile(r"^this file (?:provides|contains|gives) (?:guidance|instructions|context)\b", re.IGNORECASE)


def plain_words(text: str) -> str:
    """Return one line; code keeps its marks, a link's target follows its words."""
    text = _IMAGE.sub("", text)
    text = _LINK.sub(_link, text)
    text = _NAMED_LINK.sub(r"\g<text>", text)
    codes = _CODE.findall(text)
    words = _CODE.sub("\x00", text.replace("\x00", " "))  # code is put back unchanged; emphasis may be around it
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
    """Return the files that this line of CLAUDE.md includes; code is ignored."""
    paths: list[str] = []
    for words in _CODE.split(text)[::2]:
        paths += [include["path"] for include in _INCLUDE.finditer(words)]
    return paths


def is_boilerplate(words: str, text: str) -> bool:
    """Return True if the line is not worth remembering. `words`: the plain words of `text`."""
    if not any(map(str.isalnum, words)) or _ONLY_CONTENTS.match(text) or _LINK_TARGET.match(text):
        return True
    return bool(_GUIDANCE.match(words)) or bool(_INCLUDE.fullmatch(words))
