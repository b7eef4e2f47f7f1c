"""The order of a campaign: what promised most until now comes next, and nothing waits for ever."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.tasks.callers import BY, PART
from likewise.cloud.fuzz.tasks.cases import Cases, Task
from likewise.cloud.fuzz.tasks.repair import repairs

ATTEMPTS = 4
"""Repairs that are tried of one call."""
AT_ONCE = 4
"""Operations that are repaired at the same time."""
USUAL = 12
"""Calls that a finding costs, before anything is known; and calls after which more is known of a kind."""
STATES, FEWER = 0.2, 0.05
"""The part of all calls that states get while there are any left, however little they find; and the part
while there is much to find elsewhere."""
WAYS = 0.25
"""The part that the other ways in which operations are called get, while there are any left: they need more
calls before them, and no other task meets what is said of versions, indexes or policies."""
FIRST, SECOND = 0.5, 0.6
"""The part that the first values of every parameter get in the same way, and the part with the next ones."""
POOR, ALL = 1 / 60, 0.95
"""Findings a call below which there is little to learn from: then first values get nearly everything."""
A_FEW = 2
"""Other ways in which an operation that one side refuses is called at first, while there is much to find."""
SHARE = 0.2
"""The part of all calls that may go to a kind of task that never ends and finds less than the others."""
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


@dataclass(slots=True)
class Gains:
    """What kinds of task gave for the calls that they took."""

    calls: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    idle: dict[str, int] = field(default_factory=dict)
    """Tasks in a row that needed no call."""

    def note(self, keys: Sequence[str], calls: int, found: int) -> None:
        """Take in how a task went."""
        for key in (*keys, ""):
            # What costs nothing would promise most for ever.
            self.calls[key] = self.calls.get(key, 0) + max(1, calls)
            self.idle[key] = 0 if calls else self.idle.get(key, 0) + 1
            self.found[key] = self.found.get(key, 0) + found

    def rate(self, key: str = "", ease: float = 1.0) -> float:
        """Findings a call of one kind of task; of all kinds without a name.

        Until more is known of a kind, it is as good as all of them, times its `ease`.
        """
        usual = USUAL * self.rate() * ease if key else 1
        return (self.found.get(key, 0) + usual) / (self.calls.get(key, 0) + USUAL)

    def promise(self, keys: Sequence[str], setup: int = 1) -> float:
        """Findings a call that a task of these kinds promises, with so many calls before its own."""
        value = 1.0
        for key in keys:
            value *= self.rate(key, ease=2 / (1 + setup))
        return float(value ** (1 / len(keys))) if keys else 0.0

    def spent(self, keys: Collection[str]) -> int:
        """Calls that some kinds of task took."""
        return sum(self.calls.get(key, 0) for key in keys)

    def is_spent(self, key: str, share: float = SHARE) -> bool:
        """Whether a kind of task that never ends had its share."""
        return self.calls.get(key, 0) > share * self.calls.get("", 0) and self.rate(key) < self.rate()


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
        yield from self.cases.present()
        self.settle()
        yield from self._repaired()
        for name in [name for name in self.cases.operations if name in self.hopeless]:
            # What one side refuses it may take in another way; all of them have their turn later on.
            yield from self.cases.ways(name, None if self.gains.rate() < POOR else A_FEW)
        sweeps = {name: self._of(name) for name in self.cases.operations}
        for name, sweep in sweeps.items():
            # Whether nobody has it or only the typical call is wrong: a few other ways of asking tell.
            if name in self.absent and (task := next(sweep, None)) is not None:
                yield task
        states = self.cases.states()
        self._kinds = {task.keys[-1] for tasks in states.values() for task in tasks} - EARLY
        queues = [iter(tasks) for tasks in states.values()]
        queues += sweeps.values()
        endless = [self._mixed(), self._walks()] if self.walks != 0 else []
        waiting = [(task, queue) for queue in (*queues, *endless) if (task := next(queue, None)) is not None]
        while waiting:
            number = self._best([task for task, _ in waiting])
            task, queue = waiting.pop(number)
            yield task
            following = next(queue, None)
            if following is not None:
                waiting.insert(number, (following, queue))

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
            planner.learned[name] = (repair.params, (*(before or ({}, ()))[1], *repair.first))
            yield self.cases.repaired(name, number)
            again = self.failed.get(name)
            if again is not None and (again.code, again.message) == (answer.code, answer.message):
                # It changed nothing: the next repair starts from where this one did.
                planner.learned.pop(name) if before is None else planner.learned.update({name: before})

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

    def _by_others(self, tasks: Sequence[Task]) -> int | None:
        """The task of calls by others than the account's owner whose turn it is, if it is."""
        those = (n for n, task in enumerate(tasks) if task.keys[-1] == BY)
        return next(those, None) if self.gains.spent((BY,)) < PART * self._spent else None

    def _choice(self, tasks: Sequence[Task]) -> int:
        if (due := self._by_others(tasks)) is not None:
            return due
        early = [n for n, task in enumerate(tasks) if task.keys[-1] in EARLY]
        is_poor = self.gains.rate() < POOR
        if is_poor and not early:
            early = [n for n, task in enumerate(tasks) if task.keys[-1] in NEXT]
        share = SHARE / 2 if early else SHARE
        fit = [
            n for n, task in enumerate(tasks) if not self.gains.is_spent(task.keys[-1], share) or _ends(task)
        ]
        states = [n for n in fit if tasks[n].phase == "states" and n not in early]
        ways = [n for n in fit if tasks[n].keys[-1] == "way"]
        spent = self._spent
        if ways and self.gains.spent(("way",)) < WAYS * spent:
            fit = ways
        elif states and self.gains.spent(self._kinds) < (STATES if is_poor else FEWER) * spent:
            fit = states
        elif early and self.gains.spent(EARLY | NEXT) < (ALL if is_poor else FIRST) * spent:
            fit = early
        elif self.gains.spent(EARLY | NEXT) < SECOND * spent:
            fit = [n for n, task in enumerate(tasks) if task.keys[-1] in NEXT] or fit
        return max(fit or range(len(tasks)), key=lambda n: (self._promise(tasks[n]), -n))

    def _promise(self, task: Task) -> float:
        # States are about what is missing or there: their set-up says nothing about what they are worth.
        return self.gains.promise(task.keys, 1 if task.phase == "states" else len(task.case.setup))

    def _of(self, operation: str) -> Iterator[Task]:
        for task in self.cases.sweep(operation):
            if operation in self.hopeless:
                return
            yield task

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


def _ends(task: Task) -> bool:
    """Whether there is a last task of this kind."""
    return task.keys[-1] not in ("mixed", "walk")
