"""The least that shows a difference is found in few runs: what shows together is made simpler together."""

from __future__ import annotations

from dataclasses import replace

from likewise.cloud.fuzz.calls import Answer, Call, Name
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.minimising import Look, Minimiser
from likewise.cloud.fuzz.inquiry.shortening import absorbed, once, reductions
from likewise.cloud.fuzz.inquiry.shrinking import apart
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen
from likewise.model import Difference, Implication

BUCKET = Call(service="s3", operation="CreateBucket", params={"Bucket": Name("bucket")})
OBJECT = {"Bucket": Name("bucket"), "Key": Name("key")}


def put(**params: object) -> Call:
    return Call(service="s3", operation="PutObject", params={**OBJECT, **params})


def gap(place: str, difference: Difference = Difference.EXTRA) -> Gap:
    return Gap(
        operation="PutObject",
        index=0,
        difference=difference,
        place=place,
        reference="None",
        candidate="1",
        implication=Implication.WRONG_RESULT,
    )


class Pair:
    """A pair whose sides differ in one place for each of some parameters that are given."""

    def __init__(self, *parameters: str, difference: Difference = Difference.EXTRA) -> None:
        self.parameters, self.difference = parameters, difference
        self.runs: list[Case] = []
        planner = Planner(load("s3"), hints_of("s3"))
        self.minimiser = Minimiser(lambda case: self.batch(case)[0], self.batch, planner)

    def batch(self, case: Case) -> list[Look]:
        self.runs.append(case)
        return [self.seen(probe) for probe in case.probes]

    def seen(self, probe: Probe) -> Look:
        found = [gap(name, self.difference) for name in self.parameters if name in probe.call.params]
        seen = Seen(setup=[], answers=[Answer(success=True, status=200)])
        return Look(gaps=found, seen=(seen, seen))


def test_what_several_parameters_show_together_is_told_apart_in_one_run() -> None:
    pair = Pair("CacheControl", "ContentLanguage")
    probe = Probe(
        call=put(CacheControl="no-cache", ContentLanguage="en", StorageClass="STANDARD"),
        parameter="CacheControl and ContentLanguage and StorageClass",
        value_class="typical and typical and typical",
        note="a and b and c",
    )
    case = Case(setup=(BUCKET,), probes=(probe,))
    shown, missing = pair.minimiser.confirm(case, [gap("CacheControl"), gap("ContentLanguage")])
    assert not missing
    done = {each.gap.place: each.probe for each in pair.minimiser.minimise(shown)}
    assert {place: probe.parameter for place, probe in done.items()} == {
        "CacheControl": "CacheControl",
        "ContentLanguage": "ContentLanguage",
    }
    wide = [run for run in pair.runs if len(run.probes) == 3]
    assert len(wide) == 1, "both differences are looked for in the same answers"


def test_what_comes_to_light_together_is_confirmed_together_twice() -> None:
    pair = Pair("CacheControl", "ContentLanguage")
    names = ("CacheControl", "ContentLanguage")
    probes = [Probe(call=put(**{name: "x"}), parameter=name, value_class="typical") for name in names]
    those = [(probe, [gap(name)]) for probe, name in zip(probes, names, strict=True)]
    pair.minimiser.foresee((BUCKET,), those)
    for probe, gaps in those:
        shown, _ = pair.minimiser.confirm(Case(setup=(BUCKET,), probes=(probe,)), gaps)
        (done,) = pair.minimiser._twice(shown)
        assert done.confirmed == 2
    assert [len(run.probes) for run in pair.runs] == [2, 2]
    assert pair.runs[0].probes == tuple(reversed(pair.runs[1].probes))


