"""Generated values, discrepancies, verdicts and runs."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import strategies as st

from likewise.model import (
    AuditBound,
    Difference,
    Discrepancy,
    Flaky,
    Implication,
    Manifestation,
    Opaque,
    Operation,
    Redacted,
    ReferenceResultKnown,
    Rerun,
    Result,
    RunFinished,
    Spending,
    Standing,
    TestReport,
    Trust,
    Wavers,
)
from likewise.report.restoring import RERUNS, TRUSTS

texts = st.text(max_size=20)
numbers = st.integers(min_value=0, max_value=10**9)
moments = st.floats(min_value=0, max_value=4e9)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | texts
    | st.binary(max_size=20)
    | st.builds(Opaque, length=numbers, digest=texts)
    | st.builds(Redacted, kind=texts)
)
keys = texts | st.sampled_from(["$bytes", "$opaque", "$redacted", "$dict", "$float"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)

discrepancies = st.builds(
    Discrepancy,
    operation=st.builds(Operation, st.sampled_from(["s3", "dynamodb"]), st.text("AbcGetPut", min_size=1)),
    difference=st.sampled_from(Difference),
    place=texts,
    reference=values,
    candidate=values,
    implication=st.sampled_from(Implication),
    manifestation=st.sampled_from(Manifestation),
    test=texts,
    position=st.integers(min_value=-1, max_value=99),
)

_BY_TYPE = {
    "int": numbers,
    "float": moments,
    "str": texts,
    "bool": st.booleans(),
    "Result": st.sampled_from(Result),
    "Fingerprint": texts,
    "tuple[str, ...]": st.lists(texts).map(tuple),
}


def _of(kind: type) -> st.SearchStrategy[object]:
    return st.builds(kind, **{each.name: _BY_TYPE[str(each.type)] for each in fields(kind)})


known_results = st.builds(ReferenceResultKnown, result=st.sampled_from(Result), when=moments)
verdicts = (
    st.builds(Trust, reason=st.one_of(known_results, *map(_of, TRUSTS.values())))
    | st.builds(
        Rerun,
        reason=st.one_of(*map(_of, RERUNS.values())),
        replay=st.lists(numbers, max_size=3).map(tuple),
        whole=st.booleans(),
    )
    | st.builds(Flaky, reason=_of(Wavers))
)

reports = st.builds(
    TestReport,
    test=texts,
    standing=st.sampled_from(Standing),
    verdict=verdicts,
    candidate=st.sampled_from(Result),
    reference=st.none() | st.sampled_from(Result),
    calls=numbers,
    reference_calls=numbers,
    saved=numbers,
    discrepancies=st.lists(discrepancies, max_size=3).map(tuple),
    notes=st.lists(texts, max_size=2).map(tuple),
)

spendings = st.builds(
    Spending,
    run=texts,
    when=moments,
    policy=texts,
    tests=numbers,
    calls=numbers,
    reference_calls=numbers,
    seconds=moments,
    reference_seconds=moments,
    money=moments,
    reference_money=moments,
    by_operation=st.dictionaries(texts, numbers, max_size=3),
    unsettled=numbers,
)

finished_runs = st.builds(
    RunFinished,
    run=texts,
    spending=spendings,
    tests=st.lists(reports, max_size=4).map(tuple),
    audits=st.builds(AuditBound, clean=numbers, failed=numbers),
    leftovers=st.lists(texts, max_size=2).map(tuple),
)
