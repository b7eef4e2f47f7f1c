"""Lists of things that nobody in this world named: what was answered in two ways, and their order."""

from __future__ import annotations

from collections.abc import Sequence

from small_worlds import look, put, trace_of

from likewise.canonical import Familiarity, key_world, sketch
from likewise.model import Keyed, Trace, Value

NAMES = (("5a7991f2c0de", "e1b5448a77aa"), ("fd10c46864bb", "0c7738ca902c"), ("037217fe1c11", "aa39d27fd9e5"))
"""Left behind by three runs; in the second one they were made up in falling order."""


def found(names: Sequence[str], *, order: int = 1, hidden: str = "") -> Trace:
    """A look at two rows that an earlier run made, first and second, in rising or falling order of names."""
    rows: list[dict[str, Value]] = [
        {"name": name, "version": version, **({"tag": hidden + name[::-1]} if hidden else {})}
        for version, name in enumerate(names)
    ]
    ordered: list[Value] = [*sorted(rows, key=lambda row: str(row["name"]), reverse=order < 0)]
    return trace_of(look("rows", answer=ordered))


def keyed(*runs: Trace) -> list[Keyed]:
    """Each run's look, once it is known that it was answered in two ways."""
    known = {"t": Familiarity([sketch(trace, run=str(number)) for number, trace in enumerate(runs)])}
    narrow = [key_world([trace], known)[0][0] for trace in runs]
    assert len({call.key for call in narrow}) == 1
    assert len({call.answer for call in narrow}) > 1, "what a row holds does not come in the order of names"
    return [key_world([trace], known, ambiguous={narrow[0].key})[0][0] for trace in runs]


def test_rows_in_the_order_of_names_made_up_elsewhere_are_the_same_in_every_run() -> None:
    calls = keyed(*(found(names) for names in NAMES))
    assert len({(call.key, call.answer) for call in calls}) == 1


def test_what_such_a_row_holds_still_matters() -> None:
    changed = found(NAMES[2])
    changed.interactions[0].outcome.value[0]["version"] = 7  # type: ignore[union-attr, index, call-overload]
    one, two, other = keyed(found(NAMES[0]), found(NAMES[1]), changed)
    assert one.key == two.key == other.key
    assert one.answer == two.answer != other.answer


def test_a_list_that_is_not_in_the_order_of_its_names_is_another_answer() -> None:
    one, two, other = keyed(found(NAMES[0]), found(NAMES[1]), found(NAMES[2], order=-1))
    assert one.key == two.key == other.key, "so that it is known to have been answered in two ways again"
    assert one.answer == two.answer != other.answer


def test_where_it_is_not_clear_what_names_a_row_the_order_matters() -> None:
    calls = keyed(*(found(names, hidden="f") for names in NAMES))
    assert len({call.answer for call in calls}) > 1


def events(*minutes: int, shown: Sequence[int]) -> Trace:
    """Things that are named by times, and a look at them in some order."""
    named = [f"2026-05-0{day}T10:{minute:02}:00Z" for day, minute in zip(range(1, 9), minutes, strict=False)]
    rows: list[Value] = [{"at": {"S": named[index]}, "kind": "event"} for index in shown]
    return trace_of(*(put("rows", f"S:{name}", value=name) for name in named), look("rows", answer=rows))


def test_things_that_are_named_by_times_have_an_order() -> None:
    """A time has no identity; which of those that the client gave comes first matters all the same."""
    runs = [
        events(1, 2, 3, shown=(0, 1, 2)),
        events(4, 7, 9, shown=(0, 1, 2)),
        events(3, 5, 8, shown=(2, 1, 0)),
    ]
    known = {"t": Familiarity([sketch(trace, run=str(number)) for number, trace in enumerate(runs)])}
    one, two, other = (key_world([trace], known)[0][-1] for trace in runs)
    assert one.key == two.key == other.key
    assert one.answer == two.answer != other.answer


def test_when_things_were_changed_is_no_order() -> None:
    """Times that a server gave say in which order threads were served."""
    runs = []
    for first, second in ((1, 2), (3, 4), (6, 5)):
        rows: list[Value] = [
            {"name": "a", "changed": f"2026-05-01T10:{first:02}:00Z"},
            {"name": "b", "changed": f"2026-05-01T10:{second:02}:00Z"},
        ]
        runs.append(trace_of(put("rows", "a"), put("rows", "b"), look("rows", answer=rows)))
    known = {"t": Familiarity([sketch(trace, run=str(number)) for number, trace in enumerate(runs)])}
    calls = [key_world([trace], known)[0][-1] for trace in runs]
    assert len({(call.key, call.answer) for call in calls}) == 1