def test_a_refusal_is_looked_for_with_the_least_before_it_and_not_again_where_that_is_vain() -> None:
    pair = Pair("CacheControl", difference=Difference.SUCCESS)
    setup = (BUCKET, put(), put(Body=b"x"))
    case = Case(setup=setup, probes=(Probe(call=put(CacheControl="x"), parameter="CacheControl"),))
    shown, _ = pair.minimiser.confirm(case, [gap("CacheControl", Difference.SUCCESS)])
    assert shown[0].case.setup == (BUCKET,)
    deaf = Pair(difference=Difference.SUCCESS)
    for _ in range(3):
        deaf.minimiser.confirm(case, [gap("CacheControl", Difference.SUCCESS)])
    assert [len(run.setup) for run in deaf.runs] == [1, 2, 3, 1, 2, 3, 2, 3]


def test_a_long_sequence_is_made_shorter_though_that_was_in_vain_elsewhere() -> None:
    pair = Pair("CacheControl")
    long = (BUCKET, *(put(Body=bytes([number])) for number in range(4)))
    probe = Probe(call=put(CacheControl="x"), parameter="CacheControl", value_class="typical")
    shown, _ = pair.minimiser.confirm(Case(setup=long, probes=(probe,)), [gap("CacheControl")])
    shown = [replace(each, case=Case(setup=long, probes=(probe,))) for each in shown]
    for shorter in reductions(long, probe.call):
        for _ in range(2):
            pair.minimiser.trials.note(pair.minimiser._kind(shown[0].case, shorter, shown), worked=False)
    (done,) = pair.minimiser._reduced(list(shown), [10])
    assert len(done.case.setup) < 4


def test_of_several_calls_alike_the_first_is_tried_alone() -> None:
    setup = (BUCKET, put(Body=b"a"), put(Body=b"b"), put(Body=b"c"))
    assert once(setup) == setup[:2]
    assert once(setup, {2}) == setup[:3]
    assert setup[:2] in reductions(setup, put())


def test_what_a_call_puts_there_can_be_given_to_the_one_that_makes_the_thing() -> None:
    planner = Planner(load("s3"), hints_of("s3"))
    tagging = Call(service="s3", operation="PutObjectTagging", params={**OBJECT, "Tagging": {"TagSet": []}})
    (shorter,) = absorbed((BUCKET, put(), tagging), planner)
    assert shorter == (BUCKET, put(Tagging="colour=blue"))
    assert absorbed((BUCKET, put()), planner) == []


def test_what_is_the_same_parameter_there_is_given_as_it_is() -> None:
    planner = Planner(load("blob"), hints_of("blob"))
    made = planner.plan("Blob_SetTier:archived")
    (shorter,) = absorbed(made.calls, planner)
    assert [call.operation for call in shorter] == ["Container_Create", "BlockBlob_Upload"]
    assert shorter[-1].params["tier"] == "Archive"


class Needing(Pair):
    """A pair whose sides differ where some parameters are given together."""

    def seen(self, probe: Probe) -> Look:
        is_shown = all(name in probe.call.params for name in self.parameters)
        seen = Seen(setup=[], answers=[Answer(success=True, status=200)])
        return Look(gaps=[gap("Body", self.difference)] if is_shown else [], seen=(seen, seen))


def together(*names: str) -> Case:
    probe = Probe(
        call=put(**dict.fromkeys(names, "x")),
        parameter=" and ".join(names),
        value_class=" and ".join(["typical"] * len(names)),
        note=" and ".join(["'x'"] * len(names)),
    )
    return Case(setup=(BUCKET,), probes=(probe,))


def least(pair: Pair, case: Case) -> str:
    shown, _ = pair.minimiser.confirm(case, [gap("Body", pair.difference)])
    (done,) = pair.minimiser.minimise(shown)
    return done.probe.parameter


def test_one_parameter_that_is_enough_is_found_however_often_none_was() -> None:
    """The condition says what it takes: it must not say more because of earlier differences."""
    pair = Needing("CacheControl", "ContentLanguage", "Expires")
    for _ in range(4):
        assert least(pair, together("CacheControl", "ContentLanguage", "Expires")).count(" and ") == 2
    pair.parameters = ("Expires",)
    assert least(pair, together("CacheControl", "ContentLanguage", "Expires")) == "Expires"


def test_of_three_parameters_two_are_left_where_two_are_enough() -> None:
    pair = Needing("CacheControl", "Expires")
    case = together("CacheControl", "ContentLanguage", "Expires")
    assert least(pair, case) == "CacheControl and Expires"


