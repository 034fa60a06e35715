"""What a user writes into a prompt to be left alone: `no-recall`, `no-capture`, `no-memory`. Pure, and linear.

Each is a word of its own, bare or as `#no-recall`, `@no-recall`, `[no-memory]`, `(no-memory)`, `<no-capture>`; with
`-session` behind it, it holds for the rest of the session. In code, in quotes, and as part of a path, a flag or a
longer word it means nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MARKER = re.compile(
    r"(?<![^\s,;])(?P<open>[(\[<*]{0,3})[#@]?no[-\u2010\u2011](?P<what>recall|capture|"
    r"memory)(?P<session>[-\u2010\u2011]session)?"
    r"(?P<close>[)\]>*]{0,3})(?=[.,;:!?]{0,3}(?:\s|$)|[.,;:!?]{0,2}[,;])",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_TICKS = re.compile(r"`+")
_NOT_BREAKS = re.compile(r"[^\r\n]")
_CLOSING = {"(": ")", "[": "]", "<": ">", "*": "*"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Optout:
    recall: bool = False  # nothing is put in front of the model for this prompt
    capture: bool = False  # nothing of this prompt and its answer is kept
    recall_session: bool = False  # the same from now on
    capture_session: bool = False

    @property
    def session(self) -> bool:
        """Whether any of it holds for the rest of the session."""
        return self.recall_session or self.capture_session


def opted_out(prompt: str) -> Optout:
    found = [(marker["what"].lower(), marker["session"] is not None) for marker in _markers(prompt)]
    return Optout(
        recall=any(what in ("recall", "memory") for what, _ in found),
        capture=any(what in ("capture", "memory") for what, _ in found),
        recall_session=any(what in ("recall", "memory") and lasts for what, lasts in found),
        capture_session=any(what in ("capture", "memory") and lasts for what, lasts in found),
    )


def without_markers(prompt: str) -> str:
    """The prompt as if they had not been written; without any, the same prompt."""
    kept, at, last = list[str](), 0, "\n"  # the last character that was kept
    for marker in _markers(prompt):
        begin, end = marker.span()
        last = prompt[begin - 1] if begin > at else last
        if last == "\n":
            end += prompt[end : end + 1] in (":", ",", ";")
            end += prompt[end : end + 1] in (" ", "\t", "\n")
        elif begin > at and last in " \t":
            begin -= 1  # of the two blanks around it, one stays
        kept.append(prompt[at:begin])
        at = end
    return "".join(kept) + prompt[at:] if kept else prompt


def _markers(prompt: str) -> Iterator[re.Match[str]]:
    if "no" not in prompt.lower():
        return
    for marker in _MARKER.finditer(_without_code(prompt)):
        if marker["close"] == "".join(_CLOSING[sign] for sign in reversed(marker["open"])):
            yield marker


def _without_code(prompt: str) -> str:
    """The same length, with another character in place of all code."""
    if "`" not in prompt and "~~~" not in prompt:
        return prompt
    seen, plain, fence = list[str](), list[str](), ""
    for line in prompt.splitlines(keepends=True):
        mark = _FENCE.match(line.rstrip("\r\n"))
        if fence:
            seen.append(_masked(line))
            if mark and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
        elif mark and not (mark["mark"][0] == "`" and "`" in mark["info"]):
            fence = mark["mark"]
            seen += [_without_spans("".join(plain)), _masked(line)]
            plain.clear()
        else:
            plain.append(line)
    return "".join([*seen, _without_spans("".join(plain))])


def _masked(code: str) -> str:
    return _NOT_BREAKS.sub("`", code)


def _without_spans(text: str) -> str:
    """Without what stands between two runs of as many backticks."""
    runs = [run.span() for run in _TICKS.finditer(text)]
    following, nearest = list[int | None](), dict[int, int]()  # of each run, the next one of its length
    for number in range(len(runs) - 1, -1, -1):
        begin, end = runs[number]
        following.append(nearest.get(end - begin))
        nearest[end - begin] = number
    following.reverse()
    seen, at, number = list[str](), 0, 0
    while number < len(runs):
        other = following[number]
        if other is not None:
            begin, end = runs[number][0], runs[other][1]
            seen += [text[at:begin], _masked(text[begin:end])]
            at, number = end, other
        number += 1
    return "".join(seen) + text[at:]
