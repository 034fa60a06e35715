"""A shop: a project that knows more than every other: errors with their fixes, beside the tools that meet them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.fake_model import FakeModel, Wire, fake_model
from tests.e2e.opencode import OpenCodeMachine, Project, Server, Session, Turn
from tests.e2e.taught import DEPLOYMENT, INVOICES, STANDING, import_into, remember, start_daemon

BOTH: list[Wire] = ["openai", "anthropic"]

TOKEN = "The auth token lives 15 minutes."
NEWER_TOKEN = "The auth token lives 60 minutes."

ON_INVOICES = "Do invoice numbers have gaps?"
ON_TOKEN = "How long does the auth token live?"

REJECTED = "The user rejected permission to use this specific tool call."  # in the client's own words

_OLD = "2026-01-02"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """An error with what helped, and the tool call that meets it."""

    says: str  # the error, as the tool says it
    fix: str
    tool: str  # what the fake model is told to do: without words by which the prompt itself would find the fix
    title: str | None = None

    @property
    def record(self) -> dict[str, Any]:
        return {"text": self.fix, "title": self.title, "kind": "error_pattern", "time": _OLD, "evidence": [self.says]}


def bash(command: str) -> str:
    """The directive that has the model run a command."""
    return f"[[tool bash {json.dumps({'command': command, 'description': 'Run it'})}]]"


def read(path: str) -> str:
    return f"[[tool read {json.dumps({'filePath': path})}]]"


ORDERS = "orders.sh"  # the script that fails
POOL = Known(
    title="PoolTimeoutError: no connection in pool",
    says="shop.errors.PoolTimeoutError: no connection in pool 'orders-7' within 30.0 s",
    fix="Close the cursor before the next query and retry.",
    tool=bash(f"sh {ORDERS}"),
)
LEDGER = Known(  # not below a temporary folder: names of files there mean nothing on another day
    says="File not found: /srv/shop/config/ledger.toml",
    fix="The ledger's settings moved to settings/ledger.yaml; read that one.",
    tool=read("/srv/shop/config/ledger.toml"),
)
REFUSED = Known(  # every refusal reads alike: it is known by what was not to be done
    title="Permission refused: make deploy",
    says="Permission refused: make deploy",
    fix="Nobody rolls out by hand here: push a tag, the pipeline does the rest.",
    tool=bash("make deploy"),
)
REJECTION = Known(
    title="Permission refused: make release",
    says="Permission refused: make release",
    fix="It is started in the control room; ask there before you try.",
    tool=bash("make release"),
)
KNOWN_ERRORS = (POOL, LEDGER, REFUSED, REJECTION)
GAUGE = "gauge.sh"
UNKNOWN_ERROR = bash(f"sh {GAUGE}")
_SCRIPTS = {
    ORDERS: "echo \"shop.errors.PoolTimeoutError: no connection in pool 'orders-9' within 12.5 s\" >&2; exit 1\n",
    GAUGE: "echo 'BarometerFrozenError: the needle of gauge kilo is stuck' >&2; exit 1\n",
}


def teach(project: Project) -> None:
    """With the scripts that fail. Old findings and errors are left to the moments that ask for them."""
    project.install_recollect()
    for name, text in _SCRIPTS.items():
        project.write(name, text)
    remember(project, STANDING)
    findings = [{"text": text, "kind": "research", "time": _OLD} for text in (DEPLOYMENT, INVOICES, TOKEN)]
    import_into(project, [*findings, *(known.record for known in KNOWN_ERRORS)])


@contextmanager
def taught_project(root: Path, name: str = "shop") -> Iterator[Project]:
    """On a machine of its own, with the daemon running: its start is not the subject."""
    with fake_model() as model, OpenCodeMachine(root, model) as machine:
        project = machine.project(name)
        teach(project)
        start_daemon(project)
        yield project


@contextmanager
def taught_server(root: Path, **configuration: Any) -> Iterator[Server]:
    with taught_project(root) as project:
        project.configure(configuration)
        with project.serve() as server:
            server.session().prompt("Hello.")  # the first turn of a process loads what all others use
            yield server


def ask(session: Session, prompt: str, *, wire: Wire = "openai") -> Turn:
    """The words of the prompt; what it directs is told to the model aside, so that nobody can learn from it."""
    return session.prompt(aside(session.server.model, prompt), wire=wire)


def aside(model: FakeModel, prompt: str) -> str:
    words, opening, directives = prompt.partition("[[")
    return model.cue(words.strip(), opening + directives) if opening else words


def memories(project: Project) -> list[dict[str, Any]]:
    """Everything that is kept for the project, candidates too."""
    done = project.machine.recollect("export", "--here", cwd=project.path)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
