"""Patterns that are compiled on first use find what ordinary patterns find."""

import importlib
import pkgutil
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect.capture
from recollect.text.lazy_pattern import AnyCasePattern, LazyPattern

SOURCE = r"\b(?:is|still|task|straße|über|тест\w*|型)\b(?!-)"
TEXTS = st.text("isİıſkKtTaASlL äÄßẞüÜ тТ型-.", max_size=40) | st.text(max_size=40)


def test_a_lazy_pattern_has_the_methods_of_a_compiled_one() -> None:
    lazy = LazyPattern(r"b+")
    assert lazy.sub("-", "abba") == "a-a"
    assert lazy.split("abbab") == ["a", "a", ""]
    assert lazy.findall("abbab") == ["bb", "b"]
    assert [found.span() for found in lazy.finditer("abbab", 2)] == [(2, 3), (4, 5)]
    assert lazy.search("abba")
    assert lazy.fullmatch("bb")
    assert not lazy.match("abba")
    assert LazyPattern(rb"b+").search(b"abba")


def test_a_lazy_pattern_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError):
        _ = LazyPattern("b").pattern


@given(TEXTS)
def test_a_pattern_for_any_case_finds_what_ignorecase_finds(text: str) -> None:
    ignoring, any_case = re.compile(SOURCE, re.IGNORECASE), AnyCasePattern(SOURCE)
    assert [found.span() for found in any_case.finditer(text)] == [found.span() for found in ignoring.finditer(text)]
    assert bool(any_case.search(text)) == bool(ignoring.search(text))


def test_patterns_for_any_case_are_in_small_letters() -> None:
    found = 0
    for module in pkgutil.walk_packages(recollect.capture.__path__, "recollect.capture."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, AnyCasePattern):
                source = re.sub(r"\\.|\(\?P<\w+>", "", value._source)
                assert source == source.lower(), name
                found += 1
    assert found
