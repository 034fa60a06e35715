"""A project that was taught a little: what is always said, and two findings that only their topic brings up."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.fake_model import fake_model
from tests.e2e.opencode import OpenCodeMachine, Project

STANDING = "Always use type hints in new code."
DEPLOYMENT = "Deployment runs through the Helm chart in deploy/chart, rolled out to GKE."
INVOICES = "Invoice numbers restart at 1 every January; the tax office wants no gaps."
ON_TOPIC = "How does the Helm deployment reach GKE?"
OFF_TOPIC = "Please reverse a linked list in place for me."


def teach(project: Project) -> None:
    """In processes of their own, as a user would. Old findings are left to the turns; preferences are not."""
    remember(project, STANDING)
    old = [{"text": text, "kind": "research", "time": "2026-01-02"} for text in (DEPLOYMENT, INVOICES)]
    import_into(project, old)


def remember(project: Project, text: str, kind: str = "preference") -> None:
    done = project.machine.recollect("remember", text, "--kind", kind, cwd=project.path)
    assert done.returncode == 0, done.stderr


def import_into(project: Project, memories: list[dict[str, str]]) -> None:
    findings = project.path.with_name(f"{project.path.name}-findings.jsonl")
    findings.write_text("".join(json.dumps(memory) + "\n" for memory in memories))
    done = project.machine.recollect("import", str(findings), "--no-embed", cwd=project.path)
    assert done.returncode == 0, done.stderr


def start_daemon(project: Project) -> None:
    """Where its start is not the subject, the daemon is there already: a busy machine then changes nothing."""
    assert project.machine.recollect("start").returncode == 0


@contextmanager
def remembering_project(root: Path, name: str = "project") -> Iterator[Project]:
    """A project on a machine and with a model of its own, with Recollect installed and its daemon running."""
    with fake_model() as model, OpenCodeMachine(root, model) as machine:
        project = machine.project(name)
        project.install_recollect()
        start_daemon(project)
        yield project
