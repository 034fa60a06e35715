"""Find opt-out markers in a prompt: `no-recall`, `no-capture`, `no-memory`. Pure, and linear.

A marker is a word of its own, bare or as `#no-recall`, `@no-recall`, `[no-memory]`, `(no-memory)`, `<no-capture>`;
with the ending `-session` it is valid for the rest of the session. In code, in quotes, and as part of a path, a flag
or a longer word it means nothing.
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
    recall: bool = False  # show the model nothing for this prompt
    capture: bool = False  # keep nothing of this prompt and its answer
    recall_session: bool = False  # the same for the rest of the session
    capture_session: bool = False

    @property
    def session(self) -> bool:
        return self.recall_session or self.capture_session


def find_opt_out(prompt: str) -> Optout:
    for_prompt: set[str] = set()
    for_session: set[str] = set()
    for marker in _markers(prompt):
        what = marker["what"].lower()
        for_prompt.add(what)
        if marker["session"] is not None:
            for_session.add(what)
    return Optout(
        recall=not for_prompt.isdisjoint(("recall", "memory")),
        capture=not for_prompt.isdisjoint(("capture", "memory")),
        recall_session=not for_session.isdisjoint(("recall", "memory")),
        capture_session=not for_session.isdisjoint(("capture", "memory")),
    )


def without_markers(prompt: str) -> str:
    """Return the prompt as if the markers had not been written."""
    kept: list[str] = []
    at, last = 0, "\n"  # last: the last character that was kept
    for marker in _markers(prompt):
        begin, end = marker.span()
        if begin > at:
            last = prompt[begin - 1]
        if last == "\n":
            end += prompt[end : end + 1] in (":", ",", ";")
            end += prompt[end : end + 1] in (" ", "\t", "\n")
        elif begin > at and last in " \t":
            begin -= 1  # of the two blanks around it, one stays
        kept.append(prompt[at:begin])
        at = end
    return "".join(kept) + prompt[at:]


def _markers(prompt: str) -> Iterator[re.Match[str]]:
    if "no" not in prompt.lower():
        return
    for marker in _MARKER.finditer(_mask_code(prompt)):
        if marker["close"] == "".join(_CLOSING[sign] for sign in reversed(marker["open"])):
            yield marker


def _mask_code(prompt: str) -> str:
    """Replace every character of code, so that the length stays the same."""
    if "`" not in prompt and "~~~" not in prompt:
        return prompt
    masked: list[str] = []
    text: list[str] = []  # lines outside a fence
    fence = ""
    for line in prompt.splitlines(keepends=True):
        mark = _FENCE.match(line.rstrip("\r\n"))
        if fence:
            masked.append(_mask(line))
            if mark and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
        elif mark and not (mark["mark"][0] == "`" and "`" in mark["info"]):
            fence = mark["mark"]
            masked += [_mask_spans("".join(text)), _mask(line)]
            text.clear()
        else:
            text.append(line)
    return "".join([*masked, _mask_spans("".join(text))])


def _mask(code: str) -> str:
    return _NOT_BREAKS.sub("`", code)


def _mask_spans(text: str) -> str:
    """Mask the text between two runs of equally many backticks."""
    runs = [run.span() for run in _TICKS.finditer(text)]
    following: list[int | None] = []  # for each run, the next one of its length
    nearest: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        begin, end = runs[number]
        following.append(nearest.get(end - begin))
        nearest[end - begin] = number
    following.reverse()
    masked: list[str] = []
    at = number = 0
    while number < len(runs):
        other = following[number]
        if other is not None:
            begin, end = runs[number][0], runs[other][1]
            masked += [text[at:begin], _mask(text[begin:end])]
            at, number = end, other
        number += 1
    return "".join(masked) + text[at:]
