"""What is remembered of earlier calls only saves time: every form is what it would be without."""

from __future__ import annotations

from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.canonical import Familiarity, key_world, sketch, tokens
from likewise.canonical.answers import answer_of
from likewise.canonical.familiarity import _shared_and_lonely
from likewise.canonical.forms import compile_form
from likewise.canonical.places import _cut, _cut_once
from likewise.canonical.tokens import cut
from likewise.model import Interaction, Opaque, Operation, Raised, Returned, Role, Sketch, Trace, Value
from likewise.model.interaction import Outcome

some = settings(max_examples=100, deadline=None)
NAMES = ("3f2b8c1e-5d4a-4f6b-9c7d-8e1f2a3b4c5d", "2026-11-16T10:00:00Z", "k\x1f1", "word12", "ab12cd34ef56")
texts = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "a/", '{"x": "', "10:20:30 ", "x="]),
    st.sampled_from(NAMES),
    st.sampled_from(["", ".json", '"}', "-1", "=="]),
)
scalars = st.sampled_from(
    [None, True, 1, 1.0, 0, False, 0.0, -0.0, "", "1", b"1", Opaque(length=1, digest="d")]
)
values = st.recursive(
    scalars | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "Key", "id12345678"]), inner, max_size=3)
    ),
    max_leaves=6,
)
arguments = st.dictionaries(st.sampled_from(["resource", "body", "query", "n1234567"]), values, max_size=4)
operations = st.sampled_from([Operation("s3", "Put"), Operation("s3", "Get")])
outcomes = st.builds(lambda value: Returned(value=value), values) | st.builds(
    lambda value: Raised(kind="No", message="m", value=value), values
)


@some
@given(st.lists(st.tuples(operations, arguments, outcomes), min_size=1, max_size=6))
def test_a_form_does_not_depend_on_the_calls_before_it(
    given: list[tuple[Operation, dict[str, Value], Outcome]],
) -> None:
    """Equal is not the same: 1, True and 1.0 are told apart wherever they stand."""
    calls = [
        Interaction(operation=operation, arguments=asked, outcome=outcome)
        for operation, asked, outcome in given * 2
    ]
    learned = [
        sketch(Trace(test="t", role=Role.CANDIDATE, interactions=tuple(some)), run=str(number))
        for number, some in enumerate((calls[:1], calls[1:]))
    ]
    remembering = Familiarity(learned)
    for call in calls:
        fresh = Familiarity(learned)
        ours, alone = compile_form(call, remembering), compile_form(call, fresh)
        assert ours[:3] == alone[:3]
        assert ours.answer.introduced == alone.answer.introduced
        assert answer_of(call, ours, remembering, {}) == answer_of(call, alone, fresh, {})


@some
@given(st.lists(texts | st.text(max_size=5), min_size=1, max_size=3).map(" ".join))
def test_shapes_that_are_not_looked_for_are_not_there(text: str) -> None:
    found = cut.__wrapped__(text)
    with mock.patch.object(tokens._Patterns, "shapes_in", lambda patterns, text: patterns._shapes):
        assert cut.__wrapped__(text) == found


@some
@given(
    st.lists(texts | st.text(st.characters(codec="ascii"), max_size=30), min_size=1, max_size=3).map(" ".join)
)
def test_what_is_found_in_ascii_is_what_is_found_in_any_text(text: str) -> None:
    found = cut.__wrapped__(text)
    with mock.patch.object(tokens, "_ASCII", tokens._ANY):
        assert cut.__wrapped__(text) == found


@some
@given(texts, st.data())
def test_a_text_with_one_variable_is_cut_as_any_other(text: str, data: st.DataObject) -> None:
    literals, found = cut(text)
    if len(found) > 1:
        at = data.draw(st.integers(0, len(found) - 1))
        varying = [place == at for place in range(len(found))]
        assert _cut_once(text, literals, found, at) == _cut(literals, found, varying)


tokens_of_a_run = st.lists(st.sampled_from("abcdef"), unique=True)


@some
@given(tokens_of_a_run, tokens_of_a_run)
def test_two_runs_share_and_miss_the_same_however_they_are_counted(
    ours: list[str], theirs: list[str]
) -> None:
    constants, once = _shared_and_lonely([("code", ours), ("code", theirs)])
    counted, counted_once = _shared_and_lonely([("code", ours), ("code", theirs), ("code", [])])
    assert (constants, once) == (counted, counted_once)


def test_what_an_answer_gave_under_half_a_surrogate_pair_is_named_like_anything_else() -> None:
    def run(name: str) -> Trace:
        made = Interaction(
            operation=Operation("s", "Make"), arguments={}, outcome=Returned(value={"\ud800": name})
        )
        used = Interaction(
            operation=Operation("s", "Use"), arguments={"what": name}, outcome=Returned(value=None)
        )
        return Trace(test="t", role=Role.CANDIDATE, interactions=(made, used))

    runs = [run("3f2b8c1e-5d4a-4f6b-9c7d-8e1f2a3b4c5d"), run("0a1b2c3d-1111-4222-8333-444455556666")]
    learned = Familiarity([sketch(each, run=str(number)) for number, each in enumerate(runs)])
    first, second = (key_world([each], {"t": learned}) for each in runs)
    assert first == second


def test_places_that_showed_the_same_are_one() -> None:
    """What was worked out for a name where it was put serves where it is got, and nowhere else."""
    shown = {"s3.Put?.name": ["a1b2c3d4", "x"], "s3.Get?.name": ["a1b2c3d4", "x"], "s3.Put?.body": ["x"]}
    other = {place: [token.replace("a1", "b2") for token in tokens] for place, tokens in shown.items()}
    learned = Familiarity(
        [Sketch(test="t", run=str(run), tokens=tokens) for run, tokens in enumerate((shown, other))]
    )
    assert learned.at("s3.Put?.name") is learned.at("s3.Get?.name")
    assert learned.at("s3.Put?.name") is not learned.at("s3.Put?.body")
    assert learned.at("s3.Put?.nowhere") is not learned.at("s3.Put?.name")


def test_a_run_that_never_called_an_operation_does_not_say_what_varies_in_its_answers() -> None:
    """What a fixture called in one run, another test may have called for it in the other."""
    shown = {"s3.Put!.etag": ["5d41402abc4b2a76"], "s3.Get!.body": ["x"]}
    without_call, without_place = {"s3.Get!.body": ["x"]}, {"s3.Put!.status": ["200"]}

    def learned(other: dict[str, list[str]]) -> Familiarity:
        runs = enumerate((shown, other))
        return Familiarity([Sketch(test="t", run=str(run), tokens=tokens) for run, tokens in runs])

    assert learned(without_call).parts("s3.Put!.etag", "5d41402abc4b2a76") is None
    assert learned(without_place).parts("s3.Put!.etag", "5d41402abc4b2a76") is not None


def test_an_answer_to_an_operation_that_no_run_called_varies_nowhere() -> None:
    """Runs in which another test had set up a shared fixture say nothing of what it was answered."""
    runs = [Sketch(test="t", run=str(run), tokens={"s3.Get!.body": ["x"]}) for run in range(2)]
    learned = Familiarity(runs)
    assert learned.parts("s3.Put!.etag", "5d41402abc4b2a76") is None
    assert learned.parts("s3.Get!.version", "5d41402abc4b2a76") is not None
