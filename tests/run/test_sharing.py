"""Keying in several processes gives what one process gives, and falls back to one where it must."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

TESTS = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="work is shared on Linux only")


def in_a_process_of_its_own(code: str) -> str:
    """What a script says; it starts with one thread, whatever the tests around it have."""
    path = os.pathsep.join([str(TESTS), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", dedent(code)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_several_processes_key_as_one_does() -> None:
    """Tests that are known well are keyed in copies, others here; all readings are the same, in order."""
    said = in_a_process_of_its_own(
        """
        import os
        from dataclasses import replace
        from likewise.canonical import sketch
        from likewise.run import familiarities, sharing
        from likewise.run.reading import worlds_of
        from traffic import SERVERS, draw_script, play

        traces, stored, asked, copies = [], {}, set(), []
        for service in sorted(SERVERS):
            for number in range(4):
                test, script = f"{service} {number}", draw_script(service, number)
                first, second, third = (play(service, script, seed=seed, test=test) for seed in range(3))
                traces.append(replace(third, world=f"{service} {number // 2}"))
                if number != 3:
                    stored[test] = [sketch(first, run="1"), sketch(second, run="2")]

        def known(tests):
            asked.add(os.getpid())
            return {test: stored[test] for test in tests if test in stored}

        def read(sharers):
            sharing.processors = lambda: sharers
            tests = tuple(trace.test for trace in traces)
            return sharing.read_worlds(
                worlds_of(traces), familiarities.Familiarities(tests, known, lambda test: [])
            )

        begin = sharing.Offshoot.__enter__
        sharing.Offshoot.__enter__ = lambda self: copies.append(self) or begin(self)
        sharing.FEW, sharing.AT_ONCE = 0, 6
        alone, together = read(1), read(3)
        assert alone == together
        assert asked == {os.getpid()}, "a copy used the ledger"
        print(bool(copies), sum(map(len, alone)))
        """
    )
    assert said == "True 20"


def test_work_that_fails_in_a_copy_is_done_here() -> None:
    said = in_a_process_of_its_own(
        """
        import os
        from likewise.run.offshoot import Offshoot
        here = os.getpid()
        with Offshoot(lambda: 1 // (os.getpid() == here)) as failing, Offshoot(lambda: (1, "a")) as fine:
            print(failing.result(), fine.result())
        """
    )
    assert said == "1 (1, 'a')"


def test_a_copy_that_nobody_waits_for_is_ended() -> None:
    said = in_a_process_of_its_own(
        """
        import os, time
        from likewise.run.offshoot import Offshoot
        with Offshoot(lambda: time.sleep(600)) as forgotten:
            pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            print("none left")
        """
    )
    assert said == "none left"


def test_without_room_for_another_process_the_work_is_done_here() -> None:
    said = in_a_process_of_its_own(
        """
        import os
        from likewise.run.offshoot import Offshoot
        def refuse():
            raise BlockingIOError("no more processes")
        os.fork = refuse
        with Offshoot(os.getpid) as offshoot:
            print(offshoot.result() == os.getpid())
        """
    )
    assert said == "True"


def test_a_process_with_other_threads_works_alone() -> None:
    said = in_a_process_of_its_own(
        """
        import threading
        from likewise.run.offshoot import processors
        end = threading.Event()
        thread = threading.Thread(target=end.wait)
        thread.start()
        print(processors())
        end.set()
        thread.join()
        """
    )
    assert said == "1"
