"""Whatever fits the API's own description, or nearly does, is answered: never with a fault of ours."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from recollect.daemon.app import create_app
from recollect.daemon.openapi import build_description
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_draft
from tests.flows.conftest import engine_on
from tests.requirements import covers
from tests.served import served

EXAMPLES = 15
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture(scope="module")
def api() -> Iterator[Any]:
    store = SqliteStore(None)
    engine = engine_on(store)
    engine.remember_all([a_draft("We deploy with Helm."), a_draft("Tests run with pytest.", scope="universal")])
    yield schemathesis.openapi.from_asgi("/v1/openapi.json", create_app(served(engine)))
    store.close()


def cases() -> Iterator[Any]:
    for path, methods in build_description()["paths"].items():
        for method, told in methods.items():
            name = f"{method.upper()} {path}"
            yield pytest.param(path, method, GenerationMode.POSITIVE, id=f"{name}, fitting")
            if "requestBody" in told:
                yield pytest.param(path, method, GenerationMode.NEGATIVE, id=f"{name}, unfitting")


@covers("API-1")
@pytest.mark.parametrize(("path", "method", "mode"), list(cases()))
def test_no_request_brings_a_fault_of_ours_and_every_answer_is_as_described(
    api: Any, path: str, method: str, mode: GenerationMode
) -> None:
    operation = api[path][method]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def answered(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(checks=CHECKS)

    answered()