def test_what_the_state_alone_shows_has_no_parameter_for_a_condition() -> None:
    """What may be given besides is given to things that are there, perhaps before the plain call is."""

    class Twice(Pair):
        def seen(self, probe: Probe) -> Look:
            seen = Seen(setup=[], answers=[Answer(success=True, status=200)])
            return Look(gaps=[gap("Body")], seen=(seen, seen))

    probe = Probe(
        call=put(CacheControl="x"), parameter="CacheControl", value_class="typical", note="'x'", state="twice"
    )
    pair = Twice()
    pair.minimiser.trials.counts["simpler", "typical"] = [
        2,
        0,
    ]  # however often nothing simpler showed anything
    shown, _ = pair.minimiser.confirm(Case(setup=(BUCKET, put()), probes=(probe,)), [gap("Body")])
    (done,) = pair.minimiser.minimise(shown)
    assert (done.probe.parameter, done.probe.value_class, done.probe.state) == ("", "", "twice")
    assert "CacheControl" not in done.probe.call.params


def test_a_long_sequence_may_take_longer_to_make_short() -> None:
    """What is needed stands at both ends: leaving out what is between comes last."""
    planner = Planner(load("s3"), hints_of("s3"))
    plan = planner.plan("ListObjectVersions:marker")
    needed = {"CreateBucket", "PutBucketVersioning", "DeleteObject"}

    def batch(case: Case) -> list[Look]:
        is_shown = needed <= {call.operation for call in case.setup}
        seen = Seen(setup=[], answers=[Answer(success=True, status=200)])
        return [Look(gaps=[gap("IsLatest")] if is_shown else [], seen=(seen, seen)) for _ in case.probes]

    minimiser = Minimiser(lambda case: batch(case)[0], batch, planner)
    case = Case(setup=plan.setup, probes=(Probe(call=plan.call),))
    shown, _ = minimiser.confirm(case, [gap("IsLatest")])
    (found,) = minimiser.minimise(shown)
    assert [call.operation for call in found.case.setup] == [
        "CreateBucket",
        "PutBucketVersioning",
        "DeleteObject",
    ]


def test_a_simpler_value_is_tried_with_less_before_it_again() -> None:
    """A page is full with as many things as the limit says: with a smaller limit, fewer are enough."""
    planner = Planner(load("s3"), hints_of("s3"))
    plan = planner.plan("ListObjectsV2", many=True)
    assert len(plan.setup) == 4

    def batch(case: Case) -> list[Look]:
        operations = [call.operation for call in case.setup]
        made = operations.count("PutObject") if "CreateBucket" in operations else 0
        seen = Seen(setup=[], answers=[Answer(success=True, status=200)])
        return [
            Look(gaps=[gap("Token")] if made > each.call.params["MaxKeys"] else [], seen=(seen, seen))
            for each in case.probes
        ]

    minimiser = Minimiser(lambda case: batch(case)[0], batch, planner)
    call = replace(plan.call, params={**plan.call.params, "MaxKeys": 2})
    probe = Probe(call=call, parameter="MaxKeys", value_class="typical", note="2")
    shown, _ = minimiser.confirm(Case(setup=plan.setup, probes=(probe,)), [gap("Token")])
    (found,) = minimiser.minimise(shown)
    assert found.probe.call.params["MaxKeys"] == 1
    assert [call.operation for call in found.case.setup] == ["CreateBucket", "PutObject", "PutObject"]


def test_what_a_call_before_it_had_left_gives_way_to_what_shows_from_scratch() -> None:
    """It is seen as another error after a write that it shares its context with, and is a refusal alone."""
    pair = Pair("CacheControl", difference=Difference.SUCCESS)
    case = Case(setup=(BUCKET,), probes=(Probe(call=put(CacheControl="x"), parameter="CacheControl"),))
    (shown,), missing = pair.minimiser.confirm(case, [gap("", Difference.CODE)])
    assert (shown.gap.difference, missing) == (Difference.SUCCESS, [])


