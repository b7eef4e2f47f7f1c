"""What is drawn by chance or read from a clock counts by identity; what may be a change counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from library_traces import call, side, trace

from likewise.library.comparison import Manner, compare, diverge
from likewise.library.crossing import Kind
from likewise.model import Interaction, Trace, Value

UUIDS = "d2c96cae-50d9-47e8-a72b-7ece2ce46881", "83d581f9-597a-4c77-b95e-2ae2c72eeb99"
TOKENS = "c33e5e60f17ff45abc6715bd149107c8", "6befb0f4f46d8db528314fb4d23eccc0"
SIGNED = (
    "ImExYmE3NzI4NDBhNTI2ZjQ4NmVlMWYzMWJlY2NlODNjZTYwMjNlNDki.avsgOA.ilsSCZgj0AUkOV42xduFaHoxkns",
    "IjQ1MjU1OGJjZWZkYmM0YjljOTU2Yjc1OWRjNDNiZTVhZWViYzg2ZmMi.avsgQA.56oLv5eQxOaFwR7De_GIO3hSBFs",
)
STARTS = 1_794_849_192.25, 1_794_849_224.75


def differing(ours: list[Interaction], theirs: list[Interaction]) -> list[tuple[str, Manner]]:
    """What two runs that began at `STARTS` and took a tenth of a second differ in."""
    found = diverge(*(_at(trace(*calls), start) for calls, start in zip((ours, theirs), STARTS, strict=True)))
    return [(each.spot.operation, each.manner) for each in found]


def _at(one: Trace, start: float) -> Trace:
    return replace(one, started=start, ended=start + 0.1)


def returned(ours: Value, theirs: Value) -> bool:
    """Whether what the library gives back counts as the same."""
    return not differing([call("f", ours)], [call("f", theirs)])


def brought(ours: Value, theirs: Value) -> bool:
    """Whether what the client passes, and gets back within something else, counts as the same."""
    runs = ([call("f", [each, 1], arguments={"0": each})] for each in (ours, theirs))
    return not differing(*runs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        UUIDS,
        tuple(each.replace("-", "") for each in UUIDS),
        tuple(f"/orders/{each}/items" for each in UUIDS),
        tuple(start + 0.05 for start in STARTS),
        tuple(int(start) for start in STARTS),
        tuple(int(start * 1000) + 50 for start in STARTS),
        ("2026-11-16T17:13:12.301819+00:00", "2026-11-16T17:13:44.802234+00:00"),
        ("made 2026-11-16 18:13:12, ok", "made 2026-11-16 18:13:44, ok"),
        ("Mon, 16 Nov 2026 17:13:12 GMT", "Mon, 16 Nov 2026 17:13:44 GMT"),
        ("Mon Nov 16 17:13:12 2026", "Mon Nov 16 17:13:44 2026"),
    ],
)
def test_what_is_made_to_be_unique_and_the_time_of_the_run_do_not_count(ours: Value, theirs: Value) -> None:
    assert returned(ours, theirs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        TOKENS,
        tuple(each[:8] for each in TOKENS),
        SIGNED,
        (bytes.fromhex(TOKENS[0]), bytes.fromhex(TOKENS[1])),
        tuple(int(start) + 3600 for start in STARTS),
        ("2026-11-17T17:13:12.301819", "2026-11-17T17:13:44.802234"),
        (139915379836464, 140693977055536),
    ],
)
def test_what_looks_drawn_does_not_count_where_the_client_brought_it(ours: Value, theirs: Value) -> None:
    assert brought(ours, theirs)
    assert not returned(ours, theirs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (UUIDS[0], UUIDS[1].replace("-", "")),
        (UUIDS[0], UUIDS[1].replace("-4c77-", "-5c77-")),
        (f"a {UUIDS[0]}", f"b {UUIDS[1]}"),
        (STARTS[0], STARTS[1] + 1),
        (STARTS[0], int(STARTS[1])),
        ("2026-11-16T17:13:12.301819+00:00", "2026-11-16T17:13:44+00:00"),
        ("2026-11-16T17:13:12.301819", "2026-11-16T18:13:44.802234"),
        ("2026-11-16T17:13:12.301819", "2026-11-16T17:13:44.802234Z"),
        ("2020-01-01T00:00:00", "2020-01-01T00:00:32"),
        (1_577_836_800, 1_577_836_832),
        ("a-config-file-name-2", "another-config-name1"),
        (b"0123456789abcdefXXXX", b"0123456789abcdefYYYY"),
        (TOKENS[0], TOKENS[1] + "0000"),
        ("20250101", "19991231"),
        ("deadbeef", "feedface"),
        (1, 2),
    ],
)
def test_another_form_another_zone_and_other_values_count(ours: Value, theirs: Value) -> None:
    assert not returned(ours, theirs)
    assert not brought(ours, theirs)


def test_what_base64_made_of_something_drawn_is_known_again_within_texts() -> None:
    coded = "C4t22XM0D97SmSa+r891goblvfs=", "FymqZ6K37t2hjiTJlRhZKAOC0rI="

    def run(token: str, status: int) -> list[Interaction]:
        said = f"HTTP/1.1 {status}\r\nSec-WebSocket-Accept: {token}\r\n\r\n".encode()
        return [call("Headers", arguments={"0": token.encode()}), call("send", said, at=2)]

    assert differing(run(coded[0], 101), run(coded[1], 101)) == []
    assert differing(run(coded[0], 101), run(coded[1], 200)) == [("lib.send", Manner.VALUE)]
    assert not returned(*coded)
    assert not brought("/srv/Data1/client/a=b", "/opt/Base2/server/c=d")


def test_bytes_that_are_a_text_are_one() -> None:
    texts = (f"<Wrapper at 0x7f5ec037{each}590> {uuid}" for each, uuid in zip("7a", UUIDS, strict=True))
    ours, theirs = (each.encode() for each in texts)
    assert returned(ours, theirs)
    assert not returned(ours, theirs.replace(b"Wrapper", b"Wrapped"))
    assert not returned(ours, theirs.decode())
    assert not returned(b"\xff" + ours, b"\xff" + theirs), "no text"
    tokens = [each.encode() for each in TOKENS]
    assert brought(*tokens)
    assert not returned(*tokens)


def test_a_port_that_the_system_chose_does_not_count_where_the_client_brought_it() -> None:
    def run(name: str, port: Value, *, answer: Value) -> list[Interaction]:
        environ: Value = {"is": "dict", "items": [["HOST", "here"], [name, port]]}
        return [call("serve", answer, arguments={"0": environ})]

    assert differing(run("SERVER_PORT", "35222", answer=35), run("SERVER_PORT", "56102", answer=35)) == []
    assert differing(run("port", 35222, answer=35222), run("port", 56102, answer=56102)) == []
    assert differing(run("port", 35222, answer=35222), run("port", 56102, answer=80)) != []
    assert differing(run("port", 80, answer=1), run("port", 8080, answer=1)) != []
    assert differing(run("size", 35222, answer=1), run("size", 56102, answer=1)) != []


def test_one_drawn_value_is_one_other() -> None:
    """Twice the same on one side, and two different ones on the other, is a difference."""
    other = UUIDS[0].replace("d2c9", "eeee")
    ours = [call("f", UUIDS[0], at=1), call("f", UUIDS[0], at=2)]
    theirs = [call("f", UUIDS[1], at=1), call("f", other, at=2)]
    assert differing(ours, theirs) == [("lib.f", Manner.VALUE)]
    assert differing(theirs, ours) == [("lib.f", Manner.VALUE)]


def test_a_drawn_value_is_known_again_within_texts_and_keys() -> None:
    runs = [
        [
            call("put", arguments={"0": token}),
            call("header", f'Digest nonce="{token}",qop="auth"', at=2),
            call("all", {"is": "dict", "items": [[token, 1], ["b", number]]}, at=3),
        ]
        for number, token in enumerate(TOKENS)
    ]
    assert differing(*runs) == [("lib.all", Manner.VALUE)]


def test_what_the_client_answers_to_the_library_may_be_drawn() -> None:
    runs = [
        [call("callback make", token, kind=Kind.CALLBACK), call("field", f'value="{token}"', at=2)]
        for token in SIGNED
    ]
    assert differing(*runs) == []


def test_after_a_difference_nothing_that_the_client_brings_is_taken_for_drawn() -> None:
    """It may be the digest of what differed."""
    runs = [
        [call("read", number), call("put", arguments={"0": token}, at=2)]
        for number, token in enumerate(TOKENS)
    ]
    assert differing(*runs) == [("lib.read", Manner.VALUE), ("lib.put", Manner.ARGUMENT)]


def test_digests_of_what_is_drawn_say_nothing_but_their_number_does() -> None:
    def run(uuid: str, count: int) -> list[Interaction]:
        rest = call("f", kind=Kind.REST, count=count, digest=uuid[:8])
        return [call("f", uuid), rest]

    assert differing(run(UUIDS[0], 5), run(UUIDS[1], 5)) == []
    assert differing(run(UUIDS[0], 5), run(UUIDS[1], 6)) == [("lib.f", Manner.NEW)]


def test_a_change_has_one_name_whatever_was_drawn_beside_it() -> None:
    """So that it stays accepted."""

    def identity(number: int, limit: int) -> str:
        values = [
            {"is": "dict", "items": [["id", UUIDS[number]], ["at", 0x7F00], ["n", n]]} for n in (1, limit)
        ]
        sides = [side(trace(call("f", value))) for value in values]
        (group,) = compare(*sides).groups
        return group.identity

    assert identity(0, 2) == identity(1, 2)
    assert identity(0, 2) != identity(0, 3)
