"""Values are cut where they may vary, flattened without losing anything, and hashed apart."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha1

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.canonical import Familiarity, answer_fingerprint, canonical_answer, fingerprint, sketch
from likewise.canonical.leaves import is_name, leaves
from likewise.canonical.tokens import TIME, build_of, cut, looks_random, pieces
from likewise.model import Interaction, Opaque, Operation, Redacted, Returned, Role, Trace, Value

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abcd", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
some = settings(max_examples=80, deadline=None)


@some
@given(st.lists(st.text(max_size=4), max_size=4), st.lists(st.text(max_size=4), max_size=4))
def test_a_fingerprint_keeps_its_parts_apart(ours: list[str], theirs: list[str]) -> None:
    assert (fingerprint(ours) == fingerprint(theirs)) == (ours == theirs)


def test_a_separator_inside_a_part_is_no_separator() -> None:
    assert fingerprint(["a\x1fb"]) != fingerprint(["a", "b"])
    assert fingerprint(["a\x1f", "b"]) != fingerprint(["a", "\x1fb"])
    assert fingerprint([]) != fingerprint([""])


@some
@given(st.text())
def test_the_pieces_of_a_text_are_the_text(text: str) -> None:
    literals, tokens = cut(text)
    assert len(literals) == len(tokens) + 1
    whole = literals[0] + "".join(
        token.removeprefix(TIME) + literal for token, literal in zip(tokens, literals[1:], strict=True)
    )
    assert whole == text


@some
@given(values, values)
def test_different_values_have_different_leaves(one: Value, other: Value) -> None:
    same = answer_fingerprint(one) == answer_fingerprint(other)
    assert same == (repr(_sorted(one)) == repr(_sorted(other)))


def _sorted(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


@some
@given(values)
def test_an_answer_made_canonical_twice_is_made_canonical_once(value: Value) -> None:
    def made(inner: Value) -> Value:
        call = Interaction(operation=Operation("s", "o"), arguments={}, outcome=Returned(value=inner))
        return canonical_answer(call, Familiarity(), {})

    once = made(value)
    assert isinstance(once, dict)
    assert answer_fingerprint(made(once["returned"])) == answer_fingerprint(once)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("bucket-7", ["bucket", "7"]),
        ("bucket7", ["bucket", "7"]),
        ("a1b2", ["a1b2"]),
        ("b44401119516", ["b44401119516"]),
        ("x 2024-05-01T10:11:12.5Z y", ["x", TIME + "2024-05-01T10:11:12.5Z", "y"]),
        ("Mon, 14 Aug 2023 17:27:55 GMT", [TIME + "Mon, 14 Aug 2023 17:27:55 GMT"]),
        ("5e6a392b-0fe7-4fe2-9baa-6d018101ad1e.txt", ["5e6a392b-0fe7-4fe2-9baa-6d018101ad1e", "txt"]),
        ("AgAAAAMAAAAAAAAA+/x=", ["AgAAAAMAAAAAAAAA+/x="]),
        ("3sL4kqtJlcpXro_DTDmJ.rmSpXd3d-", ["3sL4kqtJlcpXro_DTDmJ.rmSpXd3d-"]),
        ("IntegrationTests-Container1", ["IntegrationTests", "Container", "1"]),
        ("photo-Zk3aQ9xB2cD4eF6gH8iJ", ["photo", "Zk3aQ9xB2cD4eF6gH8iJ"]),
        ("W/\"datetime'2024-05-01T10%3A11%3A12.5Z'\"", ["W", "datetime", "2024-05-01T10%3A11%3A12.5Z"]),
    ],
)
def test_texts_are_cut_where_they_may_vary(text: str, tokens: list[str]) -> None:
    assert list(cut(text)[1]) == tokens


@pytest.mark.parametrize("form", ["U_{}", "SS-UID-{}", "x_{}", "E.{}"])
@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_how_a_digest_behind_a_word_is_cut_does_not_depend_on_its_digits(
    form: str, case: Callable[[str], str]
) -> None:
    digests = [case(sha1(str(number).encode(), usedforsecurity=False).hexdigest()) for number in range(500)]
    literals, (*words, _) = cut(form.format("a"))
    for digest in digests:
        assert cut(form.format(digest)) == (literals, (*words, digest))


def test_a_long_text_is_its_length_and_its_hash() -> None:
    size, token = cut("word " * 1000)[1]
    assert looks_random(token)
    assert not looks_random(size)
    assert cut("1word" * 1000)[1][0] == size != cut("word " * 1001)[1][0]
    assert cut("1word" * 1000)[1][1] != token


@pytest.mark.parametrize("leaf", [None, True, Redacted(kind="key")])
def test_some_leaves_never_vary(leaf: bool | Redacted | None) -> None:
    assert pieces(leaf)[1] == ()


def test_an_opaque_body_is_its_size_class_its_size_and_its_content() -> None:
    small, more, large = (Opaque(length=length, digest="d") for length in (10, 11, 1000))
    assert pieces(small)[0] == pieces(more)[0] != pieces(large)[0]
    assert pieces(small)[1][0] != pieces(more)[1][0]
    assert pieces(small)[1][1] == pieces(more)[1][1] == pieces(large)[1][1]


def test_digits_are_no_number_and_a_whole_number_is_of_another_kind() -> None:
    assert len({pieces(leaf)[0] for leaf in ("1234567", 1234567, 1234567.5)}) == 3


def test_an_epoch_is_a_time_and_a_count_is_not() -> None:
    assert pieces(1_700_000_000)[1][0].startswith(TIME)
    assert pieces(1_700_000_000_000)[1][0].startswith(TIME)
    assert not pieces(17)[1][0].startswith(TIME)
    assert not pieces(float("inf"))[1][0].startswith(TIME)
    assert not pieces(float("nan"))[1][0].startswith(TIME)


@pytest.mark.parametrize(
    ("token", "random"),
    [
        ("inventory", False),
        ("v2", False),
        ("12345", False),
        ("123456", True),
        ("0x8DB2", True),
        ("abcdefghij" * 2, True),
        ("a" * 20, False),
        ("00000000-0000-0000-0000-000000000001", False),
        ("10000000000", False),
        ("00000000", True),
    ],
)
def test_what_looks_generated(token: str, random: bool) -> None:
    assert looks_random(token) is random


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("f81d4fae7dec11d0a76500a0c91e6bf6", "0a50c91e6bf6f81d4fae7dec11d0a765", True),
        ("f81d4fae7dec11d0a76500a0c91e6bf6", "F81D4FAE7DEC11D0A76500A0C91E6BF6", False),
        ("f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae7dec11d0a76500a0c91e6bf6" * 10, False),
        ("f81d4fae7dec", "F81D4FAE7DEC", False),
        ("f81d4fae7dec", "381747827293", True),
    ],
)
def test_how_a_long_generated_value_is_built_shows_and_nothing_else_of_it(
    one: str, other: str, alike: bool
) -> None:
    assert (build_of(one) == build_of(other)) is alike


def test_a_text_too_long_to_cut_still_shows_about_how_long_it_is() -> None:
    assert cut("a b" * 1000)[0] == cut("c d" * 1000)[0] != cut("a b" * 9000)[0]


def test_empty_containers_and_nested_lists_are_told_apart() -> None:
    shapes: list[Value] = [[], {}, None, [[]], [None], [[1, 2]], [[1], [2]], {"a": []}, {"a": None}]
    assert len({repr(leaves(shape)) for shape in shapes}) == len(shapes)


def parts(*leaves_of_runs: Value, at: int = 0) -> list[tuple[str, str]] | None:
    """How a leaf is cut after runs that showed these values at its place."""
    runs = [
        Trace(
            test="t",
            role=Role.CANDIDATE,
            interactions=(
                Interaction(
                    operation=Operation("s", "o"), arguments={"v": leaf}, outcome=Returned(value=None)
                ),
            ),
        )
        for leaf in leaves_of_runs
    ]
    familiarity = Familiarity(sketch(run, run=str(number)) for number, run in enumerate(runs))
    leaf = leaves_of_runs[at]
    assert not isinstance(leaf, list | dict)
    return familiarity.parts("s.o?.v", leaf)


def test_what_repeats_is_a_literal_and_what_does_not_a_variable() -> None:
    assert parts("photo-a1b2c3.png", "photo-d4e5f6.png") == [("photo-", "a1b2c3"), (".png", "")]
    assert parts("same", "same") is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("-8Yne8b8C1i4nscgsdxN", "Z-0oB0OwUVz1Uvqt79sd"),
        ("k_-_Q7ab", "x2"),
        ("yCnEb9", "Q7xy9"),
        ("ibZBv75gd9r8lH.gqXatLdxMVpAlj6ze", "T1hwQht7ING7i8gHsEFp8x8orVSRwcGX"),
        ("IUTWwMCZkYyhZZcEjrBNy5-9-l3elK6Gx", "ECYm0YgCJhIC01E63A7qUZzd-9-kdqiO1"),
    ],
)
def test_a_generated_value_is_one_variable_wherever_it_has_its_hyphens(ours: str, theirs: str) -> None:
    assert parts(ours, theirs) == [("", ours), ("", "")]
    assert parts(ours, theirs, at=1) == [("", theirs), ("", "")]


@pytest.mark.parametrize(
    ("ours", "theirs", "variable"),
    [
        ("inbox/_2Ct7gHVggWxXYC", "inbox/PH_D2em1clrjpf5", "_2Ct7gHVggWxXYC"),
        ("inbox/2Ct7gHVggWxXY-_/meta", "inbox/PH_D2em1clrjpf5/meta", "2Ct7gHVggWxXY-_"),
        ("item--V1StGXR8Z5jdHi", "item-a_PdGkQ7x2LmW0f", "-V1StGXR8Z5jdHi"),
        ("V1StGXR8Z5jdHi--item", "a_PdGkQ7x2LmW0f-item", "V1StGXR8Z5jdHi-"),
        ("2023.08.31/_2Ct7gHVggWxXYC", "2023.09.26/PH_D2em1clrjpf5", "_2Ct7gHVggWxXYC"),
    ],
)
def test_an_encoded_value_among_others_keeps_the_hyphens_at_its_ends(
    ours: str, theirs: str, variable: str
) -> None:
    """Else one name in sixteen would make another request, for it begins or ends with one by chance."""
    found, other = parts(ours, theirs), parts(ours, theirs, at=1)
    assert found is not None
    assert other is not None
    assert variable in [name for _, name in found]
    assert [literal for literal, _ in found] == [literal for literal, _ in other]


@pytest.mark.parametrize(
    ("ours", "theirs", "literals"),
    [
        ("inbox/_5e6a392b0fe7", "inbox/_d1f9c641df6e", ["inbox/_", ""]),
        ("item-V1StGXR8Z5jdHi", "item-a_PdGkQ7x2LmW0f", ["item-", ""]),
        ("item_V1StGXR8Z5jdHi", "item_a_PdGkQ7x2LmW0f", ["item_", ""]),
        ("V1StGXR8Z5jdHi-item", "a_PdGkQ7x2LmW0f-item", ["", "-item"]),
    ],
)
def test_a_hyphen_that_no_encoding_makes_stays_a_literal(ours: str, theirs: str, literals: list[str]) -> None:
    """After a word it sets the value apart, and hexadecimal digits have none of their own."""
    found = parts(ours, theirs)
    assert found is not None
    assert [literal for literal, _ in found] == literals


@pytest.mark.parametrize(
    ("ours", "theirs", "literals"),
    [
        ("5e6a392b-0fe7-4fe2-9baa-6d018101ad1e-1", "d1f9c641-df6e-4f80-898a-b64c95471444-1", ["", "-1"]),
        ("f81d4fae7dec_v1_0a50c91e6bf6", "7b1d4fae7d11_v1_22e5c91e6b01", ["", "_v1_", ""]),
    ],
)
def test_a_short_literal_beside_a_variable_stays_a_literal(
    ours: str, theirs: str, literals: list[str]
) -> None:
    found = parts(ours, theirs)
    assert found is not None
    assert [literal for literal, _ in found] == literals


def test_a_time_lends_nothing_to_its_neighbours() -> None:
    found = parts("2024-05-01-a1b2c3", "2024-05-02-d4e5f6")
    assert found == [("", TIME + "2024-05-01"), ("-", "a1b2c3"), ("", "")]


def test_a_truth_value_is_not_a_number() -> None:
    assert parts(1, 2, True, at=2) is None
    assert parts(1, 2, True, at=0) == [("\x02int ", "\x021"), ("", "")]


@pytest.mark.parametrize(
    "name",
    ["items-94b12895e3c6", "items-cfbecfa13560", "jobs3f2a9c", "items-12345678", "orders-febeeeeee763"],
)
def test_a_generated_key_is_a_name_wherever_its_digits_stand(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["address1", "line2", "x-ms-version", "Attributes", "field10", "sha256"])
def test_a_written_key_is_a_place(name: str) -> None:
    assert not is_name(name)
