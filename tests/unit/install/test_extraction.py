"""The reader of sessions that install offers: one line in the user's settings."""

from pathlib import Path

import pytest

from recollect.cli.formats.settings_file import build_settings_file
from recollect.domain.errors import InstallError
from recollect.domain.settings import Provider
from recollect.install.changes import ChangeKind
from recollect.install.extractor_setting import provider_in, switch_provider


@pytest.mark.parametrize(
    "before",
    [
        "",
        "[budgets]\nturn_tokens = 300\n",
        "[extractor]  # mine\ntokens_per_day = 9\n\n[search]\nhits = 3",
        build_settings_file(for_project=False),
    ],
)
def test_it_is_put_in_once_and_taken_out_again(tmp_path: Path, before: str) -> None:
    settings = tmp_path / "config.toml"
    if before:
        settings.write_text(before)
    edit = switch_provider(settings, on=True)
    assert edit.after is not None
    settings.write_bytes(edit.after)
    assert provider_in(settings) is Provider.HOST
    assert switch_provider(settings, on=True).change is ChangeKind.UNCHANGED
    assert (switch_provider(settings, on=False).after or b"").decode() == before


@pytest.mark.parametrize(
    "before", ['extractor = { provider = "off" }\n', 'extractor.provider = "off"\n', "[extractor\n"]
)
def test_what_is_not_understood_is_refused(tmp_path: Path, before: str) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text(before)
    with pytest.raises(InstallError, match="Nothing was changed"):
        switch_provider(settings, on=True)
