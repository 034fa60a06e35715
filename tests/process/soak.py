"""Rounds of everything that writes, through real processes, with kill -9 at random points. `make soak`.

Each round starts some commands beside each other, most of them through the daemon, and kills the daemon or one of them.
Then it looks: nothing acknowledged is lost, nothing forgotten comes back, `list` equals `list --direct`, doctor finds
nothing.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from recollect.domain.errors import DaemonError
from tests.process.conftest import RECOLLECT, Home, a_home
from tests.process.transcripts import a_project, claude_file
from tests.store.forgetting.victim import left_in

ROUNDS = 200
COMMANDS = 4  # beside each other
PATIENCE_S = 120.0
UNDO_HOURS = 0.001  # so that the purge comes within the rounds
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]


@dataclass
class Command:
    """One that is under way, and what it says of the texts once it is acknowledged."""

    kind: str
    process: "subprocess.Popen[bytes]"
    adds: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    says: bytes = b""
    is_killed: bool = False


@dataclass
class Soak:
    home: Home
    chance: random.Random
    kept: dict[str, str] = field(default_factory=dict)  # texts that are there, with the ids of their memories
    gone: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)  # of these, those that must be gone to the last byte
    failures: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    _made: int = 0

    def play(self, rounds: int, say: Callable[[str], None], until: float = float("inf")) -> None:
        for number in range(1, rounds + 1):
            if self.failures or time.monotonic() > until:
                break
            self.counted["rounds"] += 1
            self._round()
            if number % 10 == 0:
                say(f"round {number} of {rounds}: {len(self.kept)} kept, {len(self.gone)} gone; {self.summary()}")
        if not self.failures:
            self._forgotten_to_the_last_byte()

    def summary(self) -> str:
        return ", ".join(f"{self.counted[name]} {name}" for name in sorted(self.counted))

    # ---- a round

    def _round(self) -> None:
        if self.chance.random() < 0.15:
            self._run("stop")
        free = list(self.kept)
        self.chance.shuffle(free)
        deeds = self._deeds() if self.chance.random() < 0.3 else {}
        commands = [self._command(free, deeds) for _ in range(COMMANDS)]
        time.sleep(self.chance.uniform(0.0, 1.5))
        self._kill(commands)
        for command in commands:
            self._finish(command)
        self._look(commands)

    def _command(self, free: list[str], deeds: dict[str, int]) -> Command:
        kind = self.chance.choices(
            ("remember", "import", "forget", "forget --now", "undo", "export", "capture", "doctor", "list", "prompt"),
            (6, 2, 3, 4, 2, 1, 1, 1, 2, 2),
        )[0]
        undoable = [text for text in free if text in deeds]
        if (kind in ("forget", "forget --now") and not free) or (kind == "undo" and not undoable):
            kind = "remember"
        past = ["--direct"] if self.chance.random() < 0.25 else []
        match kind:
            case "remember":
                text = self._text()
                return self._start(kind, "remember", text, *past, adds=(text,))
            case "import":
                texts = tuple(self._text() for _ in range(30))
                file = self.home.path / f"import-{self._made}.jsonl"
                file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
                return self._start(kind, "import", str(file), "--no-embed", adds=texts)
            case "forget" | "forget --now":
                text = free.pop()
                now = ["--now", "--yes"] if kind == "forget --now" else []
                return self._start(kind, "forget", self.kept[text], *now, *past, removes=(text,))
            case "undo":
                text = undoable[0]
                free.remove(text)
                return self._start(kind, "undo", str(deeds[text]), *past, removes=(text,))
            case "capture":
                return self._capture()
            case "export":
                return self._start(kind, "export", str(self.home.path / f"export-{self._made}.jsonl"), "--force")
            case "prompt":
                return self._prompt()
            case _:
                return self._start(kind, kind, *([] if kind == "doctor" else ["--direct"]))

    def _capture(self) -> Command:
        self._made += 1
        folder = self.home.path / f"shop{self._made}"
        a_project(self.home, folder.name)
        claude_file(self.home, folder, 20, f"{self._made:08x}-3a54-4a7e-8a54-0f3a5c9d2b11")
        return self._start("capture", "capture", "--all", "--yes")

    def _prompt(self) -> Command:
        """Through the daemon's socket, as a plugin does; what it teaches is not counted."""
        self._made += 1
        said = {"type": "text", "text": f"Please always check the {self._text()}"}
        event = {"hook": "chat.message", "sessionID": f"s{self._made}", "messageID": "m1", "directory": "/"}
        with suppress(DaemonError, OSError):
            self.home.post("/v1/hosts/opencode", {**event, "parts": [said]}, timeout_s=PATIENCE_S)
        return self._start("prompt", "recall", "ledger")

    def _start(self, kind: str, *args: str, adds: tuple[str, ...] = (), removes: tuple[str, ...] = ()) -> Command:
        self.counted[kind] += 1
        process = subprocess.Popen(
            [RECOLLECT, *args],
            env=self.home.env,
            cwd=self.home.path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        return Command(kind, process, adds, removes)

    def _kill(self, commands: list[Command]) -> None:
        what = self.chance.random()
        if what < 0.6:
            pid = self.home.client.pid()
            if pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                self.counted["kills of the daemon"] += 1
        elif what < 0.85:
            command = self.chance.choice(commands)
            command.is_killed = True
            command.process.kill()
            self.counted["kills of a command"] += 1

    def _finish(self, command: Command) -> None:
        _, command.says = command.process.communicate(timeout=PATIENCE_S)
        if b"Traceback" in command.says or b"malformed" in command.says or b"damaged" in command.says:
            self.failures.append(f"{command.kind} said: {command.says.decode()}")

    # ---- what must be true afterwards

    def _look(self, commands: list[Command]) -> None:
        self._run("start")
        direct = self._listed_alike()
        for command in commands:
            done = command.process.returncode == 0
            if done and command.kind.startswith("forget"):
                self.forgotten.update(command.removes)
            self.counted["acknowledged writes"] += done * (len(command.adds) + len(command.removes))
            for text in command.adds:
                self._expect(text, is_there=True if done else text in direct)
            for text in command.removes:
                self._expect(text, is_there=False if done else text in direct)
        lost = [text for text in self.kept if text not in direct]
        back = [text for text in self.gone if text in direct]
        if lost or back:
            self.failures.append(f"lost: {lost}; came back: {back}; {[(c.kind, c.says) for c in commands]}")
        self.kept = {text: direct[text] for text in self.kept if text in direct}
        self._doctor()

    def _expect(self, text: str, *, is_there: bool) -> None:
        if is_there:
            self.kept[text] = ""
        else:
            self.kept.pop(text, None)
            self.gone.add(text)

    def _listed_alike(self) -> dict[str, str]:
        """By the daemon and without it. The daemon may be learning just now: then they are looked at again."""
        for _ in range(5):
            with ThreadPoolExecutor() as both:
                direct, through = both.map(self._listed, ("--direct", "--json"))
            if direct == through:
                return direct
        self.failures.append(f"list and list --direct differ: {len(through)} and {len(direct)}")
        return direct

    def _doctor(self) -> None:
        said = self._run("doctor", "--json", may_fail=True)
        problems = [one for one in json.loads(said)["findings"] if one["health"] == "problem"]
        if problems:
            self.failures.append(f"doctor: {problems}")

    def _forgotten_to_the_last_byte(self) -> None:
        time.sleep(UNDO_HOURS * 3600 + 1)
        self._run("restart")  # its first look at the clock purges what can be undone no more
        pieces = {text.encode() for text in self.forgotten}
        give_up = time.monotonic() + PATIENCE_S
        while left := left_in(self.home.places.database.parent, pieces):
            if time.monotonic() > give_up:
                self.failures.append(f"left of what is forgotten: {sorted(left)[:5]}")
                return
            time.sleep(1)
        self.counted["texts gone to the last byte"] = len(pieces)
        self._doctor()

    # ---- commands that must succeed

    def _run(self, *args: str, may_fail: bool = False) -> str:
        done = subprocess.run(
            [RECOLLECT, *args], env=self.home.env, cwd=self.home.path, capture_output=True, timeout=PATIENCE_S
        )
        if done.returncode and not may_fail:
            self.failures.append(f"{' '.join(args)} failed: {done.stderr.decode()}")
        return done.stdout.decode()

    def _listed(self, option: str) -> dict[str, str]:
        said = self._run("list", "--limit", "100000", "--json", option)
        return {memory["text"]: memory["id"] for memory in json.loads(said)["memories"]} if said else {}

    def _deeds(self) -> dict[str, int]:
        deeds = json.loads(self._run("undo", "--list", "--limit", "10000", "--json"))["deeds"]
        return {deed["about"]: deed["deed"] for deed in deeds if deed["kind"] == "remember" and not deed["undone_by"]}

    def _text(self) -> str:
        """No two share a word, so nothing is taken for the same or for an update."""
        self._made += 1
        words = ["".join(self.chance.choices(SYLLABLES, k=5)) for _ in range(4)]
        return f"{words[0].capitalize()} {' '.join(words[1:])}."


def soak(folder: Path, rounds: int, seed: int, say: Callable[[str], None], for_s: float = float("inf")) -> Soak:
    with a_home(folder) as made:
        home = Home(made.path, made.env | {"RECOLLECT_FORGET__UNDO_HOURS": str(UNDO_HOURS)})
        played = Soak(home, random.Random(seed))
        played.play(rounds, say, time.monotonic() + for_s)
    return played


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    _say(f"{asked.rounds} rounds in {folder}, seed {asked.seed}")
    played = soak(folder, asked.rounds, asked.seed, _say)
    _say(played.summary())
    for failure in played.failures:
        _say(f"FAILED in round {played.counted['rounds']}: {failure}")
    if not played.failures:
        _say(f"{len(played.kept)} texts kept, {len(played.gone)} gone: nothing lost, nothing back.")
    return 1 if played.failures else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
