"""The order of a campaign: what promises most comes next, and nothing waits for ever."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.findings import Tally
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.tasks.cases import Cases, Task
from likewise.cloud.fuzz.tasks.gains import Gains
from likewise.cloud.fuzz.tasks.keys import targets_of
from likewise.cloud.fuzz.tasks.schedule import BEGINNING, EARLY, Schedule

SOME = ("CreateTable", "DescribeTable", "PutItem", "GetItem", "Scan")


def schedule(walks: int | None = 0) -> Schedule:
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    cases = Cases(planner, 1, SOME)
    return Schedule(cases, Gains(), hopeless=set(), failed={}, walks=walks)


def run(plan: Schedule, gives: str, count: int) -> list[Task]:
    """The first tasks, where only one kind of task finds anything."""
    done = []
    for task in islice(plan.tasks(), count):
        done.append(task)
        plan.gains.note(task.keys, 10, 2 if gives in task.keys else 0)
    return done


def test_everything_comes_once_and_then_it_ends() -> None:
    names = [task.name for task in schedule().tasks()]
    assert len(names) == len(set(names))
    sent = {
        (operation, place)
        for task in schedule().tasks()
        for probe in task.case.probes
        for operation, place, _ in targets_of(probe)
    }
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    wanted = {target[:2] for name in SOME for target in Cases(planner, 1, SOME).targets(name)}
    assert wanted <= sent


def test_what_found_something_is_preferred() -> None:
    tasks = [task for task in run(schedule(), "Scan", 140) if task.phase == "sweep"]
    order = [task.operation for task in tasks]
    last = len(order) - 1 - order[::-1].index("Scan")
    others = [name for name in order[: last + 1] if name != "Scan"]
    assert order.count("Scan") == len(list(schedule().cases.sweep("Scan"))), "all of what pays is done"
    assert len(others) < len(order) / 2, "before half of the rest"


def test_endless_kinds_get_their_share_and_no_more() -> None:
    tasks = run(schedule(walks=None), "rank 0", 100)
    endless = [task for task in tasks if task.keys[-1] in ("mixed", "walk")]
    assert 2 <= len(endless) <= 50


def test_states_that_begin_alike_share_their_set_up() -> None:
    cases = schedule().cases
    shared = [task for task in cases.states()["no parent"] if len(task.case.probes) > 1]
    assert shared
    assert all(task.case.setup == () for task in shared)


def test_a_repair_that_works_is_how_the_operation_is_called_from_then_on() -> None:
    plan = schedule()
    failed = {
        "GetItem": Answer(
            success=False,
            status=400,
            code="ValidationException",
            message="Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: "
            "Member must satisfy enum value set: [NONE, TOTAL]",
        )
    }
    plan.failed = failed
    for task in plan.tasks():
        if task.keys == ("repaired",):
            assert task.case.probes[0].call.params["ReturnConsumedCapacity"] == "NONE"
            failed.clear()
        elif not failed:
            break
    assert plan.cases.plan("GetItem").call.params["ReturnConsumedCapacity"] == "NONE"


def test_a_repair_that_changes_nothing_is_taken_back() -> None:
    plan = schedule()
    plan.failed = {"GetItem": Answer(success=False, status=400, code="Bad", message="Key is missing Select")}
    for _ in plan.tasks():
        pass
    assert "GetItem" not in plan.cases.planner.learned


def test_coverage_says_why_an_operation_never_succeeded() -> None:
    tally = Tally(called={"A", "B", "C", "D"}, succeeded={"D"}, known={"B"})
    tally.fail("A", "reference 501 NotImplemented")
    for _ in range(9):
        tally.fail("B", "reference 404 NoSuchThing")
    tally.fail("C", "reference 500 500")
    assert tally.why("A") == "not implemented: reference 501 NotImplemented (1 times)"
    assert tally.why("B").startswith("failed")
    assert tally.why("C").startswith("failed"), "one 500 shows nothing"
    for _ in range(9):
        tally.fail("C", "candidate 500 500")
    assert tally.why("C").startswith("not implemented")
    assert tally.why("D") == tally.why("never called") == ""
    again = Tally()
    again.add(tally.as_json())
    assert again.why("C") == tally.why("C")


def test_a_kind_of_task_that_asks_nothing_new_comes_to_an_end() -> None:
    """Else a campaign whose every pair of values was asked for would go on for ever without a call."""
    plan = schedule(walks=None)
    mixed = 0
    for task in islice(plan.tasks(), 2000):
        is_mixed = task.keys[-1] == "mixed"
        mixed += is_mixed
        plan.gains.note(task.keys, 0 if is_mixed else 5, 0)
    assert mixed <= 3 * len(SOME)


def test_what_is_covered_can_be_written_down_while_somebody_goes_on() -> None:
    tally = Tally()

    class Busy(tuple[str, str, str]):
        """Whoever looks at it lets somebody else add another."""

        __slots__ = ()

        def __iter__(self) -> Iterator[str]:
            tally.targets.add((f"{len(tally.targets)}", "parameter", "class"))
            return super().__iter__()

    tally.targets |= {Busy(("A", "parameter", str(number))) for number in range(3)}
    assert len(tally.as_json()["targets"]) == 3
    assert len(tally.targets) > 3


def test_the_sweeps_of_an_operation_begin_together_and_are_all_of_it() -> None:
    cases = schedule().cases
    first = [task.keys[-1] for each in cases.sweeps("PutItem") if (task := next(each, None)) is not None]
    assert sorted(first) == ["again", "rank 0", "size 0"]
    apart = [task.name for each in cases.sweeps("PutItem") for task in each]
    assert sorted(apart) == sorted(task.name for task in cases.sweep("PutItem"))


def test_what_is_not_known_yet_promises_as_much_as_all_and_less_if_it_needs_more() -> None:
    gains = Gains()
    gains.note(("Good", "rank 0"), 100, 20)
    gains.note(("Bad", "rank 0"), 100, 0)
    new = gains.promise(("New", "rank 0"))
    assert gains.promise(("Good", "rank 0")) > new > gains.promise(("Bad", "rank 0"))
    assert new > gains.promise(("New", "rank 0"), 0.5)


def test_what_an_operation_gives_in_one_kind_of_task_is_not_what_it_gives_in_another() -> None:
    gains = Gains()
    for operation in ("One", "Other"):
        gains.note((operation, "rank 0"), 40, 8)
        gains.note((operation, "rank 1"), 40, 8 if operation == "One" else 0)
        gains.note((operation, "size 0"), 40, 0 if operation == "One" else 8)
    assert gains.promise(("One", "rank 1")) > gains.promise(("Other", "rank 1"))
    assert gains.promise(("One", "size 0")) < gains.promise(("Other", "size 0"))


def test_what_was_found_of_late_counts_more_than_what_was_found_long_ago() -> None:
    was, became = Gains(), Gains()
    for number in range(20):
        was.note(("rank 0",), 30, 3 if number < 10 else 0)
        became.note(("rank 0",), 30, 0 if number < 10 else 3)
    assert was.average == became.average
    assert was.rate("rank 0") < became.rate("rank 0") / 2


def test_sizes_that_find_nothing_do_not_keep_the_classes_of_an_operation_waiting() -> None:
    plan = schedule()
    kinds = []
    for task in islice(plan.tasks(), 60):
        is_class = task.operation == "PutItem" and task.keys[-1].startswith("rank")
        plan.gains.note(task.keys, 10, 2 if is_class else 0)
        if task.operation == "PutItem" and task.phase == "sweep":
            kinds.append(task.keys[-1])
    assert kinds.count("rank 1") > 3
    assert kinds.count("size 0") <= 1


def test_the_first_values_of_every_operation_come_however_much_another_one_finds() -> None:
    tasks = run(schedule(), "Scan", 130)
    early = {task.operation for task in tasks if task.keys[-1] in EARLY and task.phase == "sweep"}
    # What only names a table has no first values: it is missed where none was made.
    assert early == set(SOME) - {"DescribeTable"}
    kinds = [task.keys[-1] in EARLY for task in tasks if task.phase == "sweep"]
    assert sum(kinds[:40]) >= 15


def test_other_ways_of_calling_have_their_part_where_little_is_found_and_less_where_much_is() -> None:
    def spent(found: int) -> float:
        plan = schedule()
        for task in islice(plan.tasks(), 80):
            plan.gains.note(task.keys, 40 if "way" in task.keys else 10, found if "Scan" in task.keys else 0)
        return plan.gains.spent(("way",)) / (plan.gains.spent(("",)) - plan.gains.spent(BEGINNING))

    assert spent(0) >= 0.2
    assert 0 < spent(2) < 0.1


def test_states_get_less_while_there_is_much_to_find_elsewhere() -> None:
    def spent(found: int) -> float:
        plan = schedule()
        for task in islice(plan.tasks(), 50):
            plan.gains.note(task.keys, 10, found if task.phase == "sweep" else 0)
        return plan.gains.spent(plan._kinds) / (plan.gains.spent(("",)) - plan.gains.spent(BEGINNING))

    assert spent(2) < 0.15
    assert spent(0) >= 0.19, "they have their turn where little is found"
