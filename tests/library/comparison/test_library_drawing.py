"""What the client was seen to draw counts by identity, however it is written; nothing else does for that."""

from __future__ import annotations

import base64
import hashlib

import pytest
from library_traces import call, side, thing, trace

from likewise.library.comparison import Manner, compare, diverge
from likewise.library.crossing import FIXTURE, IMPORT, Kind
from likewise.model import Interaction, Value

DRAWN = bytes.fromhex("15acbe33cc"), bytes.fromhex("eecae39286")


def draw(value: Value, *, at: int = 1, count: int = 5) -> Interaction:
    """What the client drew."""
    return call("urandom", value, at=at, kind=Kind.DRAW, arguments={"0": count})


def differing(*runs: list[Interaction]) -> list[tuple[str, Manner]]:
    return [(each.spot.operation, each.manner) for each in diverge(*(trace(*run) for run in runs))]


def written(how: str, value: bytes) -> Value:
    """Some bytes in one of the ways in which a client writes them."""
    forms: dict[str, Value] = {
        "bytes": value,
        "bytes among others": b"nonce:" + value,
        "hex": value.hex(),
        "in a text": f"id={value.hex().upper()};",
        "base64": base64.encodebytes(value).decode(),
        "base64 for addresses": "/t/" + base64.urlsafe_b64encode(value).decode().rstrip("="),
        "number": int.from_bytes(value, "little"),
    }
    return forms[how]


FORMS = "bytes", "bytes among others", "hex", "in a text", "base64", "base64 for addresses", "number"


@pytest.mark.parametrize("form", FORMS)
def test_what_was_drawn_is_the_same_in_every_notation(form: str) -> None:
    runs = [
        [draw(value), call("put", [written(form, value)], at=2, arguments={"0": written(form, value)})]
        for value in DRAWN
    ]
    assert differing(*runs) == []


@pytest.mark.parametrize("form", FORMS)
def test_what_nobody_drew_counts(form: str) -> None:
    others = bytes.fromhex("0011223344"), bytes.fromhex("5566778899")
    runs = [
        [draw(value), call("get", written(form, other), at=2)]
        for value, other in zip(DRAWN, others, strict=True)
    ]
    assert differing(*runs) == [("lib.get", Manner.VALUE)]


def test_another_notation_and_another_place_of_it_count() -> None:
    hexed, based = ([draw(each)] for each in DRAWN)
    hexed.append(call("show", DRAWN[0].hex(), at=2))
    based.append(call("show", base64.b64encode(DRAWN[1]).decode(), at=2))
    assert differing(hexed, based) == [("lib.show", Manner.VALUE)]
    two = [
        [draw(one), draw(other, at=2), call("first", chosen.hex(), at=3)]
        for one, other, chosen in (
            (DRAWN[0], DRAWN[0][::-1], DRAWN[0]),
            (DRAWN[1], DRAWN[1][::-1], DRAWN[1][::-1]),
        )
    ]
    assert differing(*two) == [("lib.first", Manner.VALUE)]


def test_a_few_bytes_stand_anywhere_and_say_nothing() -> None:
    runs = [[draw(value[:2], count=2), call("get", value[:2].hex(), at=2)] for value in DRAWN]
    assert differing(*runs) == [("lib.get", Manner.VALUE)]


def test_drawing_is_no_call() -> None:
    """That one side draws more, or asks for more, shows only in what crosses."""
    more = [draw(DRAWN[1]), draw(DRAWN[1], at=2, count=9), call("f", 1, at=3)]
    assert differing([draw(DRAWN[0]), call("f", 1, at=3)], more) == []
    folded = [
        [call("urandom", kind=Kind.REST, arguments={"kind": "draw"}, count=number, digest=str(number))]
        for number in (5, 7)
    ]
    assert differing(*folded) == []


@pytest.mark.parametrize("kind", [IMPORT, FIXTURE])
def test_what_was_drawn_before_the_tests_is_known_in_all_of_them(kind: str) -> None:
    sides = [
        side(
            trace(draw(value), test=f"{kind}examples"),
            trace(call("put", arguments={"0": value.hex()}, at=2)),
        )
        for value in DRAWN
    ]
    assert compare(*sides).groups == ()
    one, other = sides
    again = compare(one, side(*other.recording.traces, again=other.recording.traces))
    assert again.groups == ()


def test_what_the_library_makes_of_something_drawn_may_look_drawn() -> None:
    """Through an object as well; but a difference in anything else counts."""

    def run(value: bytes, limit: int) -> list[Interaction]:
        digest = hashlib.sha256(value).digest()
        return [
            draw(value),
            call("Hash", thing(1), at=2),
            call("Hash.update", None, at=3, arguments={"0": value}, receiver="Node#1"),
            call("Hash.digest", digest, at=4, receiver="Node#1"),
            call(
                "Hash.number",
                {"is": "value", "type": "int", "text": "0x" + digest.hex()},
                at=5,
                receiver="Node#1",
            ),
            call("Hash.limit", limit, at=6, receiver="Node#1"),
        ]

    assert differing(run(DRAWN[0], 1), run(DRAWN[1], 1)) == []
    assert differing(run(DRAWN[0], 1), run(DRAWN[1], 2)) == [("lib.Hash.limit", Manner.VALUE)]


def test_what_the_library_makes_of_anything_else_counts_however_drawn_it_looks() -> None:
    runs = [
        [draw(value), call("digest", hashlib.sha256(value).digest(), at=2, arguments={"0": b"same"})]
        for value in DRAWN
    ]
    assert differing(*runs) == [("lib.digest", Manner.VALUE)]
