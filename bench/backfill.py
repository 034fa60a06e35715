"""Time to read old sessions: from a transcript file into the archive, without embeddings."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.corpus import NOW, errors, prompts, turns
from bench.measure import NAME_CHARS, verdict
from recollect import wiring
from recollect.domain.event import Event
from recollect.domain.settings import Settings
from recollect.engine.learning.backfill import read_transcript
from recollect.hosts import claude_code
from recollect.transcripts.locations import make_mark
from recollect.transcripts.reading import json_lines

TURNS = (2_000, 20_000)
MIN_PER_SECOND = 300
DOING = ("Let me look at", "I read the file and see", "Now I run the tests of", "The build passes; next is")
READ_CHARS = 1_000_000  # that tools read in a whole session, roughly


def run(folder: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    for count in TURNS:
        file = folder / f"{count}.jsonl"
        with file.open("w") as out:
            out.writelines(json.dumps(line) + "\n" for line in transcript(count, folder))
        # In its own process: peak memory can be measured only for a whole process.
        command = [sys.executable, "-m", "bench.backfill", str(file)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        spent_s, again_s, peak_mb = map(float, output)
        print(f"{f'{count:>9,} turns, {file.stat().st_size / 1e6:.1f} MB':{NAME_CHARS}} {spent_s * 1000:9.0f}")
        met = verdict(count / spent_s >= MIN_PER_SECOND)
        print(f"{'          turns a second':{NAME_CHARS}} {count / spent_s:9.0f}   at least {MIN_PER_SECOND}: {met}")
        print(f"{'          read again':{NAME_CHARS}} {again_s * 1000:9.2f}")
        print(f"{'          peak memory of the process, in MB':{NAME_CHARS}} {peak_mb:9.0f}", flush=True)


def transcript(count: int, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield lines as Claude Code writes them: user and agent take turns, and between them a tool fails or succeeds.

    Most turns ask for something or describe the work; one in five states a fact.
    """
    failed, asked = errors(50), prompts(500)
    for number, turn in enumerate(turns(count)):
        doing = DOING[number % len(DOING)]
        usual = asked[number % len(asked)] if number % 2 == 0 else f"{doing} {asked[number % len(asked)][:40]}."
        text = turn.text if number % 5 == 0 else usual
        about: dict[str, Any] = {
            "sessionId": f"session-{number // 400}",
            "uuid": f"message-{number}",
            "timestamp": (NOW + timedelta(seconds=number)).isoformat(),
            "cwd": str(folder),
            "isSidechain": False,
        }
        if number % 2 == 0:
            yield {**about, "type": "user", "message": {"role": "user", "content": text}}
            continue
        call = {"type": "tool_use", "id": f"call-{number}", "name": "Bash", "input": {"command": f"make part-{number}"}}
        is_error = number % 10 == 1
        output = failed[number % len(failed)] if is_error else "ok " * (READ_CHARS // 2000)
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": output, "is_error": is_error}
        said = {"type": "text", "text": text}
        yield {**about, "uuid": f"call-{number}", "type": "assistant", "message": {"content": [call]}}
        yield {**about, "uuid": f"result-{number}", "type": "user", "message": {"content": [result]}}
        yield {**about, "type": "assistant", "message": {"content": [said], "stop_reason": "end_turn"}}


def _backfill(database: Path, file: Path) -> int:
    def events() -> Iterator[Event]:
        lines = json_lines(file, lambda _: None, lambda _line, _why: None)
        return claude_code.parse(lines, otherwise=NOW, bad=lambda _line, _why: None)

    settings = Settings()
    with wiring.open_engine(lambda _: settings, database) as engine:
        return read_transcript(engine, make_mark(file, "as it is"), events, now=NOW + timedelta(days=1)).turns


def _measure(file: Path) -> Iterator[float]:
    for _ in range(2):
        began = time.perf_counter()
        _backfill(file.with_suffix(".db"), file)
        yield time.perf_counter() - began
    yield resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    sys.stdout.write(" ".join(map(str, _measure(Path(sys.argv[1])))))
