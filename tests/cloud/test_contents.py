"""Content that is new in every run is known by what it is made of."""

from __future__ import annotations

from base64 import b64encode
from hashlib import md5
from random import Random
from typing import Any

import pytest

from likewise.cloud.bodies import opaque
from likewise.cloud.contents import MOST, Contents
from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.model import Effect, Scope, Touch

BLOB = ("blob", "a", "box", "k")
SEE = (Touch(resource=BLOB, effect=Effect.READ, scope=Scope.SUBTREE),)
APPEND = (Touch(resource=BLOB, effect=Effect.WRITE),)
STORE = (Touch(resource=BLOB, effect=Effect.ABSORB, scope=Scope.SUBTREE),)


def random_bytes(seed: int, size: int = 900) -> bytes:
    return Random(seed).randbytes(size)


ONE, TWO = random_bytes(1), random_bytes(2)


def appended(*pieces: bytes) -> Contents:
    contents = Contents()
    for piece in pieces:
        contents.take(APPEND, piece)
    return contents


def pieces(*parts: Any) -> Any:
    return {"pieces": {f"{number:03}": part for number, part in enumerate(parts)}}


def test_what_was_sent_as_a_whole_is_itself() -> None:
    assert appended(ONE, TWO).tell(SEE, TWO) == opaque(TWO)


def test_the_order_of_pieces_is_seen() -> None:
    whole = pieces({"of": opaque(ONE)}, {"of": opaque(TWO)})
    assert appended(ONE, TWO).tell(SEE, ONE + TWO) == whole
    assert appended(ONE, TWO).tell(SEE, TWO + ONE) != whole


@pytest.mark.parametrize(("start", "stop"), [(0, 20), (100, 300), (101, 301), (100, 900)])
def test_where_a_range_begins_and_ends_is_seen(start: int, stop: int) -> None:
    length = {"length": stop - start} if stop < 900 else {}
    part = {"of": opaque(ONE), "from": start, **length}
    assert appended(ONE, TWO).tell(SEE, ONE[start:stop]) == pieces(part)


def test_text_stays_text_unless_a_part_was_cut_out() -> None:
    lines = [b"the first line\n", b"the second line\n"]
    assert appended(*lines).tell(SEE, b"".join(lines)) == "the first line\nthe second line\n"
    part = {"of": "the first line\n", "from": 4, "length": 10}
    assert appended(*lines).tell(SEE, b"first line") == pieces(part)


def test_what_nobody_sent_stays_as_it_is() -> None:
    assert appended(ONE).tell(SEE, TWO) == opaque(TWO)
    padded = appended(ONE).tell(SEE, bytes(500) + ONE + bytes(10))
    zeros = {"other": opaque(bytes(500))}, {"other": opaque(bytes(10))}
    assert padded == pieces(zeros[0], {"of": opaque(ONE)}, zeros[1])


def test_what_was_overwritten_or_sent_elsewhere_does_not_count() -> None:
    contents = appended(ONE)
    contents.take(STORE, TWO)
    assert contents.tell(SEE, ONE[5:500]) == opaque(ONE[5:500])
    elsewhere = (Touch(resource=(*BLOB[:3], "other"), effect=Effect.READ, scope=Scope.SUBTREE),)
    assert contents.tell(elsewhere, TWO[5:500]) == opaque(TWO[5:500])


def test_there_is_an_end_to_taking_apart() -> None:
    many = [random_bytes(seed, 20) for seed in range(MOST + 1)]
    assert appended(*many).tell(SEE, b"".join(many)) == opaque(b"".join(many))


def test_blocks_in_another_order_make_another_answer() -> None:
    """As a download shows it, whatever the content is in this run."""

    def download(first: bytes, second: bytes) -> Any:
        world = Interpreter()
        url = "http://127.0.0.1:10000/devstoreaccount1/box/k"

        def send(method: str, query: str = "", **more: Any) -> Any:
            exchange = Exchange(
                method=method,
                url=url + query,
                headers={"x-ms-version": "2021-08-06"},
                service_hint="blob",
                **more,
            )
            return world.interpret(exchange, order=0)

        for name, piece in (("MQ==", ONE), ("Mg==", TWO)):
            send("PUT", f"?comp=block&blockid={name}", body=piece, status=201)
        send("PUT", "?comp=blocklist", body=b"<BlockList/>", status=201)
        return send("GET", status=200, response_body=first + second).outcome.value["body"]

    assert download(ONE, TWO) == pieces({"of": opaque(ONE)}, {"of": opaque(TWO)})
    assert download(ONE, TWO) != download(TWO, ONE)


@pytest.mark.parametrize(("told", "is_said"), [("900", False), ("901", True)])
def test_that_a_length_is_not_that_of_what_was_sent_is_said(told: str, is_said: bool) -> None:
    """Of random content the length may be random as well, and then its number tells nothing."""
    interpreter = Interpreter()

    def send(method: str, body: bytes | None, **headers: str) -> Any:
        exchange = Exchange(
            method=method,
            url="http://127.0.0.1:10000/devstoreaccount1/box/k",
            headers={"x-ms-blob-type": "BlockBlob"} if method == "PUT" else {},
            body=body,
            status=201 if method == "PUT" else 200,
            response_headers=headers,
            service_hint="blob",
        )
        outcome: Any = interpreter.interpret(exchange, order=0).outcome
        return outcome.value["headers"]

    send("PUT", ONE)
    assert ("content-length≢" in send("HEAD", None, **{"content-length": told})) is is_said


@pytest.mark.parametrize(("content", "is_said"), [(ONE, False), (TWO, True)])
@pytest.mark.parametrize("snapshot", ["", "<Snapshot>2026-05-04T03:02:01.0000000Z</Snapshot>"])
def test_that_a_checksum_is_not_that_of_what_was_sent_is_said(
    content: bytes, is_said: bool, snapshot: str
) -> None:
    """Of random content the MD5 is random as well, in its properties and in a list."""
    interpreter = Interpreter()

    def send(method: str, path: str, status: int, **more: Any) -> Any:
        exchange = Exchange(
            method=method,
            url=f"http://127.0.0.1:10000/devstoreaccount1/box{path}",
            headers={"x-ms-blob-type": "BlockBlob"} if method == "PUT" else {},
            status=status,
            service_hint="blob",
            **more,
        )
        outcome: Any = interpreter.interpret(exchange, order=0).outcome
        return outcome.value

    digest = b64encode(md5(content, usedforsecurity=False).digest()).decode()
    listed = (
        f"<EnumerationResults><Blobs><Blob><Name>k</Name>{snapshot}<Properties>"
        f"<Content-MD5>{digest}</Content-MD5></Properties></Blob></Blobs></EnumerationResults>"
    )
    send("PUT", "/k", 201, body=ONE)
    told = send("HEAD", "/k", 200, response_headers={"content-md5": digest})
    assert ("content-md5≢" in told["headers"]) is is_said
    shown = send("GET", "?restype=container&comp=list", 200, response_body=listed.encode())
    (blob,) = shown["body"]["EnumerationResults"]["Blobs"]["Blob"]
    assert ("Content-MD5≢" in blob["Properties"]) is (is_said and not snapshot)


def test_content_of_many_large_pieces_is_taken_apart() -> None:
    large = [random_bytes(seed, 1_000_000) for seed in range(6)]
    told = appended(*large).tell(SEE, b"".join(large))
    assert told == pieces(*[{"of": opaque(each)} for each in large])
