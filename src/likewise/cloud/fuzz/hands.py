"""Several hands at one work, by turns: while one looks at answers, the servers answer the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from typing import Generic, TypeVar

from likewise.cloud.fuzz.sides.turns import Stopped, Turns

Made = TypeVar("Made")


class Hands(Generic[Made]):
    """Runs iterators in threads that take turns; what they give comes out in one stream."""

    def __init__(self, turns: Turns, works: Sequence[Iterator[Made]]) -> None:
        self._turns, self._works = turns, works
        self._made: SimpleQueue[Made | None] = SimpleQueue()
        """None for each that has ended."""
        self._busy = 0
        self._failures: list[BaseException] = []

    def run(self) -> Iterator[Made]:
        """What all of them give, each thing as soon as it is there; then what went wrong with one."""
        self._busy = len(self._works)
        self._turns.start([lambda work=work: self._do(work) for work in self._works])  # type: ignore[misc]
        yield from self._rest()
        self._turns.stop()
        for failure in self._failures[:1]:
            raise failure

    def stop(self) -> Iterator[Made]:
        """Begin nothing more; what was given and not yet taken."""
        self._turns.stop()
        yield from self._rest()

    def _rest(self) -> Iterator[Made]:
        while self._busy:
            made = self._made.get()
            if made is None:
                self._busy -= 1
            else:
                yield made

    def _do(self, work: Iterator[Made]) -> None:
        try:
            for each in work:
                self._made.put(each)
        except Stopped:
            pass
        except BaseException as error:  # whatever it is, it is raised where the work was asked for
            self._failures.append(error)
            self._turns.halt()
        finally:
            self._made.put(None)