def parts_asked(pair: Pair) -> list[Call]:
    """The calls that gave one of two parameters alone."""
    names = {"CacheControl", "Expires"}
    return [
        each.call for run in pair.runs for each in run.probes if len(names & each.call.params.keys()) == 1
    ]


def test_no_parameter_is_asked_by_itself_twice_in_the_same_call() -> None:
    pair = Needing("CacheControl", "Expires")
    assert least(pair, together("CacheControl", "Expires")) == "CacheControl and Expires"
    assert len(parts_asked(pair)) == 2


def test_what_a_task_has_asked_of_one_parameter_by_itself_is_not_asked_again() -> None:
    """After all that the task had set up: with less before it, it shows no more."""
    pair, case = Needing("CacheControl", "Expires"), together("CacheControl", "Expires")
    planner = Planner(load("s3"), hints_of("s3"))
    for each in apart(case.probes[0], planner, bare=False):
        pair.minimiser.see_apart(each, [])
    assert least(pair, case) == "CacheControl and Expires"
    assert not parts_asked(pair)
    pair.minimiser.forget()
    assert least(pair, case) == "CacheControl and Expires"
    assert parts_asked(pair), "what another task has seen says nothing of this one"


def test_the_simplest_value_is_tried_by_itself_where_it_has_mostly_been_enough() -> None:
    def tried(pair: Pair) -> list[int]:
        probe = Probe(call=put(CacheControl="!"), parameter="CacheControl", value_class="wrong format")
        shown, _ = pair.minimiser.confirm(Case(setup=(BUCKET,), probes=(probe,)), [gap("CacheControl")])
        pair.runs.clear()
        (done,) = pair.minimiser.minimise(shown)
        assert done.confirmed >= 2
        return [len(run.probes) for run in pair.runs]

    pair = Pair("CacheControl")
    first = [tried(pair) for _ in range(3)]
    assert max(first[0]) > 1
    assert max(first[2]) == 1


class Wanting(Needing):
    """A pair whose sides differ only where a call has what it is usually given, too."""

    def seen(self, probe: Probe) -> Look:
        look = super().seen(probe)
        return look if "Body" in probe.call.params else replace(look, gaps=[])


def test_what_is_never_taken_without_the_usual_rest_is_asked_with_it() -> None:
    """The condition is told apart every time all the same."""

    def bare(pair: Pair) -> int:
        case = together("Body", "CacheControl", "Expires")
        several = "CacheControl and Expires"
        probe = replace(case.probes[0], parameter=several, value_class="typical and typical", note="a and b")
        pair.runs.clear()
        assert least(pair, replace(case, probes=(probe,))) == "Expires"
        return sum("Body" not in each.call.params for run in pair.runs for each in run.probes)

    pair = Wanting("Expires")
    assert [bool(bare(pair)) for _ in range(4)] == [True, True, False, False]


def test_a_simpler_form_that_never_shows_anything_is_left_out_after_a_while() -> None:
    """Whether any value does it is asked a few times more than what only makes a call shorter."""

    def asked(pair: Pair) -> bool:
        probe = Probe(
            call=put(CacheControl="not a valid value"), parameter="CacheControl", value_class="wrong format"
        )
        shown, _ = pair.minimiser.confirm(Case(setup=(BUCKET,), probes=(probe,)), [gap("Body")])
        pair.runs.clear()
        (done,) = pair.minimiser.minimise(shown)
        assert done.probe.call.params["CacheControl"] == "not a va"
        return any(each.value_class == "typical" for run in pair.runs for each in run.probes)

    class Odd(Pair):
        def seen(self, probe: Probe) -> Look:
            is_odd = str(probe.call.params.get("CacheControl")).startswith("not")
            seen = Seen(setup=[], answers=[Answer(success=True, status=200)])
            return Look(gaps=[gap("Body")] if is_odd else [], seen=(seen, seen))

    pair = Odd()
    assert [asked(pair) for _ in range(6)] == [True] * 4 + [False] * 2
