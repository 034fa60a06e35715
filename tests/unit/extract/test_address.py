"""Which settings of the extractor can be used, and that a wrong one is never quoted."""

import re
from pathlib import Path

import pytest

from recollect import config
from recollect.domain.errors import InvalidSettings
from recollect.domain.settings import ExtractorSettings as Settings
from recollect.domain.settings import Provider
from recollect.extract.address import read_address
from tests.requirements import covers

WHOLE = 'provider = "openai"\nendpoint = "https://api.example.com/v1/"\nmodel = "small"\nkey_env = "MY_KEY"\n'


def read(path: Path, text: str, **env: str) -> Settings:
    path.write_text(f"[extractor]\n{text}")
    return config.read_settings(path, None, env).settings.extractor


@covers("CAP-12")
def test_it_is_off_unless_somebody_sets_it(tmp_path: Path) -> None:
    settings = config.read_settings(tmp_path / "none.toml", None, {}).settings.extractor
    assert settings == Settings()
    assert settings.provider is Provider.OFF


def test_whole_settings_are_read(tmp_path: Path) -> None:
    settings = read(tmp_path / "config.toml", WHOLE + "tokens_per_day = 2000000\n")
    address = read_address(settings)
    assert (address.host, address.port, address.path) == ("api.example.com", 443, "/v1")
    assert (settings.key_env, settings.tokens_per_day) == ("MY_KEY", 2_000_000)


def test_a_model_on_this_machine_needs_neither_a_key_nor_encryption(tmp_path: Path) -> None:
    for host in ("127.0.0.1", "localhost", "[::1]", "127.9.9.9"):
        text = f'provider = "openai"\nendpoint = "http://{host}:11434/v1"\nmodel = "small"'
        address = read_address(read(tmp_path / "config.toml", text))
        assert address.is_local
        assert address.port == 11434


MISTAKES = [
    ('provider = "openai"', 'extractor.provider is "openai"; it also needs extractor.endpoint'),
    (
        'provider = "anthropic"\nendpoint = "https://api.example.com"',
        'extractor.provider is "anthropic"; it also needs extractor.model',
    ),
    (
        'provider = "openai"\nmodel = "m"\nendpoint = "https://api.example.com/v1"',
        "extractor.endpoint is not on this machine; it also needs extractor.key_env",
    ),
    ('provider = "gemini"', 'it takes "off" or "openai" or "anthropic" or "host"'),
    ('endpoint = "http://api.example.com/v1"', "is not encrypted; use https"),
    ('endpoint = "http://127.0.0.1.example.com/v1"', "is not encrypted; use https"),
    ('endpoint = "http://localhost.example.com/v1"', "is not encrypted; use https"),
    ('endpoint = "ftp://localhost/v1"', "extractor.endpoint is not an address"),
    ('endpoint = "api.example.com/v1"', "extractor.endpoint is not an address"),
    ('endpoint = "https:///v1"', "extractor.endpoint is not an address"),
    ('endpoint = "https://api.example.com:99999/v1"', "extractor.endpoint is not an address"),
    ('endpoint = "https://ex ample.com/v1"', "extractor.endpoint is not an address"),
    ('endpoint = "https://user:dummy@api.example.com/v1"', "put a key into the variable that key_env names"),
    ('endpoint = "https://api.example.com/v1?key=dummy"', "put a key into the variable that key_env names"),
    ('key_env = "dummy-key-in-the-wrong-place"', "extractor.key_env is not a variable name"),
    ("key_env = 3", "extractor.key_env takes a text"),
    ('model = "a\\nb"', "extractor.model takes a text"),
    (f'model = "{"m" * 600}"', "extractor.model takes a text of at most 500"),
    ("request_tokens = 10", "extractor.request_tokens must be at least 200"),
    ("answer_tokens = 10", "extractor.answer_tokens must be at least 100"),
    ("timeout_seconds = 0", "extractor.timeout_seconds must be more than 0"),
    ("max_items = 0", "extractor.max_items must be more than 0"),
    ("tokens_per_day = -1", "it takes a whole number from 0 to 1,000,000,000"),
]


@covers("CAP-12")
@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[text for text, _ in MISTAKES])
def test_a_mistake_says_what_to_do_and_never_shows_what_may_be_a_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidSettings, match=re.escape(message)) as refused:
        read(tmp_path / "config.toml", text)
    assert str(refused.value).startswith(str(tmp_path / "config.toml"))
    assert "dummy" not in str(refused.value)


def test_file_and_environment_are_judged_together(tmp_path: Path) -> None:
    text = 'endpoint = "http://127.0.0.1:8080/v1"\nmodel = "small"'
    path = tmp_path / "config.toml"
    assert read(path, text, RECOLLECT_EXTRACTOR__PROVIDER="openai").provider is Provider.OPENAI
    with pytest.raises(InvalidSettings, match=r"RECOLLECT_EXTRACTOR__ENDPOINT: .* is not encrypted"):
        read(path, text, RECOLLECT_EXTRACTOR__ENDPOINT="http://api.example.com")


@covers("CAP-12")
def test_a_project_cannot_send_sessions_anywhere(tmp_path: Path) -> None:
    project = tmp_path / ".recollect.toml"
    for line in WHOLE.splitlines():
        project.write_text(f"[extractor]\n{line}\n")
        with pytest.raises(InvalidSettings, match=r"\[extractor\] cannot be set by a project, only by its user"):
            config.read_settings(tmp_path / "none.toml", project, {})
