"""A process that only takes turns with us shares our processor, and no longer than that."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from likewise.device import nearness
from likewise.device.nearness import Apart, Nearness, near

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two processors"
)

WORKING = """
import threading, time
worker = threading.Thread(target=time.sleep, args=(60,), daemon=True)
worker.start()
print(worker.native_id, flush=True)
time.sleep(60)
"""


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def test_both_are_on_one_processor_during_a_visit_and_we_are_free_afterwards(
    child: subprocess.Popen[bytes],
) -> None:
    ours, theirs = os.sched_getaffinity(0), os.sched_getaffinity(child.pid)
    visit = near(child.pid)
    with visit:
        assert visit.is_near
        assert os.sched_getaffinity(0) == os.sched_getaffinity(child.pid)
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == ours
    assert len(os.sched_getaffinity(child.pid)) == 1  # for the next visit
    visit.part()
    assert os.sched_getaffinity(child.pid) == theirs


def test_parting_in_the_midst_frees_both_at_once(child: subprocess.Popen[bytes]) -> None:
    ours, theirs = os.sched_getaffinity(0), os.sched_getaffinity(child.pid)
    visit = near(child.pid)
    with visit:
        visit.part()
        assert not visit.is_near
        assert (os.sched_getaffinity(0), os.sched_getaffinity(child.pid)) == (ours, theirs)
    assert os.sched_getaffinity(0) == ours


def test_after_a_long_visit_the_next_begins_apart_and_after_a_brief_one_nearby(
    child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = near(child.pid)
    monkeypatch.setattr(nearness, "BRIEF", 0.0)
    with visit:
        assert visit.is_near
    monkeypatch.setattr(nearness, "BRIEF", 60.0)
    with visit:
        assert not visit.is_near
    with visit:
        assert visit.is_near


def test_on_a_tour_our_processor_is_ours_and_attended_it_is_shared_with_the_one_who_listens() -> None:
    ours = os.sched_getaffinity(0)
    with subprocess.Popen([sys.executable, "-c", WORKING], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        listener = process.pid
        there = near(listener)

        def places() -> list[set[int]]:
            return [os.sched_getaffinity(thread) for thread in (0, listener, worker)]

        with there.tour():
            here, listens, works = places()
            assert here < ours
            assert listens == works == ours - here
            there.attend()
            here, listens, works = places()
            assert (listens, works) == (here, ours - here)
            assert there.is_held
            assert not there.is_near
            there.part()
            assert places() == [ours] * 3
            assert not there.is_held
        assert os.sched_getaffinity(0) == ours
        process.kill()


def test_we_are_free_after_an_error_and_a_process_that_ended_is_no_matter(
    child: subprocess.Popen[bytes],
) -> None:
    ours = os.sched_getaffinity(0)
    visit = near(child.pid)

    def visit_and_fail() -> None:
        with visit:
            child.kill()
            child.wait()
            raise KeyError

    with pytest.raises(KeyError):
        visit_and_fail()
    assert os.sched_getaffinity(0) == ours
    with visit:
        time.sleep(0)
    visit.part()
    assert os.sched_getaffinity(0) == ours
    assert isinstance(near(child.pid), Apart)  # there is nothing to be near to


def test_with_one_processor_there_is_nothing_to_choose(child: subprocess.Popen[bytes]) -> None:
    ours = os.sched_getaffinity(0)
    visit = Nearness(child.pid, lambda: min(ours))
    os.sched_setaffinity(0, {min(ours)})
    try:
        with visit:
            assert not visit.is_near
    finally:
        os.sched_setaffinity(0, ours)
