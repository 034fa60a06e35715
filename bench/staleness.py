"""Time that checking files adds to a turn, for ten memories that all fit, each with its own file."""

import time
from pathlib import Path

from bench.corpus import NOW, drafts
from bench.measure import Times, measure, row
from recollect import wiring
from recollect.domain.event import Prompt
from recollect.domain.memory import Anchor, Draft, Kind, MessageId, Role, Scope, SessionId, Source
from recollect.domain.settings import Settings
from recollect.engine.engine import Engine
from recollect.engine.memories.folder_project import enter_project
from recollect.engine.memories.teaching import import_all, remember_all
from recollect.engine.moments.handle import handle
from recollect.workspace.anchors import SETTLED_NS, AnchoredFiles

SIZE = 10_000
FILE_BYTES = 20_000
TURNS = 100
ASK = "How does the zebra ledger settle its zebra accounts?"
SAID = (
    "The zebra ledger locks zebra accounts while it imports.",
    "Exports of the zebra ledger list closed zebra accounts first.",
    "Only auditors may open zebra accounts in the zebra ledger.",
    "A nightly job of the zebra ledger archives empty zebra accounts.",
    "Tests build zebra accounts from the fixtures of the zebra ledger.",
    "The zebra ledger rounds interest on zebra accounts downwards.",
    "Backups of the zebra ledger leave out frozen zebra accounts.",
    "Two zebra accounts never share a number in the zebra ledger.",
    "The dashboard polls the zebra ledger for new zebra accounts.",
    "Migrations of the zebra ledger touch zebra accounts in batches.",
)
FILES = len(SAID)


def run(folder: Path) -> None:
    with wiring.open_engine(lambda _: Settings(), folder / "bench.db") as engine:
        import_all(engine.context(None, NOW), drafts(SIZE), by="bench")
        plain, anchored = _project(engine, folder / "plain", with_files=False), _project(engine, folder / "files")
        time.sleep(SETTLED_NS / 1e9)  # a file that was just written is always read again
        usual = _turns(engine, plain, "plain")
        row(f"{SIZE:>9,} memories: a turn with {FILES} hits without a file", usual, usual)
        row("          the same, each with a file as it was", _turns(engine, anchored, "fresh"), usual)
        for file in anchored.glob("src/*.py"):
            file.write_bytes(b"other\n" * 3000)
        row("          the same, and every file has just changed", _turns(engine, anchored, "stale"), usual)
        _measure_files(anchored, usual)


def _measure_files(root: Path, usual: Times) -> None:
    """Measure the checks without the search."""
    files = AnchoredFiles()
    anchors = [files.anchor(str(root), str(root), f"src/{number}.py") for number in range(FILES)]
    first = measure(range(TURNS), lambda _: AnchoredFiles().check_files(str(root), anchors, asked=True))
    row(f"          {FILES} files of {FILE_BYTES // 1000} KB, read for the first time", first, usual)
    time.sleep(SETTLED_NS / 1e9)
    files.check_files(str(root), anchors, asked=True)
    known = measure(range(TURNS), lambda _: files.check_files(str(root), anchors, asked=False))
    row(f"          {FILES} files that were read before", known, usual)


def _project(engine: Engine, root: Path, *, with_files: bool = True) -> Path:
    (root / ".git").mkdir(parents=True)
    (root / ".git/config").write_text(f'[remote "origin"]\n\turl = https://example.org/{root.name}.git\n')
    (root / "src").mkdir()
    ctx = engine.context(str(root), NOW)
    scope = Scope.project(enter_project(ctx))
    for number in range(FILES):
        (root / f"src/{number}.py").write_bytes(b"line\n" * (FILE_BYTES // 5))
    remember_all(ctx, [_draft(number, scope, with_files) for number in range(FILES)])
    return root


def _draft(number: int, scope: Scope, with_file: bool) -> Draft:
    return Draft(
        text=SAID[number],
        kind=Kind.FILE_CONTEXT,
        scope=scope,
        at=NOW,
        source=Source(role=Role.USER),
        anchors=(Anchor(f"src/{number}.py"),) if with_file else (),
    )


def _turns(engine: Engine, root: Path, name: str) -> Times:
    _turn(engine, root, name, -1)  # starts the session
    return measure(range(TURNS), lambda number: _turn(engine, root, name, number))


def _turn(engine: Engine, root: Path, session: str, number: int) -> None:
    """Run a turn with an empty live context, so that each turn has the same hits."""
    message = MessageId(f"m{number}")
    prompt = Prompt(session=SessionId(session), at=NOW, folder=str(root), message=message, text=ASK, live=())
    shown = handle(engine, prompt).ids
    if len(shown) != FILES:
        raise RuntimeError(f"The turn has {len(shown)} hits; the figures would say nothing.")
