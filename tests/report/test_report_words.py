"""How numbers and values read."""

from __future__ import annotations

import pytest
from hypothesis import given
from report_strategies import texts, values

from likewise.model import Difference, Implication, Opaque, Redacted
from likewise.report import words


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 840, "0 %"), (812, 840, "96.7 %"), (840, 840, "100 %"), (839_999, 840_000, "99.9 %"), (0, 0, "0 %")],
)
def test_a_share_is_never_rounded_up_to_all(part: int, whole: int, text: str) -> None:
    assert words.share(part, whole) == text


def test_a_number_that_varies_reads_as_one() -> None:
    assert words.show("\x02int ⟨time⟩") == "⟨time⟩ (a whole number)"
    assert words.show("\x02float \x021.5") == "1.5 (with decimals)"
    assert words.show("an int ⟨time⟩") == "an int ⟨time⟩"


def test_a_tiny_share_is_not_nothing() -> None:
    assert words.share(1, 1_000_000) == "< 0.1 %"


@pytest.mark.parametrize(
    ("dollars", "text"),
    [
        (0, "$0.00"),
        (0.0042, "$0.0042"),
        (0.042, "$0.042"),
        (74.5, "$74.50"),
        (1234.5, "$1,234.50"),
        (-0.5, "-$0.50"),
    ],
)
def test_money_keeps_two_digits_that_count(dollars: float, text: str) -> None:
    assert words.money(dollars) == text


@pytest.mark.parametrize(
    ("duration", "text"), [(0.004, "4 ms"), (2.14, "2.1 s"), (61.2, "61 s"), (600, "10 min"), (9000, "2.5 h")]
)
def test_durations_read_as_people_say_them(duration: float, text: str) -> None:
    assert words.seconds(duration) == text


@given(texts)
def test_printable_text_cannot_move_a_cursor(text: str) -> None:
    shown = words.printable(text)
    assert shown.isprintable()
    assert shown == text or not text.isprintable()


@given(values)
def test_every_value_is_shown_on_one_printable_line(value: object) -> None:
    shown = words.show(value, limit=50)  # type: ignore[arg-type]
    assert shown.isprintable()
    assert 1 <= len(shown) <= 50


def test_an_absent_value_and_the_text_nothing_look_different() -> None:
    assert words.show(None) == "nothing"
    assert words.show("nothing") == '"nothing"'
    assert words.show("") == '""'


def test_secrets_and_bodies_are_named_not_shown() -> None:
    assert words.show(Redacted(kind="signature")) == '"(signature, redacted)"'
    assert "12 bytes" in words.show(Opaque(length=12, digest="abcdef"))


@pytest.mark.parametrize("implication", list(Implication))
def test_every_implication_has_a_meaning_and_a_rank(implication: Implication) -> None:
    assert words.meaning(implication)
    assert implication in words.SEVERITY


@pytest.mark.parametrize("difference", list(Difference))
def test_every_difference_has_words_and_a_rank(difference: Difference) -> None:
    assert words.kind(difference)
    assert difference in words.KINDS
