"""Bodies too long to keep are told apart all the same, and so is a checksum that does not fit."""

from __future__ import annotations

import io
from base64 import b64encode
from hashlib import md5, sha256
from zlib import crc32

import pytest

from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.cloud.recorder import bodies
from likewise.cloud.recorder.bodies import Sink, capture
from likewise.model import Value

CONTENT = b"0123456789" * 7
RIGHT = {
    "x-amz-content-sha256": sha256(CONTENT).hexdigest(),
    "x-amz-checksum-crc32": b64encode(crc32(CONTENT).to_bytes(4, "big")).decode(),
    "content-md5": b64encode(md5(CONTENT).digest()).decode(),
}


def headers_of(content: bytes, stated: dict[str, str]) -> Value:
    kept = capture(io.BytesIO(content), lambda body: None)
    assert isinstance(kept, Sink)
    assert not kept.is_whole
    exchange = Exchange(
        method="PUT", url="http://h/b/k", headers=stated, body=kept.content, sums=kept.sums, service_hint="s3"
    )
    return Interpreter().interpret(exchange, order=0).arguments["headers"]


def test_of_the_checksum_of_a_long_body_only_counts_that_there_is_one_unless_it_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether one that the SDK announces comes ahead of the body depends on the transport."""
    monkeypatch.setattr(bodies, "LIMIT", 16)
    monkeypatch.setattr(bodies, "_BLOCK", 8)
    there = {"x-amz-checksum-crc32": "<right>", "content-md5": "<right>"}
    assert headers_of(CONTENT, RIGHT) == there
    announced = {"x-amz-sdk-checksum-algorithm": "CRC32"}
    after = {**announced, "x-amz-trailer": "x-amz-checksum-crc32"}
    ahead = {**announced, "x-amz-checksum-crc32": RIGHT["x-amz-checksum-crc32"]}
    assert headers_of(CONTENT, after) == headers_of(CONTENT, ahead) == announced
    assert headers_of(CONTENT, {}) == {}
    for name, text in RIGHT.items():
        assert headers_of(CONTENT[:-1] + b"x", {name: text}) == {name: {"wrong": text}}
