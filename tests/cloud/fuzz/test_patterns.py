"""Texts that fit regular expressions."""

from __future__ import annotations

import re

import pytest

from likewise.cloud.fuzz.grammar.patterns import fitting


@pytest.mark.parametrize(
    "pattern",
    [
        "^[A-Z]{3}$",
        r"^\d{4}-\d{2}$",
        "^(red|blue)-[0-9a-f]{8}$",
        r"^[^aA0\s]+$",
        r"^\+?[1-9]\d{1,14}$",
        r"^[\w.-]+@[\w-]+\.[a-z]{2,}$",
        r"^[^\W\d]x$",
    ],
)
def test_a_text_fits_the_pattern_it_is_made_for(pattern: str) -> None:
    text = fitting(pattern)
    assert text
    assert re.search(pattern, text)


def test_a_text_is_as_long_as_it_must_be_where_the_pattern_allows() -> None:
    assert len(fitting("^[a-z]+$", least=9) or "") >= 9


@pytest.mark.parametrize("pattern", ["(", r"^(?=.*\d).{8,}$"])
def test_what_is_no_pattern_or_too_clever_has_no_text(pattern: str) -> None:
    assert fitting(pattern) is None
