"""A script: looks for pieces of text in a file, in a process of its own. See `live.has_bytes`.

Standard input has the pieces, each after its length in four bytes; no word of them is on the command line, where others
could read it. Answers "found" or "none".
"""

import sys

CHUNK_BYTES = 1 << 22


def main() -> None:
    asked = sys.stdin.buffer.read()
    pieces, at = [], 0
    while at < len(asked):
        end = at + 4 + int.from_bytes(asked[at : at + 4], "big")
        pieces.append(asked[at + 4 : end])
        at = end
    sys.stdout.write("found" if has_any(sys.argv[1], pieces) else "none")


def has_any(path: str, pieces: list[bytes]) -> bool:
    longest = max(map(len, pieces), default=0)
    tail = b""
    with open(path, "rb") as file:  # noqa: PTH123  # without pathlib it starts in half the time
        while chunk := file.read(CHUNK_BYTES):
            window = tail + chunk
            if any(piece in window for piece in pieces):
                return True
            tail = window[-longest:] if longest else b""
    return False


if __name__ == "__main__":
    main()
