"""Tests that pass on both versions of the library."""

import parcels


def test_an_offer_names_a_price() -> None:
    assert " for " in parcels.offer(1250, "home")


def test_the_longest_edge_comes_first() -> None:
    assert parcels.box_for(3, 9, 4) == [9, 4, 3]


def test_what_is_too_heavy_is_refused() -> None:
    assert parcels.refusal(99_999).startswith("sorry")
    assert parcels.refusal(10) == ""


def test_a_shelf_has_a_label() -> None:
    assert parcels.store(["one", "two"]) == "shelf A"
