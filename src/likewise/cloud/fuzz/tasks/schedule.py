"""The order of a campaign: what promised most until now comes next, and nothing waits for ever."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, count, islice, takewhile

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.tasks.callers import BY, PART
from likewise.cloud.fuzz.tasks.cases import Cases, Task
from likewise.cloud.fuzz.tasks.gains import SHARE, USUAL, Gains
from likewise.cloud.fuzz.tasks.repair import repairs

ATTEMPTS = 4
"""Repairs that are tried of one call."""
AT_ONCE = 4
"""Operations that are repaired at the same time."""
PREPARED = 2
"""Operations whose values are made between two of the first tasks: not all at once when nobody is asked."""
STATES = 0.2
"""The part of all calls that states get while there are any left, however little they find."""
WAYS = 0.32
"""The part that the other ways in which operations are called get, while there are any left: they need more
calls before them, and no other task meets what is said of versions, indexes or policies."""
FIRST = 0.95
"""The part that the first values of every parameter get in the same way."""
POOR = 1 / 60
"""Findings a call below which there is little to learn from: then everything has its turn."""
LITTLE = 0.1
"""What is left of these parts while there is much to find: the rest goes to whatever promises most."""
A_FEW = 2
"""Other ways in which an operation that one side refuses is called at first, while there is much to find."""
VAIN = 60
"""Walks in a row that the SDK refused, after which there is nowhere to go."""
IDLE = 3
"""Rounds in a row that asked nothing new, after which there is nothing left to ask."""


EARLY = frozenset({"rank 0", "rank 1", "again", "named", "size 0", "way", "no"})
"""Tasks that give each parameter of an operation its first values, or call it as it is called elsewhere, or
where nothing was made."""
NEXT = frozenset({"rank 2", "size 1"})
"""Those that give each its next ones."""
BEGINNING = ("present", "repaired")
"""Tasks that come first in any case."""


class Schedule:
    """Gives the tasks of one campaign."""

    def __init__(
        self,
        cases: Cases,
        gains: Gains,
        *,
        hopeless: set[str],
        failed: Mapping[str, Answer],
        absent: Collection[str] = (),
        walks: int | None,
        busy: Collection[str] = (),
        settle: Callable[[], None] = lambda: None,
    ) -> None:
        self.cases, self.gains, self.hopeless, self.failed = cases, gains, hopeless, failed
        self.absent, self.walks = absent, walks
        self.busy, self.settle = busy, settle
        """Operations of tasks that are under way; what waits until none is, where more depends on them."""
        self._kinds: set[str] = set()
        """What the tasks about states have in common, kind by kind."""

    def tasks(self) -> Iterator[Task]:
        """Every operation as it should be, then whatever promises most."""
        yield from self._present()
        self.settle()
        yield from self._repaired()
        # What one side refuses it may take in another way; all of them have their turn later on.
        hopeless = [name for name in self.cases.operations if name in self.hopeless]
        if self._is_poor:
            yield from (task for name in hopeless for task in self.cases.ways(name))
            hopeless = []
        sweeps = {name: self._of(name) for name in self.cases.operations}
        for name, those in sweeps.items():
            # Whether nobody has it or only the typical call is wrong: a few other ways of asking tell.
            if name in self.absent and (task := next(chain(*those), None)) is not None:
                yield task
        states = self.cases.states()
        self._kinds = {task.keys[-1] for tasks in states.values() for task in tasks} - EARLY
        queues = [iter(tasks) for tasks in states.values()]
        queues.append(task for name in hopeless for task in self.cases.ways(name, A_FEW))
        queues += [sweep for those in sweeps.values() for sweep in those]
        endless = [self._mixed(), self._walks()] if self.walks != 0 else []
        waiting = [(task, queue) for queue in (*queues, *endless) if (task := next(queue, None)) is not None]
        while waiting:
            number = self._best([task for task, _ in waiting])
            task, queue = waiting.pop(number)
            yield task
            following = next(queue, None)
            if following is not None:
                waiting.insert(number, (following, queue))

    def _present(self) -> Iterator[Task]:
        """Every operation as it should be; other values are thought of while the servers have these to do."""
        names = iter(self.cases.operations)
        for task in self.cases.present():
            yield task
            for name in islice(names, PREPARED):
                self.cases.rounds.variants(name)

    def _repaired(self) -> Iterator[Task]:
        """Operations whose typical call failed, called as their errors say."""
        fixed: set[str] = set()
        names = [name for name in self.cases.operations if name in self.failed]
        mending: dict[str, Iterator[Task]] = {}
        while names or mending:
            ready = next((name for name in mending if name not in self.busy), None)
            if ready is None and (ready := self._independent(names, mending)) is not None:
                names.remove(ready)
                mending[ready] = self._mended(ready, fixed)
            if ready is None:
                self.settle()
            elif (task := next(mending[ready], None)) is not None:
                yield task
            else:
                del mending[ready]
        self.settle()
        for name in self.cases.operations:
            if name not in self.failed and fixed & self._before(name):
                yield self.cases.repaired(name, 0)

    def _independent(self, names: Sequence[str], mending: Collection[str]) -> str | None:
        """The next operation to mend: not one that needs others which are being mended."""
        free = (name for name in names if not self._before(name) & set(mending))
        return next(free, None) if len(mending) < AT_ONCE else None

    def _mended(self, name: str, fixed: set[str]) -> Iterator[Task]:
        """Attempts at one operation; what comes after each depends on how it went."""
        was_hopeless = name in self.hopeless
        self.hopeless.discard(name)
        yield from self._attempts(name, fixed)
        if name in self.failed and self.failed[name].refused:
            yield self.cases.orphan(name)
        if name not in self.failed:
            fixed.add(name)
        elif was_hopeless:
            self.hopeless.add(name)

    def _attempts(self, name: str, fixed: set[str]) -> Iterator[Task]:
        planner, number = self.cases.planner, 0
        if fixed & self._before(name):
            yield self.cases.repaired(name, number)
        tried: set[str] = set()
        while name in self.failed and number < ATTEMPTS:
            answer, before = self.failed[name], planner.learned.get(name)
            found = repairs(planner, name, planner.typical(name), answer)
            repair = next((each for each in found if each.key not in tried), None)
            if repair is None:
                return
            tried.add(repair.key)
            number += 1
            planner.learn(name, (repair.params, (*(before or ({}, ()))[1], *repair.first)))
            yield self.cases.repaired(name, number)
            again = self.failed.get(name)
            if again is not None and (again.code, again.message) == (answer.code, answer.message):
                # It changed nothing: the next repair starts from where this one did.
                planner.learn(name, before)

    def _before(self, name: str) -> set[str]:
        return {call.operation for call in self.cases.planner.plan(name).setup}

    def _best(self, tasks: Sequence[Task]) -> int:
        """The task that comes next; what is under way for an operation may tell what else to ask of it."""
        free = [n for n, task in enumerate(tasks) if task.operation not in self.busy]
        return free[self._choice([tasks[n] for n in free])] if free else self._choice(tasks)

    @property
    def _spent(self) -> int:
        """The calls that were spent since the beginning, on whatever there is to choose from."""
        return self.gains.spent(("",)) - self.gains.spent(BEGINNING)

    @property
    def _is_poor(self) -> bool:
        """Whether there is little to learn from: little was found until now, or of late."""
        return min(self.gains.average, self.gains.rate()) < POOR

    def _is_due(self, kinds: Collection[str], share: float) -> bool:
        """Whether some kinds of task have had less than their share, by a task where much is found."""
        if self._is_poor:
            return self.gains.spent(kinds) < share * self._spent
        return self.gains.spent(kinds) + USUAL < LITTLE * share * self._spent

    def _choice(self, tasks: Sequence[Task]) -> int:
        early = _of_kinds(tasks, EARLY) or _of_kinds(tasks, NEXT)
        share = SHARE / 2 if early else SHARE
        fit = [
            n for n, task in enumerate(tasks) if not self.gains.is_spent(task.keys[-1], share) or _ends(task)
        ]
        states = [n for n in fit if tasks[n].phase == "states" and n not in early]
        ways, others = _of_kinds(tasks, {"way"}), _of_kinds(tasks, {BY})
        if others and self._is_due((BY,), PART):
            return others[0]
        if ways and self._is_due(("way",), WAYS):
            fit = ways
        elif states and self._is_due(self._kinds, STATES):
            fit = states
        elif early and self._is_due(EARLY | NEXT, FIRST):
            fit = early
        return max(fit or range(len(tasks)), key=lambda n: (self._promise(tasks[n]), -n))

    def _promise(self, task: Task) -> float:
        # States are about what is missing or there: their set-up says nothing about what they are worth.
        if task.phase == "states":
            return self.gains.promise(task.keys)
        setup, probes = len(task.case.setup), len(task.case.probes)
        return self.gains.promise(task.keys, 2 * probes / (setup + probes or 1))

    def _of(self, operation: str) -> list[Iterator[Task]]:
        """The sweeps of an operation, as long as there is hope."""
        return [
            takewhile(lambda _: operation not in self.hopeless, sweep)
            for sweep in self.cases.sweeps(operation)
        ]

    def _mixed(self) -> Iterator[Task]:
        """Two parameters at once, of the operation where that promises most."""
        rounds = dict.fromkeys(self.cases.operations, 0)
        while rounds and (self.walks is None or sum(rounds.values()) < self.walks):
            name = max(rounds, key=lambda each: self.gains.rate(f"mixed {each}") * self.gains.rate(each))
            is_over = name in self.hopeless or self.gains.idle.get(f"mixed {name}", 0) >= IDLE
            task = None if is_over else self.cases.mixed(name, rounds[name])
            if task is None:
                del rounds[name]
                continue
            rounds[name] += 1
            yield task

    def _walks(self) -> Iterator[Task]:
        for number in count():
            is_over = self.gains.idle.get("walk", 0) >= VAIN
            if is_over or (self.walks is not None and number >= self.walks):
                return
            yield self.cases.walk(number)


def _of_kinds(tasks: Sequence[Task], kinds: Collection[str]) -> list[int]:
    """The places of the tasks of some kinds."""
    return [n for n, task in enumerate(tasks) if task.keys[-1] in kinds]


def _ends(task: Task) -> bool:
    """Whether there is a last task of this kind."""
    return task.keys[-1] not in ("mixed", "walk")
