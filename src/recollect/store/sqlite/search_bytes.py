"""A script that looks for pieces of text in a file, in its own process. See `open_files.has_bytes`. Standard input has
the pieces, each after its length in four bytes: on the command line, other users could read them. Prints "found" or
"none"."""

import sys

CHUNK_BYTES = 1 << 22


def main() -> None:
    sent = sys.stdin.buffer.read()
    pieces, start = [], 0
    while start < len(sent):
        end = start + 4 + int.from_bytes(sent[start : start + 4], "big")
        pieces.append(sent[start + 4 : end])
        start = end
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
