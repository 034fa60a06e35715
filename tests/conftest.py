"""What tests of several folders share."""

from pathlib import Path

import pytest
from hypothesis import settings

from recollect import wiring
from recollect.paths import find_paths

# No test measures time by itself, and a busy machine must not look like a mistake.
settings.register_profile("recollect", deadline=None)
settings.load_profile("recollect")


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The model that `make test` has built in the cache of whoever runs the tests; nothing may be written there."""
    folder = find_paths().model
    state = wiring.model_state(folder)
    if not state.is_ready:
        pytest.fail(f"{state.says} {state.advice} `make test` does so by itself.")
    return folder
