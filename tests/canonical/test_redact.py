"""Nothing secret survives redaction, nothing else is lost, and identity is kept."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.canonical.redact import MARK, Form, Secrets, redact
from likewise.model import (
    Effect,
    Interaction,
    Lost,
    Operation,
    Raised,
    Redacted,
    Returned,
    Role,
    Touch,
    Trace,
    Value,
)

SECRET = "hunter2/Zm9v+bar=="
BUY = Operation("shop", "Buy")
FORM = Form(kind="badge", pattern=re.compile(r"badge-[0-9]{6}"), needles=("badge-",), least=12)
PART = Form(
    kind="mark", pattern=re.compile(r"([?&]mark=)(?!\(redacted\))[^&]+"), needles=("mark=",), part=True
)
SECRETS = Secrets(
    names=frozenset({"passphrase", "vault:note", "open:code", "pass"}),
    values=frozenset({SECRET}),
    patterns=(FORM, PART),
    renewable=frozenset({"pass"}),
)


def trace_of(*interactions: Interaction, **fields: Any) -> Trace:
    return Trace(test="t", role=Role.CANDIDATE, interactions=interactions, **fields)


def call(
    arguments: dict[str, Value] | None = None,
    outcome: Any = None,
    operation: Operation = BUY,
    **fields: Any,
) -> Interaction:
    return Interaction(
        operation=operation, arguments=arguments or {}, outcome=outcome or Returned(value=None), **fields
    )


def cleaned(interaction: Interaction) -> Interaction:
    return redact(trace_of(interaction), secrets=SECRETS).trace.interactions[0]


texts = st.text(max_size=12)
planted = st.builds(lambda before, after: before + SECRET + after, texts, texts)
scalars = st.none() | st.booleans() | st.integers() | texts | st.binary(max_size=12)
leaves = scalars | planted | planted.map(lambda text: text.encode())
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts | planted, inner, max_size=4),
    max_leaves=12,
)
mappings = st.dictionaries(texts | planted, values, max_size=5)
outcomes = (
    st.builds(Returned, value=values)
    | st.builds(Raised, kind=texts | planted, message=texts | planted, value=values)
    | st.builds(Lost, reason=texts | planted)
)
touches = st.builds(
    Touch,
    resource=st.lists(texts | planted, max_size=3).map(tuple),
    effect=st.sampled_from(Effect),
)
interactions = st.builds(
    Interaction,
    operation=st.just(Operation("shop", "Buy")),
    arguments=mappings,
    outcome=outcomes,
    touches=st.lists(touches, max_size=2).map(tuple),
    receiver=texts | planted,
    wire=mappings | st.fixed_dictionaries({"body": planted.map(lambda text: text.encode())}),
)
traces = st.builds(
    Trace,
    test=texts | planted,
    role=st.sampled_from(Role),
    interactions=st.lists(interactions, max_size=3).map(tuple),
    failure=texts | planted,
    unclear=st.lists(texts | planted, max_size=2).map(tuple),
)


def everything(value: Any) -> str:
    """All that a value would leave on a disk, bytes read as text."""
    match value:
        case dict():
            return "\n".join(everything(key) + "\n" + everything(inner) for key, inner in value.items())
        case list() | tuple():
            return "\n".join(map(everything, value))
        case bytes():
            return value.decode("latin-1")
    return str(value)


@given(traces)
def test_no_planted_secret_survives_anywhere(trace: Trace) -> None:
    redaction = redact(trace, secrets=SECRETS)
    assert SECRET not in everything(asdict(redaction.trace))
    assert (redaction.removed > 0) == (SECRET in everything(asdict(trace)))


@given(traces)
def test_redacting_twice_changes_nothing(trace: Trace) -> None:
    once = redact(trace, secrets=SECRETS).trace
    again = redact(once, secrets=SECRETS)
    assert again.trace == once
    assert again.removed == 0


@given(st.dictionaries(texts, st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=6)))
def test_a_call_without_secrets_is_the_very_same_one(arguments: dict[str, Value]) -> None:
    plain = call({f"f{key}": value for key, value in arguments.items()})
    assert cleaned(plain) is plain


def test_a_secret_field_goes_whole_whatever_its_spelling_and_content() -> None:
    clean = cleaned(call({"PassPhrase": "x", "deep": [{"passphrase": {"a": 1}}], "other": "kept"}))
    assert clean.arguments == {
        "PassPhrase": Redacted(kind="passphrase"),
        "deep": [{"passphrase": Redacted(kind="passphrase 2")}],
        "other": "kept",
    }


@pytest.mark.parametrize("nothing", [None, "", b"", False, [], {}])
def test_a_secret_field_that_holds_nothing_stays_visibly_empty(nothing: Value) -> None:
    assert cleaned(call({"passphrase": nothing})).arguments == {"passphrase": nothing}


def test_scoped_names_hold_only_in_their_service_or_operation() -> None:
    fields: dict[str, Value] = {"note": "n", "code": "c"}
    assert cleaned(call(fields, operation=Operation("shop", "Buy"))).arguments == fields
    vault = cleaned(call(fields, operation=Operation("Vault", "Close")))
    assert vault.arguments == {"note": Redacted(kind="note"), "code": "c"}
    opened = cleaned(call(fields, operation=Operation("shop", "Open")))
    assert opened.arguments == {"note": "n", "code": Redacted(kind="code")}


def test_distinct_secrets_stay_distinct_and_equal_ones_equal_across_a_trace() -> None:
    first, second, third = redact(
        trace_of(call({"passphrase": "a"}), call({"passphrase": "b"}), call({"passphrase": "a"})),
        secrets=SECRETS,
    ).trace.interactions
    assert first.arguments == third.arguments
    assert first.arguments != second.arguments


def test_a_pattern_takes_the_whole_leaf_and_a_partial_one_only_its_part() -> None:
    clean = cleaned(call({"a": "my badge-123456", "url": "http://h/p?a=1&mark=zzz&b=2", "b": "badge-12"}))
    assert clean.arguments == {
        "a": Redacted(kind="badge"),
        "url": f"http://h/p?a=1&mark={MARK}&b=2",
        "b": "badge-12",
    }


def test_bytes_with_a_secret_go_whole() -> None:
    clean = cleaned(call({"body": b"\xff badge-123456", "url": b"?mark=zzz"}))
    assert all(isinstance(value, Redacted) for value in clean.arguments.values())


def test_a_call_whose_request_lost_something_cannot_be_repeated() -> None:
    by_body = cleaned(call(wire={"url": "u", "body": b"badge-123456"}))
    assert by_body.wire == {"url": "u", "redacted": True}
    by_argument = cleaned(call({"passphrase": "p"}, wire={"url": "u", "body": b"p as it is encoded"}))
    assert by_argument.wire == {"url": "u", "redacted": True}
    by_header = cleaned(call(wire={"headers": {"passphrase": "p"}, "body": b"x"}))
    assert by_header.wire == {"headers": {"passphrase": Redacted(kind="passphrase")}, "redacted": True}


def test_what_is_made_anew_is_dropped_and_the_call_stays_repeatable() -> None:
    clean = cleaned(call(wire={"headers": {"Pass": "p", "a": "b"}, "body": b"x"}))
    assert clean.wire == {"headers": {"a": "b"}, "body": b"x"}


def test_a_secret_in_the_answer_leaves_the_request_repeatable() -> None:
    clean = cleaned(call(outcome=Returned(value={"passphrase": "p"}), wire={"body": b"x"}))
    assert clean.outcome == Returned(value={"passphrase": Redacted(kind="passphrase")})
    assert clean.wire == {"body": b"x"}


def test_messages_and_reasons_stay_text() -> None:
    clean = redact(
        trace_of(
            call(outcome=Raised(kind="K", message=f"no {SECRET}!")),
            call(outcome=Lost(reason="lost badge-123456")),
            failure=f"assert {SECRET!r}",
            unclear=(f"seen {SECRET}",),
            unseen=(f"fetched {SECRET}",),
        ),
        secrets=SECRETS,
    ).trace
    assert clean.interactions[0].outcome == Raised(kind="K", message=f"no {MARK}!")
    assert clean.interactions[1].outcome == Lost(reason=f"lost {MARK}")
    assert clean.failure == f"assert '{MARK}'"
    assert clean.unclear == (f"seen {MARK}",)
    assert clean.unseen == (f"fetched {MARK}",)
