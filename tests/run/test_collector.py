"""The collector is asked to look less often only as long as somebody wants it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from likewise.run.collector import PassingObjects


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield before
    gc.set_threshold(*before)


def test_it_is_as_before_after_the_last_of_several() -> None:
    objects = PassingObjects()
    with objects:
        with objects:
            assert gc.get_threshold()[0] == PassingObjects.MOST
        assert gc.get_threshold()[0] == PassingObjects.MOST
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [0, 1_000_000])
def test_who_wants_it_never_or_more_seldom_keeps_that(own: int) -> None:
    gc.set_threshold(own)
    with PassingObjects():
        assert gc.get_threshold()[0] == own
    assert gc.get_threshold()[0] == own


def test_what_somebody_else_set_meanwhile_stays() -> None:
    with PassingObjects():
        gc.set_threshold(1234)
    assert gc.get_threshold()[0] == 1234


def test_garbage_is_still_found() -> None:
    class Knot:
        def __init__(self) -> None:
            self.self = self

    gc.collect()
    with PassingObjects():
        found = sum(stats["collected"] for stats in gc.get_stats())
        for _ in range(PassingObjects.MOST + 1000):
            Knot()
        assert sum(stats["collected"] for stats in gc.get_stats()) > found
