"""The tasks of a campaign as several hands take them: who takes which one never depends on a clock."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from likewise.cloud.fuzz.sides.pairing import Pair
from likewise.cloud.fuzz.tasks.cases import Task
from likewise.cloud.fuzz.tasks.schedule import BEGINNING

FIRST, LEARNED = 4, 2
"""Tasks that are under way at the same time: of those that come in any case, and of those that are chosen by
what others gave. With three of the latter, fewer is found with the same calls; with two, it is not."""
LAST = 30
"""Calls that are left for each task under way once none is begun beside them: few end in the middle."""


class Line:
    """Gives each task to one hand."""

    def __init__(self, pair: Pair) -> None:
        self.tasks: Iterator[Task] = iter(())
        self.busy: list[str] = []
        """Operations of the tasks that are under way."""
        self.width = FIRST
        self.is_cut = False
        """Whether the budget has ended in the middle of a task."""
        self.is_over = False
        self._pair = pair
        self._is_choosing = False
        """Whether somebody is about to take a task, and waits for what others find out."""

    def next(self, done: Collection[str]) -> Task | None:
        """The next task that is not done; nothing where there are enough hands without who asks."""
        while self._is_choosing:
            self._pair.turns.pass_on()
        if self.is_cut or len(self.busy) >= self.width or self._pair.left < LAST * len(self.busy):
            return None
        self._is_choosing = True
        try:
            task = next((each for each in self.tasks if each.name not in done), None)
        finally:
            self._is_choosing = False
        if task is not None:
            self.busy.append(task.operation)
            if not set(BEGINNING) & set(task.keys):
                self.width = LEARNED
        return task

    def over(self, task: Task) -> None:
        """A task is no longer under way."""
        self.busy.remove(task.operation)

    def settle(self) -> None:
        """Wait until no task is under way."""
        while self.busy:
            self._pair.turns.pass_on()
