"""Comparing two library recordings: causes stand at their operation, consequences and noise are no causes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from library_traces import call, side, thing, trace

from likewise.library.comparison import Manner, Side, compare, diverge
from likewise.library.crossing import FIXTURE, IMPORT, Kind
from likewise.model import Interaction, Raised, Result, Returned, Trace, Value

TUPLE: Value = {"is": "tuple", "items": [1, 2]}


def manners(ours: Value, theirs: Value) -> list[Manner]:
    return [each.manner for each in diverge(trace(call("f", ours)), trace(call("f", theirs)))]


@pytest.mark.parametrize(
    ("reference", "candidate", "manner"),
    [
        (1, 2, Manner.VALUE),
        (1, 1.0, Manner.TYPE),
        ("a", b"a", Manner.TYPE),
        ([1], [1, 2], Manner.LENGTH),
        ([1, 2], [2, 1], Manner.ORDER),
        ([1, 2], TUPLE, Manner.MUTABILITY),
        ([1, 3], TUPLE, Manner.TYPE),
        (thing(1), thing(1, "Leaf"), Manner.TYPE),
        (1, Raised(kind="ValueError", message="no"), Manner.EXCEPTION),
        (Raised(kind="KeyError"), Raised(kind="ValueError"), Manner.EXCEPTION),
        (Raised(kind="KeyError", message="a"), Raised(kind="KeyError", message="b"), Manner.MESSAGE),
        ({"is": "dict", "items": [["a", 1]]}, {"is": "dict", "items": [["a", 2]]}, Manner.VALUE),
        (
            {"is": "dict", "items": [["a", 1], ["b", 2]]},
            {"is": "dict", "items": [["b", 2], ["a", 1]]},
            Manner.ORDER,
        ),
        (
            {
                "is": "array",
                "type": "ndarray",
                "dtype": "int64",
                "shape": [2],
                "digest": "x",
                "head": "[1 2]",
            },
            {
                "is": "array",
                "type": "ndarray",
                "dtype": "int32",
                "shape": [2],
                "digest": "x",
                "head": "[1 2]",
            },
            Manner.TYPE,
        ),
    ],
)
def test_each_manner_of_difference_has_its_name(reference: Value, candidate: Value, manner: Manner) -> None:
    assert manners(reference, candidate) == [manner]


def test_what_a_call_leaves_behind_counts() -> None:
    ours = trace(call("f", after={"0": [1]}), call("g", at=2, state={"len": 1}))
    theirs = trace(call("f", after={"0": [1, 1]}), call("g", at=2, state={"len": 2}))
    assert [each.manner for each in diverge(ours, theirs)] == [Manner.MUTATED, Manner.EFFECT]


def test_nothing_differs_from_itself_up_to_numbers_of_objects() -> None:
    """One more object on one side shifts all numbers, and means nothing."""
    ours = [call("make", thing(n), at=1) for n in (1, 2, 3)]
    theirs = [call("make", thing(n + 1), at=1) for n in (1, 2, 3)]
    uses = [call("Node.text", "x", at=2, receiver=f"Node#{n}", kind=Kind.READ) for n in (2, 1)]
    shifted = [call("Node.text", "x", at=2, receiver=f"Node#{n}", kind=Kind.READ) for n in (3, 2)]
    assert diverge(trace(*ours, *uses), trace(*theirs, *shifted)) == []


def test_the_same_object_against_a_copy_is_another_identity() -> None:
    ours = trace(call("get", thing(1)), call("get", thing(1), at=2))
    theirs = trace(call("get", thing(1)), call("get", thing(2), at=2))
    assert [each.manner for each in diverge(ours, theirs)] == [Manner.IDENTITY]


def test_addresses_and_places_of_installation_do_not_count() -> None:
    ours = "<Node at 0x7f12345678> in /home/a/env1/lib/python3.11/site-packages/lib/x.py"
    theirs = "<Node at 0x7f87654321> in /tmp/env2/lib/python3.11/site-packages/lib/x.py"
    assert manners(ours, theirs) == []
    assert manners(ours, theirs.replace("x.py", "y.py")) == [Manner.VALUE]


def test_a_difference_that_is_passed_on_is_downstream() -> None:
    ours = trace(call("f", "a"), call("g", "A", at=2, arguments={"0": "a"}))
    theirs = trace(call("f", "b"), call("g", "B", at=2, arguments={"0": "b"}))
    found = compare(side(ours), side(theirs, version="2.0"))
    assert [(group.operation, group.is_downstream) for group in found.groups] == [
        ("lib.f", False),
        ("lib.g", True),
    ]
    assert found.groups[1].follows == "lib.f"


def test_what_is_done_with_an_object_that_differs_is_downstream() -> None:
    ours = trace(call("make", thing(1)), call("Node.text", "a", at=2, receiver="Node#1"))
    theirs = trace(call("make", thing(1, "Leaf")), call("Leaf.text", "b", at=2, receiver="Leaf#1"))
    assert [each.is_downstream for each in diverge(ours, theirs)] == [False, True]


def test_a_second_cause_is_not_hidden_by_the_first() -> None:
    """The same input and another output: nothing earlier explains that."""
    ours = trace(call("f", 1), call("g", 1, at=2, arguments={"0": "x"}))
    theirs = trace(call("f", 2), call("g", 2, at=2, arguments={"0": "x"}))
    assert [each.is_downstream for each in diverge(ours, theirs)] == [False, False]


def test_calls_that_come_or_go_are_named_and_fold_after_a_cause() -> None:
    ours = trace(call("f", 1), call("g", 1, at=2), call("h", 1, at=3))
    gone = trace(call("f", 1), call("h", 1, at=3))
    assert [each.manner for each in diverge(ours, gone)] == [Manner.MISSING]
    assert [each.manner for each in diverge(gone, ours)] == [Manner.NEW]
    after = trace(call("f", 2), call("h", 1, at=3))
    assert [each.is_downstream for each in diverge(ours, after)] == [False, True]


def test_what_the_library_hands_to_a_callback_is_its_own_doing() -> None:
    ours = trace(call("callback on", kind=Kind.CALLBACK, arguments={"0": 1}))
    theirs = trace(call("callback on", kind=Kind.CALLBACK, arguments={"0": 2}))
    (found,) = diverge(ours, theirs)
    assert (found.manner, found.is_downstream) == (Manner.VALUE, False)


def test_a_place_that_varies_on_one_version_is_never_a_break() -> None:
    first, second = trace(call("now", "10:00 sharp")), trace(call("now", "10:01 sharp"))
    later, changed = trace(call("now", "10:07 sharp")), trace(call("now", "10:07 about"))
    assert compare(side(first, again=(second,)), side(later, version="2.0")).groups == ()
    found = compare(side(first, again=(second,)), side(changed, version="2.0"))
    assert [group.operation for group in found.groups] == ["lib.now"]


def test_a_mask_holds_in_every_test() -> None:
    ours = (trace(call("now", 1), test="a"), trace(call("now", 1), test="b"))
    again = (trace(call("now", 2), test="a"), trace(call("now", 1), test="b"))
    theirs = (trace(call("now", 3), test="a"), trace(call("now", 4), test="b"))
    assert compare(side(*ours, again=again), side(*theirs, version="2.0")).groups == ()


def test_a_test_that_does_not_repeat_itself_is_left_out() -> None:
    ours = trace(call("f", 1), call("g", 1, at=2))
    again = trace(call("f", 1))
    theirs = trace(call("f", 5), call("g", 1, at=2))
    found = compare(side(ours, again=(again,)), side(theirs, version="2.0"))
    assert (found.groups, found.counts.unstable, found.unstable) == ((), 1, ("test_a",))


def test_tests_are_counted_without_imports_and_fixtures() -> None:
    ours = (
        trace(call("f", 1), test="a"),
        trace(call("f", 1), test="b", result=Result.FAILED),
        trace(call("C", 1), test=f"{IMPORT}client"),
        trace(call("D", 1), test=f"{FIXTURE}box"),
    )
    theirs = (
        trace(call("f", 2), test="a", result=Result.FAILED),
        trace(call("f", 1), test="b", result=Result.FAILED),
        trace(call("C", 2), test=f"{IMPORT}client"),
        trace(call("D", 1), test=f"{FIXTURE}box"),
    )
    found = compare(side(*ours), side(*theirs, version="2.0"))
    counts = found.counts
    assert (counts.common, counts.differing, counts.failed_reference, counts.failed_candidate) == (2, 1, 1, 2)
    assert found.broken == ("a",)
    assert {group.operation for group in found.groups} == {"lib.f", "lib.C"}


def test_a_field_that_one_side_alone_has_does_not_count_before_somebody_reads_it() -> None:
    def data(**fields: Value) -> Value:
        return {"is": "data", "type": "Rule", "fields": fields}

    assert manners(data(name="a"), data(name="a", _cache=1)) == []
    assert manners(data(name="a"), data(name="a", cache=1)) == []
    assert manners(data(name="a"), data(name="b", cache=1)) == [Manner.VALUE]
    assert manners(data(_name="a"), data(_name="b")) == [Manner.VALUE]


def test_a_library_may_say_its_version() -> None:
    ours, theirs = trace(call("__version__", "1.0")), trace(call("__version__", "2.0"))
    assert compare(side(ours), side(theirs, version="2.0")).groups == ()
    texts = ["see https://x.org/2.3/missing: 2.3", "see https://x.org/2.10/missing: 2.10"]
    ours, theirs = (trace(call("f", Raised(kind="ValueError", message=text))) for text in texts)
    assert compare(side(ours, version="2.3.0"), side(theirs, version="2.10.6")).groups == ()
    assert compare(side(ours, version="2.2.0"), side(theirs, version="2.10.6")).groups != ()
    ours, theirs = trace(call("schema", "2.3")), trace(call("schema", "2.10"))
    assert compare(side(ours, version="2.3.0"), side(theirs, version="2.10.6")).groups != ()


def test_groups_are_by_operation_and_manner_and_know_their_lines() -> None:
    ours = [trace(call("f", 1, at=3), call("f", 1, at=4), test=name) for name in "ab"]
    theirs = [trace(call("f", 2, at=3), call("f", 2, at=4), test=name) for name in "ab"]
    found = compare(side(*ours), side(*theirs, version="2.0"))
    (group,) = found.groups
    assert (group.at, group.lines, len(group.tests)) == ("client.py:3", ("client.py:3", "client.py:4"), 2)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.builds(thing, st.integers(1, 3)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.builds(lambda items: {"is": "tuple", "items": items}, st.lists(inner, max_size=3))
    ),
    max_leaves=6,
)
TRACES = st.lists(
    st.builds(
        lambda name, value, at: call(name, Returned(value=value), at=at),
        st.sampled_from("fgh"),
        VALUES,
        st.integers(1, 4),
    ),
    max_size=6,
)


@given(TRACES)
def test_no_trace_differs_from_itself(calls: list) -> None:  # type: ignore[type-arg]
    assert diverge(trace(*calls), trace(*calls)) == []


@given(TRACES, st.integers(0, 5))
def test_one_injected_change_is_found_first_at_its_place(calls: list, where: int) -> None:  # type: ignore[type-arg]
    if not calls:
        return
    where %= len(calls)
    changed = list(calls)
    old = calls[where]
    changed[where] = call(old.operation.name, "something else", at=int(str(old.wire["at"]).split(":")[1]))
    first = diverge(trace(*calls), trace(*changed))[0]
    assert first.spot.operation == str(old.operation)
    assert first.candidate == "'something else'"
    assert not first.is_downstream


def test_a_call_that_differs_because_of_what_happens_inside_it_is_downstream() -> None:
    """The library calls back into the client, and the client calls the operation that changed."""

    def run(inner: Value, outer: Value) -> list[Interaction]:
        first = replace(call("run", outer), order=1)
        first.wire["until"] = 2
        return [first, replace(call("f", inner, at=2), order=2), replace(call("g", outer, at=3), order=3)]

    found = diverge(trace(*run(1, 1)), trace(*run(2, 2)))
    assert [(each.spot.operation, each.is_downstream) for each in found] == [
        ("lib.f", False),
        ("lib.g", False),
        ("lib.run", True),
    ]


def test_a_type_with_a_new_name_is_one_cause() -> None:
    def run(name: str) -> list[Interaction]:
        return [
            call(op, {"is": "value", "type": name, "text": "True"}, at=n) for n, op in enumerate("fgh", 1)
        ]

    found = compare(side(trace(*run("bool_"))), side(trace(*run("bool")), version="2.0"))
    assert [group.operation for group in found.causes] == ["lib.f"]
    assert [group.follows for group in found.groups[1:]] == ["lib.f", "lib.f"]


def test_how_a_library_keeps_its_state_is_its_own() -> None:
    """Private parts that one side alone has do not count; a public one that is gone does."""

    def run(state: Value) -> Trace:
        return trace(call("f", state=state))

    assert diverge(run({"size": 1, "_old": 2}), run({"size": 1, "_new": 3})) == []
    assert [each.manner for each in diverge(run({"size": 1}), run(None))] == [Manner.EFFECT]
    assert [each.manner for each in diverge(run({"size": 1, "_a": 1}), run({"size": 1, "_a": 2}))] == [
        Manner.EFFECT
    ]
    assert [each.manner for each in diverge(run({"size": 1}), run({}))] == [Manner.EFFECT]
    assert diverge(run({"size": 1}), run({"_size": 1})) == [], "a property now"
    assert diverge(run({"_size": 1}), run({"size": 1})) == []
    assert len(diverge(run({"size": 1}), run({"_size": 2}))) == 1
    special: Value = {"is": "sub", "type": "Special", "value": [1]}
    assert diverge(run({"held": [1]}), run({"held": special})) == [], "no call brought about its type"
    assert len(diverge(run({"held": [2]}), run({"held": [1]}))) == 1
    assert len(diverge(run({"held": [2]}), run({"held": "2"}))) == 1


def test_objects_that_were_taken_for_one_another_are_no_cause() -> None:
    """After a difference the client goes another way, and what it reads at one line is of other objects."""

    def parent(of: str, value: Value) -> Interaction:
        return call(f"{of}.parent", value, at=3, kind=Kind.READ, receiver=f"{of}#1")

    known = [call("nodes", [thing(1, "List"), thing(1, "Item"), thing(1, "Term")])]
    ours = [*known, call("List.line", None, at=2, kind=Kind.READ, receiver="List#1")]
    theirs = [*known, call("List.line", 3, at=2, kind=Kind.READ, receiver="List#1")]
    ours += [parent("List", None), parent("Item", thing(1, "List")), parent("Term", thing(1, "Item"))]
    theirs += [
        parent("Term", thing(1, "Item")),
        parent("Item", thing(1, "List")),
        parent("Term", thing(1, "Item")),
    ]
    causes = [each.spot.operation for each in diverge(trace(*ours), trace(*theirs)) if not each.is_downstream]
    assert causes == ["lib.List.line"]


def test_a_difference_far_inside_is_shown() -> None:
    names: list[Value] = [f"element {number}" for number in range(90)]
    (found,) = diverge(trace(call("names", names)), trace(call("names", [*names, "center"])))
    assert found.reference.startswith("…")
    assert found.reference.endswith("'element 89']")
    assert found.candidate.endswith("'element 89', 'center']")
    arguments: dict[str, Value] = {"0": names, "1": 1}
    ours, theirs = (
        call("callback f", kind=Kind.CALLBACK, arguments=arguments | {"1": each}) for each in (1, 2)
    )
    (found,) = diverge(trace(ours), trace(theirs))
    assert (found.reference[-2:], found.candidate[-2:]) == (" 1", " 2")


def test_a_name_that_a_module_lacks_is_a_cause_whatever_happened_before() -> None:
    """And a call that fails for it is none."""
    lacking = Raised(kind="AttributeError", message="module 'lib' has no attribute 'render'")
    read = call("render", lacking, at=3, kind=Kind.READ)
    ours = [
        call("limit", 1),
        replace(call("convert", lacking, at=2, until=2), order=1),
        replace(read, order=2),
    ]
    theirs = [call("limit", 2), replace(call("convert", "text", at=2), order=1)]
    found = diverge(trace(*ours), trace(*theirs))
    causes = {each.spot.operation for each in found if not each.is_downstream}
    assert causes == {"lib.limit", "lib.render"}


def test_a_digest_says_nothing_where_objects_are_kept_otherwise() -> None:
    def run(state: Value, digest: str, count: int = 5) -> Trace:
        return trace(call("put", state=state), call("put", kind=Kind.REST, count=count, digest=digest))

    assert diverge(run({"size": 1}, "a"), run({"_size": 1}, "b")) == []
    assert len(diverge(run({"size": 1}, "a"), run({"_size": 1}, "b", 6))) == 1
    assert len(diverge(run({"size": 1}, "a"), run({"size": 1}, "b"))) == 1


def test_a_version_as_numbers_is_no_change_where_it_is_one() -> None:
    def causes(name: str, ours: list[Value], theirs: list[Value]) -> int:
        sides = [
            side(trace(call(name, {"is": "tuple", "items": items}, kind=Kind.READ)), version=version)
            for items, version in ((ours, "3.20.2"), (theirs, "3.26.1"))
        ]
        return len(compare(*sides).causes)

    assert causes("__version_info__", [3, 20, 2], [3, 26, 1]) == 0
    assert causes("VERSION", [3, 20, 2, "final"], [3, 26, 1, "final"]) == 0
    assert causes("VERSION", [3, 20, 2, "final"], [3, 26, 1, "beta"]) == 1
    assert causes("__version_info__", [3, 20, 2], [3, 27, 1]) == 1
    assert causes("limits", [3, 20, 2], [3, 26, 1]) == 1


def test_a_field_of_a_private_type_counts_once_somebody_reads_it() -> None:
    def run(kind: str, number: int, *, reads: bool = False) -> Side:
        made: Value = {"is": "data", "type": kind, "fields": {"number": number, "name": "a"}}
        read = [call(f"{kind}.number", number, at=2, kind=Kind.READ)] if reads else []
        return side(trace(call("make", made), *read))

    def causes(kind: str, *, reads: bool = False) -> list[str]:
        found = compare(run(kind, 1, reads=reads), run(kind, 2, reads=reads))
        assert found.groups, "it is shown in any case"
        return [group.operation for group in found.causes]

    assert causes("Field") == ["lib.make"]
    assert causes("_Field") == []
    assert causes("_Field", reads=True) == ["lib._Field.number"]


def test_objects_in_a_state_are_known_though_one_side_has_a_field_more() -> None:
    ours, theirs = {"core": thing(1), "mode": "L"}, {"core": thing(1)}
    (found,) = diverge(trace(call("f", state=ours)), trace(call("f", state=theirs)))
    assert found.place == "state.mode"


def test_an_object_that_is_left_without_attributes_differs_and_one_with_others_does_not() -> None:
    def made(*names: str) -> Trace:
        return trace(call("Box", thing(1), state={"is": "outline", "names": list(names)}))

    assert [group.manner for group in compare(side(made("size")), side(made())).groups] == [Manner.EFFECT]
    assert not compare(side(made("size", "name")), side(made("length"))).groups
    assert not compare(side(made()), side(made("size"))).groups


def test_the_function_that_another_one_was_made_in_is_the_librarys_own_business() -> None:
    ours = side(trace(call("replaceWith", {"is": "function", "name": "replaceWith.<locals>.<lambda>"})))
    theirs = side(trace(call("replaceWith", {"is": "function", "name": "replace_with.<locals>.<lambda>"})))
    other = side(trace(call("replaceWith", {"is": "function", "name": "replace_with.<locals>.keep"})))
    assert compare(ours, theirs).groups == ()
    assert len(compare(ours, other).groups) == 1


def test_a_recording_in_which_nothing_crossed_says_so() -> None:
    silent = compare(side(trace()), side(trace()))
    assert any("nothing crossed" in note for note in silent.notes)
    assert not compare(side(trace(call("f"))), side(trace(call("f")))).notes


def test_a_private_type_that_one_version_alone_has_hides_nothing_that_follows() -> None:
    """An element is made by another private class, and an error then reads otherwise: that is the cause."""
    failing = [Raised(kind="ParseError", message=text) for text in ("expected {", "expected '{'")]
    ours = side(
        trace(call("Word", thing(1, "_WordRegex")), call("Word.parse", failing[0], receiver="_WordRegex#1"))
    )
    theirs = side(trace(call("Word", thing(1, "Word")), call("Word.parse", failing[1], receiver="Word#1")))
    (group,) = compare(ours, theirs).groups
    assert (group.operation, group.manner, group.is_downstream) == ("lib.Word.parse", Manner.MESSAGE, False)


def test_a_private_type_that_both_versions_have_is_told_from_another() -> None:
    calls = call("a", thing(1, "_Node")), call("b", thing(1, "Leaf"))
    swapped = call("a", thing(1, "Leaf")), call("b", thing(1, "_Node"))
    assert compare(side(trace(*calls)), side(trace(*swapped))).groups


def test_names_that_tempfile_draws_do_not_count() -> None:
    ours, theirs = (
        side(trace(call("open", f"/tmp/{name}/a.txt"))) for name in ("tmp70wr3do1", "tmpn5sx4o_y")
    )
    assert compare(ours, theirs).groups == ()
    assert compare(ours, side(trace(call("open", "/tmp/tmp70wr3do1/b.txt")))).groups


def test_a_client_that_reads_whatever_a_module_holds_is_compared_name_by_name() -> None:
    """One name more on one side shifts nothing, and is not used otherwise; a name that changed is found."""
    ours = side(trace(*(call(f"mod.{name}", name, kind=Kind.READ) for name in ("a", "c", "d"))))
    more = side(trace(*(call(f"mod.{name}", name, kind=Kind.READ) for name in ("a", "b", "c", "d"))))
    assert compare(ours, more).groups == ()
    values = {"a": "a", "b": "b", "c": "other", "d": "d"}
    other = side(trace(*(call(f"mod.{name}", values[name], kind=Kind.READ) for name in values)))
    (group,) = compare(ours, other).groups
    assert group.operation == "lib.mod.c"


@pytest.mark.parametrize(
    ("reference", "candidate", "is_same"),
    [
        ("http://127.0.0.1:40001/a", "http://127.0.0.1:52345/a", True),
        ("[::1]:40001", "[::1]:52345", True),
        ("HOST: localhost:40001 SERVER_PORT: 40001", "HOST: localhost:52345 SERVER_PORT: 52345", True),
        ("http://127.0.0.1:8000/a", "http://127.0.0.1:8001/a", False),
        ("http://127.0.0.1:40001/a", "http://127.0.0.1:52345/b", False),
        ("http://example.org:40001", "http://example.org:52345", False),
        ("SERVER_PORT: 40001", "SERVER_PORT: 52345", False),
        ("127.0.0.1:40001", "127.0.0.1:8000", False),
    ],
)
def test_only_a_port_that_the_system_chose_on_the_own_machine_means_nothing(
    reference: str, candidate: str, is_same: bool
) -> None:
    assert (manners(reference, candidate) == []) is is_same
