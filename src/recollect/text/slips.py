"""Whether a word is another one with a slip of the finger: a letter dropped, doubled, swapped, or hit beside. Pure.

Only looks at letters. Whether the word is one of the language, and so no slip at all, others know.
"""

MIN_SLIP_CHARS = 5  # of shorter words, too many differ by a letter
MIN_WRONG_CHARS = 7  # a wrong letter turns one word into another more often than a missing one


def is_slip(typed: str, meant: str) -> bool:
    """One slip, never in the first letter: that one is typed with care."""
    if typed == meant or len(meant) < MIN_SLIP_CHARS or typed[:1] != meant[:1]:
        return False
    at = next((n for n, (one, other) in enumerate(zip(typed, meant, strict=False)) if one != other), None)
    if at is None:
        return abs(len(typed) - len(meant)) == 1
    if len(typed) == len(meant):
        swapped = typed[at : at + 2] == meant[at : at + 2][::-1] and typed[at + 2 :] == meant[at + 2 :]
        return swapped or (len(meant) >= MIN_WRONG_CHARS and typed[at + 1 :] == meant[at + 1 :])
    if len(typed) + 1 == len(meant):
        return typed[at:] == meant[at + 1 :]
    return len(typed) == len(meant) + 1 and typed[at + 1 :] == meant[at:]
