"""Turns of developers and their agents, written for this purpose, with what will matter later marked: `[[...]]`.

Files `user-*.txt` and `assistant-*.txt` hold whole turns, parted by `---`. Files `templates-*.txt` hold templates,
those below `=` without anything that lasts; `slots.txt` fills them, always in the same way. `unseen-*.txt` are turns on
which nothing is fitted. No other benchmark's texts are in it.
"""

import re
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from recollect.domain.memory import Role

FOLDER = Path(__file__).parent / "corpus"
FILLINGS = 16  # of each template
COMPOSED = 700  # turns made of several templates, for each role

_MARK = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    role: Role
    text: str
    lasting: tuple[str, ...]  # what will matter later, as it stands in the text
    group: str  # turns that resemble each other: either all of them are fitted on, or none


def turns() -> list[Turn]:
    return [*written(), *filled()]


def unseen() -> list[Turn]:
    """Nothing is fitted on them."""
    return [
        _turn(role, part.strip(), "unseen")
        for role in (Role.USER, Role.ASSISTANT)
        for part in (FOLDER / f"unseen-{role}.txt").read_text().split("\n---\n")
    ]


def written() -> list[Turn]:
    found = []
    for path in sorted(FOLDER.glob("*-*.txt")):
        if not path.name.startswith(("templates-", "unseen-")):
            role = Role(path.stem.split("-")[0])
            parts = path.read_text().split("\n---\n")
            # Turns of one file share a project, and little else: every few of them are held out together.
            found += [_turn(role, part.strip(), f"{path.stem}:{number // 6}") for number, part in enumerate(parts)]
    return found


def filled() -> list[Turn]:
    slots = _slots()
    found = []
    for role in (Role.USER, Role.ASSISTANT):
        templates = _templates(role)
        for number, template in enumerate(templates):
            for filling in range(FILLINGS):
                text = _messy(_fill(template, slots, f"{number}:{filling}"), f"{role}{number}:{filling}", role)
                found.append(_turn(role, text, f"{role}:{number}"))
        for number in range(COMPOSED):
            chosen = [_pick(len(templates), f"{role}:compose:{number}:{part}") for part in range(2 + number % 4)]
            parts = [_fill(templates[at], slots, f"c{number}:{at}") for at in dict.fromkeys(chosen)]
            glue = "\n\n" if role is Role.ASSISTANT or number % 3 == 0 else ". "
            text = _messy(glue.join(part.rstrip(".") if glue == ". " else part for part in parts), f"m{number}", role)
            found.append(_turn(role, text, f"{role}:{chosen[0]}"))
    return found


def _templates(role: Role) -> list[str]:
    """A line that begins with white space, a bullet or a bold word under another one belongs to the one before it."""
    found: list[str] = []
    blank = False
    for line in (FOLDER / f"templates-{role}.txt").read_text().splitlines():
        if line.strip() in ("", "="):
            blank = line.strip() == ""
            continue
        goes_on = bool(found) and (blank or _is_next_item(line, found[-1]))
        if goes_on:
            found[-1] += ("\n\n" if blank else "\n") + line
        else:
            found.append(line)
        blank = False
    return found


def _is_next_item(line: str, template: str) -> bool:
    before = template.splitlines()[-1]
    return before.endswith(":**") or (line[:2] in ("- ", "2.", "3.") and before[:2] in ("- ", "1.", "2.", "**"))


def _slots() -> dict[str, list[str]]:
    lines = (line.partition(":") for line in (FOLDER / "slots.txt").read_text().splitlines() if line.strip())
    return {name: [value.strip() for value in values.split(" | ")] for name, _, values in lines}


def _fill(template: str, slots: dict[str, list[str]], seed: str) -> str:
    """The same seed fills it in the same way; a filling may have slots of its own."""
    text = template
    for depth in range(3):
        count = 0

        def chosen(slot: re.Match[str], depth: int = depth) -> str:
            nonlocal count
            count += 1
            values = slots[slot[1]]
            return values[_pick(len(values), f"{template}:{seed}:{depth}:{count}")]

        text = _SLOT.sub(chosen, text)
    return text


def _messy(text: str, seed: str, role: Role) -> str:
    """People type fast: capitals, full stops and apostrophes go missing, letters change places."""
    if role is not Role.USER:
        return text if text[:1] != text[:1].lower() or not text[:1].isalpha() else text[:1].upper() + text[1:]
    kind = _pick(6, f"messy:{seed}")
    if kind == 0:
        return text[:1].upper() + text[1:] + ("" if text.endswith(("?", ".", "!", "]")) else ".")
    if kind == 1:
        return text.replace("n't", "nt").replace("i'm", "im")
    if kind == 2 and len(text) > 30:
        at = 8 + _pick(len(text) - 16, f"slip:{seed}")
        if text[at : at + 2].isalpha():
            return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text


def _pick(of: int, seed: str) -> int:
    return int.from_bytes(blake2b(seed.encode(), digest_size=6).digest()) % of


def _turn(role: Role, marked: str, group: str) -> Turn:
    return Turn(role=role, text=_MARK.sub(r"\1", marked), lasting=tuple(_MARK.findall(marked)), group=group)
