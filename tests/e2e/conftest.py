"""The bench: a fake model, a machine of its own, a project with the real client. Each test gets new ones."""

from collections.abc import Iterator

import pytest

from tests.e2e.fake_model import FakeModel, fake_model
from tests.e2e.opencode import OpenCodeMachine, Project, Server


@pytest.fixture
def model() -> Iterator[FakeModel]:
    with fake_model() as running:
        yield running
        running.assert_no_errors()


@pytest.fixture
def machine(model: FakeModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenCodeMachine]:
    with OpenCodeMachine(tmp_path_factory.mktemp("machine"), model) as running:
        yield running


@pytest.fixture
def project(machine: OpenCodeMachine) -> Project:
    return machine.project()


@pytest.fixture(scope="module")
def _server_of_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with (
        fake_model() as model,
        OpenCodeMachine(tmp_path_factory.mktemp("machine"), model) as machine,
        machine.project().serve() as server,
    ):
        yield server


@pytest.fixture
def shared_server(_server_of_module: Server) -> Iterator[Server]:
    """One `opencode serve` without Recollect for a whole module: for tests that need only a session of their own."""
    yield _server_of_module
    _server_of_module.model.assert_no_errors()
